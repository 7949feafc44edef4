"""git commands that change a checkout nobody can name beforehand, while bound.

    git -C "$(...)" commit      ask
    git -C "$(...)" status      pass
"""
from guard.core.judge import question
from guard.core.model import Answer, Effect, Facts
from guard.core.rules import in_worktree, typed, where


def answer(effect: Effect, facts: Facts) -> Answer:
    return question("unknown-place", typed(effect), f"which checkout it would change cannot be known beforehand; {where(facts)}.",
                    in_worktree(effect, facts))

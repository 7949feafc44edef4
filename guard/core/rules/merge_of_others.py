"""Merging another worktree's branch: its work may not be finished.

    git merge wt/y      another worktree's   ask
    git merge main                           pass
    git rebase origin/main                   pass
"""
from guard.core.judge import question, quoted
from guard.core.model import OWN, Answer, Effect, Facts
from guard.core.rules import bound, short, typed


def answer(effect: Effect, facts: Facts) -> "Answer | None":
    own = bound(facts)
    if "merge" not in effect.flags or own is None or facts.place != OWN:
        return None
    names = [short(name) for name in effect.refs]
    for branch, path in facts.held[1:] if facts.held and facts.held[0][0] in facts.protected else facts.held:
        if branch and branch in names and branch not in facts.protected and path != own.path:
            return question("merge-of-others", typed(effect), f"{branch} is what the worktree {path} works on; it may not be finished.",
                       f"git log --oneline {quoted(f'{own.head or own.branch}..{branch}')}  (shows what it would bring)")
    return None

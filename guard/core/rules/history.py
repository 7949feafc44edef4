"""Commands that make commits unreachable for good, or rewrite the history of every branch.

    git reflog expire --expire=now --all    deny
    git gc --prune=now                      deny
    git filter-branch ...                   deny
    git gc                                  pass
"""
from guard.core.judge import refuse
from guard.core.model import Answer, Effect, Facts
from guard.core.rules import authorised, spending, typed

WHY = {"reflog": "the reflog is the last way back to commits that no branch holds, of every worktree.",
       "gc": "it deletes commits that only the reflogs of other worktrees may still lead to.",
       "maintenance": "it deletes commits that only the reflogs of other worktrees may still lead to.",
       "prune": "it deletes whatever no ref reaches, work of other sessions included.",
       "replace": "it changes what every worktree sees under that commit."}


def answer(effect: Effect, facts: Facts) -> "Answer | None":
    if authorised(facts):
        return spending(facts)
    why = WHY.get(effect.verb, "it rewrites main and the branches of every other worktree.")
    instead = "git gc  (keeps what is younger than two weeks)" if effect.verb in ("reflog", "gc", "prune", "maintenance") else (
        "git rebase main  (on your own branch; a person can allow more: wt authorize-main --reason '...')")
    return refuse("history", typed(effect), why, instead)

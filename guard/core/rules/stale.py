"""git commands while the bound worktree is gone: nobody knows where they were meant to happen.

    git commit -am x      in the main checkout   deny
    git status                                   pass
"""
from guard.core.judge import quoted, refuse
from guard.core.model import LOST, MAIN, UNKNOWN, Answer, Effect, Facts
from guard.core.rules import authorised, bound, home, typed


def answer(effect: Effect, facts: Facts) -> "Answer | None":
    own = bound(facts)
    if own is None or own.condition not in LOST or home(facts).settings.stale != "deny":
        return None
    if facts.place not in (MAIN, UNKNOWN, "gone") or authorised(facts):
        return None
    if own.condition == "gone":
        return refuse("stale-worktree", typed(effect), f"the worktree this session is bound to, {own.path}, is gone.",
                      f"wt enter {quoted(own.path)}  (makes it again; wt leave goes back to the main checkout)")
    if own.condition == "unreadable":
        return refuse("stale-worktree", typed(effect), f"the worktree this session is bound to, {own.path}, cannot be looked at.",
                      "wt status  (says more; wt leave goes back to the main checkout)")
    return refuse("stale-worktree", typed(effect),
                  f"the worktree this session is bound to, {own.path}, is no worktree of this repository any more.",
                  "wt leave  (works in the main checkout; what is in that folder stays)")

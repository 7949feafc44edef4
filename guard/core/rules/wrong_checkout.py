"""git verbs that change a checkout which is not this call's: main's while bound, or another worktree's.

    cd R && git commit -am x      deny
    git -C W2 add -A              deny
    git commit -am x    in W      pass
"""
from guard.core.judge import quoted, refuse
from guard.core.model import ALLOW, GIT, LOST, MAIN, OTHER, OWN, Answer, Effect, Facts
from guard.core.rules import authorised, bound, home, in_worktree, spending, typed, where

WAY_BACK = ("switch", "checkout")


def answer(effect: Effect, facts: Facts) -> "Answer | None":
    own = bound(facts)
    if facts.place == OTHER:
        return in_other(effect, facts)
    if facts.place in (MAIN, GIT):
        return in_main(effect, facts)
    if own is None or facts.place != OWN:
        return None
    back = effect.verb in WAY_BACK or (effect.head and effect.head not in facts.protected)
    if own.condition == "protected" and not back and not authorised(facts):
        return refuse("wrong-branch", typed(effect), f"your worktree is on {own.head}, a protected branch, not on {own.branch}.",
                      f"git -C {quoted(own.path)} switch {quoted(own.branch)}  (then the same call again)")
    if own.condition == "detached" and effect.verb == "commit":
        return Answer(kind=ALLOW, note=f"{own.path} is on a detached HEAD. Run: git -C {quoted(own.path)} switch {quoted(own.branch)}")
    return None


def in_other(effect: Effect, facts: Facts) -> Answer:
    if bound(facts) is None:
        return refuse("other-worktree", typed(effect), f"{facts.root} is not this session's worktree; somebody else may be working in it.",
                      f"wt enter {quoted(facts.root)}  (if you were told to work there)")
    return refuse("other-worktree", typed(effect), f"{facts.root} is another worktree; {where(facts)}.", in_worktree(effect, facts))


def in_main(effect: Effect, facts: Facts) -> "Answer | None":
    own = bound(facts)
    if authorised(facts):
        return spending(facts)
    if own is not None:
        if own.condition in LOST:
            return None
        return refuse("main-checkout", typed(effect),
                      f"it would change the main checkout {home(facts).main or facts.root}; {where(facts)}.", in_worktree(effect, facts))
    if home(facts).settings.mode == "protect":
        return refuse("main-protected", typed(effect), "the main checkout is protected here, and this session is in no worktree.",
                      "wt enter NAME  (makes the worktree NAME if there is none; then run it there)")
    return None

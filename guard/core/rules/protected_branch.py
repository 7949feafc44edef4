"""Checking out, moving or deleting a protected branch while working in a worktree.

    git checkout main                       deny
    git checkout -B main HEAD               deny
    git branch -f main HEAD                 deny
    git update-ref refs/heads/main HEAD     deny
    git fetch . wt/x:main                   deny
    git checkout -b feat/new main           pass
    git checkout main -- src/app.py         pass
"""
from guard.core.judge import quoted, refuse
from guard.core.model import UNKNOWN, Answer, Effect, Facts
from guard.core.rules import authorised, bound, covers, short, spending, standing, typed, where


def answer(effect: Effect, facts: Facts) -> "Answer | None":
    if "merge" in effect.flags or not standing(facts):
        return None
    names = [*facts.named, *effect.refs, *([facts.head] if "own" in effect.flags and facts.head else [])]
    hits = [short(name) for name in names if covers(name, facts.protected)]
    if not hits or (facts.place == UNKNOWN and bound(facts) is None):
        return None
    if authorised(facts):
        return spending(facts)
    does = "check out" if "checkout" in effect.flags else "delete" if "delete" in effect.flags else "move"
    return refuse("protected-branch", typed(effect), f"it would {does} {hits[0]}, a protected branch; {where(facts)}.",
                  instead(effect, facts, hits[0]))


def instead(effect: Effect, facts: Facts, name: str) -> str:
    own = bound(facts)
    at = own.path if own else facts.root
    branch = own.branch if own else facts.head or ""
    if "checkout" in effect.flags:
        if "create" in effect.flags:
            return f"git -C {quoted(at)} switch -c NAME  (a name of its own)"
        return (f"git -C {quoted(at)} merge {quoted(name)}  (brings it into {branch or 'your branch'}; "
                f"git show {quoted(name + ':PATH')} reads one file)")
    return (f"git -C {quoted(at)} push -u origin {quoted(branch or 'NAME')}  (then open a pull request; "
            "a person can allow it: wt authorize-main --reason '...')")

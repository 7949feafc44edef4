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
    """Looking at it comes first: whoever checks main out seldom means to change a branch."""
    own = bound(facts)
    at = own.path if own else facts.root
    branch = own.branch if own else facts.head or ""
    git, look = f"git -C {quoted(at)}", f"log --oneline -20 {quoted(name)}"
    if "create" in effect.flags and "checkout" in effect.flags:
        return f"{git} switch -c NAME  (a name of its own)"
    if "checkout" in effect.flags:
        return (f"{git} {look}  (git show {quoted(name + ':PATH')} reads one file; "
                f"git merge {quoted(name)} brings all of it into {branch or 'your branch'})")
    if "delete" in effect.flags:
        return f"{git} {look}  (shows what it holds; a person can allow it: wt authorize-main --reason '...')"
    if "rename" in effect.flags:
        return f"{git} branch NAME {quoted(name)}  (a second name for it)"
    remote, source = fetched(effect, name)
    if remote:
        verb = "pull" if effect.verb == "pull" else "fetch"
        return (f"{git} {verb} {quoted(remote)} {quoted(source)}  ({quoted(remote + '/' + source)} is then up to date; "
                f"{quoted(name)} itself is a person's to move)")
    return (f"{git} push -u origin {quoted(branch or 'NAME')}  (then open a pull request; "
            "a person can allow it: wt authorize-main --reason '...')")


def fetched(effect: Effect, name: str) -> "tuple[str, str]":
    """(remote, branch there) of a command that makes a local branch like a remote's: `git fetch origin main:main`, `gh repo sync`,
    `git branch -f main origin/main`. ("", "") for any other."""
    if effect.verb == "gh":
        return "origin", name
    remote = ""
    for word in effect.words[1:]:
        source, colon, target = word.lstrip("+").partition(":")
        if effect.verb in ("fetch", "pull") and colon and short(target) == name:
            return (remote, short(source)) if remote and "/" not in remote and remote != "." and source else ("", "")
        if effect.verb in ("branch", "update-ref", "checkout", "switch") and word.startswith(("origin/", "refs/remotes/origin/")):
            return "origin", word.partition("origin/")[2]
        remote = word if word[:1] != "-" and not colon else remote
    return "", ""

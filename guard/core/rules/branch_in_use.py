"""Branches that a worktree stands on, and commits that only one branch holds.

    git branch -D wt/y      checked out in a worktree   deny
    git branch -D idea      its commits are nowhere else   ask
    git branch -d merged                                pass
    git branch -m new-name  the own one                 pass
"""
from guard.core.judge import question, quoted, refuse
from guard.core.model import Answer, Effect, Facts
from guard.core.rules import bound, home, short, typed, where
from guard.core.shell import HOLE


def answer(effect: Effect, facts: Facts) -> "Answer | None":
    names = [short(name) for name in effect.refs]
    own = own_root(facts)
    for branch, path in facts.held:
        if not branch or branch not in names:
            continue
        if "delete" in effect.flags:
            instead = f"wt remove {quoted(path)}  (looks first what only it holds; a merged branch goes with it)"
            return refuse("worktree-branch", typed(effect), f"{branch} is checked out in {path}.",
                          "wt status  (shows who works there)" if path == home(facts).main else instead)
        if (path != own or effect.verb == "worktree") and "ignore-other-worktrees" in effect.flags:
            return refuse("worktree-branch", typed(effect), f"{branch} is checked out in the worktree {path}; two would move one branch.",
                          f"git switch -c NAME {quoted(branch)}  (a branch of its own, from there)")
        if path != own and ("force" in effect.flags or "move" in effect.flags or "rename" in effect.flags) and (
                "create" not in effect.flags or "force" in effect.flags):
            return refuse("worktree-branch", typed(effect), f"{branch} is checked out in another worktree, {path}; {where(facts)}.",
                          "wt status  (shows who works there)")
    if "delete" in effect.flags and any(name in ("refs/stash", "stash") for name in names):
        return refuse("worktree-branch", typed(effect), "the stash is one for all worktrees.",
                      "git stash list  (shows whose entries those are)")
    if "delete" in effect.flags and facts.lost:
        commits = "a commit" if facts.lost == 1 else f"{facts.lost} commits" if facts.lost > 0 else "commits, perhaps,"
        shown = " ".join([quoted(name) if HOLE not in name else "NAME" for name in names])
        return question("unmerged-branch", typed(effect), f"{commits} would be held by no branch any more.",
                        f"git branch -d {shown}  (refuses while something is unmerged)")
    return None


def own_root(facts: Facts) -> str:
    own = bound(facts)
    return own.path if own else facts.root

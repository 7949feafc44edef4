"""Who else holds the commits of a worktree, and whether its branch has said all it had to say: then the branch may go."""
from __future__ import annotations

import os
from dataclasses import dataclass

from guard.wt import bindings, git, worktrees
from guard.wt.models import WorktreeRecord
from guard.wt.repository import Repository

PUBLIC = ("refs/heads/", "refs/tags/", "refs/remotes/")  # what people keep; our own refs are swept some day
SHOWN = 10  # commits


@dataclass(frozen=True)
class Fate:
    """What becomes of the branch: `goes`, and `why` in words. `alone`: it stays, since nothing else has its commits."""

    goes: bool
    why: str
    alone: bool = False


def holders(repository: Repository, commit: str, own: str) -> list[str]:
    """The branches, tags and remote branches that reach a commit, the worktree's `own` branch left out; none where git cannot tell."""
    said = git.ask_or("", "for-each-ref", f"--contains={commit}", "--format=%(refname)", *PUBLIC, cwd=repository.at)
    return [ref for ref in git.lines(said) if ref != f"refs/heads/{own}"]


def only_there(repository: Repository, commit: str, own: str) -> list[str]:
    """The newest commits that only the worktree's own branch or HEAD reaches, one line each, ten at most."""
    return git.lines(git.ask_or("", "log", "--oneline", f"-{SHOWN}", *but_elsewhere(commit, own), cwd=repository.at))


def how_many_only_there(repository: Repository, commit: str, own: str) -> str:
    """Their number, "?" where git cannot tell."""
    return git.ask_or("?", "rev-list", "--count", *but_elsewhere(commit, own), cwd=repository.at)


def but_elsewhere(commit: str, own: str) -> list[str]:
    """The words for git: what `commit` reaches, and no public ref but the worktree's own branch."""
    but = [f"--exclude=refs/heads/{own}"] if own else []
    return [commit, "--not", *but, *(f"--glob={kind}*" for kind in PUBLIC), "--"]


def fate(repository: Repository, entry: worktrees.Worktree, record: WorktreeRecord | None, *, keep: bool = False) -> Fate:
    """A branch goes only if we made it, nobody else needs it, and all of it is elsewhere; what cannot be told counts as no."""
    base = base_of(repository, entry, record)
    if not entry.branch:
        return Fate(False, "no branch: a detached HEAD")
    if keep:
        return Fate(False, "as asked")
    if not made_by_us(repository, entry.branch, record):
        return Fate(False, "it was there before the worktree")
    if entry.branch == base or entry.branch in bindings.protected(repository, base):
        return Fate(False, "it is a protected branch")
    if any(other.branch == entry.branch and other.path != entry.path for other in worktrees.listing(repository)):
        return Fate(False, "another worktree has it checked out")
    return merged(repository, entry.head, entry.branch, base)


def made_by_us(repository: Repository, branch: str, record: WorktreeRecord | None) -> bool:
    """Made with its worktree, or left from an earlier one of ours (by its prefix)."""
    prefix = repository.loaded.settings.branch_prefix
    new = record is not None and record.source in ("new-branch", "lane")
    return record is not None and record.branch == branch and (new or bool(prefix and branch.startswith(prefix)))


def base_of(repository: Repository, entry: worktrees.Worktree, record: WorktreeRecord | None) -> str:
    return record.base if record and record.base else bindings.assumed_base(repository, entry.branch)


def merged(repository: Repository, tip: str, branch: str, base: str) -> Fate:
    """All of it is elsewhere: another ref reaches it, or its content has been taken over."""
    held = holders(repository, tip, branch)
    if held:
        return Fate(True, f"{held[0].split('/', 2)[2]} has all of it")
    taken = next((said for place in places(repository, branch, base) if (said := taken_over(repository, tip, place))), "")
    return Fate(True, taken) if taken else Fate(False, "not merged", alone=True)


def taken_over(repository: Repository, tip: str, place: str) -> str:
    """How a place has the content of commits that it does not reach, in words: commit by commit (rebased), else by what a merge would
    still bring (squashed). "" where something is missing there.
    """
    if not changes_something(repository, place, tip):
        return ""
    if patches_known(repository, place, tip):
        return f"merged: each of its changes is in {place}"
    return f"merged: its content is in {place}" if brings_nothing(repository, place, tip) else ""


def places(repository: Repository, branch: str, base: str) -> list[str]:
    """Where it may have been merged: its base, here and on each remote, and the default branches of the remotes."""
    remotes = git.lines(git.ask_or("", "remote", cwd=repository.at))
    tracked = [f"{remote}/{base}" for remote in remotes if base]
    defaults = [f"{remote}/{default}" for remote in remotes for default in bindings.remote_defaults(repository)]
    names = [name for name in (base, *tracked, *defaults) if name and name != branch and not name.endswith(f"/{branch}")]
    return [name for name in dict.fromkeys(names) if git.holds("rev-parse", "-q", "--verify", f"{name}^{{commit}}", cwd=repository.at)]


def changes_something(repository: Repository, base: str, tip: str) -> bool:
    """Compared with where it began. Empty commits, or a change and its reverse, are in no tree: that nothing lacks them proves nothing."""
    since = git.ask_or("", "merge-base", base, tip, "--", cwd=repository.at)
    return bool(since) and git.attempt("diff", "--quiet", "--no-ext-diff", since, tip, "--", cwd=repository.at).returncode == 1


def patches_known(repository: Repository, base: str, tip: str) -> bool:
    """Every commit has one with the same patch in the base. A merge has no patch of its own, so a branch with one is not judged so."""
    if git.ask_or("?", "rev-list", "--merges", "--count", f"{base}..{tip}", "--", cwd=repository.at) != "0":
        return False
    rows = git.lines(git.ask_or("", "cherry", base, tip, cwd=repository.at))
    return bool(rows) and all(row.startswith("- ") for row in rows)


def brings_nothing(repository: Repository, base: str, tip: str) -> bool:
    """A merge into the base would leave its tree as it is. (`merge-tree --write-tree` is of git 2.38: before, nobody knows.)"""
    done = git.attempt("merge-tree", "--write-tree", base, tip, cwd=repository.at)
    tree = git.ask_or("", "rev-parse", "-q", "--verify", f"{base}^{{tree}}", cwd=repository.at)
    return done.returncode == 0 and bool(tree) and os.fsdecode(done.stdout).split("\n")[0] == tree

"""Everything of a worktree kept in a ref, with nothing changed: no file, no index, no HEAD, no branch, no stash."""
from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from guard.wt import causes, git, names
from guard.wt.create import NO_HOOKS
from guard.wt.errors import WtError
from guard.wt.index_copy import index_copy
from guard.wt.repository import Repository
from guard.wt.trees import Counts, trees_of

REFS = "refs/worktree-guard/snapshots/"
TRIES = 100  # names in one second
# A snapshot is taken by the tool, also where nobody told git a name. (git-commit-tree(1))
IDENTITY = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "worktree-guard"), ("EMAIL", "worktree-guard@localhost"))}


@dataclass(frozen=True)
class Snapshot:
    """What was kept. `ref` and `commit` are "" where nothing was open; `head` is "" before the first commit, `branch` when detached."""

    name: str
    path: Path
    branch: str
    head: str
    counts: Counts
    ref: str = ""
    commit: str = ""
    warnings: list[str] = field(default_factory=list)


def take(repository: Repository, path: Path, message: str = "", ref: str = "") -> Snapshot:
    """Keeps the index and the files of the worktree at `path` in a new ref (`ref`, if one is given). It takes no lock: call it inside one.

    The commit is shaped as git-stash(1) shapes its own: its tree is what lies on disk (tracked and untracked, never ignored files), its
    parents are HEAD (none before the first commit) and a commit of the index. Of an unmerged path the index commit has one side: ours,
    else theirs, else the base's. WtError (read-only, disk-full) or GitError where it cannot be written; then no ref was made.
    """
    name, head = path.name, git.ask_or("", "rev-parse", "-q", "--verify", "HEAD^{commit}", cwd=path)
    branch = git.ask_or("", "symbolic-ref", "-q", "--short", "HEAD", cwd=path)
    try:
        with index_copy(path) as copy:
            before = copy.git("rev-parse", "HEAD^{tree}") if head else copy.git("hash-object", "-t", "tree", "--stdin")
            trees = trees_of(copy, before)
            found = Snapshot(name, path, branch, head, trees.counts, warnings=trees.warnings)
            if (trees.index, trees.disk) == (before, before) and not trees.counts.conflicted:
                return found
            subject = message.strip() or f"snapshot of {name}: {branch or '(detached)'} @ {head[:9] or 'no commit yet'}"
            index = committed(path, trees.index, [head] if head else [], f"index of {subject}")
            commit = committed(path, trees.disk, [head, index] if head else [index], subject)
        if ref:
            git.do(*NO_HOOKS, "update-ref", ref, commit, "", cwd=repository.at)
        return Snapshot(name, path, branch, head, trees.counts, ref or named(repository, name, commit), commit, trees.warnings)
    except OSError as fault:
        raise cause(str(fault)) or WtError(f"no snapshot: {fault}", code="no-copy", hint="wt status shows how things stand") from None
    except git.GitError as fault:
        raise cause(f"{fault.said}\n{fault.details.get('stderr', '')}") or fault from None


def cause(said: str) -> WtError | None:
    """The usual reasons why nothing can be written, each with a code of its own."""
    found = causes.cause(said)
    return found and WtError(f"no snapshot, and nothing was changed: {found[0]}", code=found[1], hint=found[2], details={"stderr": said})


def committed(path: Path, tree: str, parents: list[str], message: str) -> str:
    words = (*NO_HOOKS, "-c", "i18n.commitEncoding=UTF-8", "commit-tree", *(word for parent in parents for word in ("-p", parent)), tree)
    return git.answer(git.attempt(*words, cwd=path, given=os.fsencode(message) + b"\n", more=IDENTITY), words)


def named(repository: Repository, name: str, commit: str) -> str:
    """Makes the ref that holds the commit; -2, -3, … where the second already has one. git alone decides who was first."""
    plain = f"{REFS}{names.for_ref(name)}-{names.stamp()}"
    for n in range(1, TRIES + 1):
        ref = plain if n == 1 else f"{plain}-{n}"
        words = (*NO_HOOKS, "update-ref", ref, commit, "")  # "": it must not be there
        done = git.attempt(*words, cwd=repository.at)
        if done.returncode == 0:
            return ref
        if not git.holds("rev-parse", "-q", "--verify", ref, cwd=repository.at):
            git.answer(done, words)
    raise WtError(f"{plain} and {TRIES - 1} names after it are taken", code="busy", hint="wt snapshot again, in a second")

"""What lies in a worktree as tree objects, of the index and of the files on disk, with counts; and what such a tree cannot hold."""
from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from guard.wt import lost, open_work
from guard.wt.index_copy import GITLINK, Entry, IndexCopy


@dataclass(frozen=True)
class Counts:
    """Paths: `changed` on disk against the index, `untracked`, `staged` (index against HEAD), `conflicted` (unmerged in the index)."""

    changed: int
    untracked: int
    staged: int
    conflicted: int


@dataclass(frozen=True)
class Trees:
    """Ids of the trees of the index and of the files on disk; `warnings` says what is not in them."""

    index: str
    disk: str
    counts: Counts
    warnings: list[str]


def trees_of(copy: IndexCopy, before: str) -> Trees:
    """The trees of the index and of the files on disk. `before` is the tree of HEAD."""
    entries = copy.entries()
    unmerged = [entry for entry in entries if entry.stage]
    copy.resolve(unmerged)
    index = copy.tree()
    copy.unhide([entry for entry in entries if not entry.stage])
    others = copy.names("ls-files", "--others", "--exclude-standard", "-z")
    nested = [name.rstrip("/") for name in others if name.endswith("/")]  # git would keep a commit's name, or stop where there is none
    copy.git("add", "--all", "--", ".", *(f":(top,exclude,literal){name}" for name in nested))
    disk = copy.tree()
    untracked = {name for name in others if not name.endswith("/")}
    changed = set(copy.names("diff-tree", "-r", "-z", "--name-only", "--no-renames", index, disk)) - untracked
    staged = copy.names("diff-tree", "-r", "-z", "--name-only", "--no-renames", before, index)
    counts = Counts(len(changed), len(untracked), len(staged), len({entry.path for entry in unmerged}))
    warnings = [*copy.warnings, *(f"{name} is a repository of its own: nothing of it was kept" for name in nested)]
    return Trees(index, disk, counts, warnings + open_submodules(copy.root, entries))


def open_submodules(root: Path, entries: list[Entry]) -> list[str]:
    """Submodules with open work: a snapshot has the name of their commit, and nothing that lies open in them."""
    found = []
    for name in sorted({entry.path for entry in entries if entry.mode == GITLINK}):
        path = root / name
        if path.is_symlink() or not path.is_dir():
            continue
        if not lost.is_worktree(path):
            if any(path.iterdir()):
                found.append(f"{name} is a submodule that is not set up, with files in it: they were not kept")
        elif work := [f"{count} {kind}" for kind, count in open_work.of(path).items() if count]:
            found.append(f"the submodule {name} has open work ({', '.join(work)}): only its commit was kept; "
                         f"git -C {shlex.quote(str(path))} stash, or commit it there")
    return found

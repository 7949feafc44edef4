"""What of a worktree may lie nowhere else: open files, ignored files, a half-done operation, work in its submodules."""
from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from guard.wt import git, lost
from guard.wt.index_copy import GITLINK, Entry, index_copy

# In git's folder of the worktree -> the word for it, the first that is there counts. (wt-status.c, wt_status_get_state)
OPERATIONS = {"MERGE_HEAD": "merge", "rebase-merge": "rebase", "rebase-apply/applying": "am", "rebase-apply": "rebase",
              "CHERRY_PICK_HEAD": "cherry-pick", "REVERT_HEAD": "revert", "sequencer": "cherry-pick", "BISECT_LOG": "bisect"}


@dataclass(frozen=True)
class Remains:
    """Of one checkout: `open` paths, `ignored` ones (a folder that is ignored as a whole ends in /), `unmerged` entries, `submodules`."""

    root: Path
    open: list[str]
    ignored: list[str]
    unmerged: list[Entry]
    submodules: list[Path]


def remains(root: Path) -> Remains:
    """By an own `git status`, on a copy of the index without the marks that hide a file. GitError where git cannot tell."""
    with index_copy(root) as copy:
        entries = copy.entries()
        copy.unhide([entry for entry in entries if not entry.stage])
        rows = copy.names("status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignored=matching", "--ignore-submodules=none",
                          "--no-renames")
    ignored = [row[3:] for row in rows if row[:2] == "!!"]
    links_out = {name for name in ignored if leads_out(root, root / name)}  # what a link leads to stays where it is
    modules = sorted({root / entry.path for entry in entries if entry.mode == GITLINK})
    return Remains(root, [row[3:] for row in rows if row[:2] != "!!"], [name for name in ignored if name not in links_out],
                   [entry for entry in entries if entry.stage], [path for path in modules if path.is_dir() and not path.is_symlink()])


def leads_out(root: Path, path: Path) -> bool:
    """A link (a junction on Windows) to a place that is not in the worktree."""
    if not is_link(path):
        return False
    return not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def is_link(path: Path) -> bool:
    try:
        os.readlink(path)  # noqa: PTH115 - junctions too, which Path.is_symlink does not count
    except OSError:
        return False
    return True


def is_folder(path: Path) -> bool:
    """Itself, and not by a link."""
    return path.is_dir() and not is_link(path)


def with_submodules(first: Remains) -> list[Remains]:
    """The same of every submodule that is set up, however deep; and of one that is not, if files lie in it."""
    found = []
    for path in first.submodules:
        if lost.is_worktree(path):
            inner = remains(path)
            found += [inner, *with_submodules(inner)]
        elif any(path.iterdir()):
            found.append(Remains(path, sorted(one.name for one in path.iterdir()), [], [], []))
    return found


def only_in_submodule(path: Path) -> int | None:
    """Commits of a submodule (of its HEAD, branches, stash) that none of its remotes has; None where git cannot tell."""
    if not lost.is_worktree(path):
        return 0
    said = git.ask_or("", "rev-list", "--count", "--all", "--not", "--remotes", cwd=path)
    return int(said) if said.isdigit() else None


def operation(admin: Path) -> str:
    """The operation that is half done there, "" for none."""
    return next((word for name, word in OPERATIONS.items() if (admin / name).exists()), "")


def a_or_an(operation: str) -> str:
    return f"{'an' if operation == 'am' else 'a'} {operation}"

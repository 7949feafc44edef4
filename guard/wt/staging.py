"""Copies that are never seen half done: made in a folder of ours at the top of the worktree, then moved to where they belong."""
from __future__ import annotations

import contextlib
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from guard.edge import disk
from guard.wt import moving, owners
from guard.wt.inspection import empty
from guard.wt.remains import is_folder, is_link

OURS = re.compile(r"\.wt-copy-(\d+)-(\w+)-\w+")
MARK = ".gitignore"  # in our folder: nobody else's of such a name is taken for it, and no `git add -A` takes it along meanwhile
MARKED = "# worktree-guard copies here\n*\n"


@contextlib.contextmanager
def stage(root: Path) -> Iterator[Path]:
    """A folder to copy into, on the disk that the worktree is on. It goes at the end, whatever happens. OSError where none can be made."""
    started = disk.started(os.getpid()) or "unknown"
    folder = Path(tempfile.mkdtemp(prefix=f".wt-copy-{os.getpid()}-{started}-", dir=root))
    try:
        (folder / MARK).write_text(MARKED, encoding="utf-8")
        yield folder
    finally:
        cleared(folder)


def swept(root: Path) -> None:
    """Deletes what a killed run has left: named as ours, marked as ours (or empty), by a process that has ended."""
    for folder in root.glob(".wt-copy-*"):
        name = OURS.fullmatch(folder.name)
        if name and not is_link(folder) and owners.dead(f"pid {name[1]} started {name[2]}") and (marked(folder) or empty(folder)):
            cleared(folder)


def marked(folder: Path) -> bool:
    try:
        return (folder / MARK).read_text(encoding="utf-8") == MARKED
    except (OSError, UnicodeDecodeError):
        return False


def cleared(folder: Path) -> None:
    """Deletes our folder, the mark last. What cannot be deleted now (a `cp` of a killed run still writes) waits for the next sweep."""
    with contextlib.suppress(OSError):
        for child in folder.iterdir():
            if child.name != MARK:
                dropped(child)
        moving.gone(folder)


def dropped(copy: Path) -> None:
    """Deletes a copy that nobody has seen."""
    if is_folder(copy):
        moving.gone(copy)
    else:
        copy.unlink(missing_ok=True)


def moved(copy: Path, target: Path) -> None:
    """To its place, in one step. FileExistsError where something is there."""
    (folder_moved if is_folder(copy) else file_moved)(copy, target)


def file_moved(copy: Path, target: Path) -> None:
    """By a hard link first: a rename would replace what somebody makes there this very moment."""
    try:
        os.link(copy, target, follow_symlinks=False)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError):  # no hard links on this disk
        if os.path.lexists(target):
            raise FileExistsError(f"{target} is there") from None
        copy.rename(target)
    else:
        copy.unlink()


def folder_moved(copy: Path, target: Path) -> None:
    """By rename, which replaces nothing but an empty folder."""
    if os.path.lexists(target):
        raise FileExistsError(f"{target} is there")
    try:
        copy.rename(target)
    except PermissionError:  # a folder that may not be written may not change its parent either
        mode = stat.S_IMODE(copy.stat().st_mode)
        copy.chmod(mode | stat.S_IRWXU)
        copy.rename(target)
        target.chmod(mode)

"""Would a new worktree's paths be too long? Windows ends them at 259 characters; elsewhere the limit is far, and the system tells."""
from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from guard.core.paths import WINDOWS, Flavour
from guard.edge import disk
from guard.wt import git
from guard.wt.errors import UsageError

LONGEST = 259  # characters of a file's path there: MAX_PATH without its NUL
LONGEST_FOLDER = 247  # of a folder's: it leaves room for a name of 8.3 characters (CreateDirectory)
CURE = ("git config core.longpaths true lets git write longer ones; or a shorter name: wt enter NAME; "
        "or a shorter worktree_parent in .worktree-guard.json")


def must_fit(folder: Path, start: str, cwd: Path, flavour: Flavour = disk.FLAVOUR) -> None:
    """UsageError where a checkout of the commit `start` in `folder` has a path that is too long. git is only asked on Windows."""
    if flavour is not WINDOWS:
        return
    long_paths = git.ask_or("false", "config", "--type=bool", "core.longpaths", cwd=cwd) == "true"
    tracked = git.ask_or("", "ls-tree", "-r", "-z", "--name-only", start, cwd=cwd).split("\0")  # 15 ms for 20,000 files
    said = too_long(str(folder), tracked, flavour, long_paths=long_paths)
    if said:
        raise UsageError(said, code="too-long", hint=CURE)


def too_long(folder: str, tracked: Iterable[str], flavour: Flavour, *, long_paths: bool) -> str:
    """What does not fit, in words; "" where all of it does. `tracked`: files as git names them; `long_paths`: core.longpaths is set."""
    if flavour is not WINDOWS or long_paths:
        return ""
    here = units(folder)
    if here > LONGEST_FOLDER:
        return f"{folder} has {here} characters, and Windows takes {LONGEST_FOLDER} for a folder"
    for name in tracked:
        above = name.rpartition("/")[0]
        if here + 1 + units(name) > LONGEST or (above and here + 1 + units(above) > LONGEST_FOLDER):
            return f"{name} would have {here + 1 + units(name)} characters with its path in {folder}, more than Windows takes"
    return ""


def units(text: str) -> int:
    """Characters as Windows counts them, in UTF-16: an emoji is two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2

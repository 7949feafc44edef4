"""Is a folder there? Three answers: what cannot be read (a dead mount, somebody else's folder) is not gone, and never counts as gone."""
from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

Look = Literal["there", "gone", "unreadable"]
NO_SUCH = (2, 3, 267)  # ERROR_FILE_NOT_FOUND, _PATH_NOT_FOUND, _DIRECTORY; a server that is away has the same errno, and another `winerror`


def inspect(path: Path) -> Look:
    """"gone" only where the system says that no such folder exists; a file at its place is none."""
    try:
        with os.scandir(path):
            return "there"
    except (OSError, ValueError) as fault:  # ValueError: a name that no file can have, so nobody knows what was meant
        return "gone" if says_gone(fault) else "unreadable"


def says_gone(fault: Exception) -> bool:
    """The system says that nothing has that name, and not only that it cannot tell."""
    return isinstance(fault, (FileNotFoundError, NotADirectoryError)) and getattr(fault, "winerror", None) in (None, *NO_SUCH)


def in_the_way(path: Path) -> bool:
    """Anything but an empty folder: no worktree can be made there."""
    return os.path.lexists(path) and (path.is_symlink() or not path.is_dir() or any(path.iterdir()))


def empty(path: Path) -> bool:
    """A folder with nothing in it: an unmounted disk leaves one, and so does somebody who deletes all that is in it."""
    try:
        with os.scandir(path) as found:
            return next(found, None) is None
    except OSError:
        return False

"""The worktree that copies and links go to: what stands in their way there, and the folders above them."""
from __future__ import annotations

import bisect
import filecmp
import os
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from guard.wt.include import Reason
from guard.wt.remains import is_link


@dataclass(frozen=True)
class Place:
    """A worktree at `path` of the main checkout `main`; `tracked` are the names in its index, sorted."""

    main: Path
    path: Path
    tracked: list[str]

    def tracks(self, name: str) -> bool:
        """git has it there, or something in it; whether or not it is checked out."""
        after = self.tracked[bisect.bisect_left(self.tracked, name):][:1]
        inside = self.tracked[bisect.bisect_left(self.tracked, name + "/"):][:1]
        return after == [name] or any(one.startswith(name + "/") for one in inside)

    def obstacle(self, name: str) -> tuple[Reason, str] | None:
        """What keeps a file or folder of that name from being made, but for itself."""
        for above in reversed(PurePosixPath(name).parents[:-1]):
            if is_link(self.path / above):
                return "unsafe", f"{above} is a link in the worktree, and leads out of it"
            if os.path.lexists(self.path / above) and not (self.path / above).is_dir():
                return "conflict", f"{above} is a file in the worktree, and stays"
        return None

    def made_parents(self, name: str) -> None:
        """The folders above it, as closed to others as those in the main checkout."""
        for above in reversed(PurePosixPath(name).parents[:-1]):
            if not (self.path / above).is_dir():
                (self.path / above).mkdir()
                (self.path / above).chmod(stat.S_IMODE((self.main / above).stat().st_mode) | stat.S_IRWXU)


def same(one: str | Path, two: str | Path, *, inside: bool = False) -> bool:
    """Everything in `one` is in `two` as well. Files in folders are taken for the same by size and time, as git's index takes them."""
    try:
        first, second = os.lstat(one), os.lstat(two)
    except FileNotFoundError:
        return False
    if stat.S_IFMT(first.st_mode) != stat.S_IFMT(second.st_mode):
        return False
    if stat.S_ISREG(first.st_mode):
        alike = (first.st_size, first.st_mtime_ns) == (second.st_size, second.st_mtime_ns)
        return (inside and alike) or filecmp.cmp(one, two, shallow=False)
    if is_link(Path(one)) or is_link(Path(two)):
        return is_link(Path(one)) and is_link(Path(two)) and os.readlink(one) == os.readlink(two)  # noqa: PTH115
    if stat.S_ISDIR(first.st_mode):
        with os.scandir(one) as entries:
            return all(same(entry.path, f"{two}/{entry.name}", inside=True) for entry in entries)
    return True

"""Ignored files of a worktree that the main checkout has as well: what is still the same byte for byte is not lost with it."""
from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from guard.wt.remains import is_link, leads_out

MOST_FILES, MOST_BYTES = 200, 50_000_000  # that are compared: a node_modules would take longer than all the rest of a removal


@dataclass
class Budget:
    """What may still be compared."""

    files: int = MOST_FILES
    bytes: int = MOST_BYTES

    def allows(self, size: int) -> bool:
        """Counts one more file of that size, if there is room for it."""
        if self.files < 1 or self.bytes < size:
            return False
        self.files, self.bytes = self.files - 1, self.bytes - size
        return True


def own(root: Path, names: list[str], main: Path | None) -> list[str]:
    """Those of the names (a folder ends in /) that are not just so in the main checkout, or beyond what is compared."""
    if main is None:
        return names
    budget = Budget()
    files_first = sorted(names, key=lambda name: name.endswith("/"))
    same = {name for name in files_first if is_there(root, name, main, budget)}
    return [name for name in names if name not in same]


def is_there(root: Path, name: str, main: Path, budget: Budget) -> bool:
    """A folder is, when each file in it is. What the main checkout has beside that does not matter. False where one cannot be read."""
    try:
        return all(leads_out(root, path) or same(path, main / path.relative_to(root), main, budget) for path in files_of(root / name))
    except OSError:
        return False


def files_of(path: Path) -> Iterator[Path]:
    """The path itself, or every file and link in it, however deep. OSError where a folder cannot be read."""
    waiting = [path]
    while waiting:
        one = waiting.pop()
        if is_link(one) or not stat.S_ISDIR(one.lstat().st_mode):
            yield one
        else:
            waiting += one.iterdir()


def same(one: Path, two: Path, main: Path, budget: Budget) -> bool:
    """Two files, each with bytes of its own: behind a link in the main checkout the second may be the first."""
    here, there = one.lstat(), two.lstat()
    if os.path.realpath(two.parent) != str(Path(os.path.realpath(main)) / two.parent.relative_to(main)):
        return False
    if stat.S_ISLNK(here.st_mode) and stat.S_ISLNK(there.st_mode):
        return budget.allows(0) and os.readlink(one) == os.readlink(two)  # noqa: PTH115
    plain = stat.S_ISREG(here.st_mode) and stat.S_ISREG(there.st_mode) and here.st_size == there.st_size
    return plain and budget.allows(here.st_size) and one.read_bytes() == two.read_bytes()

"""Lock files that a killed git leaves, in the two places where only `wt` can have started it. Any other one is a person's to delete.

git closes a lock file before it moves it to its place, so one that nobody has open may still be in use: that alone proves nothing. But
under our lock no other `wt` is at work in these places, and a git that outlives its `wt` can be seen.
"""
from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from guard.wt.repository import Repository

LONG = 600.0  # seconds, after which a lock file counts as left behind where nobody can see who has it open


def drop_of_ref(repository: Repository, ref: str) -> None:
    """Of one of our own refs (refs/worktree-guard/), which nobody else writes. Inside the lock."""
    with contextlib.suppress(OSError):
        (repository.common / f"{ref}.lock").unlink()


def drop_of_worktree(admin: Path) -> None:
    """Of a worktree that is not finished, by git's own part of it. Inside the lock, and where `in_use` has said no."""
    for lock in admin.glob("*.lock"):
        lock.unlink(missing_ok=True)


def in_use(admin: Path) -> bool:
    """A process has one of a worktree's lock files open. Where that cannot be seen, one of less than ten minutes is taken for used."""
    locks = set(admin.glob("*.lock"))
    if not locks:
        return False
    if not Path("/proc/self/fd").exists():
        return any(time.time() - lock.stat().st_mtime < LONG for lock in locks)
    return any(opened in locks for process in Path("/proc").glob("[0-9]*") for opened in opened_by(process))


def opened_by(process: Path) -> list[Path]:
    """What it has open, by its folder in /proc. Nothing of one that ends meanwhile, which 4 of 1,000 looks meet on a busy machine."""
    found = []
    with contextlib.suppress(OSError):
        for fd in (process / "fd").iterdir():
            with contextlib.suppress(OSError):
                found.append(fd.readlink())
    return found


def being_added(path: Path) -> bool:
    """A `git worktree add` of that place still runs: it goes on when its `wt` is killed."""
    import psutil  # 40 ms, which only an unfinished worktree costs

    rows = (process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"]))
    return any({"worktree", "add", os.fspath(path)} <= set(words) for words in rows)

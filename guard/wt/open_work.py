"""What lies open in a worktree, counted. `begin` asks git about all of them before the rest of `wt` is loaded, which takes as long itself.

Only light modules are imported here.
"""
from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from guard.wt import git
from guard.wt.errors import WtError

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

Counts = dict[str, int]
WORKERS = (os.cpu_count() or 1) + 2  # a few more than run at once: some wait for the disk
CONFLICTED = ("DD", "AU", "UD", "UA", "DU", "AA", "UU")
_begun: list[Future[dict[str, Future[Counts | None]]]] = []


def of(path: Path) -> Counts:
    """Counts of open files: modified (staged or not), untracked, conflicted. GitError where git cannot tell."""
    lines = git.ask("status", "--porcelain=v1", "-z", "--untracked-files=normal", "--no-renames", cwd=path).split("\0")
    marks = [line[:2] for line in lines if line]
    untracked, conflicted = marks.count("??"), sum(mark in CONFLICTED for mark in marks)
    return {"modified": len(marks) - untracked - conflicted, "untracked": untracked, "conflicted": conflicted}


def or_none(path: Path | None) -> Counts | None:
    """The same; None where git cannot tell."""
    try:
        return of(path) if path and path.is_dir() else None
    except (WtError, OSError):
        return None


def begin(here: str) -> None:
    """In the background: git lists the worktrees, and each is looked at. What cannot be told so is asked again later."""
    from concurrent.futures import ThreadPoolExecutor  # 5 ms, which every other command would pay

    pool = ThreadPoolExecutor(max_workers=WORKERS)
    _begun[:] = [pool.submit(_all, pool, here)]


def _all(pool: ThreadPoolExecutor, here: str) -> dict[str, Future[Counts | None]]:
    try:
        done = git.attempt("worktree", "list", "--porcelain", "-z", cwd=here)
    except (WtError, OSError):
        return {}
    lines = os.fsdecode(done.stdout).split("\0") if done.returncode == 0 else []
    paths = [line.partition(" ")[2] for line in lines if line.startswith("worktree ")]
    return {path: pool.submit(or_none, Path(path)) for path in paths}


def forget() -> None:
    """What was begun counts for one look at all of them."""
    _begun.clear()


def as_begun(path: Path) -> Counts:
    """Of one worktree: as it was begun, else now. GitError where git cannot tell."""
    looked = _begun[0].result().get(str(path)) if _begun else None
    said = looked.result() if looked else None
    return of(path) if said is None else said

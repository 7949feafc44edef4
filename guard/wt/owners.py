"""Processes that a worktree belongs to: those that stand in it, the one that its lock names, the one that still makes it."""
from __future__ import annotations

import os
import re
from pathlib import Path

from guard.edge import disk
from guard.wt.models import WorktreeRecord

PID = re.compile(r"\bpid[ =:]*(\d{1,9})\b", re.I)
STARTED = re.compile(r"\bstart(?:ed|_time)?[ =:]+(\w+)", re.I)


def inside(path: Path, but: frozenset[int] = frozenset()) -> list[str]:
    """`name (pid)` of each process whose current folder is in there, `but` some. Of those that we may not look at, nothing is known."""
    import psutil  # 40 ms, which only a removal pays

    root, found = os.path.realpath(path), []
    for process in psutil.process_iter():
        try:
            if process.pid not in (os.getpid(), *but) and Path(process.cwd()).is_relative_to(root):
                found.append(f"{process.name()} ({process.pid})")
        except (psutil.Error, OSError):  # gone meanwhile, or somebody else's
            continue
    return found


def dead(reason: str) -> bool:
    """A lock names a process that has ended (or another one has its number by now). A lock that names none is a person's."""
    pid = PID.search(reason)
    if pid is None:
        return False
    disk.forget()
    began, said = disk.started(int(pid[1])), STARTED.search(reason)
    return began is None or bool(said and began and said[1] != began)


def at_work(record: WorktreeRecord | None) -> bool:
    """The process that makes the worktree still runs."""
    if record is None or record.making is None:
        return False
    disk.forget()
    began = disk.started(record.making.pid)
    return began is not None and record.making.started in ("", began)

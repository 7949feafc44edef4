"""Processes that a worktree belongs to: those that stand in it, the one that its lock names, the one that still makes it."""
from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from guard.edge import disk
from guard.wt.models import Making, WorktreeRecord

PID = re.compile(r"\bpid[ =:]*(\d{1,9})\b", re.I)
STARTED = re.compile(r"\bstart(?:ed|_time)?[ =:]+(\w+)", re.I)


def inside(path: Path, but: frozenset[int] = frozenset()) -> list[str]:
    """`name (pid)` of each process whose current folder is in there, `but` some. Of those that we may not look at, nothing is known."""
    root = os.path.realpath(path)
    return [f"{one.command} ({one.pid})" for one in standing() if one.pid not in but and one.folder.is_relative_to(root)]


@dataclass(frozen=True)
class Process:
    """One that stands in `folder`."""

    pid: int
    command: str
    folder: Path


def standing() -> list[Process]:
    """All processes but our own, as far as we may look."""
    import psutil  # 40 ms

    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):  # gone meanwhile, or somebody else's
            if process.pid != os.getpid():
                found.append(Process(process.pid, process.name(), Path(process.cwd())))
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
    return record is not None and runs(record.making)


def runs(maker: Making | None) -> bool:
    """It is still that very process: another one may have its number by now."""
    if maker is None:
        return False
    disk.forget()
    began = disk.started(maker.pid)
    return began is not None and maker.started in ("", began)

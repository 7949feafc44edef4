"""Records that lead nowhere: of worktrees that git does not list. Dropped only where nothing could ever need them again."""
from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guard.wt import create, owners, trash, worktrees
from guard.wt.errors import WtError
from guard.wt.models import WorktreeRecord
from guard.wt.presence import presence
from guard.wt.repository import Repository

# Why a record stays -> in words. "" is a dead one.
KEPT = {
    "": "nothing needs it any more",
    "there": "its folder is there, though git knows no worktree in it",
    "unreadable": "its folder cannot be read, so it may be there",
    "half-way": "it is half on its way to or from the trash",
    "making": "it is being made right now",
    "away": "its disk may only be away",
    "moved": "its branch is checked out in a worktree without a record, which it may have been moved to",
    "branch": "its branch is there, so wt enter with its path makes it again, with the same base",
}


@dataclass(frozen=True)
class Leftover:
    """A record without a worktree, and `why` it is kept (a word of KEPT)."""

    file: Path
    record: WorktreeRecord
    why: str

    @property
    def path(self) -> Path:
        return Path(self.record.path)


def leftovers(repository: Repository, listed: list[worktrees.Worktree]) -> list[Leftover]:
    """All records of worktrees that are not among those that git lists. Changes nothing."""
    known, store = {os.path.realpath(entry.path) for entry in listed}, repository.store
    records = [(file, store.load(file, WorktreeRecord)) for file in sorted(store.path("worktrees").glob("*.json"))]
    alone = [(file, record) for file, record in records if record and os.path.realpath(record.path) not in known]
    needs = needed_by(repository, listed) if alone else {}
    return [Leftover(file, record, why_kept(repository, record, needs)) for file, record in alone]


def needed_by(repository: Repository, listed: list[worktrees.Worktree]) -> dict[str, str]:
    """Branch -> why a record of it may be needed: "moved" or "branch"; "" where a worktree has it that has a record of its own."""
    elsewhere = {entry.branch: "" if worktrees.record_of(repository, entry.path) else "moved" for entry in listed if not entry.main}
    return {**dict.fromkeys(create.branches(repository), "branch"), **elsewhere}


def why_kept(repository: Repository, record: WorktreeRecord, needs: dict[str, str]) -> str:
    path = Path(record.path)
    if trash.half_way(repository, path) is not None:
        return "half-way"
    if owners.at_work(record):
        return "making"
    if (look := presence(repository, path)) != "gone":
        return look
    return needs.get(record.branch, "") if record.branch else ""


def reconcile(repository: Repository, listed: list[worktrees.Worktree]) -> list[dict[str, Any]]:
    """Drops the dead records, unless somebody is busy here. -> of each leftover: name, path, branch, dropped, why (in words)"""
    found, dropped = leftovers(repository, listed), set[Path]()
    if any(not one.why for one in found):
        with contextlib.suppress(OSError, WtError), repository.store.locked(0):
            for one in leftovers(repository, worktrees.listing(repository)):  # once more: a worktree may have come meanwhile
                if not one.why:
                    drop(repository, one)
                    dropped.add(one.file)
    return [{"name": one.path.name, "path": one.record.path, "branch": one.record.branch, "dropped": one.file in dropped,
             "why": KEPT[one.why]} for one in found]


def drop(repository: Repository, one: Leftover) -> None:
    """Inside the lock."""
    one.file.unlink(missing_ok=True)
    repository.store.note("drop-record", path=one.record.path, branch=one.record.branch)

"""lanes.json: which worktree was made for which task of which run of a workflow. Read and written under the lock of the state."""
from __future__ import annotations

import os
import shlex
from datetime import timedelta
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from guard.wt.models import Making, Placed, Strict, Version, WorktreeRecord, moment
from guard.wt.repository import Repository

FILE = "lanes.json"
KEPT = timedelta(days=30)  # a disposed lane's answer; a lost one is never dropped
HELD = ("preparing", "active")  # a lane like this goes by `wt lane dispose` alone


class Commit(Strict, frozen=True):
    id: str
    subject: str


class HandOver(Strict, frozen=True):
    """What a lane leaves behind: the `commits` of `head` that `base_commit` lacks, the newest first; `files` is how many differ."""

    branch: str
    base: str
    base_commit: str
    head: str
    commits: list[Commit] = []
    files: int = 0


class Open(Strict, frozen=True):
    """What keeps a lane from going: a finding of the gate, with the command that mends it."""

    code: str
    said: str
    cure: str


class Lane(Placed, frozen=True):
    """One task's checkout.

    preparing: not yet handed out, by the process `maker` or a killed one · active: the task's · retained-dirty: its task is over, and it
    holds what would go with it (`open`) · disposed: in the trash, entry `trash`, with a `hand_over` · lost: git and the disk do not have
    it as they should, and `note` says how they differ. `order` tells in nanoseconds which of two at one place came first.
    """

    run: str
    task: str
    path: str
    branch: str
    base: str = ""
    base_commit: str = ""
    session: str | None = None
    status: Literal["preparing", "active", "retained-dirty", "disposed", "lost"] = "preparing"
    created_at: str = ""
    changed_at: str = ""
    order: int = 0
    maker: Making | None = None
    note: str = ""
    open: list[Open] = []
    hand_over: HandOver | None = None
    branch_deleted: bool = False
    trash: str = ""

    @property
    def place(self) -> Path:
        return Path(self.path)

    @property
    def title(self) -> str:
        """Of its worktree's record: with it a lane is known even without its manifest."""
        return title(self.run, self.task)

    @property
    def words(self) -> str:
        return options(self.run, self.task)


def title(run: str, task: str) -> str:
    return shlex.join(("lane", run, task))


def options(run: str, task: str) -> str:
    """As a command takes them. Joined to their names, since a task may begin with a dash."""
    return " ".join(f"--{name}{'=' if text.startswith('-') else ' '}{shlex.quote(text)}" for name, text in (("run", run), ("task", task)))


class Manifest(Strict, frozen=True):
    """lanes.json; one lane for each run and task."""

    version: Version = 1
    lanes: list[Lane] = []

    def of(self, run: str, task: str) -> Lane | None:
        return next((lane for lane in self.lanes if (lane.run, lane.task) == (run, task)), None)

    def at(self, path: Path | str) -> Lane | None:
        place = os.path.realpath(path)
        return next((lane for lane in self.lanes if os.path.realpath(lane.path) == place), None)

    def with_(self, lane: Lane) -> Manifest:
        """The same with this lane instead of the one of its run and task, or behind the others."""
        others = self.without(lane).lanes
        at = next((n for n, one in enumerate(self.lanes) if (one.run, one.task) == (lane.run, lane.task)), len(others))
        return replace(self, lanes=[*others[:at], lane, *others[at:]])

    def without(self, lane: Lane) -> Manifest:
        return replace(self, lanes=[one for one in self.lanes if (one.run, one.task) != (lane.run, lane.task)])


def load(repository: Repository) -> Manifest:
    """As it stands, and the lanes of which only their worktrees' records know: the file may be spoilt."""
    found = stored(repository)
    for file in sorted(repository.store.path("worktrees").glob("*.json")):
        record = repository.store.load(file, WorktreeRecord)
        lane = lane_of(record) if record else None
        if lane is not None and found.of(lane.run, lane.task) is None:
            found = found.with_(lane)
    return found


def stored(repository: Repository) -> Manifest:
    return repository.store.load(repository.store.path(FILE), Manifest) or Manifest()


def lane_of(record: WorktreeRecord) -> Lane | None:
    """The lane that a worktree was made for, by its record; None for any other worktree."""
    try:
        words = shlex.split(record.title) if record.source == "lane" else []
    except ValueError:  # edited by hand
        return None
    if len(words) != 3:
        return None
    return Lane(run=words[1], task=words[2], path=record.path, branch=record.branch, base=record.base, base_commit=record.base_commit,
                status="preparing" if record.making else "active", created_at=record.created_at, changed_at=record.created_at)


def save(repository: Repository, manifest: Manifest) -> Manifest:
    """Inside the lock."""
    old = moment(-KEPT)
    kept = [lane for lane in manifest.lanes if lane.status != "disposed" or lane.changed_at >= old]
    manifest = replace(manifest, lanes=kept)
    repository.store.save(repository.store.path(FILE), manifest)
    return manifest

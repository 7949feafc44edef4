"""A lane from the asking to the handing out: planned, written down, made as every worktree is, and only then the task's."""
from __future__ import annotations

import contextlib
import shlex
import time
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from guard.wt import bindings, completing, create, git, held, lane_manifest, lane_reconciling, lost, making, worktrees
from guard.wt.errors import UsageError, WtError
from guard.wt.lane_manifest import Lane, Manifest
from guard.wt.lane_planning import Asked, checkout, planned
from guard.wt.models import WorktreeRecord, now
from guard.wt.repository import Repository
from guard.wt.sessions import caller
from guard.wt.terminal import Tell


def prepared(repository: Repository, asked: Asked, tell: Tell) -> tuple[Lane, dict[str, Any]]:
    """-> the lane, active; what completing.done says. Never the main checkout: UsageError or WtError where there is no fresh one."""
    root = checkout(repository, asked)
    with repository.store.locked():
        before = lane_reconciling.settled(repository)
        lane, record = reserved(repository, before, asked, root)
    try:
        furnished = completing.completed(repository, record, tell) if record else {**completing.NOTHING}
        return handed_out(repository, lane, asked), furnished
    except BaseException as fault:
        way_back = taken_back(repository, before, lane)
        if not way_back or not isinstance(fault, WtError):
            raise
        raise WtError(fault.said, code=fault.code, status=fault.status, details=fault.details,
                      hint=f"the lane was taken back ({way_back} has it); mend that, then {asked.again}") from fault


def reserved(repository: Repository, known: Manifest, asked: Asked, root: Path) -> tuple[Lane, WorktreeRecord | None]:
    """The lane, written down as being prepared, and its worktree's record as far as there is more to do. Inside the lock."""
    old = known.of(asked.run, asked.task)
    if old is not None:
        refuse(repository, old)
        if old.status == "preparing":
            return taken_up(repository, known, old)
        forget_empty_branch(repository, old)
    made = planned(repository, known, asked, root)
    lane = Lane(run=asked.run, task=asked.task, path=str(made.path), branch=made.branch, base=made.base, base_commit=made.base_commit,
                session=asked.session, created_at=now(), changed_at=now(), order=time.time_ns(), maker=making.myself())
    lane_manifest.save(repository, known.with_(lane))  # first, so that no worktree of a lane is ever unknown
    try:
        return lane, making.begun(repository, made, more=completing.more_to_do(repository))
    except BaseException:
        with contextlib.suppress(OSError):
            lane_manifest.save(repository, known)
        raise


def forget_empty_branch(repository: Repository, old: Lane) -> None:
    """A lost lane may have left a branch without commits of its own, as when its preparing was killed before there was a worktree."""
    used = {entry.branch for entry in worktrees.listing(repository)}
    if old.status == "lost" and old.branch not in used and held.holders(repository, old.base_commit, old.branch):
        git.attempt(*create.NO_HOOKS, "update-ref", "-d", f"refs/heads/{old.branch}", old.base_commit, cwd=repository.at, reads=False)


def refuse(repository: Repository, old: Lane) -> None:
    """UsageError where the task has a lane already, or where git still has a part of one."""
    details = {"path": old.path, "branch": old.branch, "status": old.status, "session": old.session}
    if lane_reconciling.at_work(old):
        raise UsageError(f"{old.path} is being prepared for this task right now", code="lane-exists", details=details,
                         hint="wait for it; wt lane list shows when it is done")
    if old.status in ("active", "retained-dirty"):
        raise UsageError(f"this task has a lane ({old.status}): {old.path}", code="lane-exists", details=details,
                         hint=f"work in it; wt lane list shows it; wt lane dispose {old.words} ends it")
    if old.status == "lost" and lost.admin_folder(repository, old.place) is not None:
        place = shlex.quote(old.path)
        raise UsageError(f"the lane of this task is lost: {old.path}: {old.note}", code="lane-lost", details=details,
                         hint=f"wt enter {place} brings it back; wt lane dispose {old.words} ends it")


def taken_up(repository: Repository, known: Manifest, old: Lane) -> tuple[Lane, WorktreeRecord | None]:
    """A killed command has begun it: from here on it is ours. Inside the lock."""
    entry = worktrees.at(repository, old.path)
    assert entry is not None, "a lane that is being prepared is listed, or lane_reconciling says lost"
    lost.brought_back(repository, entry)
    lane = replace(old, maker=making.myself(), note="")
    lane_manifest.save(repository, known.with_(lane))
    record = worktrees.record_of(repository, old.place)
    if record is None or record.making is None:
        return lane, None
    return lane, making.saved(repository, replace(record, making=making.myself()))


def handed_out(repository: Repository, lane: Lane, asked: Asked) -> Lane:
    """It is the task's from now on, and its session is bound to it. WtError where it is not what was asked for."""
    with repository.store.locked():
        known = lane_manifest.load(repository)
        live = known.of(lane.run, lane.task)
        entry = worktrees.at(repository, lane.path)
        if live is None or live.maker != lane.maker or entry is None or entry.main or not lost.is_worktree(lane.place):
            raise WtError(f"{lane.path} was taken away while it was prepared", code="lost-lane", hint=f"{asked.again}; wt lane list")
        if asked.session is not None:  # first: killed in between, the same command goes on with it
            bindings.bind(repository, caller(asked.session), lane.place, lane.branch, lane.base)
        active = lane_reconciling.changed(live, status="active", maker=None, session=asked.session)
        lane_manifest.save(repository, known.with_(active))
        repository.store.note("lane", run=lane.run, task=lane.task, path=lane.path, branch=lane.branch)
    return active


def taken_back(repository: Repository, before: Manifest, lane: Lane) -> str:
    """Nobody was told of it: it goes to the trash, and the manifest says what it said before. -> the command that brings it back"""
    trashed = None
    with contextlib.suppress(OSError, WtError):
        trashed = completing.into_the_trash(repository, lane.place, lane.base_commit)
    with contextlib.suppress(OSError, WtError), repository.store.locked():
        known, old = lane_manifest.load(repository), before.of(lane.run, lane.task)
        lane_manifest.save(repository, known.with_(old) if old and old.status != "preparing" else known.without(lane))
    return f"wt restore {trashed.id}" if trashed else ""

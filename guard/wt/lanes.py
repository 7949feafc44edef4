"""Lanes for programs: one checkout for each writing agent of a workflow. Prepared fresh or not at all, disposed of without losing work.

    from guard.wt import lanes
    lane = lanes.prepare("/path/to/repository", run="r1", task="fix")
    end = lanes.dispose("/path/to/repository", run="r1", task="fix")    # "disposed" with a hand-over, or "retained-dirty"

Refusals are guard.wt.errors.UsageError (nothing was changed) or WtError, each with a `code` and a `hint`. Compatible with the lanes of dsh.
"""
from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from guard.edge.records import is_text
from guard.wt import lane_ending, lane_making, lane_manifest, lane_reconciling, trash
from guard.wt.causes import of_system
from guard.wt.errors import UsageError, WtError
from guard.wt.lane_ending import Meant
from guard.wt.lane_manifest import HandOver, Lane, Open
from guard.wt.lane_planning import Asked
from guard.wt.repository import Repository, open_repository
from guard.wt.sessions import caller
from guard.wt.terminal import Tell

Folder = str | os.PathLike[str]
HELP = "help(guard.wt.lanes) in Python; wt lane --help"


@dataclass(frozen=True)
class Disposed:
    """What became of a lane. `hand_over` when it is disposed, `open` when it is retained-dirty; `back` is the command that restores it."""

    run: str
    task: str
    path: str
    session: str | None
    status: Literal["preparing", "active", "retained-dirty", "disposed", "lost"]
    open: tuple[Open, ...]
    hand_over: HandOver | None
    branch_deleted: bool
    back: str | None
    warnings: tuple[str, ...] = ()


def prepare(repository_folder: Folder, *, run: str, task: str, base: str = "", session: str | None = None) -> Lane:
    """A fresh checkout on its own branch, from `base`, or from what that folder has checked out. `session` is bound to it.

    UsageError "lane-exists" where the task has one already, "not-root" or "no-checkout" where the folder is not the root of a checkout.
    """
    must_be_texts(run=run, task=task, base=base, session=session or "")
    with in_words():
        return lane_making.prepared(opened(repository_folder), Asked(run, task, base, session or None), silent)[0]


def dispose(repository_folder: Folder, *, run: str = "", task: str = "", path: str = "", session: str | None = None) -> Disposed:
    """Ends a lane, by its run and task or by its path. `session`: who asks, if not whom the environment names."""
    must_be_texts(run=run, task=task, path=path, session=session or "")
    with in_words():
        return ended(opened(repository_folder), Meant(run, task, path), session, silent)


def listed(repository_folder: Folder) -> list[Lane]:
    """All lanes, the oldest first, as git and the disk have them now."""
    with in_words():
        return looked_up(opened(repository_folder))


# --- the same for a repository that is open --------------------------------------------------------------------------

def ended(repository: Repository, meant: Meant, session: str | None, tell: Tell, *, skip_teardown: bool = False) -> Disposed:
    if not meant.path and not (meant.run and meant.task):
        raise UsageError("dispose of which lane?", hint="wt lane dispose --run RUN --task TASK, or its PATH; wt lane list shows them")
    lane, warnings = lane_ending.disposed(repository, meant, caller(session or None), tell, skip_teardown=skip_teardown)
    there = bool(lane.trash) and (trash.folder(repository, lane.trash) / "entry.json").exists()
    return Disposed(lane.run, lane.task, lane.path, lane.session, lane.status, tuple(lane.open), lane.hand_over, lane.branch_deleted,
                    f"wt restore {lane.trash}" if there else None, tuple(warnings))


def looked_up(repository: Repository) -> list[Lane]:
    """What a killed command has left is settled first; where nothing can be written, it is told as it stands."""
    if not lane_manifest.load(repository).lanes:
        return []
    try:
        with repository.store.locked():
            return lane_reconciling.settled(repository).lanes
    except (WtError, OSError):
        return lane_reconciling.looked_at(repository).lanes


def must_be_texts(**given: object) -> None:
    """UsageError for what the command line could not have been given."""
    for name, value in given.items():
        if not isinstance(value, str):
            raise UsageError(f"{name} has to be a text, and is {value!r}", hint=HELP)
        if not is_text(value):
            raise UsageError(f"{name} holds a NUL, or is not UTF-8: {value!r}", code="bad-name", hint=HELP)


def opened(folder: Folder) -> Repository:
    must_be_texts(repository_folder=os.fspath(folder) if isinstance(folder, os.PathLike) else folder)
    return open_repository(Path(os.path.abspath(folder)))  # noqa: PTH100 - as it is written, links and all


def silent(_said: str) -> None:
    """Nobody watches a program."""


@contextmanager
def in_words() -> Iterator[None]:
    """What the system would not do (a full disk, a sandbox) as the refusal that the command line would make of it."""
    try:
        yield
    except OSError as fault:
        raise of_system(fault) or WtError(str(fault), code="system", hint="wt status shows how things stand") from fault

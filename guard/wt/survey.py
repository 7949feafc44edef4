"""What git and the disk say about each worktree now. git is asked about all of them at once: a `git status` looks at every file."""
from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from guard.edge import disk, repo
from guard.wt import bindings, git, lane_manifest, open_work, owners, pool, worktrees
from guard.wt.errors import WtError
from guard.wt.inspection import empty, inspect
from guard.wt.lane_manifest import Lane
from guard.wt.models import Binding, WorktreeRecord
from guard.wt.pool import Lease
from guard.wt.repository import Repository
from guard.wt.strayed import strayed


@dataclass(frozen=True)
class Known:
    """What is known of a worktree before git is asked about it. `tip` is the commit of its base."""

    entry: worktrees.Worktree
    record: WorktreeRecord | None
    base: str
    tip: str
    stale: str | None
    lease: Lease | None = None
    lane: Lane | None = None


@dataclass(frozen=True)
class Told:
    """What git said: open files, and how many commits the base and the worktree have for themselves. None: it cannot tell."""

    dirty: dict[str, int] | None = None
    apart: tuple[int, int] | None = None


def survey(repository: Repository, entries: list[worktrees.Worktree]) -> list[dict[str, Any]]:
    """A row a worktree: what programs may rely on in `wt status --json`, and created_at, port, source, title, making, strayed."""
    disk.forget()
    held, known = living(repository), all_known(repository, entries)
    with ThreadPoolExecutor(max_workers=open_work.WORKERS) as pool:  # a few more than run at once: some wait for the disk
        told = list(pool.map(partial(asked, repository), known))
    open_work.forget()
    return [row(repository, one, said, held.get(os.path.realpath(one.entry.path), [])) for one, said in zip(known, told, strict=True)]


def all_known(repository: Repository, entries: list[worktrees.Worktree]) -> list[Known]:
    records = [None if entry.main else worktrees.record_of(repository, entry.path) for entry in entries]
    assumed = cache(partial(bindings.assumed_base, repository))
    bases = [record.base if record else "" if entry.main else assumed(entry.branch if entry.branch == assumed("") else "")
             for entry, record in zip(entries, records, strict=True)]
    leases = {one.path: one.lease for one in pool.stored(repository).workspaces}
    lanes = lane_manifest.stored(repository)
    tips = commits_of(repository, sorted({base for base in bases if base}))
    return [Known(entry, record, base, tips.get(base, ""), stale(repository, entry), leases.get(str(entry.path)), lanes.at(entry.path))
            for entry, record, base in zip(entries, records, bases, strict=True)]


def asked(repository: Repository, known: Known) -> Told:
    """What only git can tell. Nothing of a folder that is no worktree: git would go on upwards and find another one."""
    if known.stale is not None:
        return Told()
    head, tip = known.entry.head, known.tip
    try:
        work = open_work.as_begun(known.entry.path)
    except WtError:  # a broken index, a disk that does not answer
        work = None
    if not tip or not head.strip("0"):
        return Told(work)
    return Told(work, (0, 0) if tip == head else worktrees.distance(repository.at, tip, head))


def row(repository: Repository, known: Known, told: Told, bound: list[Binding]) -> dict[str, Any]:
    entry, record, apart = known.entry, known.record, told.apart
    return {"name": entry.name, "path": str(entry.path), "branch": entry.branch, "head": entry.head, "base": known.base or None,
            "ahead": apart[1] if apart else None, "behind": apart[0] if apart else None, "dirty": told.dirty,
            "main": entry.main, "owned": record is not None and record.owned,
            "bound_by": sorted({one.session or "repository" for one in bound}), "lease": leased(known.lease), "lane": of_lane(known.lane),
            "locked": entry.locked, "stale": known.stale,
            "created_at": (record.created_at or None) if record else None, "port": record.port if record else None,
            "source": record.source if record else None, "title": (record.title or None) if record else None, "making": made(record),
            "strayed": strayed(repository, entry, record, bound[0] if bound else None) if known.stale is None else None}


def leased(lease: Lease | None) -> dict[str, Any] | None:
    """-> lease_id, lease_holder, leased_at, owner (alive, gone, unknown)"""
    if lease is None:
        return None
    from guard.wt import choosing  # which loads all that hands them out

    return {"lease_id": lease.id, "lease_holder": lease.holder, "leased_at": lease.leased_at or None, "owner": choosing.owner(lease)}


def of_lane(lane: Lane | None) -> dict[str, Any] | None:
    """-> run, task, status; None for one that is over: its place may have another worktree by now."""
    return {"run": lane.run, "task": lane.task, "status": lane.status} if lane and lane.status != "disposed" else None


def made(record: WorktreeRecord | None) -> str | None:
    """Is it being set up (its maker is at work), or was that broken off?"""
    if record is None or record.making is None:
        return None
    return "running" if owners.at_work(record) else "unfinished"


def living(repository: Repository) -> dict[str, list[Binding]]:
    """The bindings that hold, by the place they lead to."""
    found: dict[str, list[Binding]] = {}
    for one in repository.store.bindings():
        if bindings.holds(repository, one):
            found.setdefault(os.path.realpath(one.path), []).append(one)
    return found


def commits_of(repository: Repository, names: list[str]) -> dict[str, str]:
    """The commit of each name that has one, in a single question."""
    if not names:
        return {}
    given = os.fsencode("".join(f"{name}^{{commit}}\n" for name in names))
    lines = git.lines(os.fsdecode(git.attempt("cat-file", "--batch-check=%(objectname)", cwd=repository.at, given=given).stdout))
    return {name: line for name, line in zip(names, lines, strict=False) if " " not in line}  # "main^{commit} missing"


def stale(repository: Repository, entry: worktrees.Worktree) -> str | None:
    """None for a worktree that git works in; else "missing", "locked, missing", "damaged" or "unreadable"."""
    look = inspect(entry.path)
    if look == "unreadable":
        return "unreadable"
    if look == "gone" or empty(entry.path):
        return "locked, missing" if entry.locked is not None else "missing"
    return None if entry.main or works(repository, entry) else "damaged"


def works(repository: Repository, entry: worktrees.Worktree) -> bool:
    """Its `.git` leads to git's part of it, in this repository. Read by hand: git would need a process for each."""
    found = repo.checkout_at(disk, disk.real(str(entry.path)))
    return found is not None and found.linked and bool(disk.same(found.common, str(repository.common)))

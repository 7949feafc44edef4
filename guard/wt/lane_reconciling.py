"""The lanes as git and the disk have them: what a killed command, or somebody without `wt lane`, has left is told, and never dropped."""
from __future__ import annotations

import os
import shlex
from typing import Any

from msgspec.structs import replace

from guard.edge import disk
from guard.wt import create, git, lane_manifest, names, owners, removal, survey, trash, worktrees
from guard.wt.lane_manifest import HandOver, Lane, Manifest
from guard.wt.models import Trashed, now
from guard.wt.presence import presence
from guard.wt.repository import Repository


def settled(repository: Repository) -> Manifest:
    """The manifest as things are now, written down; a removal that was killed is ended first. Inside the lock."""
    removal.recover(repository)
    after = looked_at(repository)
    return lane_manifest.save(repository, after) if after != lane_manifest.stored(repository) else after


def looked_at(repository: Repository) -> Manifest:
    """The same, for looking only."""
    known = lane_manifest.load(repository)
    if not known.lanes:
        return known
    disk.forget()
    listed = {os.path.realpath(entry.path): entry for entry in worktrees.listing(repository)}
    removed = [entry for entry in trash.entries(repository) if entry.step == "removed"]
    for lane in known.lanes:
        entry = listed.get(os.path.realpath(lane.path))
        if entry is not None and not made_for(repository, lane):
            entry = None
        known = known.with_(as_it_is(repository, lane, entry, removed))
    return known


def as_it_is(repository: Repository, lane: Lane, entry: worktrees.Worktree | None, removed: list[Trashed]) -> Lane:
    """One lane; `entry` is its own worktree, as far as git lists it."""
    if at_work(lane):
        return lane
    if lane.status == "preparing" and entry is not None:
        return changed(lane, note="its preparing was killed; the same wt lane prepare goes on with it")
    stale = survey.stale(repository, entry) if entry is not None else "missing"
    there = stale is None or "missing" not in stale
    if there and lane.status in ("disposed", "lost"):
        return changed(lane, **as_recorded(repository, lane), status="active", note="found again", hand_over=None, branch_deleted=False,
                       trash="", open=[])
    if there or lane.status == "disposed":
        return changed(lane, note=f"its folder is {stale}: wt enter {shlex.quote(lane.path)} says more" if there and stale else "")
    gone = None if lane.status == "preparing" else next((one for one in removed if is_of(one, lane)), None)
    if gone is not None:
        deleted = bool(gone.branch) and gone.branch not in create.branches(repository)
        return disposed(lane, gone.id, hand_over(repository, lane, gone.branch, gone.head), deleted=deleted)
    return changed(lane, status="lost", maker=None, note=lost_how(repository, lane, entry))


def at_work(lane: Lane) -> bool:
    """The command that prepares it still runs."""
    return lane.status == "preparing" and owners.runs(lane.maker)


def made_for(repository: Repository, lane: Lane) -> bool:
    """The worktree at its place is not another one, by its record; without a record it is taken for the lane's."""
    record = worktrees.record_of(repository, lane.place)
    return record is None or (record.source, record.title) == ("lane", lane.title)


def as_recorded(repository: Repository, lane: Lane) -> dict[str, Any]:
    """What its worktree's record says: an earlier lane of the same task may have been brought back."""
    record = worktrees.record_of(repository, lane.place)
    found = lane_manifest.lane_of(record) if record else None
    return {"branch": found.branch, "base": found.base, "base_commit": found.base_commit} if found else {}


def is_of(entry: Trashed, lane: Lane) -> bool:
    """An earlier lane at the same place may be in the trash as well."""
    ours = entry.record is None or entry.record.title == lane.title
    return ours and entry.order > lane.order and os.path.realpath(entry.path) == os.path.realpath(lane.path)


def lost_how(repository: Repository, lane: Lane, entry: worktrees.Worktree | None) -> str:
    look, place = presence(repository, lane.place), shlex.quote(lane.path)
    if look == "away":
        return "its disk may only be away"
    if entry is not None:
        return f"its folder is gone, and git still lists it: wt enter {place} brings back what was committed or staged"
    if look != "gone":
        return "its folder is there, and git knows no such worktree in it"
    if lane.status == "preparing":
        return "its preparing was killed before there was a worktree"
    branch = f"; its branch {lane.branch} is there" if lane.branch in create.branches(repository) else ""
    return f"neither git nor the disk has it{branch}"


def changed(lane: Lane, **fields: Any) -> Lane:
    """With the moment, where its status is another one than before."""
    moment = {} if fields.get("status", lane.status) == lane.status else {"changed_at": now()}
    return replace(lane, **fields, **moment)


# --- what it leaves behind -------------------------------------------------------------------------------------------

def disposed(lane: Lane, name: str, left: HandOver, *, deleted: bool) -> Lane:
    """`name`: of its entry in the trash."""
    return changed(lane, status="disposed", maker=None, note="", open=[], hand_over=left, branch_deleted=deleted, trash=name)


def tip(repository: Repository, lane: Lane) -> str:
    """Of its branch; "" where that is gone."""
    return git.ask_or("", "rev-parse", "-q", "--verify", f"refs/heads/{lane.branch}", cwd=repository.at)


def hand_over(repository: Repository, lane: Lane, branch: str, head: str) -> HandOver:
    """By the branch and the commit that its worktree was at. Empty where git cannot tell."""
    span = (lane.base_commit, head) if lane.base_commit.strip("0") and head.strip("0") else None
    rows = told(repository, "log", "-z", "--encoding=UTF-8", "--format=%H %s", f"{span[0]}..{span[1]}", "--") if span else []
    files = told(repository, "diff-tree", "-r", "-z", "--name-only", *span) if span else []
    commits = [lane_manifest.Commit(id=row.partition(" ")[0], subject=names.readable(row.partition(" ")[2])) for row in rows]
    return HandOver(branch=names.readable(branch), base=lane.base, base_commit=lane.base_commit, head=head, commits=commits,
                    files=len(files))


def told(repository: Repository, *words: str) -> list[str]:
    """The parts of an answer between NULs."""
    return [part for part in git.ask_or("", *words, cwd=repository.at).split("\0") if part]

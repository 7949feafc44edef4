"""What the pool holds now: each workspace with its status, its lease and who stands in it. For looking only."""
from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from guard.wt import choosing, owners, receipts, settling, worktrees
from guard.wt.choosing import Unfit, owner
from guard.wt.pool import Workspace
from guard.wt.presence import presence
from guard.wt.repository import Repository


def status(repository: Repository) -> dict[str, Any]:
    """-> size, workspaces[]: name, path, status, lease_id, lease_holder, processes[]: {pid, command}, leased_at, owner, note

    `status`: available, leased, you're here, in-use, dirty, unlanded (commits that nothing else holds), locked, damaged. Nothing is
    changed: what a killed command has left is told as the next one will find it.
    """
    now_there, listed = settling.foreseen(repository)
    standing = owners.standing()
    return {"size": repository.loaded.settings.pool.size,
            "workspaces": [row(repository, one, listed.get(one.path), standing) for one in now_there.workspaces]}


def row(repository: Repository, one: Workspace, entry: worktrees.Worktree | None, standing: list[owners.Process]) -> dict[str, Any]:
    root = Path(os.path.realpath(one.path))
    inside = [process for process in standing if process.folder.is_relative_to(root)]
    lease = one.lease
    word, why = ("leased", note(repository, one)) if lease else condition(repository, one, entry, inside)
    return {"name": one.name, "path": one.path, "status": word, "lease_id": lease.id if lease else "",
            "lease_holder": lease.holder if lease else "",
            "processes": [{"pid": process.pid, "command": process.command} for process in inside],
            "leased_at": (lease.leased_at or None) if lease else None, "owner": owner(lease) if lease else None, "note": why or None}


def condition(repository: Repository, one: Workspace, entry: worktrees.Worktree | None, inside: list[owners.Process]) -> tuple[str, str]:
    """(status, why in words) of one that nobody has leased."""
    if entry is None:
        return "damaged", "git does not list it"
    if repository.stands_in(one.path):
        return "you're here", ""
    word = choosing.in_the_way(repository, entry, [process.folder for process in inside])
    if word:
        return word, ""
    try:
        choosing.fit(repository, one)
    except Unfit as unfit:
        return unfit.word, unfit.said
    return "available", ""


def note(repository: Repository, one: Workspace) -> str:
    """Where receipt and pool do not agree, in words."""
    assert one.lease is not None
    if one.lease.step != "held":
        return f"a command is {one.lease.step} it right now"
    look = presence(repository, one.place)
    if look != "there":
        return f"its folder is {look}; wt remove {one.path} ends the lease of one that is gone"
    try:
        return "" if receipts.read(one.place) == one.receipt else "its receipt is of another lease or path, or was edited"
    except receipts.BadReceipt as fault:
        return f"its receipt does not count: {fault}" + ("" if receipts.is_there(one.place) else f"; wt remove {one.path} ends the lease")

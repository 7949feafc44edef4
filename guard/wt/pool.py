"""The pool of ready worktrees: which is leased to whom. One file, read and written under the lock of the state.

A lease counts until it is returned; what a killed command has left of it is settled by the next. Compatible with Treehouse, which keeps
a pool for a repository in the same way: https://github.com/kunchenguid/treehouse
"""
from __future__ import annotations

import contextlib
import uuid
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from guard.wt import making, receipts
from guard.wt.models import Making, Placed, Strict, Version, WorktreeRecord
from guard.wt.receipts import Identity, Receipt
from guard.wt.repository import Repository

FILE = "pool.json"
RECOVERED = "recovered"  # holder of a lease of which nobody knows more


class Lease(Strict, frozen=True):
    """`step`: acquiring and returning are of a command at work (`maker`), held is the caller's. `client_pid` is the holder's program."""

    id: str
    holder: str
    leased_at: str = ""
    source_head: str = ""
    step: Literal["acquiring", "held", "returning"] = "held"
    maker: Making | None = None
    session: str | None = None
    client_pid: int | None = None
    client_started: str | None = None

    @property
    def identity(self) -> Identity:
        return Identity(self.id, self.holder)


class Workspace(Placed, frozen=True):
    """One worktree of the pool, with its lease or free.

    `start` is the commit it was last brought to by us, or given back at with all of its work kept: at that one it holds nothing of its
    own, whoever else has amended that commit meanwhile. "" as long as it was never handed out.
    """

    name: str
    path: str
    created_at: str = ""
    start: str = ""
    lease: Lease | None = None

    @property
    def place(self) -> Path:
        return Path(self.path)

    @property
    def receipt(self) -> Receipt:
        """As its lease wants it."""
        assert self.lease is not None
        return Receipt(path=self.path, lease_id=self.lease.id, lease_holder=self.lease.holder, acquired_at=self.lease.leased_at,
                       source_head=self.lease.source_head)

    def over(self, **more: str) -> Workspace:
        return replace(self, lease=None, **more)

    def changed(self, **fields: object) -> Workspace:
        """The same with these fields of its lease."""
        assert self.lease is not None
        return replace(self, lease=replace(self.lease, **fields))


class Pool(Strict, frozen=True):
    """pool.json"""

    version: Version = 1
    workspaces: list[Workspace] = []

    def at(self, path: Path | str) -> Workspace | None:
        return next((one for one in self.workspaces if one.path == str(path)), None)

    def with_(self, workspace: Workspace) -> Pool:
        """The same with this workspace instead of the one at its path, or beside the others."""
        others = [one for one in self.workspaces if one.path != workspace.path]
        return replace(self, workspaces=sorted([*others, workspace], key=lambda one: (len(one.name), one.name)))

    def without(self, path: Path | str) -> Pool:
        return replace(self, workspaces=[one for one in self.workspaces if one.path != str(path)])


def load(repository: Repository) -> Pool:
    """As it stands. What we did not make for the pool is not of it, whatever the file says; unless it is leased, which ends by a return.

    Worktrees of the pool that the file does not name (it may be spoilt) count as leased, by nobody knows whom.
    """
    made = {record.path: record for record in records(repository)}
    named = [one for one in stored(repository).workspaces if one.lease is not None or one.path in made]
    found = Pool(workspaces=list({one.path: one for one in named}.values()))
    for record in made.values():
        if found.at(record.path) is None:
            found = found.with_(Workspace(name=Path(record.path).name, path=record.path, created_at=record.created_at,
                                          start=record.base_commit, lease=recovered(Path(record.path))))
    return found


def stored(repository: Repository) -> Pool:
    return repository.store.load(repository.store.path(FILE), Pool) or Pool()


def records(repository: Repository) -> list[WorktreeRecord]:
    """The worktrees that were made for the pool."""
    files = sorted(repository.store.path("worktrees").glob("*.json"))
    found = [repository.store.load(file, WorktreeRecord) for file in files]
    return [record for record in found if record is not None and record.source == "pool"]


def recovered(path: Path) -> Lease:
    """A lease by its receipt, else one that has none yet: handed out twice is worse than not handed out."""
    with contextlib.suppress(receipts.BadReceipt):
        receipt = receipts.read(path)
        if receipt.path == str(path):
            return Lease(id=receipt.lease_id, holder=receipt.lease_holder, leased_at=receipt.acquired_at, source_head=receipt.source_head)
    return Lease(id=uuid.uuid5(uuid.NAMESPACE_URL, path.as_uri()).hex, holder=RECOVERED, leased_at=receipts.moment())


def save(repository: Repository, pool: Pool) -> Pool:
    repository.store.save(repository.store.path(FILE), pool)
    return pool


def leased(workspace: Workspace, identity: Identity, head: str) -> Workspace:
    """Reserved for a lease that this process prepares."""
    lease = Lease(id=identity.lease_id, holder=identity.lease_holder, leased_at=receipts.moment(), source_head=head, step="acquiring",
                  maker=making.myself())
    return replace(workspace, lease=lease)

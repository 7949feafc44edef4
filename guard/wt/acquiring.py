"""Acquiring a workspace: one of the pool, else a new one; detached at the caller's commit, with nothing carried over.

Compatible with Treehouse's `write acquire`.
"""
from __future__ import annotations

import os
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guard.wt import choosing, growing, pool, preparing, receipts, settling, workspaces
from guard.wt.choosing import Unfit
from guard.wt.errors import UsageError
from guard.wt.pool import Pool, Workspace
from guard.wt.receipts import Identity
from guard.wt.repository import Repository
from guard.wt.sessions import Caller

VARIABLES = ("WT_LEASE_HOLDER", "TREEHOUSE_LEASE_HOLDER")
LONGEST = 500  # letters of a holder: a session's id has 36


@dataclass(frozen=True)
class Source:
    """The checkout that the caller stands in, and its commit."""

    root: Path
    head: str


def holder_of(given: str | None) -> str:
    """By --holder, by the variables, else one of our own. UsageError for a blank one: the return has to name it."""
    told = next((os.environ[name] for name in VARIABLES if name in os.environ), f"agent-{uuid.uuid4()}")
    found = told if given is None else given
    if not found.strip() or not found.isprintable() or len(found) > LONGEST:
        raise UsageError("the holder is blank, too long, or holds what cannot be printed", code="bad-holder",
                         hint=f"wt lease write acquire --holder NAME; {' and '.join(VARIABLES)} count where it is not given")
    return found


def source_of(repository: Repository) -> Source:
    look = workspaces.seen(repository.here)
    if look is None or not look.head:
        raise UsageError(f"{repository.here} is no checkout with a commit, so there is nothing to start from", code="no-commit",
                         hint="cd into a checkout; make a first commit: git commit --allow-empty -m start; then wt lease write acquire")
    return Source(look.root, look.head)


def acquired(repository: Repository, who: Caller, given: str | None) -> dict[str, Any]:
    """-> path, name, lease_id, lease_holder, leased_at, receipt_path, prepared_head, source, created, session

    UsageError where the caller's own checkout is leased, and where none is free. WtError where it cannot be prepared: then it is given
    back, and `details` say whether that has worked. One of the pool that turns out to be unfit is passed over, and the next one tried.
    """
    identity = Identity(uuid.uuid4().hex, holder_of(given))
    source = source_of(repository)
    receipts.must_have_room(source.root, source.head)
    passed: dict[str, str] = {}
    while True:
        workspace, fresh = reserved(repository, source, identity, passed)
        try:
            receipt = preparing.prepare(repository, workspace, source.head, fresh=fresh)
            held_now = preparing.confirmed(repository, workspace, who)
        except Unfit as unfit:
            fault = preparing.given_back(repository, workspace, unfit, fresh=fresh)
            if fresh or not preparing.is_returned(fault):
                raise fault from unfit
            passed[workspace.path] = unfit.word
        except BaseException as cause:
            raise preparing.given_back(repository, workspace, cause, fresh=fresh) from cause
        else:
            break
    assert held_now.lease is not None
    return {"path": workspace.path, "name": workspace.name, "lease_id": identity.lease_id, "lease_holder": identity.lease_holder,
            "leased_at": held_now.lease.leased_at, "receipt_path": str(receipt), "prepared_head": source.head, "source": str(source.root),
            "created": fresh, "session": who.session}


def reserved(repository: Repository, source: Source, identity: Identity, passed: dict[str, str]) -> tuple[Workspace, bool]:
    """A workspace with a lease that nobody was told of yet, and is it a new one? `passed`: those that are unfit. Takes the lock."""
    with repository.store.locked():
        now_there, listed = settling.settled(repository)
        not_leased(now_there, source)
        found = choosing.free(repository, now_there, listed, source.head, passed)
        workspace = pool.leased(found or choosing.room_for_one(repository, now_there, listed, passed), identity, source.head)
        pool.save(repository, now_there.with_(workspace))
        if found is None:
            growing.grown(repository, workspace, source.head)
    return workspace, found is None


def not_leased(now_there: Pool, source: Source) -> None:
    """One checkout may hold several leases; a leased one holds none of its own."""
    own = now_there.at(source.root)
    if own is not None and own.lease is not None:
        raise UsageError(f"{own.path} is itself leased, by {own.lease.holder}", code="leased", hint="work in it; wt lease read status",
                         details={"path": own.path, "lease_id": own.lease.id, "lease_holder": own.lease.holder})

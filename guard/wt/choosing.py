"""Which workspace of the pool is handed out, and what is in the way of the others."""
from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from guard.wt import bindings, git_locks, held, lost, owners, receipts, remains, workspaces, worktrees
from guard.wt.errors import UsageError, WtError
from guard.wt.git import GitError
from guard.wt.models import Making, now
from guard.wt.pool import Lease, Pool, Workspace
from guard.wt.repository import Repository
from guard.wt.workspaces import Seen
from guard.wt.worktrees import Worktree


class Unfit(WtError):
    """A workspace holds what must not be lost, or is not what it was made to be. `word` is that of its status."""

    def __init__(self, word: str, said: str, details: Any = None) -> None:
        super().__init__(said, code="not-clean" if word == "dirty" else word, details=details,
                         hint="wt lease read status; wt lease write acquire again takes another one")
        self.word = word


# --- by what can be told at once -------------------------------------------------------------------------------------

def free(repository: Repository, now_there: Pool, listed: dict[str, Worktree], head: str, passed: dict[str, str]) -> Workspace | None:
    """The first that nobody holds, but for those `passed` over; those that are at the commit already first. Inside the lock."""
    idle = [one for one in now_there.workspaces if one.lease is None and one.path in listed and one.path not in passed]
    if not idle:
        return None
    busy = [repository.here, *(process.folder for process in owners.standing())]
    for one in sorted(idle, key=lambda one: listed[one.path].head != head):
        word = in_the_way(repository, listed[one.path], busy)
        if not word:
            return one
        passed[one.path] = word
    return None


def in_the_way(repository: Repository, entry: Worktree, busy: list[Path]) -> str:
    """Who uses a workspace that nobody has leased, by a word of its status; "" where nobody does."""
    if entry.locked is not None:
        return "locked"
    root = Path(os.path.realpath(entry.path))
    if any(folder.is_relative_to(root) for folder in busy) or bindings.of_worktree(repository, entry.path):
        return "in-use"
    admin = lost.admin_folder(repository, entry.path)
    return "in-use" if admin is not None and git_locks.in_use(admin) else ""


def room_for_one(repository: Repository, now_there: Pool, listed: dict[str, Worktree], passed: dict[str, str]) -> Workspace:
    """The next number. UsageError where the pool is full, with who holds what, and what is in the way of the others."""
    size = repository.loaded.settings.pool.size
    if len(now_there.workspaces) >= size:
        raise none_free(size, now_there, passed)
    parent, n = worktrees.parent_folder(repository), 1
    taken = {one.name for one in now_there.workspaces} | {entry.name for entry in listed.values()}
    while f"pool-{n}" in taken or os.path.lexists(parent / f"pool-{n}"):
        n += 1
    return Workspace(name=f"pool-{n}", path=str(parent / f"pool-{n}"), created_at=now())


def none_free(size: int, now_there: Pool, passed: dict[str, str]) -> UsageError:
    leases = [{"path": one.path, "lease_id": one.lease.id, "lease_holder": one.lease.holder, "leased_at": one.lease.leased_at,
               "owner": owner(one.lease)} for one in now_there.workspaces if one.lease]
    others = [{"path": one.path, "status": passed.get(one.path, "damaged")} for one in now_there.workspaces if not one.lease]
    whom = [f"{Path(one['path']).name} by {one['lease_holder']}{', which has ended' if one['owner'] == 'gone' else ''}" for one in leases]
    whom += [f"{Path(one['path']).name} is {one['status']}" for one in others]
    return UsageError(f"none of the {size} workspaces is free: {'; '.join(whom)}", code="none-free",
                      details={"leases": leases, "others": others},
                      hint='wt lease write return gives one back; wt lease read status; "pool": {"size": …} in .worktree-guard.json '
                           'allows more')


def owner(lease: Lease) -> str:
    """Does the program live that it was given to? A lease of one that has ended is named, and still counts until it is returned."""
    if lease.client_pid is None:
        return "unknown"
    return "alive" if owners.runs(Making(pid=lease.client_pid, started=lease.client_started or "")) else "gone"


# --- by what is in it ------------------------------------------------------------------------------------------------

def fit(repository: Repository, one: Workspace) -> Seen:
    """It holds nothing that is nowhere else. Unfit where it does, or where git cannot tell (a broken index)."""
    try:
        return looked_at(repository, one)
    except GitError as fault:
        raise Unfit("damaged", fault.said, fault.details) from None


def looked_at(repository: Repository, one: Workspace) -> Seen:
    path, look = one.place, workspaces.seen(one.place)
    wrong = workspaces.whats_wrong(repository, path, look)
    if look is None or wrong:
        raise Unfit("damaged", wrong)
    must_be_clean(path)
    if not receipts.can_lie(path):
        raise Unfit("dirty", f"something is in the way of {path / receipts.PLACE}")
    hidden = [name for names in workspaces.hidden(path).values() for name in names]
    if hidden:
        raise Unfit("dirty", f"the index of {path} hides files from git status", {"hidden": hidden})
    half_done = remains.operation(look.admin)
    if half_done:
        raise Unfit("dirty", f"{remains.a_or_an(half_done)} is half done in {path}", {"operation": half_done})
    if look.head != one.start and not landed(repository, look.head):
        raise Unfit("unlanded", f"{path} has commits that nothing else holds", {"commits": held.only_there(repository, look.head, "")})
    return look


def must_be_clean(path: Path) -> None:
    open_now = workspaces.changes(path)
    if open_now:
        shown = ", ".join(line[3:] for line in open_now[:5])
        raise Unfit("dirty", f"{path} is not clean: {shown}{' and more' if len(open_now) > 5 else ''}", {"changes": open_now})


def landed(repository: Repository, head: str) -> bool:
    """A branch, tag or remote branch has it; or has taken over what it says (squashed, rebased)."""
    if not head or held.holders(repository, head, ""):
        return True
    return held.merged(repository, head, "", bindings.assumed_base(repository, "")).goes

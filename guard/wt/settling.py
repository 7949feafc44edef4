"""The pool after whatever a killed command has left of it: each lease is somebody's, or over; each receipt is of a lease that counts."""
from __future__ import annotations

import contextlib
import os

from guard.wt import gate, git, git_locks, held, lost, missing, owners, pool, receipts, removal, workspaces, worktrees
from guard.wt.errors import WtError
from guard.wt.pool import Lease, Pool, Workspace
from guard.wt.presence import presence
from guard.wt.repository import Repository
from guard.wt.sessions import Caller
from guard.wt.worktrees import Worktree


def settled(repository: Repository) -> tuple[Pool, dict[str, Worktree]]:
    """-> the pool, and what git lists of linked worktrees by path. Inside the lock.

    A workspace that cannot be settled (a disk that is read-only, git at work in it) stays as it is, and in nobody's way.
    """
    listed = {str(entry.path): entry for entry in worktrees.listing(repository) if not entry.main}
    before = after = pool.load(repository)
    for one in before.workspaces:
        with contextlib.suppress(WtError, OSError):
            left = settled_one(repository, one, listed.get(one.path))
            after = after.with_(left) if left else after.without(one.path)
    return (pool.save(repository, after) if after != pool.stored(repository) else after), listed


def foreseen(repository: Repository) -> tuple[Pool, dict[str, Worktree]]:
    """The same as the next command will find it, for those who only look: whoever has approved `read` has approved no change."""
    listed = {str(entry.path): entry for entry in worktrees.listing(repository) if not entry.main}
    before = after = pool.load(repository)
    for one in before.workspaces:
        lease = one.lease
        if lease is not None and lease.step != "held" and owners.runs(lease.maker):
            continue
        if one.path not in listed:
            after = after.without(one.path)
        elif lease is not None and lease.step != "held":
            after = after.with_(one.over() if lease.step == "acquiring" else one.changed(step="held", maker=None))
    return after, listed


def settled_one(repository: Repository, one: Workspace, entry: Worktree | None) -> Workspace | None:
    """What it is now; None where it is no workspace any more."""
    lease = one.lease
    if lease is not None and lease.step != "held" and owners.runs(lease.maker):
        return one
    if entry is None:
        return None if gone(repository, one) else one
    if lease is None:
        return free(repository, one, entry)
    if lease.step == "returning":
        return held_again(repository, one, entry)
    if lease.step == "acquiring":
        return never_told(repository, one, entry)
    if lease.holder == pool.RECOVERED and not receipts.is_there(one.place) and lost.is_worktree(one.place):
        receipts.write(one.place, one.receipt)
    return one


def gone(repository: Repository, one: Workspace) -> bool:
    """git does not list it: somebody has removed or moved it, or was killed before git had begun."""
    if one.lease is not None and one.lease.step == "acquiring" and git_locks.being_added(one.place):
        return False
    record = worktrees.record_of(repository, one.place)
    if record is not None and record.source == "pool":
        worktrees.record_path(repository, one.place).unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        one.place.rmdir()  # an empty one
    return True


def free(repository: Repository, one: Workspace, entry: Worktree) -> Workspace | None:
    """Without a receipt. One whose folder somebody has deleted is forgotten, if nothing is lost with it."""
    if presence(repository, one.place) != "gone":
        receipts.drop(one.place)
        return one
    case = case_of(repository, one, entry)
    if missing.findings(case):
        return one
    missing.carry_out(case)
    return None


def never_told(repository: Repository, one: Workspace, entry: Worktree) -> Workspace | None:
    """Its acquire was killed before anybody heard of the lease: free again if nothing is half done there, else taken away.

    The receipt is written between the look at it and the checkout: without one, what is open there was so before, and stays. With it,
    or in a new one, it is what git was killed in the middle of, which is not worth mending: the next acquire makes another.
    """
    if lost.being_made(repository, entry):
        return one
    if one.start and not receipts.is_there(one.place):
        return one.over()
    receipts.drop(one.place)
    if whole(repository, one, entry):
        return one.over(start=one.start or lease_of(one).source_head)
    if not one.start and only_files_of_git(one, entry):
        return None if taken_away(repository, one) else one
    if entry.there:
        removal.carry_out(case_of(repository, one, entry), held.Fate(False, "detached"))
        return None
    return free(repository, one.over(), entry)


def held_again(repository: Repository, one: Workspace, entry: Worktree) -> Workspace:
    """Its return was killed: the lease is the holder's as before, and the locks of the git that was killed with it go."""
    if lost.being_made(repository, entry):
        return one
    admin = lost.admin_folder(repository, one.place)
    if admin is not None:
        git_locks.drop_of_worktree(admin)
    return one.changed(step="held", maker=None)


def whole(repository: Repository, one: Workspace, entry: Worktree) -> bool:
    """A killed checkout leaves a lock, or files of two commits; a killed `worktree add` git's own mark."""
    admin = lost.admin_folder(repository, one.place)
    if admin is None or entry.locked is not None or list(admin.glob("*.lock")):
        return False
    try:
        return lost.is_worktree(one.place) and not workspaces.changes(one.place)
    except WtError:
        return False


def only_files_of_git(one: Workspace, entry: Worktree) -> bool:
    """Each file there is one that git was writing when it was killed, in a workspace that nobody was ever given."""
    here = {os.path.relpath(os.path.join(folder, name), one.path)  # noqa: PTH118
            for folder, _, names in os.walk(one.path) for name in names} - {".git"}
    return here <= set(git.ask_or("", "ls-tree", "--full-tree", "-r", "-z", "--name-only", lease_of(one).source_head, cwd=entry.path.parent)
                       .split("\0"))


def taken_away(repository: Repository, one: Workspace) -> bool:
    """One that this tool has just made for the pool, and that nobody was given: its folder, git's part of it, our record.

    False where git will not: then the record stays as well, since it is still one of ours.
    """
    git.attempt("worktree", "remove", "--force", "--force", "--", one.path, cwd=repository.at, reads=False)
    if worktrees.at(repository, one.path) is not None:
        return False
    worktrees.record_path(repository, one.place).unlink(missing_ok=True)
    return True


def lease_of(one: Workspace) -> Lease:
    assert one.lease is not None
    return one.lease


def case_of(repository: Repository, one: Workspace, entry: Worktree) -> gate.Case:
    return gate.Case(repository, entry, worktrees.record_of(repository, one.place), Caller(None))

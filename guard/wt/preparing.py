"""A workspace that is reserved for a lease is brought to the caller's commit, and proven to be there; else it is given back."""
from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from guard.wt import bindings, causes, choosing, git, git_locks, making, pool, receipts, settling, workspaces
from guard.wt.choosing import Unfit
from guard.wt.create import NO_HOOKS
from guard.wt.errors import WtError
from guard.wt.pool import Workspace
from guard.wt.receipts import BadReceipt, Identity
from guard.wt.repository import Repository
from guard.wt.sessions import Caller
from guard.wt.store import Store
from guard.wt.workspaces import QUIET


def prepare(repository: Repository, workspace: Workspace, head: str, *, fresh: bool) -> Path:
    """Outside the lock: a checkout takes its time. -> the receipt. Unfit or WtError where anything is not as it has to be.

    Looked at before, so that nothing is overwritten that is nowhere else, and after: it is the root of its own work tree, of this
    repository, clean, at the commit, and the receipt lies in it.
    """
    path = workspace.place
    before = None if fresh else choosing.fit(repository, workspace)
    receipt = receipts.write(path, workspace.receipt)
    if before is not None and before.head != head:
        checked_out(repository, path, before.admin, head)
    if before is None or before.head != head:
        choosing.must_be_clean(path)
    look = workspaces.seen(path)
    wrong = workspaces.whats_wrong(repository, path, look)
    if look is None or wrong:
        raise Unfit("damaged", wrong)
    if look.head != head:
        raise WtError(f"{path} is at {look.head[:9]}, not at {head[:9]}", code="not-prepared", hint="wt lease write acquire again")
    try:
        if receipts.read(path) != workspace.receipt:
            raise BadReceipt(f"{receipt} is of another lease")
    except BadReceipt as fault:
        raise WtError(f"the receipt has not stayed: {fault}", code="not-prepared", hint="wt lease write acquire again") from None
    return receipt


def checked_out(repository: Repository, path: Path, admin: Path, head: str) -> None:
    """Over no file, an ignored one neither. A lock that a killed git has left is in nobody's way: the workspace was free, and is ours now.

    `--force` is for a rename of letter case alone, which a file system that knows no case hides from status, and which stops a plain
    checkout: it would write over ignored files as well. Unfit where a file is in the way.
    """
    if not git_locks.in_use(admin):
        git_locks.drop_of_worktree(admin)
    words = (*QUIET, *NO_HOOKS, *making.in_parallel(repository), "checkout", "--quiet", "--no-overwrite-ignore")
    tried = git.attempt(*words, "--detach", head, cwd=path, timeout=git.SLOW, reads=False)
    in_the_way = [line[1:] for line in git.lines(os.fsdecode(tried.stderr)) if line.startswith("\t")] if tried.returncode else []
    if in_the_way and differ_in_case(path, in_the_way):
        tried, in_the_way = git.attempt(*words, "--force", "--detach", head, cwd=path, timeout=git.SLOW, reads=False), []
    if in_the_way:
        raise Unfit("dirty", f"files of {path} are in the way of {head[:9]}: {', '.join(in_the_way[:5])}", {"in_the_way": in_the_way})
    git.answer(tried, words)


def differ_in_case(path: Path, names: list[str]) -> bool:
    """Each of them is a file that git has there already, by another spelling: what a disk that knows no letter case makes of a rename."""
    if git.ask_or("", "config", "--type=bool", "core.ignorecase", cwd=path) != "true":
        return False
    tracked = {name.casefold() for name in git.ask("ls-files", "-z", cwd=path).split("\0")}
    return all(name.casefold() in tracked for name in names)


def confirmed(repository: Repository, workspace: Workspace, who: Caller) -> Workspace:
    """The lease is the caller's from now on, and binds its session. WtError where the pool says something else by now."""
    assert workspace.lease is not None
    with repository.store.locked():
        now_there = pool.load(repository)
        live = now_there.at(workspace.path)
        if live is None or live.lease is None or live.lease.identity != workspace.lease.identity:
            raise WtError(f"the pool does not know this lease of {workspace.path} any more", code="lost-lease",
                          hint="wt lease write acquire again")
        lease = live.lease
        held = live.changed(step="held", maker=None, session=who.session, client_pid=who.pid, client_started=who.started)
        held = replace(held, start=lease.source_head)
        if who.session is not None:
            bindings.bind(repository, who, workspace.place, "", lease.source_head)
        pool.save(repository, now_there.with_(held))  # last: killed before, nobody was told, and the next command ends it
        repository.store.note("acquire", path=workspace.path, holder=lease.holder, head=lease.source_head)
    return held


# --- given back ------------------------------------------------------------------------------------------------------

Outcome = Literal["returned", "held", "unknown"]


def given_back(repository: Repository, workspace: Workspace, cause: BaseException, *, fresh: bool) -> BaseException:
    """Undoes an acquire that has failed. -> what to raise: `details` say by the live pool whether the lease is over.

    The receipt goes only when that is certain: until then it is what the lease can be returned by.
    """
    assert workspace.lease is not None
    identity, fault, removed = workspace.lease.identity, "", False
    try:
        with repository.store.locked():
            over(repository, workspace.path, identity)
            outcome, live = seen(repository, workspace.path, identity)
            others = live == "leased"  # it has come to be another's: the pool's file was lost meanwhile
            if outcome == "returned" and (not others or receipts.is_of(workspace.place, identity)):
                removed = receipts.drop(workspace.place)
            if outcome == "returned" and fresh and not others and settling.taken_away(repository, workspace):  # nobody was given it
                pool.save(repository, pool.load(repository).without(workspace.path))
    except (WtError, OSError) as trouble:
        fault = str(trouble)
    outcome, live = seen(repository, workspace.path, identity)
    known = cause if isinstance(cause, WtError) else causes.of_system(cause) if isinstance(cause, OSError) else None
    if known is None and not isinstance(cause, OSError):
        return cause
    said = known.said if known else str(cause)
    details = {"path": workspace.path, "lease_id": identity.lease_id, "lease_holder": identity.lease_holder, "rollback": outcome,
               "rollback_returned": outcome == "returned", "rollback_error": fault or None, "rollback_live_status": live,
               "receipt_removed": removed, "cause": {"message": said, "details": (known.details if known else None) or None}}
    kept = "" if outcome == "returned" else f"; the lease of {workspace.path} is {outcome}, keep its identity"
    return WtError(f"no workspace: {said}{kept}", code=known.code if known else "os-error", details=details,
                   hint=(known.hint if known else "") or "wt lease read status, then wt lease write acquire again")


def is_returned(fault: BaseException) -> bool:
    return isinstance(fault, WtError) and fault.details.get("rollback") == "returned"


def over(repository: Repository, path: str, identity: Identity, start: str = "") -> None:
    """Ends a lease, if it still is that one, and the bindings that came with it. `start`: its work up to there is kept. Inside the lock."""
    now_there = pool.load(repository)
    live = now_there.at(path)
    if live is None or live.lease is None or live.lease.identity != identity:
        return
    bindings.unbind(repository, [one for one in repository.store.bindings() if one.active and bindings.same_place(one.path, path)])
    pool.save(repository, now_there.with_(live.over(**({"start": start} if start else {}))))


def seen(repository: Repository, path: str, identity: Identity) -> tuple[Outcome, str | None]:
    """(what became of the lease, what the pool says of the workspace): judged by the file as it is now, whatever was tried."""
    store = Store(repository.common)  # a file that was spoilt before is another matter
    found = store.load(store.path(pool.FILE), pool.Pool)
    if found is None:
        return "unknown", None
    live = found.at(path)
    if live is None or live.lease is None or live.lease.identity != identity:
        return "returned", "gone" if live is None else "leased" if live.lease else "available"
    return "held", "leased"

"""Giving a lease back: by its receipt, looked at in a fixed order, judged by the pool afterwards; the receipt goes last."""
from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from guard.wt import emptying, git, lost, making, own_config, owners, pool, preparing, receipts, settling, workspaces
from guard.wt.create import NO_HOOKS
from guard.wt.emptying import Kept, Work
from guard.wt.errors import UsageError, WtError
from guard.wt.pool import Workspace
from guard.wt.presence import presence
from guard.wt.receipts import Identity, Receipt
from guard.wt.remains import a_or_an
from guard.wt.repository import Repository
from guard.wt.workspaces import QUIET

STATUS = "wt lease read status says who holds what"


def again(path: str | Path) -> str:
    return f"wt lease write return --workspace {shlex.quote(str(path))}"


def returned(repository: Repository, given: str, *, preserved: bool) -> dict[str, Any]:
    """-> path, lease_id, lease_holder, returned, dirty, receipt_removed, snapshots (refs, where there was work)

    UsageError where anything is not as it has to be: then nothing was changed. WtError where the pool still says leased afterwards.
    """
    path, receipt = Path(given), proven_or_recovered(repository, given)
    with repository.store.locked():
        workspace = reserved(repository, receipt)
    kept = Kept()
    try:
        work = emptying.work_in(repository, path, receipt.source_head)
        if work and not preserved:
            raise not_preserved(path, work, receipt.identity)
        if work:
            emptying.empty(repository, path, work, kept)
        with repository.store.locked():
            end(repository, workspace, work.head, start=work.head if work.commits else "")
            outcome, _ = preparing.seen(repository, str(path), receipt.identity)
            removed = outcome == "returned" and receipts.drop(path)  # still inside the lock, or it might be the next holder's
        if outcome != "returned":
            raise WtError(f"the lease of {path} is {outcome}, by the pool's own word; the receipt stays", code="not-returned", hint=STATUS,
                          details={"lease_id": receipt.lease_id, "lease_holder": receipt.lease_holder})
    except BaseException as fault:
        with repository.store.locked():
            held_again(repository, workspace)
        if isinstance(fault, WtError) and kept.refs and isinstance(fault.details, dict):
            fault.details.setdefault("snapshots", kept.refs)
        raise
    return {"path": str(path), "lease_id": receipt.lease_id, "lease_holder": receipt.lease_holder, "returned": True, "dirty": bool(work),
            "receipt_removed": removed, "snapshots": sorted(kept.refs)}


# --- may it be returned? ---------------------------------------------------------------------------------------------

def proven_or_recovered(repository: Repository, given: str) -> Receipt:
    """The receipt. One of a lease that was recovered (the pool's file was lost, and the receipt too) is written when that is settled."""
    try:
        return proven(repository, given)
    except UsageError as refusal:
        known = pool.load(repository).at(given)
        if refusal.code != "no-receipt" or known is None or known.lease is None or known.lease.holder != pool.RECOVERED:
            raise
    with repository.store.locked():
        settling.settled(repository)
    return proven(repository, given)


def proven(repository: Repository, given: str) -> Receipt:
    """In the order of Treehouse: not from inside, a receipt of ours for this very path, the root of its work tree."""
    path = Path(given)
    if not given.strip():
        raise UsageError("--workspace is blank", hint=f"the path as acquire has printed it; {STATUS}")
    if repository.stands_in(path):
        raise UsageError(f"you stand in {given}", code="inside", hint=f"cd {shlex.quote(str(repository.home))} && {again(given)}")
    try:
        receipt = receipts.read(path)
    except receipts.BadReceipt as fault:
        raise UsageError(f"no lease is proven: {fault}", code="no-receipt", hint=without_receipt(repository, given)) from None
    if receipt.path != given:
        raise UsageError(f"the receipt there is for {receipt.path}, and {given} was asked for", code="other-path",
                         hint=f"{again(receipt.path)}, if that is meant; {STATUS}")
    look = workspaces.seen(path)
    wrong = workspaces.whats_wrong(repository, path, look)
    spoilt = own_config.at_fault(repository, path, lost.admin_folder(repository, path)) if wrong else ""
    if spoilt:
        raise UsageError(f"git does not work in {path}: what was put into {spoilt} may be why", code="own-config", details={"file": spoilt},
                         hint=f"look at {shlex.quote(spoilt)}, and move it away; then {again(path)}")
    if wrong:
        foreign = look is not None and look.common != repository.common
        raise UsageError(wrong, code="foreign" if foreign else "no-worktree",
                         hint=f"cd into its own repository; {STATUS}" if foreign else STATUS)
    return receipt


def without_receipt(repository: Repository, given: str) -> str:
    known = pool.load(repository).at(given)
    if known is not None and known.lease is not None and presence(repository, known.place) == "gone":
        return f"its folder is gone: wt remove {shlex.quote(given)} forgets it, and its lease with it"
    return f"the path and the receipt as acquire has left them; {STATUS}"


def reserved(repository: Repository, receipt: Receipt) -> Workspace:
    """The pool knows this very lease, nobody returns it already, and no process stands there. Inside the lock."""
    (now_there, _), path = settling.settled(repository), receipt.path
    live = now_there.at(path)
    if live is None or live.lease is None:
        raise UsageError(f"{path} is not leased", code="not-leased", hint=STATUS)
    if live.lease.identity != receipt.identity:
        raise UsageError(f"{path} is leased by {live.lease.holder}, under another id or name than its receipt has", code="other-lease",
                         hint=STATUS, details={"lease_id": live.lease.id, "lease_holder": live.lease.holder})
    edited = [name for name, value in to_builtins(live.receipt).items() if getattr(receipt, name) != value]
    if edited:
        raise UsageError(f"the receipt of {path} was edited: {', '.join(edited)}", code="edited-receipt", hint=f"undo that; {STATUS}",
                         details={"should_be": to_builtins(live.receipt)})
    if live.lease.step != "held":
        raise UsageError(f"another command is {live.lease.step} {path} right now", code="busy", hint=STATUS)
    nobody_in(path)
    mine = live.changed(step="returning", maker=making.myself())
    pool.save(repository, now_there.with_(mine))
    return mine


def nobody_in(path: str) -> None:
    root = Path(os.path.realpath(path))
    inside = [{"pid": one.pid, "command": one.command} for one in owners.standing() if one.folder.is_relative_to(root)]
    if inside:
        said = ", ".join(f"{one['command']} ({one['pid']})" for one in inside)
        raise UsageError(f"processes stand in {path}: {said}", code="in-use", details={"processes": inside},
                         hint=f"end them, or cd out of it there; then {again(path)}")


def not_preserved(path: Path, work: Work, identity: Identity) -> UsageError:
    words = [f"{len(work.changes)} open file(s)"] if work.changes else []
    words += [f"{a_or_an(work.operation)} that is half done"] if work.operation else []
    words += [f"{len(work.commits)} commit(s) that nothing else holds"] if work.commits else []
    return UsageError(f"{path} holds {' and '.join(words)}", code="not-preserved",
                      details={"changes": work.changes, "operation": work.operation or None, "commits": work.commits,
                               "lease_id": identity.lease_id, "lease_holder": identity.lease_holder},
                      hint=f"commit it to a branch, or keep it elsewhere; then {again(path)} --confirm-preserved")


# --- returned --------------------------------------------------------------------------------------------------------

def end(repository: Repository, workspace: Workspace, head: str, start: str) -> None:
    """Inside the lock: what was looked at is looked at again, since others may have come in between. Then the lease is over.

    A branch that is checked out there is let go, or nobody else could check it out.
    """
    path, lease = workspace.place, workspace.lease
    assert lease is not None
    nobody_in(workspace.path)
    look, open_now = workspaces.seen(path), workspaces.changes(path)
    if look is None or look.head != head or open_now:
        raise UsageError(f"somebody has worked in {path} meanwhile", code="busy", details={"changes": open_now}, hint=again(path))
    if not (look.admin / "HEAD").read_bytes().startswith(head.encode()):
        git.do(*QUIET, *NO_HOOKS, "update-ref", "--no-deref", "-m", "wt lease: returned", "HEAD", head, cwd=path)
    emptying.whole_again(repository, path, look.admin)
    own_config.put_back(repository, path, look.admin)
    preparing.over(repository, workspace.path, lease.identity, start)
    repository.store.note("return", path=workspace.path, holder=lease.holder)


def held_again(repository: Repository, workspace: Workspace) -> None:
    """The return has failed: the lease is the holder's as before. Inside the lock."""
    assert workspace.lease is not None
    now_there = pool.load(repository)
    live = now_there.at(workspace.path)
    if live is not None and live.lease is not None and live.lease.identity == workspace.lease.identity:
        pool.save(repository, now_there.with_(live.changed(step="held", maker=None)))

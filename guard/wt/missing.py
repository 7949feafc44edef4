"""Removing a worktree whose folder is gone: git's own part of it goes to the trash, where nothing is lost with it."""
from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from guard.wt import gate, git, keeping, lost, removal, restoring, snapshots, trash, worktrees
from guard.wt.create import NO_HOOKS
from guard.wt.errors import UsageError
from guard.wt.gate import Case, Finding
from guard.wt.models import Binding, Trashed, WorktreeRecord, now
from guard.wt.presence import presence
from guard.wt.repository import Repository
from guard.wt.sessions import Caller


def findings(case: Case) -> list[Finding]:
    """Everything that stands against forgetting it. UsageError where git has no part of it."""
    if lost.admin_folder(case.repository, case.path) is None:
        raise UsageError(f"{case.path} is gone, and git's own part of it is damaged", code="damaged",
                         hint=f"git worktree repair, or git worktree remove {case.quoted}")
    return [found for check in CHECKS if (found := check(case)) is not None]


def at_home(case: Case) -> Finding | None:
    if presence(case.repository, case.path) == "gone":
        return None
    return Finding("disk-away", "it is on another disk, which may only be away",
                   f"bring the disk back; or git worktree remove {case.quoted}, if it never comes back")


def not_being_made(case: Case) -> Finding | None:
    busy = lost.being_made(case.repository, case.entry)
    return Finding("busy", "git is at work in it", f"wait for it, then {case.again}") if busy else None


def nothing_held(case: Case) -> Finding | None:
    """Only people's refs count for its commits, as with every removal: ours are swept some day."""
    work = lost.holds_work(case.repository, case.entry) or ("commits that are on no branch" if gate.commits_held(case) else "")
    way = f"wt enter {case.quoted} brings it back"
    return Finding("holds-work", f"its folder is gone, but git still holds {work}", way) if work else None


CHECKS: tuple[Callable[[Case], Finding | None], ...] = (
    gate.ours, gate.apart, gate.unlocked, gate.unshared, at_home, not_being_made, nothing_held)


def carry_out(case: Case) -> Trashed:
    """Drops exactly its registration: it goes to the trash with its logs, beside an empty folder. Inside the lock."""
    repository, admin = case.repository, lost.admin_folder(case.repository, case.path)
    assert admin is not None, "findings() has seen it"
    name = trash.new_id(repository, case.path.name)
    ref, more = kept(case, admin, name)
    entry = trash.save(repository, Trashed(
        id=name, step="removing", path=str(case.path), branch=case.entry.branch, head=case.entry.head.strip("0") and case.entry.head,
        base=case.base, at=now(), order=time.time_ns(), ref=ref, more=more, admin=admin.name, pointer=f"gitdir: {admin}\n",
        branch_goes=case.fate.goes, hollow=True, record=case.record))
    trash.tree(repository, entry).mkdir()  # with it the next command ends what was killed here, as with every removal
    return removal.finish(repository, entry)


def kept(case: Case, admin: Path, name: str) -> tuple[str, str]:
    """-> (ref of its HEAD, ref of what only its logs named); "" where there is nothing to keep."""
    repository, head = case.repository, case.entry.head
    message = f"removed {case.path.name}: {case.entry.branch or '(detached)'} @ {head[:9]}, its folder was gone"
    kept = []
    for suffix, commits in (("", [head] if head.strip("0") else []), ("+more", keeping.forgotten(admin, case.entry.branch))):
        if commits:
            tree = git.ask("rev-parse", f"{commits[0]}^{{tree}}", cwd=repository.at)
            made = snapshots.committed(repository.at, tree, commits, message)
            git.do(*NO_HOOKS, "update-ref", f"{trash.REFS}{name}{suffix}", made, "", cwd=repository.at)
        kept.append(f"{trash.REFS}{name}{suffix}" if commits else "")
    return kept[0], kept[1]


def forgotten(repository: Repository, name: str, who: Caller, ending: list[Binding], *, dry: bool) -> Trashed | None:
    """Forgets what our records still say of a worktree that neither git nor the disk has any more. -> what they said, None for nothing.

    UsageError where another session is bound to it: its binding is what tells that session so.
    """
    entry = left_over(repository, name)
    if entry is not None:
        there = worktrees.Worktree(Path(entry.path), entry.head, entry.branch, main=False)
        case = Case(repository, there, entry.record, who, name, ending=ending)
        gate.refuse(case, [found for found in [gate.unshared(case)] if found])
        if not dry:
            removal.forget(repository, entry)
    return entry


def left_over(repository: Repository, name: str) -> Trashed | None:
    listed = {os.path.realpath(entry.path) for entry in worktrees.listing(repository)}
    records = [repository.store.load(path, WorktreeRecord) for path in sorted(repository.store.path("worktrees").glob("*.json"))]
    known = [Trashed(id="", step="removed", path=one.path, branch=one.branch, base=one.base, record=one) for one in records if one]
    known += [Trashed(id="", step="removed", path=one.path, branch=one.branch, base=one.base)
              for one in repository.store.bindings() if one.active]
    for one in known:
        unlisted = os.path.realpath(one.path) not in listed
        if unlisted and restoring.fits(repository, one, name) and presence(repository, Path(one.path)) == "gone":
            return replace(one, head=restoring.tip_of(repository, one.branch))
    return None

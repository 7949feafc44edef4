"""Making what was planned: the record, `git worktree add`, then what else belongs there. What failed is taken back, and nothing else."""
from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from guard.edge import disk
from guard.wt import gate, git, held, hiding, removal, worktrees
from guard.wt.create import NO_HOOKS, Plan
from guard.wt.errors import UsageError, WtError
from guard.wt.models import Making, Trashed, WorktreeRecord, now
from guard.wt.repository import Repository
from guard.wt.sessions import Caller
from guard.wt.store import LOCK_SECONDS

Tell = Callable[[str], None]
POLL = 0.1  # seconds between two looks at somebody else's making


def begun(repository: Repository, made: Plan, *, more: bool = False) -> WorktreeRecord:
    """Makes the worktree; `more`: there is more to do, so that nobody enters it yet. Inside the lock.

    On any failure, and on an interrupt, the record, the branch and the folder that this run made are gone again. The record comes first:
    killed in between, there is one without a worktree, which status drops, and never a worktree of ours that we do not know.
    """
    hiding.hide_worktree(repository, made.path)
    made.path.parent.mkdir(parents=True, exist_ok=True)
    record = WorktreeRecord(path=str(made.path), branch=made.branch, base=made.base, base_commit=made.base_commit, created_at=now(),
                            source=made.source, change_request=made.change_request, title=made.title,
                            making=myself() if more else None)
    file, before = worktrees.record_path(repository, made.path), worktrees.record_of(repository, made.path)
    words = ["-b", made.branch, "--no-track", "--", str(made.path), made.start] if made.fresh else ["--", str(made.path), made.branch]
    try:
        repository.store.save(file, record)
        git.do(*NO_HOOKS, *in_parallel(repository), "worktree", "add", *words, cwd=repository.at)
    except BaseException as fault:
        with contextlib.suppress(OSError):
            repository.store.save(file, before) if before else file.unlink(missing_ok=True)
        if isinstance(fault, git.GitError) and " already " in fault.said:
            raise  # somebody else was faster at this path or branch: what is there is theirs
        take_back(repository, made)
        if isinstance(fault, OSError):
            raise WtError(f"the record of {made.path} cannot be written: {fault}", code="read-only", hint="wt status") from fault
        raise
    return record


def in_parallel(repository: Repository) -> tuple[str, ...]:
    """git writes files with one process a core where nobody chose a number (checkout.workers, git 2.32): 2 cores need 0.6 of the time."""
    return () if git.holds("config", "checkout.workers", cwd=repository.at) else ("-c", "checkout.workers=0")


def take_back(repository: Repository, made: Plan) -> None:
    if any(entry.path == made.path for entry in worktrees.listing(repository)):  # twice --force: git locks what it has not finished
        git.attempt("worktree", "remove", "--force", "--force", "--", str(made.path), cwd=repository.at, reads=False)
    if made.fresh:  # only if it still is where this run put it
        git.attempt("update-ref", "-d", f"refs/heads/{made.branch}", made.start, cwd=repository.at, reads=False)


def myself() -> Making:
    disk.forget()
    return Making(pid=os.getpid(), started=disk.started(os.getpid()) or "")


def at_work(record: WorktreeRecord | None) -> bool:
    """The process that makes the worktree still runs."""
    if record is None or record.making is None:
        return False
    disk.forget()
    began = disk.started(record.making.pid)
    return began is not None and record.making.started in ("", began)


def awaited(repository: Repository, path: Path) -> None:
    """Waits until the other process is done with it, as long as one waits for the lock. WtError when it takes longer."""
    until = time.monotonic() + LOCK_SECONDS
    while at_work(worktrees.record_of(repository, path)):
        if time.monotonic() > until:
            raise WtError(f"{path} is still being set up by another wt", code="busy", hint="wt status; then wt enter again")
        time.sleep(POLL)


def unfinished(repository: Repository, path: Path) -> bool:
    """Its making was killed after git's part of it."""
    record = worktrees.record_of(repository, path)
    return record is not None and record.making is not None


def taken_over(repository: Repository, path: Path) -> WorktreeRecord:
    """The record of an unfinished worktree, which is now ours to finish. UsageError when somebody else was faster."""
    with repository.store.locked():
        record = worktrees.record_of(repository, path)
        if record is None or record.making is None or at_work(record):
            raise UsageError(f"{path} is being set up by another wt", code="busy", hint="wt status; then wt enter again")
        return saved(repository, record.model_copy(update={"making": myself()}))


def saved(repository: Repository, record: WorktreeRecord) -> WorktreeRecord:
    repository.store.save(worktrees.record_path(repository, Path(record.path)), record)
    return record


def more_to_do(repository: Repository) -> bool:
    return False


def completed(repository: Repository, record: WorktreeRecord, *, tell: Tell, keep_failed: bool = True,
              branch_too: bool = False) -> dict[str, Any]:
    """What a worktree gets beside git's files. Each step may have been done before; none of them holds the lock for long."""
    return {}


def into_the_trash(repository: Repository, path: Path, *, with_branch: bool) -> Trashed | None:
    """Takes back a worktree in which more than git has written, so it is not deleted: `wt restore` has it for 7 days. Takes the lock."""
    with repository.store.locked():
        entry = next((one for one in worktrees.listing(repository) if one.path == path), None)
        if entry is None or not entry.there:
            return None
        record = worktrees.record_of(repository, path)
        fate = held.fate(repository, entry, record) if with_branch else held.Fate(False, "it was there before the worktree")
        return removal.carry_out(gate.Case(repository, entry, record, Caller(None)), fate)[0]

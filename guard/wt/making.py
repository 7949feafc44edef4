"""Making what was planned: the record and `git worktree add`. What failed is taken back, and nothing else."""
from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from msgspec.structs import replace

from guard.edge import disk
from guard.wt import git, hiding, owners, worktrees
from guard.wt.create import NO_HOOKS, Plan
from guard.wt.errors import UsageError, WtError
from guard.wt.models import Making, WorktreeRecord, now
from guard.wt.repository import Repository
from guard.wt.store import LOCK_SECONDS

POLL = 0.1  # seconds between two looks at somebody else's making


def begun(repository: Repository, made: Plan, *, more: bool = False) -> WorktreeRecord:
    """Makes the worktree; `more`: there is more to do, so that nobody enters it yet. Inside the lock.

    On any failure, and on an interrupt, the record, the branch and the folder that this run made are gone again. The record comes first:
    killed in between, there is one without a worktree, which status drops, and never a worktree of ours that we do not know.
    """
    worktrees.make_parent(repository, made.path)
    hiding.hide_worktree(repository, made.path)
    record = WorktreeRecord(path=str(made.path), branch=made.branch, base=made.base, base_commit=made.base_commit, created_at=now(),
                            source=made.source, change_request=made.change_request, title=made.title,
                            making=myself() if more else None)
    file, before = worktrees.record_path(repository, made.path), worktrees.record_of(repository, made.path)
    try:
        repository.store.save(file, record)
        added(repository, made)
    except BaseException as fault:
        with contextlib.suppress(OSError):
            repository.store.save(file, before) if before else file.unlink(missing_ok=True)
        if isinstance(fault, git.GitError) and " already " in fault.said:
            raise  # somebody else was faster at this path or branch: what is there is theirs
        take_back(repository, made)
        raise
    return record


def added(repository: Repository, made: Plan) -> None:
    """git's part. It may stop at a worktree that another git is just making, when it has made the branch: then once more from the start."""
    words = ["-b", made.branch, "--no-track", "--", str(made.path), made.start] if made.fresh else ["--", str(made.path), made.branch]
    command = (*NO_HOOKS, *in_parallel(repository), "worktree", "add", *words)
    for pause in (*git.PAUSES, 0.0):
        done = git.attempt(*command, cwd=repository.at, timeout=git.SLOW, reads=False, again=False)
        if not git.half_written(done):
            break
        drop_branch(repository, made)
        time.sleep(pause)
    git.answer(done, command)


def in_parallel(repository: Repository) -> tuple[str, ...]:
    """git writes files with one process a core where nobody chose a number (checkout.workers, git 2.32): 2 cores need 0.6 of the time."""
    return () if git.holds("config", "checkout.workers", cwd=repository.at) else ("-c", "checkout.workers=0")


def take_back(repository: Repository, made: Plan) -> None:
    if worktrees.at(repository, made.path) is not None:  # twice --force: git locks what it has not finished
        git.attempt("worktree", "remove", "--force", "--force", "--", str(made.path), cwd=repository.at, reads=False)
    drop_branch(repository, made)


def drop_branch(repository: Repository, made: Plan) -> None:
    """Only if this run made it, and it still is where it was put."""
    if made.fresh:
        git.attempt("update-ref", "-d", f"refs/heads/{made.branch}", made.start, cwd=repository.at, reads=False)


def myself() -> Making:
    disk.forget()
    return Making(pid=os.getpid(), started=disk.started(os.getpid()) or "")


def awaited(repository: Repository, path: Path) -> None:
    """Waits until the other process is done with it, as long as one waits for the lock. WtError when it takes longer."""
    until = time.monotonic() + LOCK_SECONDS
    while owners.at_work(worktrees.record_of(repository, path)):
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
        if record is None or record.making is None or owners.at_work(record):
            raise UsageError(f"{path} is being set up by another wt", code="busy", hint="wt status; then wt enter again")
        return saved(repository, replace(record, making=myself()))


def left(repository: Repository, path: Path) -> None:
    """We do not go on with it, although this process may live on: whoever enters it next does. Takes the lock."""
    with repository.store.locked():
        record = worktrees.record_of(repository, path)
        if record is not None and record.making is not None:
            saved(repository, replace(record, making=Making(pid=0)))


def saved(repository: Repository, record: WorktreeRecord) -> WorktreeRecord:
    repository.store.save(worktrees.record_path(repository, Path(record.path)), record)
    return record

"""A checkout for the length of one merge, in our part of git's folder: it goes at the end, and after a kill with the next merge."""
from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from guard.wt import git, moving, worktrees
from guard.wt.create import NO_HOOKS
from guard.wt.errors import WtError
from guard.wt.repository import Repository
from guard.wt.store import LOCK_SECONDS


def folder(repository: Repository) -> Path:
    """Holds nothing but our checkouts: nobody is told of it."""
    return repository.store.path("merging")


@contextmanager
def alone(repository: Repository) -> Iterator[None]:
    """One merge at a time in a repository, so that what lies in `folder` is a killed one's. Other commands do not wait for it:

    the repository's own hooks may run for minutes, which the lock of the state is not for.
    """
    with repository.store.locked():  # makes the folder, or says why nothing can be written there
        lock = FileLock(repository.store.path("merging.lock"), timeout=LOCK_SECONDS, mode=0o600)
    try:
        lock.acquire()
    except Timeout:
        raise WtError("another wt merge has been at work here for three minutes", code="locked",
                      hint="wt merge again when it has ended; wt status") from None
    try:
        sweep(repository)
        yield
    finally:
        lock.release()


@contextmanager
def checkout(repository: Repository, commit: str) -> Iterator[Path]:
    """A detached checkout of a commit. Inside of `alone`, and outside of the state's lock."""
    path = folder(repository) / secrets.token_hex(4)
    try:
        with repository.store.locked():
            git.do(*NO_HOOKS, "worktree", "add", "--quiet", "--detach", "--", str(path), commit, cwd=repository.at)
        yield path
    finally:
        drop(repository, path)


def sweep(repository: Repository) -> None:
    """What a killed merge has left: its folder, or git's part of it, or both."""
    registered = [entry.path for entry in worktrees.listing(repository) if entry.path.parent == folder(repository)]
    for path in {*registered, *folder(repository).glob("*")}:
        drop(repository, path)


def drop(repository: Repository, path: Path) -> None:
    """Its files, and exactly its own registration. What cannot be deleted now waits for the next merge."""
    with contextlib.suppress(OSError):
        moving.gone(path)
        git.attempt("worktree", "remove", "--force", "--force", "--", str(path), cwd=repository.at, reads=False)
        folder(repository).rmdir()

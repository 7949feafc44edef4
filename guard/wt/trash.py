"""The trash of a repository: removed worktrees for seven days, each with a ref that keeps git from collecting what it needs."""
from __future__ import annotations

import contextlib
import os
from datetime import timedelta
from pathlib import Path

from guard.wt import git, git_locks, moving, names
from guard.wt.create import NO_HOOKS
from guard.wt.errors import WtError
from guard.wt.models import Trashed, moment
from guard.wt.repository import Repository

REFS = "refs/worktree-guard/trash/"
KEPT = timedelta(days=7)
SWEPT = ".gone-"  # before the id of an entry that is being deleted: whoever comes by goes on. No id begins with a dot


def folder(repository: Repository, name: str = "") -> Path:
    return repository.store.path("trash") / name


def tree(repository: Repository, entry: Trashed) -> Path:
    return folder(repository, entry.id) / "tree"


def admin(repository: Repository, entry: Trashed) -> Path:
    """Where git's own part of the worktree lies in the trash."""
    return folder(repository, entry.id) / "admin"


def save(repository: Repository, entry: Trashed) -> Trashed:
    repository.store.save(folder(repository, entry.id) / "entry.json", entry)
    return entry


def entries(repository: Repository) -> list[Trashed]:
    """The newest first."""
    found = [repository.store.load(path, Trashed) for path in folder(repository).glob("*/entry.json")
             if not path.parent.name.startswith(SWEPT)]
    return sorted((entry for entry in found if entry is not None), key=lambda entry: (entry.at, entry.order), reverse=True)


def new_id(repository: Repository, name: str) -> str:
    """A name that no folder and no ref of the trash has, and its folder, made now. Inside the lock."""
    plain = f"{names.for_ref(name)}-{names.stamp()}"
    n = 1
    while True:
        chosen = plain if n == 1 else f"{plain}-{n}"
        if not folder(repository, chosen).exists() and not git.holds("rev-parse", "-q", "--verify", REFS + chosen, cwd=repository.at):
            folder(repository, chosen).mkdir(mode=0o700, parents=True)
            return chosen
        n += 1


def drop(repository: Repository, entry: Trashed) -> None:
    """Deletes an entry with all that is in it, and then its refs. Killed in between, the next sweep goes on."""
    away = folder(repository, SWEPT + entry.id)
    folder(repository, entry.id).rename(away)
    finish(repository, away)


def finish(repository: Repository, away: Path) -> None:
    """Inside the lock."""
    name = away.name.removeprefix(SWEPT)
    for ref in (f"{REFS}{name}", f"{REFS}{name}+more"):
        git_locks.drop_of_ref(repository, ref)
        done = git.attempt(*NO_HOOKS, "update-ref", "-d", ref, cwd=repository.at, reads=False)
        if done.returncode and git.holds("rev-parse", "-q", "--verify", ref, cwd=repository.at):
            return  # a lock of git's own (packed-refs.lock): the next sweep finds the folder, and goes on
    moving.gone(away)


def sweep(repository: Repository) -> list[str]:
    """Deletes what was removed more than seven days ago. Inside the lock. -> ids. What cannot be deleted now stays for the next time."""
    swept = []
    for away in [*folder(repository).glob(f"{SWEPT}*"), *never_begun(repository)]:
        with contextlib.suppress(OSError):
            finish(repository, away)
    for entry in old(repository):
        with contextlib.suppress(OSError):
            drop(repository, entry)
            swept.append(entry.id)
    return swept


def never_begun(repository: Repository) -> list[Path]:
    """Killed before anything was written down: an empty folder, with or without its refs."""
    return [path for path in folder(repository).glob("[!.]*") if path.is_dir() and not any(path.iterdir())]


def half_way(repository: Repository, path: Path) -> Trashed | None:
    """The entry of a worktree whose removal or return was interrupted."""
    return next((entry for entry in entries(repository) if entry.step != "removed" and entry.path == str(path)), None)


def old(repository: Repository) -> list[Trashed]:
    """What is due. An entry that is half on its way waits until it is whole again."""
    return [entry for entry in entries(repository) if entry.step == "removed" and entry.at < moment(-KEPT)]


def sweep_by_the_way(repository: Repository) -> None:
    """The same from a command that only looks: not where somebody is busy, nor where nothing can be written."""
    with contextlib.suppress(OSError, WtError):
        if os.path.isdir(folder(repository)) and (old(repository) or any(folder(repository).glob(f"{SWEPT}*"))):  # noqa: PTH112
            with repository.store.locked(0):
                sweep(repository)

"""Which commands of a repository a person has accepted: these very commands, for this very clone, kept for this user."""
from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable

from guard.wt import environment
from guard.wt.errors import WtError
from guard.wt.models import Strict, Version, now
from guard.wt.project_commands import Project
from guard.wt.repository import Repository
from guard.wt.store import Store

FILE = "trusted.json"


class Accepted(Strict, frozen=True):
    """`hash` stands for the commands and the clone at `common`; `commands` are there to be read."""

    hash: str
    common: str
    at: str = ""
    commands: list[str] = []


class Trusted(Strict, frozen=True):
    """The file in the user's data folder."""

    version: Version = 1
    accepted: list[Accepted] = []


def trusted(repository: Repository, project: Project) -> bool:
    """A person has accepted exactly what would run. Nothing to run needs nobody."""
    return not project.steps or any(one.hash == hash_of(repository, project) for one in accepted(repository))


def accepted(repository: Repository) -> list[Accepted]:
    """What was accepted for this clone, the newest last."""
    return [one for one in kept()[0] if one.common == place(repository)]


def kept() -> tuple[list[Accepted], list[str]]:
    """(all that this user has accepted, what is wrong with the file). What cannot be read was not accepted."""
    try:
        store = user_store()
    except RuntimeError as fault:
        return [], [f"{fault}, so nothing can be accepted"]
    found = store.load(store.path(FILE), Trusted)
    return (found.accepted if found else []), [f"{path} cannot be read, so nothing in it counts" for path in store.spoilt]


def accept(repository: Repository, project: Project) -> None:
    """What was accepted before stays so: a main checkout goes from branch to branch, and its commands with it."""
    one = Accepted(hash=hash_of(repository, project), common=place(repository), at=now(), commands=[step.command for step in project.steps])
    _change(lambda kept: [*(other for other in kept if other.hash != one.hash), one])


def revoke(repository: Repository) -> None:
    """Nothing of this clone is accepted any more."""
    _change(lambda kept: [one for one in kept if one.common != place(repository)])


def hash_of(repository: Repository, project: Project) -> str:
    """The commands in their order and what each is for, and the clone."""
    text = json.dumps([place(repository), [[step.kind, step.command] for step in project.steps]], separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def place(repository: Repository) -> str:
    return os.path.realpath(repository.common)


def user_store() -> Store:
    """The user's data folder as a store: the same lock, the same whole files. RuntimeError without a home."""
    return Store(environment.data_folder().parent)


def _change(change: Callable[[list[Accepted]], list[Accepted]]) -> None:
    try:
        store = user_store()
        store.folder.mkdir(parents=True, exist_ok=True)
        with store.locked():
            found = store.load(store.path(FILE), Trusted)
            store.save(store.path(FILE), Trusted(accepted=change(found.accepted if found else [])))
    except (RuntimeError, OSError, WtError) as fault:
        if isinstance(fault, WtError) and fault.code != "read-only":
            raise
        raise WtError(f"it cannot be kept for this user: {fault}", code="read-only",
                      hint="make that folder writable, or set XDG_DATA_HOME; then wt trust --accept") from None

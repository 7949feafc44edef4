"""Binding, unbinding, and who is bound to what. A binding is written last, so it never names a worktree that git does not list."""
from __future__ import annotations

import getpass
import os
from datetime import timedelta
from pathlib import Path

from msgspec import to_builtins
from msgspec.structs import replace

from guard.edge import disk
from guard.edge.binding import enforced
from guard.edge.records import is_text
from guard.wt import git
from guard.wt.models import Binding, Overrides, moment, now
from guard.wt.names import readable
from guard.wt.repository import Repository
from guard.wt.sessions import Caller

KEPT = timedelta(days=30)


def bind(repository: Repository, caller: Caller, path: Path, branch: str, base: str) -> Binding:
    """Writes the session's binding and the repository's active one. Inside the lock."""
    binding = Binding(path=str(path), main=str(repository.main or ""), branch=branch, base=base, protected=protected(repository, base),
                      session=caller.session, client=caller.client, client_pid=caller.pid, client_started=caller.started,
                      entered_at=now(), by=_by())
    store = repository.store
    if caller.session is not None:
        store.save(store.session_path(caller.session), binding)
        active = store.load(store.path("state.json"), Binding)
        if active and active.session is None and lives(active) and Path(active.path).is_dir():
            return binding  # it binds everybody without a session; one session's entering must not unbind them in silence
    store.save(store.path("state.json"), binding)
    return binding


def prune(repository: Repository) -> None:
    """Forgets what binds nobody any more: sessions that ended and whose worktree is gone, or that are 30 days old; marks of old leaves.

    Inside the lock. A living session keeps its record even when its worktree is gone: that is what tells it so.
    """
    store = repository.store
    old = moment(-KEPT)
    for path in store.path("sessions").glob("*.json"):
        binding = store.load(path, Binding)
        if binding and not lives(binding) and (binding.entered_at < old or not Path(binding.path).is_dir()):
            path.unlink(missing_ok=True)
    leaves = {leave.id for leave in (store.load(store.path("override.json"), Overrides) or Overrides()).authorisations}
    for mark in store.path("used").glob("*"):
        if mark.is_file() and mark.name not in leaves:
            mark.unlink(missing_ok=True)


def unbind(repository: Repository, bindings: list[Binding]) -> None:
    """Ends these bindings, of sessions and of the repository alike. Inside the lock."""
    store = repository.store
    for binding in bindings:
        if binding.session is not None:
            store.session_path(binding.session).unlink(missing_ok=True)
    active = store.load(store.path("state.json"), Binding)
    if active is not None and active in bindings:
        store.save(store.path("state.json"), replace(active, active=False, ended_at=now()))


def of_caller(repository: Repository, caller: Caller) -> Binding | None:
    """The binding that the caller's own calls are judged by, as far as `wt` can tell."""
    store = repository.store
    if caller.session is not None:
        own = store.load(store.session_path(caller.session), Binding)
        if own is not None and own.session == caller.session and lives(own):
            return own
    active = store.load(store.path("state.json"), Binding)
    return active if active and active.session in (None, caller.session) and holds(repository, active) else None


def holds(repository: Repository, binding: Binding) -> bool:
    """It lives, and so does the session's own record of it: that one is the truth about a session."""
    if binding.session is None:
        return lives(binding)
    own = repository.store.load(repository.store.session_path(binding.session), Binding)
    return lives(binding) and (own is None or own.session != binding.session or lives(own))


def lives(binding: Binding) -> bool:
    """Enforced by the hook: neither left nor ended, its client still running."""
    return enforced(disk, to_builtins(binding))


def same_place(one: str | Path, two: str | Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(two)


def protected(repository: Repository, base: str) -> list[str]:
    """Branches that nobody pushes to or works on: settings, else main, master, the default of git and of the remote; and the base."""
    own = repository.loaded.settings.protected_branches
    default = git.ask_or("", "config", "init.defaultBranch", cwd=repository.at)
    names = list(own) or ["main", "master", default, *remote_defaults(repository)]
    local = base.partition("/")[2] if git.holds("rev-parse", "-q", "--verify", f"refs/remotes/{base}", cwd=repository.at) else base
    if git.holds("rev-parse", "-q", "--verify", f"refs/heads/{local}", cwd=repository.at):
        names.append(local)
    return list(dict.fromkeys(name for name in names if name and is_text(name)))


def remote_defaults(repository: Repository) -> list[str]:
    """The default branch of each remote, by its HEAD as last fetched."""
    said = git.ask_or("", "for-each-ref", "--format=%(symref)", "refs/remotes/*/HEAD", cwd=repository.at)
    return [line.split("/", 3)[3] for line in git.lines(said) if line.count("/") >= 3]


def assumed_base(repository: Repository, branch: str) -> str:
    """The base of a worktree that somebody else made: the remote's default branch if it is here, else the main checkout's branch."""
    of_main = git.ask_or("", "symbolic-ref", "-q", "--short", "HEAD", cwd=repository.at)
    for name in (*remote_defaults(repository), of_main, "main", "master"):
        if name and name != branch and is_text(name) and git.holds("rev-parse", "-q", "--verify", f"refs/heads/{name}", cwd=repository.at):
            return name
    return ""


def _by() -> str:
    try:
        return readable(getpass.getuser())
    except (KeyError, OSError):  # a container's user without a name
        return str(os.getuid()) if hasattr(os, "getuid") else ""


def of_worktree(repository: Repository, path: Path) -> list[Binding]:
    """The living bindings to one worktree."""
    return [b for b in repository.store.bindings() if holds(repository, b) and same_place(b.path, path)]



"""What a worktree gets beside git's files: submodules, copies and links, a port, the repository's own setup commands; in that order."""
from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from guard.wt import gate, held, include, making, ports, project_commands, removal, steps, submodules, trust, worktrees
from guard.wt.errors import WtError
from guard.wt.models import Trashed, WorktreeRecord
from guard.wt.repository import Repository
from guard.wt.sessions import Caller

Tell = Callable[[str], None]
SHOWN = 8  # names of one kind
NOTHING: dict[str, Any] = {"submodules": {"state": "none", "names": [], "said": ""}, "outcomes": [], "port": None,
                           "setup": {"state": "none", "commands": [], "said": "", "warnings": []}}


def more_to_do(repository: Repository) -> bool:
    """Is anything asked for beside git's files? Then nobody enters a new worktree before it is there."""
    settings, asked = repository.loaded.settings, project_commands.project(repository)
    return bool(settings.sync.submodules or copies(repository) or asked.ports or asked.commands("setup"))


def copies(repository: Repository) -> bool:
    sync = repository.loaded.settings.sync
    return bool(sync.copy_files or sync.symlink_dirs or os.path.lexists(repository.home / include.FILE))


def foreseen(repository: Repository) -> dict[str, Any]:
    """What would be done, for a dry run: the commands, and whether they may run."""
    asked = project_commands.project(repository)
    commands = asked.commands("setup")
    state = "none" if not commands else "planned" if trust.trusted(repository, asked) else "untrusted"
    said = "" if not commands else "; ".join(commands) + ("" if state == "planned" else f" ({steps.NOT_ACCEPTED})")
    return {**NOTHING, "setup": {"state": state, "commands": commands, "said": said, "warnings": list(asked.warnings)}}


def completed(repository: Repository, record: WorktreeRecord, tell: Tell, *, keep_failed: bool = True, start: str = "") -> dict[str, Any]:
    """Does all of it, and ends the making. Each step may have been done before; the lock is taken for moments only.

    `start` is the commit that its branch was made at, "" for a branch that was there. Unless `keep_failed`, what fails is taken back: then
    the worktree is in the trash, since more than git has written in it. WtError says which step it was.
    """
    path = Path(record.path)
    try:
        return done(repository, path, tell)
    except BaseException as fault:
        if keep_failed:
            making.left(repository, path)
            raise
        trashed = into_the_trash(repository, path, start)
        if trashed is None or not isinstance(fault, WtError):
            raise
        hint = (f"the worktree was taken back (wt restore {trashed.id} has it); mend that, then the same again, "
                f"or with --keep-failed to look at it: wt enter {shlex.quote(path.name)}")
        raise WtError(fault.said, code=fault.code, status=fault.status, details=fault.details, hint=hint) from fault


def done(repository: Repository, path: Path, tell: Tell, *, new_port: bool = False) -> dict[str, Any]:
    """-> submodules {state, names[], said}, outcomes[] (copies and links: line, name, state, reason, said), port, setup {state, ...}"""
    inner = submodules.set_up(repository, path, tell)
    outcomes: list[include.Outcome] = []
    if copies(repository):
        from guard.wt import copying  # pathspec, which only this needs

        outcomes = copying.furnish(repository, path, tell)
    if new_port:
        ports.forgotten(repository, path)
    port = ports.assign(repository, path)
    setup = steps.set_up(repository, path, worktrees.record_of(repository, path), tell)
    finished(repository, path, include.copied(outcomes))
    return {"submodules": inner, "outcomes": [asdict(one) for one in outcomes], "port": port, "setup": setup}


def finished(repository: Repository, path: Path, copied: set[str]) -> None:
    """Its making is over, whoever began it; what came from the main checkout is written down."""
    record = worktrees.record_of(repository, path)
    if record is None or (record.making is None and copied <= set(record.copied)):
        return
    with repository.store.locked():
        record = worktrees.record_of(repository, path)
        if record is not None:
            making.saved(repository, replace(record, making=None, copied=sorted({*record.copied, *copied})))


def into_the_trash(repository: Repository, path: Path, start: str) -> Trashed | None:
    """Takes back a worktree, and its branch if that still is at `start`. Takes the lock. None where somebody has taken it away."""
    with repository.store.locked():
        entry = worktrees.at(repository, path)
        if entry is None or not entry.there:
            return None
        fate = held.Fate(bool(start) and entry.head == start, "it was made with the worktree")
        return removal.carry_out(gate.Case(repository, entry, worktrees.record_of(repository, path), Caller(None)), fate)[0]


def told(data: dict[str, Any]) -> list[str]:
    """All of it in words: what is there is counted, what was skipped is named with its reason."""
    said = []
    for state in ("copied", "linked"):
        names = [one["name"] for one in data["outcomes"] if one["state"] == state]
        said += [f"  {state:7} {gate.shown(names)}"] if names else []
    said += [f"  skipped {one['name'] or one['line']}: {one['said']}" for one in data["outcomes"] if one["state"] == "skipped"]
    said += [f"  modules {data['submodules']['said']}"] if data["submodules"]["said"] else []
    said += [f"  port    {data['port']}"] if data["port"] else []
    said += [f"  setup   {data['setup']['said']}"] if data["setup"]["said"] else []
    return said + [f"  warning: {warning}" for warning in data["setup"]["warnings"]]

"""A removal from the asking to the end: teardown, the gate, the steps, what there is to say. For every command that removes."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from guard.wt import gate, held, missing, project_commands, removal, restoring, steps, trash, worktrees
from guard.wt.errors import UsageError
from guard.wt.models import Binding, Trashed
from guard.wt.presence import presence
from guard.wt.repository import Repository
from guard.wt.sessions import Caller
from guard.wt.terminal import Tell

UNTOUCHED: dict[str, Any] = {"ref": None, "trash": None, "links": [], "copied": False, "warnings": [], "back": None}
LEFT_BY_TEARDOWN = ("changes", "ignored")  # such files are no work of anybody; they go to the trash with the rest


@dataclass(frozen=True)
class Asked:
    """Which worktree shall go, and how. `discard` to `leaving`: as gate.Case has them; `skip_teardown`: its commands do not run."""

    name: str
    who: Caller
    discard: Sequence[str] = ()
    foreign: bool = False
    keep: bool = False
    skip_teardown: bool = False
    ending: Sequence[Binding] = ()
    way: str = ""
    leaving: frozenset[int] = frozenset()
    warnings: list[str] = field(default_factory=list)

    def case(self, repository: Repository, entry: worktrees.Worktree) -> gate.Case:
        return gate.Case(repository, entry, worktrees.record_of(repository, entry.path), self.who, self.name, self.foreign,
                         list(self.ending), self.keep, self.way, self.leaving, tuple(self.discard))


def removed(repository: Repository, asked: Asked, tell: Tell) -> dict[str, Any]:
    """All of it. Takes the lock, but not while teardown commands run."""
    asked = torn_down(repository, asked, tell)
    with repository.store.locked():
        return now(repository, asked, tell)


def torn_down(repository: Repository, asked: Asked, tell: Tell) -> Asked:
    """Runs the teardown commands, if the gate would let it go. -> what is asked for from here on. Outside the lock: they may take long.

    UsageError by the gate, WtError where a command fails: then it stays.
    """
    if asked.skip_teardown or not project_commands.project(repository).commands("teardown"):
        return asked
    entry = worktrees.find(repository, asked.name)
    if entry is None or presence(repository, entry.path) != "there":
        return asked
    record = worktrees.record_of(repository, entry.path)
    if record is not None and record.source == "pool":  # nor was it set up
        return asked
    not_half_way(repository, entry)
    case = asked.case(repository, entry)
    gate.refuse(case, gate.findings(case))
    data = steps.tear_down(repository, entry.path, case.record, tell)
    if data["state"] == "untrusted":
        return replace(asked, warnings=[*asked.warnings, data["said"]])
    return replace(asked, discard=(*asked.discard, *LEFT_BY_TEARDOWN))


def now(repository: Repository, asked: Asked, tell: Tell, *, dry: bool = False) -> dict[str, Any]:
    """The gate, and what follows it. Inside the lock, unless it is dry."""
    ended = [] if dry else removal.recover(repository)
    if not dry:
        trash.sweep(repository)
    entry = worktrees.find(repository, asked.name)
    if entry is None:
        return unfinished(repository, asked.name, ended) or nothing_to_remove(repository, asked, dry=dry)
    not_half_way(repository, entry)
    case = asked.case(repository, entry)
    gone = presence(repository, entry.path) in ("gone", "away")
    found = missing.findings(case) if gone else gate.findings(case)
    gate.refuse(case, found)
    if not dry:
        tell(f"wt: removing {case.path}")  # which one, before it starts: somebody may still stop it
    data = taken_away(case, found, gone=gone, dry=dry)
    return {**data, "warnings": [*asked.warnings, *data["warnings"]]}


def not_half_way(repository: Repository, entry: worktrees.Worktree) -> None:
    half = trash.half_way(repository, entry.path)
    if half is not None:
        raise UsageError(f"{entry.path} is half restored", code="half-restored", hint=f"wt restore {half.id} goes on")


def taken_away(case: gate.Case, found: list[gate.Finding], *, gone: bool = False, dry: bool = False) -> dict[str, Any]:
    """What has passed the gate, in spite of what was found there. Inside the lock, unless it is dry."""
    repository, entry, fate = case.repository, case.entry, case.fate
    about = {"name": entry.name, "path": str(entry.path), "branch": entry.branch, "head": entry.head, "why": fate.why, "dry_run": dry,
             "base": case.base, "gone": gone, "finished": False,
             "commits": [] if fate.goes or not entry.branch else held.only_there(repository, entry.head, entry.branch),
             "discarded": [{"code": one.code, "said": one.said} for one in found]}
    if dry:
        return {**about, "branch_deleted": fate.goes, **UNTOUCHED}
    trashed, warnings = (missing.carry_out(case), []) if gone else removal.carry_out(case, fate)
    return {**about, **told(repository, trashed), "warnings": warnings + stays(trashed)}


def told(repository: Repository, gone: Trashed) -> dict[str, Any]:
    repository.store.note("remove", path=gone.path, branch=gone.branch, head=gone.head, trash=gone.id)
    return {"branch_deleted": bool(gone.branch) and not restoring.tip_of(repository, gone.branch), "ref": gone.ref or None,
            "trash": str(trash.folder(repository, gone.id)), "links": [link.name for link in gone.links], "copied": gone.copied,
            "back": f"wt restore {gone.id}"}


def stays(gone: Trashed) -> list[str]:
    """Something was written into the folder while it was copied away: it is not in the trash, so it stays."""
    return [f"{gone.path} is still there, with what was written meanwhile"] if gone.copied and Path(gone.path).is_dir() else []


def unfinished(repository: Repository, name: str, ended: list[Trashed]) -> dict[str, Any] | None:
    """Its removal was interrupted, and has just been brought to its end."""
    gone = next((entry for entry in ended if restoring.fits(repository, entry, name)), None)
    return {**finished(gone), **told(repository, gone), "warnings": stays(gone)} if gone else None


def nothing_to_remove(repository: Repository, asked: Asked, *, dry: bool) -> dict[str, Any]:
    """git has no such worktree. That is success where we know that it was one and is gone; else UsageError."""
    name = asked.name
    left = missing.forgotten(repository, name, asked.who, list(asked.ending), dry=dry)
    if left is not None:
        return {**finished(left), **UNTOUCHED, "branch_deleted": bool(left.branch) and not left.head, "gone": True, "dry_run": dry}
    there = next((entry for entry in trash.entries(repository) if restoring.fits(repository, entry, name)), None)
    if there is not None and there.hollow:
        return {**finished(there), **told(repository, there), "gone": True, "dry_run": dry, "warnings": []}
    if there is not None:
        raise UsageError(f"{name} was removed at {there.at}", code="in-trash",
                         hint=f"wt restore {there.id} brings it back; wt status lists the others")
    raise UsageError(f"{name} is no worktree of this repository", code="no-worktree", hint="wt status lists them")


def finished(entry: Trashed) -> dict[str, Any]:
    return {"name": Path(entry.path).name, "path": entry.path, "branch": entry.branch, "head": entry.head, "base": entry.base,
            "commits": [], "why": "", "discarded": [], "dry_run": False, "gone": False, "finished": True}

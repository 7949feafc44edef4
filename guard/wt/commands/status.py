"""wt status: one table of worktrees, and everything that changes what the guard answers."""
from __future__ import annotations

import argparse
import json
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

from guard.core import model
from guard.core.judge import quoted
from guard.edge import disk
from guard.edge.binding import condition
from guard.edge.records import lasts
from guard.wt import bindings, lost, trash, worktrees
from guard.wt.leaves import living_authorisations, living_permits, minutes_left
from guard.wt.models import Binding, moment
from guard.wt.repository import Repository
from guard.wt.sessions import caller, session_id

FAULTS = 5
STALE = {
    "gone": "Its folder is gone: wt enter {path} makes it again, wt leave ends the binding.",
    "unknown": "git does not know it any more: wt leave ends the binding; what is in the folder stays.",
    "detached": "It is on a detached HEAD: git -C {path} switch {branch}",
    "protected": "It is on a protected branch: git -C {path} switch {branch}",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--session", metavar="ID", type=session_id, help="as this session sees it")


def run(repository: Repository, args: argparse.Namespace) -> dict[str, Any]:
    """-> worktrees[], binding, sessions[], mode, authorisations[], allowed[], settings, faults[], spoilt[]"""
    trash.sweep_by_the_way(repository)
    store = repository.store
    held = store.bindings()
    own = bindings.of_caller(repository, caller(args.session))
    loaded = repository.loaded
    sessions = {b.session: {"session": b.session, "path": b.path, "enforced": bindings.holds(repository, b), "entered_at": b.entered_at}
                for b in held if b.session is not None and b.active}
    return {
        "main": str(repository.main) if repository.main else None,
        "mode": loaded.settings.mode,
        "binding": described(repository, own) if own else None,
        "worktrees": [row(repository, entry, held) for entry in worktrees.listing(repository)],
        "sessions": list(sessions.values()),
        "authorisations": [{**a.model_dump(), "minutes_left": minutes_left(a.expires_at)} for a in living_authorisations(store)],
        "allowed": [{**p.model_dump(), "minutes_left": minutes_left(p.expires_at)} for p in living_permits(store)],
        "settings": {"file": str(loaded.file) if loaded.file else None, "warnings": list(loaded.warnings)},
        "faults": faults(repository),
        "spoilt": sorted({str(p) for p in store.spoilt} | {str(p) for p in store.folder.rglob("*.corrupt")}),
    }


def described(repository: Repository, own: Binding) -> dict[str, Any]:
    """The caller's binding, and `condition`: there, gone, unknown, detached or protected, as the hook sees it."""
    disk.forget()
    seen = model.Binding(source="session", path=own.path, branch=own.branch, protected=tuple(own.protected))
    return {**own.model_dump(), "name": Path(own.path).name, "source": "session" if own.session else "repository",
            "condition": condition(disk, seen, str(repository.common)).get("condition", "there")}


def row(repository: Repository, entry: worktrees.Worktree, held: list[Binding]) -> dict[str, Any]:
    record = worktrees.record_of(repository, entry.path) if not entry.main else None
    base = record.base if record else "" if entry.main else bindings.assumed_base(repository, entry.branch)
    sound = lost.is_worktree(entry.path) if not entry.main else True
    apart = worktrees.distance(entry.path, base, "HEAD") if base and sound else None
    bound = {b.session or "repository" for b in held if bindings.same_place(b.path, entry.path) and bindings.holds(repository, b)}
    return {"name": entry.name, "path": str(entry.path), "branch": entry.branch, "head": entry.head, "base": base or None,
            "ahead": apart[1] if apart else None, "behind": apart[0] if apart else None,
            "dirty": worktrees.open_work_or_none(entry.path) if sound else None,
            "main": entry.main, "owned": record is not None and record.owned, "bound_by": sorted(bound), "lease": None, "lane": None,
            "locked": entry.locked, "stale": stale(entry, sound)}


def stale(entry: worktrees.Worktree, sound: bool) -> str | None:
    if entry.there:
        return None if sound else "damaged"
    return "locked, missing" if entry.locked is not None else "missing"


def faults(repository: Repository) -> list[dict[str, Any]]:
    """The last faults of the hook in a day, oldest first: of this repository, and those that no repository could be named for."""
    state = os.environ.get("XDG_STATE_HOME") or str(Path(disk.home()) / ".local/state")
    found = []
    for folder in (repository.store.folder, Path(state) / "worktree-guard"):
        try:
            text = (folder / "faults.jsonl").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        for line in text.splitlines()[-FAULTS:]:
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
    recent = moment(-timedelta(days=1))
    kept = [fault for fault in found if isinstance(fault, dict) and lasts(str(fault.get("at")), recent)]
    return sorted(kept, key=lambda fault: str(fault["at"]))[-FAULTS:]


def lines(data: dict[str, Any]) -> list[str]:
    table = [("", "NAME", "BRANCH", "BASE", "AHEAD", "UNCOMMITTED", "BOUND", "")]
    own = data["binding"]["path"] if data["binding"] else None
    for one in data["worktrees"]:
        table.append(("*" if one["path"] == own else "", "main checkout" if one["main"] else one["name"], one["branch"] or "(detached)",
                      one["base"] or "", commits(one), opened(one["dirty"]), ", ".join(short(b) for b in one["bound_by"]), marks(one)))
    widths = [max(len(cell) for cell in column) for column in zip(*table, strict=True)]
    said = ["  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip() for cells in table]
    return [*said, "", *binding_words(data), *leave_words(data), *trouble_words(data)]


def commits(one: dict[str, Any]) -> str:
    return "".join([f"+{one['ahead']}" if one["ahead"] else "", f" -{one['behind']}" if one["behind"] else ""]).strip()


def opened(dirty: dict[str, int] | None) -> str:
    return "-" if dirty is None else ", ".join(f"{count} {kind}" for kind, count in dirty.items() if count)


def short(bound: str) -> str:
    return bound if len(bound) <= 12 else bound[:8] + "…"


def marks(one: dict[str, Any]) -> str:
    return one["stale"] or ("locked" if one["locked"] is not None else "")


def binding_words(data: dict[str, Any]) -> list[str]:
    own = data["binding"]
    ended = [s for s in data["sessions"] if not s["enforced"]]
    said = [f"Ended: session {short(s['session'])} was in {s['path']}" for s in ended]
    if own is None:
        protects = data["mode"] == "protect"
        return [f"Mode {data['mode']}, nothing bound: the main checkout is {'protected; wt enter NAME' if protects else 'open'}.", *said]
    whom = f"session {short(own['session'])}" if own["session"] else "everybody here"
    works = f"Mode {data['mode']}. Bound: {whom} works in {own['name']} ({own['path']}), branch {own['branch'] or '(detached)'}."
    return [works, *stale_words(own), *said]


def stale_words(own: dict[str, Any]) -> list[str]:
    """What is wrong with a binding, and the command that mends it, ready to paste."""
    words = STALE.get(own["condition"])
    return [words.format(path=quoted(own["path"]), branch=quoted(own["branch"]))] if words else []


def leave_words(data: dict[str, Any]) -> list[str]:
    said = []
    for a in data["authorisations"]:
        what = f" ({a['only']} only)" if a["only"] else ""
        whom = f" by session {short(a['session'])}" if a["session"] else ""
        end = "for one call, " if a["once"] else ""
        said.append(f"Main may be written{what}{whom} {end}{a['minutes_left']} min more: {a['reason']}. End it: wt revoke-main")
    return said + [f"Allowed {p['minutes_left']} min more: {p['path']} ({p['reason']})" for p in data["allowed"]]


def trouble_words(data: dict[str, Any]) -> list[str]:
    said = [f"Setting: {warning}" for warning in data["settings"]["warnings"]]
    said += [f"Spoilt state, kept aside: {path}" for path in data["spoilt"]]
    counted: dict[str, list[str]] = {}
    for fault in data["faults"]:
        counted.setdefault(str(fault.get("fault")), []).append(str(fault.get("at")))
    return said + [f"Fault of the hook ({len(times)} x, last {times[-1]}): {text}" for text, times in counted.items()]

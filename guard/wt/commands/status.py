"""wt status: one table of worktrees, and everything that changes what the guard answers."""
from __future__ import annotations

import argparse
import json
import os
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from guard.core import model
from guard.edge import disk
from guard.edge.binding import condition
from guard.edge.records import lasts
from guard.wt import bindings, colour, git, reconciling, status_words, trash, worktrees
from guard.wt.commands import restore
from guard.wt.leaves import living_authorisations, living_permits, minutes_left
from guard.wt.models import Binding, moment
from guard.wt.repository import Repository
from guard.wt.sessions import caller, session_id
from guard.wt.survey import survey

FAULTS = 5


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--session", metavar="ID", type=session_id, help="as this session sees it")


def run(repository: Repository, args: argparse.Namespace) -> dict[str, Any]:
    """-> worktrees[] (survey.py, row), binding, sessions[], mode, authorisations[], allowed[], settings, trash, reconciled[], faults[],
    spoilt[]
    """
    trash.sweep_by_the_way(repository)
    store = repository.store
    entries = worktrees.listing(repository)
    own = bindings.of_caller(repository, caller(args.session))
    loaded = repository.loaded
    sessions = {b.session: {"session": b.session, "path": b.path, "enforced": bindings.holds(repository, b), "entered_at": b.entered_at}
                for b in store.bindings() if b.session is not None and b.active}
    return {
        "main": str(repository.main) if repository.main else None,
        "mode": loaded.settings.mode,
        "binding": described(repository, own) if own else None,
        "worktrees": survey(repository, entries),
        "sessions": list(sessions.values()),
        "authorisations": [{**to_builtins(a), "minutes_left": minutes_left(a.expires_at)} for a in living_authorisations(store)],
        "allowed": [{**to_builtins(p), "minutes_left": minutes_left(p.expires_at)} for p in living_permits(store)],
        "settings": {"file": str(loaded.file) if loaded.file else None, "warnings": list(loaded.warnings)},
        "trash": in_trash(repository),
        "reconciled": reconciling.reconcile(repository, entries),
        "faults": faults(repository),
        "spoilt": sorted({str(p) for p in store.spoilt} | {str(p) for p in store.folder.rglob("*.corrupt")}),
    }


def described(repository: Repository, own: Binding) -> dict[str, Any]:
    """The caller's binding, and `condition`: there, gone, unknown, detached or protected, as the hook sees it."""
    disk.forget()
    seen = model.Binding(source="session", path=own.path, branch=own.branch, protected=tuple(own.protected))
    return {**to_builtins(own), "name": Path(own.path).name, "source": "session" if own.session else "repository",
            "condition": condition(disk, seen, str(repository.common)).get("condition", "there")}


def in_trash(repository: Repository) -> dict[str, Any]:
    """How many removed worktrees wait there, how long the oldest has, and those that were interrupted on their way."""
    entries = [restore.described(entry) for entry in trash.entries(repository)]
    waiting = [entry for entry in entries if entry["step"] == "removed"]
    return {"count": len(waiting), "days_left": waiting[-1]["days_left"] if waiting else None,
            "half_way": [{"id": entry["id"], "path": entry["path"], "step": entry["step"]} for entry in entries if entry not in waiting]}


def faults(repository: Repository) -> list[dict[str, Any]]:
    """The last faults of the hook in a day, oldest first: of this repository, and those that no repository could be named for."""
    state = os.environ.get("XDG_STATE_HOME") or str(Path(disk.home()) / ".local/state")
    found = []
    for folder in (repository.store.folder, Path(state) / "worktree-guard"):
        try:
            text = (folder / "faults.jsonl").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        for line in git.lines(text)[-FAULTS:]:
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
    recent = moment(-timedelta(days=1))
    kept = [fault for fault in found if isinstance(fault, dict) and lasts(str(fault.get("at")), recent)]
    return sorted(kept, key=lambda fault: str(fault["at"]))[-FAULTS:]


def lines(data: dict[str, Any]) -> list[str]:
    return status_words.told(data, datetime.now(timezone.utc), colour=colour.wanted(sys.stdout, os.environ))

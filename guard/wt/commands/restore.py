"""wt restore: brings back what wt remove put into the trash, ignored files and half-done operations included."""
from __future__ import annotations

import argparse
import shlex
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from guard.wt import removal, restoring, trash
from guard.wt.models import Trashed
from guard.wt.repository import Repository

STDIN = {"path": "name"}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="its name, path or branch, or its id in the trash (default: the newest)")
    parser.add_argument("--list", action="store_true", help="show what is in the trash, and for how long")


def run(repository: Repository, args: argparse.Namespace) -> dict[str, Any]:
    """-> name, path, branch, head, base, id, hollow (its folder was made again); with --list: trash[] of these, with at, days_left, ref,
    step
    """
    if args.list:
        return {"trash": [described(entry) for entry in trash.entries(repository)]}
    with repository.store.locked():
        removal.recover(repository)
        trash.sweep(repository)
        entry = restoring.chosen(repository, args.name)
        restoring.put_back(repository, entry)
        repository.store.note("restore", path=entry.path, branch=entry.branch, head=entry.head, trash=entry.id)
    return described(entry)


def described(entry: Trashed) -> dict[str, Any]:
    since = datetime.now(timezone.utc) - datetime.strptime(entry.at, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
    return {"id": entry.id, "name": Path(entry.path).name, "path": entry.path, "branch": entry.branch, "head": entry.head,
            "base": entry.base, "at": entry.at, "days_left": max(0, -(-(trash.KEPT - since) // timedelta(days=1))),
            "ref": entry.ref or None, "step": entry.step, "hollow": entry.hollow}


def lines(data: dict[str, Any]) -> list[str]:
    if "trash" in data:
        rows = [f"{one['id']}  {one['branch'] or '(detached)'} @ {one['head'][:9]}  {one['path']}  {one['days_left']} day(s) left"
                for one in data["trash"]]
        return [*rows, "One of them back: wt restore ID"] if rows else ["The trash is empty."]
    again = ["Its folder was gone when it was removed, and is made again: what was neither committed nor staged is not in it."]
    return [f"Restored {data['name']}.", f"  path    {data['path']}", f"  branch  {data['branch'] or '(detached)'} @ {data['head'][:9]}",
            *(again if data["hollow"] else []), f"Next: wt enter {shlex.quote(data['path'])}"]

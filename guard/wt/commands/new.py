"""wt new: makes a worktree and binds nobody."""
from __future__ import annotations

import argparse
import shlex
from typing import Any

from guard.wt import completing
from guard.wt.commands import enter
from guard.wt.errors import UsageError
from guard.wt.repository import Repository

STDIN = enter.STDIN


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="its name; the branch is made of it")
    enter.creation_arguments(parser)


def run(repository: Repository, args: argparse.Namespace) -> dict[str, Any]:
    """-> path, branch, base, base_commit, created, name, origin, behind, main_open, and what completing.done says"""
    there = enter.already(repository, args)
    data = enter.found_or_made(repository, args) if there is None else {}
    if there is not None or not (data["created"] or data["dry_run"]):  # the second: somebody was faster
        raise UsageError(f"there is a worktree {args.name} at {there.path if there else data['path']}", code="exists",
                         hint=f"wt enter {shlex.quote(args.name)}, or wt new {shlex.quote(args.name)} --unique")
    return data


def lines(data: dict[str, Any]) -> list[str]:
    if data["dry_run"]:
        return [f"Would make {data['name']}.", *enter.facts(data), *completing.told(data), *enter.open_in_main(data)]
    return [f"Made {data['name']}.", *enter.facts(data), *completing.told(data), *enter.open_in_main(data),
            f"Next: wt enter {shlex.quote(data['name'])}"]

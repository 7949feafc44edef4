"""wt new: makes a worktree and binds nobody."""
from __future__ import annotations

import argparse
import shlex
from typing import Any

from guard.wt import worktrees
from guard.wt.commands import enter
from guard.wt.errors import UsageError
from guard.wt.repository import Repository

STDIN = enter.STDIN


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="its name; the branch is made of it")
    enter.creation_arguments(parser)


def run(repository: Repository, args: argparse.Namespace) -> dict[str, Any]:
    """-> path, branch, base, base_commit, created, name, origin, behind, main_open"""
    with repository.store.locked():
        there = worktrees.find(repository, args.name) if args.name and not args.unique else None
        if there is not None:
            raise UsageError(f"there is a worktree {args.name} at {there.path}", code="exists",
                             hint=f"wt enter {shlex.quote(args.name)}, or wt new {shlex.quote(args.name)} --unique")
        return enter.found_or_made(repository, args)


def lines(data: dict[str, Any]) -> list[str]:
    return [f"Made {data['name']}.", *enter.facts(data), *enter.open_in_main(data), f"Next: wt enter {shlex.quote(data['name'])}"]

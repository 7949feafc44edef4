"""wt setup: what a worktree gets beside git's files, once more: copies and links, a port, the repository's setup commands."""
from __future__ import annotations

import argparse
import shlex
from typing import Any

from guard.wt import completing, git, lost, making, terminal, worktrees
from guard.wt.errors import UsageError
from guard.wt.repository import Repository

STDIN = {"path": "name"}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME|PATH", help="a worktree's name or folder (default: the one you stand in)")
    parser.add_argument("--new-port", action="store_true", help="give it another port than the one it has")


def run(repository: Repository, args: argparse.Namespace) -> dict[str, Any]:
    """-> path, name, and what completing.done says

    Each step may have been done before, wholly or in part. The lock is taken for moments only.
    """
    path = chosen(repository, args.name).path
    if making.unfinished(repository, path):
        making.taken_over(repository, path)
    data = completing.done(repository, path, terminal.narration(json=args.json), new_port=args.new_port)
    return {"path": str(path), "name": path.name, **data}


def chosen(repository: Repository, name: str | None) -> worktrees.Worktree:
    """The worktree that is meant. UsageError where there is none, where git does not work in it, and for the main checkout."""
    place = git.ask_or("", "rev-parse", "--show-toplevel", cwd=repository.here) if name is None else name
    found = worktrees.find(repository, place, main=True) if place.strip() else None
    if found is None:
        raise UsageError(f"{name or repository.here} is no worktree of this repository", code="no-worktree",
                         hint="wt setup NAME; wt status lists them")
    if found.main:
        raise UsageError(f"{found.path} is the main checkout, which is set up by hand", code="main-checkout",
                         hint="wt setup NAME; wt status lists the worktrees")
    if not lost.is_worktree(found.path) or lost.being_made(repository, found):
        how = ("half made" if lost.is_worktree(found.path) else "damaged") if found.there else "missing"
        raise UsageError(f"{found.path} is {how}", code=how.replace(" ", "-"),
                         hint=f"wt enter {shlex.quote(str(found.path))} brings it in order; then wt setup again")
    return found


def lines(data: dict[str, Any]) -> list[str]:
    return [f"Set up {data['name']}.", f"  path    {data['path']}", *completing.told(data)]

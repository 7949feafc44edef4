"""wt snapshot: keeps everything of a worktree, index and files, in a ref. Nothing else is changed."""
from __future__ import annotations

import argparse
import dataclasses
import shlex
from pathlib import Path
from typing import Any

from guard.wt import git, lost, snapshots, worktrees
from guard.wt.errors import UsageError
from guard.wt.repository import Repository

STDIN = {"path": "name", "message": "message"}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME|PATH", help="a worktree's name or folder (default: the one you stand in)")
    parser.add_argument("--message", default="", metavar="M", help="what the snapshot is for")


def run(repository: Repository, args: argparse.Namespace) -> dict[str, Any]:
    """-> name, path, branch, head, ref, commit, counts: {changed, untracked, staged, conflicted}, warnings[], back: {file, all} or None"""
    taken = snapshots.take(repository, chosen(repository, args.name), args.message)
    return {**dataclasses.asdict(taken), "path": str(taken.path), "ref": taken.ref or None, "commit": taken.commit or None,
            "back": ways_back(taken) if taken.ref else None}


def chosen(repository: Repository, name: str | None) -> Path:
    """The root of the worktree that is meant. UsageError where there is none, or none that git works in."""
    if name is None:
        top = git.ask_or("", "rev-parse", "--show-toplevel", cwd=repository.here)
        if not top:
            what = "a bare repository" if repository.main is None else "git's own folder"
            raise UsageError(f"{repository.here} is in {what}, where no files lie open", code="no-worktree",
                             hint="wt snapshot NAME; wt status lists the worktrees")
        return Path(top)
    if not name.strip():
        raise UsageError("the name is empty", code="bad-name", hint="wt snapshot NAME; wt status lists them")
    found = worktrees.find(repository, name, main=True)
    if found is None:
        raise UsageError(f"{name} is no worktree of this repository", code="no-worktree", hint="wt status lists them")
    if not lost.is_worktree(found.path):
        raise UsageError(f"{found.path} is {'damaged' if found.there else 'missing'}", code="damaged" if found.there else "missing",
                         hint=f"wt enter {shlex.quote(str(found.path))} brings back what git still has of it")
    return found.path


def ways_back(taken: snapshots.Snapshot) -> dict[str, str]:
    """Commands for one file and for everything.

    `git stash apply` merges into what is there and overwrites nothing. It wants a commit to start from: before the first there is none.
    Where nothing was staged, it stages files that are new.
    """
    there = f"git -C {shlex.quote(str(taken.path))}"
    ref = shlex.quote(taken.ref)
    everything = f"{there} stash apply --index {ref}" if taken.head else f"{there} restore --source={ref} -- :/"
    return {"file": f"{there} restore --source={ref} -- FILE", "all": everything}


def lines(data: dict[str, Any]) -> list[str]:
    warnings = [f"  warning: {warning}" for warning in data["warnings"]]
    if not data["ref"]:
        return [f"Nothing is open in {data['name']}: no snapshot was made.", *warnings]
    counts = ", ".join(f"{count} {kind}" for kind, count in data["counts"].items() if count)
    return [f"Kept {data['name']} as it is; nothing in it was changed.", f"  ref     {data['ref']}",
            f"  commit  {data['commit'][:9]} ({counts})", *warnings, f"One file back:   {data['back']['file']}",
            f"Everything back: {data['back']['all']} (into a clean worktree)"]

"""wt remove: takes a worktree away when nothing is lost with it. All of it goes to the trash, for seven days."""
from __future__ import annotations

import argparse
from typing import Any

from guard.wt import gate, removing, terminal
from guard.wt.errors import UsageError
from guard.wt.removing import Asked
from guard.wt.repository import Repository
from guard.wt.sessions import caller

STDIN = {"path": "name"}

def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME|PATH", help="the worktree's name or folder")
    discard_argument(parser)
    parser.add_argument("--foreign", action="store_true", help="also one that wt did not make, by its full path")
    parser.add_argument("--keep-branch", action="store_true", help="the branch stays, merged or not, with all its commits")
    skip_argument(parser)
    parser.add_argument("--dry-run", action="store_true", help="say what would happen, and change nothing")


def discard_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--discard", action="append", default=[], choices=gate.WORDS, metavar="WORD",
                        help="go on in spite of it: changes, ignored (files), commits (that nothing else has); once for each")


def skip_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--skip-teardown", action="store_true", help="without the repository's teardown commands")


def run(repository: Repository, args: argparse.Namespace) -> dict[str, Any]:
    """-> name, path, branch, head, base, branch_deleted, why, commits[], discarded[], ref, trash, links[], copied, warnings[], back,
    dry_run, gone (its folder was gone already), finished (there was nothing left to do, or only the rest of an interrupted removal)
    """
    if not args.name or not args.name.strip():
        raise UsageError("remove which worktree?", hint="wt remove NAME; wt status lists them")
    asked = Asked(args.name, caller(), args.discard, args.foreign, args.keep_branch, args.skip_teardown)
    tell = terminal.narration(json=args.json)
    return removing.now(repository, asked, tell, dry=True) if args.dry_run else removing.removed(repository, asked, tell)


def lines(data: dict[str, Any]) -> list[str]:
    said = [f"{what_was_done(data)} {data['name']}.", f"  path    {data['path']}"]
    if data["branch"]:
        at = f"{data['branch']} @ {data['head'][:9]}" if data["head"] else data["branch"]
        why = f" ({data['why']})" if data["why"] else ""
        said.append(f"  branch  {at}: {'deleted' if data['branch_deleted'] else 'stays'}{why}")
        said += [f"    {line}" for line in data["commits"]]
    else:
        said.append(f"  HEAD    {data['head'][:9]}, detached")
    if data["gone"]:
        said.append("  its folder was gone already; git and wt have forgotten it")
    said += [f"  in spite of: {one['said']}" for one in data["discarded"]]
    said += [f"  link taken off, and nothing it leads to: {name}" for name in data["links"]]
    if data["copied"]:
        said.append("  it was on another file system: copied, compared, then deleted there")
    said += [f"  warning: {warning}" for warning in data["warnings"]]
    return [*said, f"Back again, for 7 days: {data['back']}"] if data["back"] else said


def what_was_done(data: dict[str, Any]) -> str:
    if data["dry_run"]:
        return "Would remove"
    if data["finished"]:
        return "Nothing is left of" if data["gone"] else "Ended the interrupted removal of"
    return "Removed"

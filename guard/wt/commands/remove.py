"""wt remove: takes a worktree away when nothing is lost with it. All of it goes to the trash, for seven days."""
from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from guard.wt import gate, git, held, removal, restoring, trash, worktrees
from guard.wt.errors import UsageError
from guard.wt.models import Binding, Trashed
from guard.wt.repository import Repository
from guard.wt.sessions import Caller, caller

STDIN = {"path": "name"}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME|PATH", help="the worktree's name or folder")
    discard_argument(parser)
    parser.add_argument("--foreign", action="store_true", help="also one that wt did not make, by its full path")
    parser.add_argument("--keep-branch", action="store_true", help="keep the branch even if it is merged")
    parser.add_argument("--dry-run", action="store_true", help="say what would happen, and change nothing")


def discard_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--discard", action="append", default=[], choices=gate.WORDS, metavar="WORD",
                        help="go on in spite of it: changes, ignored (files), commits (on no branch); once for each")


def run(repository: Repository, args: argparse.Namespace) -> dict[str, Any]:
    """-> name, path, branch, head, base, branch_deleted, why, commits[], discarded[], ref, trash, links[], copied, warnings[], back,
    dry_run, finished (an interrupted one)
    """
    if not args.name or not args.name.strip():
        raise UsageError("remove which worktree?", hint="wt remove NAME; wt status lists them")
    options = (args.discard, args.foreign, args.keep_branch)
    if args.dry_run:
        return removed(repository, args.name, caller(), *options, dry=True)
    with repository.store.locked():
        return removed(repository, args.name, caller(), *options)


def removed(repository: Repository, name: str, who: Caller, discard: list[str], foreign: bool, keep: bool, *, dry: bool = False,
            ending: list[Binding] | None = None) -> dict[str, Any]:
    """The gate, and what follows it. Inside the lock, unless it is dry."""
    ended = [] if dry else removal.recover(repository)
    if not dry:
        trash.sweep(repository)
    entry = worktrees.find(repository, name)
    if entry is None:
        return unfinished(repository, name, ended)
    half = trash.half_way(repository, entry.path)
    if half is not None:
        raise UsageError(f"{entry.path} is half restored", code="half-restored", hint=f"wt restore {half.id} goes on")
    case = gate.Case(repository, entry, worktrees.record_of(repository, entry.path), who, name, foreign, ending or [])
    found = gate.findings(case)
    gate.refuse(case, [one for one in found if not one.discard or one.discard not in discard])
    fate = held.fate(repository, entry, case.record, keep=keep)
    about = {"name": entry.name, "path": str(entry.path), "branch": entry.branch, "head": entry.head, "why": fate.why, "dry_run": dry,
             "base": held.base_of(repository, entry, case.record), "finished": False,
             "commits": [] if fate.goes or not entry.branch else held.only_there(repository, entry.head, entry.branch),
             "discarded": [{"code": one.code, "said": one.said} for one in found]}
    if dry:
        return {**about, "branch_deleted": fate.goes, "ref": None, "trash": None, "links": [], "copied": False, "warnings": [],
                "back": None}
    gone, warnings = removal.carry_out(case, fate)
    return {**about, **told(repository, gone), "warnings": warnings + stays(gone)}


def told(repository: Repository, gone: Trashed) -> dict[str, Any]:
    repository.store.note("remove", path=gone.path, branch=gone.branch, head=gone.head, trash=gone.id)
    there = gone.branch and git.holds("rev-parse", "-q", "--verify", f"refs/heads/{gone.branch}", cwd=repository.at)
    return {"branch_deleted": bool(gone.branch) and not there, "ref": gone.ref or None, "trash": str(trash.folder(repository, gone.id)),
            "links": [link.name for link in gone.links], "copied": gone.copied, "back": f"wt restore {gone.id}"}


def stays(gone: Trashed) -> list[str]:
    """Something was written into the folder while it was copied away: it is not in the trash, so it stays."""
    return [f"{gone.path} is still there, with what was written meanwhile"] if gone.copied and Path(gone.path).is_dir() else []


def unfinished(repository: Repository, name: str, ended: list[Trashed]) -> dict[str, Any]:
    """No such worktree: perhaps its removal was interrupted, and has just been brought to its end. Else UsageError."""
    fits = [entry for entry in ended if restoring.fits(repository, entry, name)]
    if fits:
        gone = fits[0]
        return {"name": Path(gone.path).name, "path": gone.path, "branch": gone.branch, "head": gone.head, "base": gone.base, "commits": [],
                "why": "", "discarded": [], "dry_run": False, "finished": True, "warnings": stays(gone), **told(repository, gone)}
    there = next((entry for entry in trash.entries(repository) if restoring.fits(repository, entry, name)), None)
    if there is not None:
        raise UsageError(f"{name} was removed at {there.at}", code="in-trash",
                         hint=f"wt restore {there.id} brings it back; wt status lists the others")
    raise UsageError(f"{name} is no worktree of this repository", code="no-worktree", hint="wt status lists them")


def lines(data: dict[str, Any]) -> list[str]:
    what = "Would remove" if data["dry_run"] else "Ended the interrupted removal of" if data["finished"] else "Removed"
    said = [f"{what} {data['name']}.", f"  path    {data['path']}"]
    if data["branch"]:
        at = f"{data['branch']} @ {data['head'][:9]}"
        why = f" ({data['why']})" if data["why"] else ""
        said.append(f"  branch  {at}: {'deleted' if data['branch_deleted'] else 'stays'}{why}")
        said += [f"    {line}" for line in data["commits"]]
    else:
        said.append(f"  HEAD    {data['head'][:9]}, detached")
    said += [f"  in spite of: {one['said']}" for one in data["discarded"]]
    said += [f"  link taken off, and nothing it leads to: {name}" for name in data["links"]]
    if data["copied"]:
        said.append("  it was on another file system: copied, compared, then deleted there")
    said += [f"  warning: {warning}" for warning in data["warnings"]]
    return [*said, f"Back again, for 7 days: {data['back']}"] if data["back"] else said

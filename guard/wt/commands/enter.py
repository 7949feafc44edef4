"""wt enter: binds this session, or the repository, to a worktree; makes the worktree first if there is none of that name."""
from __future__ import annotations

import argparse
import os
import shlex
from pathlib import Path
from typing import Any

from guard.wt import bindings, create, git, lost, trash, worktrees
from guard.wt.errors import UsageError
from guard.wt.repository import Repository
from guard.wt.sessions import caller, session_id

STDIN = {"path": "name", "task_name": "name", "base_branch": "base", "session_id": "session", "sessionId": "session"}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME|PATH", help="a worktree's name or folder")
    parser.add_argument("--session", metavar="ID", type=session_id, help="bind this session (default: the one whose shell this is)")
    parser.add_argument("--repo", action="store_true", help="bind everybody in this repository, not one session")
    creation_arguments(parser)


def creation_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--base", default="", metavar="REF", help="start from here (default: what the main checkout has checked out)")
    parser.add_argument("--branch", default="", metavar="B", help="work on this branch instead of a new one")
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--reuse", action="store_true", help="go on with a branch of that name left from earlier")
    ways.add_argument("--unique", action="store_true", help="count the name up when it is taken: name-2, name-3")


def run(repository: Repository, args: argparse.Namespace) -> dict[str, Any]:
    """-> path, branch, base, base_commit, created, name, bound, session, origin, behind, main_open"""
    who = caller(args.session, whole_repository=args.repo)
    if not args.name and not args.branch:
        raise UsageError("enter which worktree?", hint="wt enter NAME; wt status lists them")
    with repository.store.locked():
        before = bindings.of_caller(repository, who)
        data = found_or_made(repository, args)
        bindings.bind(repository, who, Path(data["path"]), data["branch"], data["base"])
        bindings.prune(repository)
    others = [b.session for b in bindings.of_worktree(repository, Path(data["path"])) if b.session not in (None, who.session)]
    return {**data, "bound": "session" if who.session else "repository", "session": who.session,
            "shared_with": sorted(set(filter(None, others))),
            "before": before.path if before and not bindings.same_place(before.path, data["path"]) else None}


def found_or_made(repository: Repository, args: argparse.Namespace) -> dict[str, Any]:
    """The worktree that is meant, made when it is not there. Inside the lock."""
    if args.name is not None and not args.name.strip():
        raise UsageError("the name is empty", code="bad-name", hint="wt enter NAME")
    found = worktrees.find(repository, args.name) if args.name and not args.unique else None
    if found is not None:
        half = trash.half_way(repository, found.path)
        if half is not None and not lost.is_worktree(found.path):
            raise UsageError(f"{found.path} is half removed or half restored", code="half-way",
                             hint=f"wt restore {half.id} brings it back; wt remove {shlex.quote(str(found.path))} ends a removal")
        revived = lost.brought_back(repository, found)
        if args.branch and args.branch != found.branch:
            raise UsageError(f"{found.path} is on {found.branch or 'no branch'}, not on {args.branch}", code="other-branch",
                             hint=f"wt enter {shlex.quote(str(found.path))} without --branch, or another name")
        record = worktrees.record_of(repository, found.path)
        if args.base:
            create.base_of(repository, args.base)  # says so if there is no such commit
        base = args.base or (record.base if record else bindings.assumed_base(repository, found.branch))
        start = record.base_commit if record else git.ask_or("", "merge-base", "HEAD", base, "--", cwd=found.path) if base else ""
        data: dict[str, Any] = {"path": str(found.path), "branch": found.branch, "base": base, "base_commit": start, "created": False,
                                "revived": revived}
    else:
        made = plan(repository, args)
        create.carry_out(repository, made)
        data = {"path": str(made.path), "branch": made.branch, "base": made.base, "base_commit": made.base_commit, "created": True,
                "revived": ""}
    return {**data, "name": Path(data["path"]).name, **surroundings(repository, data)}


def plan(repository: Repository, args: argparse.Namespace) -> create.Plan:
    """What to make for a name, or for the path of a worktree that was here once and whose branch still is."""
    if not args.name or not worktrees.looks_like_path(args.name):
        return create.plan(repository, create.Wish(args.name or "", args.base, args.branch, args.reuse, args.unique))
    places = (repository.here / worktrees.expanded(args.name), repository.home / worktrees.expanded(args.name))
    path = next((place for place in places if lost_branch(repository, place)), None)
    if path is None:
        raise UsageError(f"{args.name} is no worktree of this repository", code="no-worktree",
                         hint="wt status lists them; wt enter NAME makes one")
    return create.plan_again(repository, Path(os.path.normpath(path)), lost_branch(repository, path))


def lost_branch(repository: Repository, path: Path) -> str:
    """The branch of a worktree that git has forgotten, by our record or by a binding; "" when nobody knows it."""
    record = worktrees.record_of(repository, Path(os.path.normpath(path)))
    told = [record.branch] if record else [b.branch for b in repository.store.bindings() if bindings.same_place(b.path, path)]
    return next((branch for branch in told if branch and branch in create.branches(repository)), "")


def surroundings(repository: Repository, data: dict[str, Any]) -> dict[str, Any]:
    """How far the base is from the remote's default branch, and what lies open in the main checkout (it stays as it is)."""
    origin = origin_of(repository)
    apart = worktrees.distance(repository.at, data["base_commit"], origin) if origin and data["base_commit"] else None
    return {"origin": {"ref": origin, "ahead": apart[0], "behind": apart[1]} if apart else None, "behind": apart[1] if apart else None,
            "main_open": worktrees.open_work_or_none(repository.main)}


def origin_of(repository: Repository) -> str:
    """The remote's default branch as a remote-tracking ref, by its HEAD or its usual name; "" without one."""
    head = git.ask_or("", "symbolic-ref", "-q", "--short", "refs/remotes/origin/HEAD", cwd=repository.at)
    for ref in (head, "origin/main", "origin/master"):
        if ref and git.holds("rev-parse", "-q", "--verify", f"refs/remotes/{ref}", cwd=repository.at):
            return ref
    return ""


def lines(data: dict[str, Any]) -> list[str]:
    whom = f"session {data['session']}" if data["session"] else "everybody in this repository who has no binding of their own"
    made = ", made now" if data["created"] else f", {data['revived']}" if data["revived"] else ""
    told = [f"Entered {data['name']}{made}.", *facts(data), f"  binds   {whom}"]
    if data["before"] and data["session"]:
        told.append(f"Before: {data['before']}; it stays as it is.")
    if data["shared_with"]:
        told.append(f"Also bound to it: session {', '.join(data['shared_with'])}.")
    return [*told, *open_in_main(data), f"Next: cd {shlex.quote(data['path'])}"]


def facts(data: dict[str, Any]) -> list[str]:
    base = f"{data['base']} @ {data['base_commit'][:9]}" if data["base"] else "not known"
    return [f"  path    {data['path']}", f"  branch  {data['branch'] or '(detached)'}", f"  base    {base}{origin_words(data['origin'])}"]


def origin_words(origin: dict[str, Any] | None) -> str:
    if origin is None:
        return ""
    apart = [f"{origin[way]} {way}" for way in ("ahead", "behind") if origin[way]]
    return f" ({', '.join(apart)} of {origin['ref']})" if apart else f" (even with {origin['ref']})"


def open_in_main(data: dict[str, Any]) -> list[str]:
    counts = [f"{count} {kind}" for kind, count in (data["main_open"] or {}).items() if count]
    return [f"The main checkout has open work ({', '.join(counts)}); it stays as it is."] if counts else []

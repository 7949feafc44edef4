"""wt enter: binds this session, or the repository, to a worktree; makes the worktree first if there is none of that name."""
from __future__ import annotations

import argparse
import os
import shlex
from pathlib import Path
from typing import Any

from guard.edge.records import is_text
from guard.wt import bindings, completing, create, git, lost, making, open_work, owners, sources, terminal, trash, worktrees
from guard.wt.errors import UsageError
from guard.wt.parsing import text
from guard.wt.repository import Repository
from guard.wt.sessions import caller, recordable, session_id

STDIN = {"path": "name", "task_name": "name", "base_branch": "base", "session_id": "session", "sessionId": "session"}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME|PATH", help="a worktree's name or folder")
    parser.add_argument("--session", metavar="ID", type=session_id, help="bind this session (default: the one whose shell this is)")
    parser.add_argument("--repo", action="store_true", help="bind everybody in this repository, not one session")
    creation_arguments(parser)


def creation_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--base", default="", metavar="REF", help="start from here (default: what the main checkout has checked out)")
    parser.add_argument("--branch", default="", metavar="B", help="work on this branch (fetched, if need be; made, where there is none)")
    parser.add_argument("--pr", type=number, metavar="N", help="start from the pull or merge request N")
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--reuse", action="store_true", help="go on with a branch of that name left from earlier")
    ways.add_argument("--unique", action="store_true", help="count the name up when it is taken: name-2, name-3")
    parser.add_argument("--title", default="", type=text, metavar="T", help="what a new one is for; wt status --json shows it")
    parser.add_argument("--keep-failed", action="store_true", help="keep the worktree when its setup fails")
    parser.add_argument("--dry-run", action="store_true", help="say what would be made, and change nothing")


def number(text: str) -> int:
    """Of a change request: 7, #7, !7."""
    digits = text.removeprefix("#").removeprefix("!")
    if not (digits.isascii() and digits.isdigit() and 0 < int(digits) < 10 ** 9):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of a change request")
    return int(digits)


def run(repository: Repository, args: argparse.Namespace) -> dict[str, Any]:
    """-> path, branch, base, base_commit, created, name, bound, session, origin, behind, main_open, and what completing.done says"""
    who = recordable(caller(args.session, whole_repository=args.repo))
    if not args.name and not args.branch and args.pr is None:
        raise UsageError("enter which worktree?", hint="wt enter NAME; wt status lists them")
    data = found_or_made(repository, args)
    if data["dry_run"]:
        return data
    with repository.store.locked():
        if worktrees.find(repository, data["path"]) is None:
            raise UsageError(f"{data['path']} was removed meanwhile", code="no-worktree", hint="wt enter again; wt restore --list")
        before = bindings.of_caller(repository, who)
        bindings.bind(repository, who, Path(data["path"]), data["branch"], data["base"])
        bindings.prune(repository)
    others = [b.session for b in bindings.of_worktree(repository, Path(data["path"])) if b.session not in (None, who.session)]
    return {**data, "bound": "session" if who.session else "repository", "session": who.session,
            "shared_with": sorted(set(filter(None, others))),
            "before": before.path if before and not bindings.same_place(before.path, data["path"]) else None}


def found_or_made(repository: Repository, args: argparse.Namespace) -> dict[str, Any]:
    """The worktree that is meant, made when it is not there."""
    if args.name is not None and not args.name.strip():
        raise UsageError("the name is empty", code="bad-name", hint="wt enter NAME")
    wish = create.Wish(args.name or "", args.base, args.branch, args.pr, args.reuse, args.unique, args.title)
    found = already(repository, args)
    source = None if found else create.looked_up(repository, wish, dry=args.dry_run)
    tell = terminal.narration(json=args.json)
    if args.dry_run:
        data = there(repository, found, args) if found else {**planned(plan(repository, wish, source)), **completing.foreseen(repository)}
        return {**data, "dry_run": True, "name": Path(data["path"]).name, **surroundings(repository, data)}
    with repository.store.locked():
        seen, found = found, already(repository, args)  # once more: it may have come, been finished, or gone meanwhile
        gone = seen is not None and found is None
        busy = found if found and owners.at_work(worktrees.record_of(repository, found.path)) else None
        if found is None and not gone:
            made = plan(repository, wish, source)
            record = making.begun(repository, made, more=completing.more_to_do(repository))
            data = {**planned(made), "created": True}
        elif found is not None and busy is None:
            data = there(repository, found, args, revive=True)
    if busy is not None:
        making.awaited(repository, busy.path)
    if gone or busy is not None:
        return found_or_made(repository, args)
    if found is None:
        data |= completing.completed(repository, record, tell, keep_failed=args.keep_failed, start=made.start if made.fresh else "")
    elif making.unfinished(repository, found.path):
        data |= completing.completed(repository, making.taken_over(repository, found.path), tell)
    return {**data, "dry_run": False, "name": Path(data["path"]).name, **surroundings(repository, data)}


def already(repository: Repository, args: argparse.Namespace) -> worktrees.Worktree | None:
    return worktrees.find(repository, args.name) if args.name and not args.unique else None


def planned(made: create.Plan) -> dict[str, Any]:
    return {"path": str(made.path), "branch": made.branch, "base": made.base, "base_commit": made.base_commit, "created": False,
            "revived": "", "start": made.start, "source": made.source, "remote": made.remote, "change_request": made.change_request,
            "branch_made": made.fresh and made.source == "branch" and not made.remote}


def there(repository: Repository, found: worktrees.Worktree, args: argparse.Namespace, *, revive: bool = False) -> dict[str, Any]:
    """A worktree that git lists, made usable again where it is not. Inside the lock, where it shall `revive`."""
    half = trash.half_way(repository, found.path)
    if half is not None and not lost.is_worktree(found.path):
        raise UsageError(f"{found.path} is half removed or half restored", code="half-way",
                         hint=f"wt restore {half.id} brings it back; wt remove {shlex.quote(str(found.path))} ends a removal")
    revived = lost.brought_back(repository, found) if revive else ""
    found = (worktrees.find(repository, str(found.path)) if revived else None) or found
    if args.branch and args.branch != found.branch:
        raise UsageError(f"{found.path} is on {found.branch or 'no branch'}, not on {args.branch}", code="other-branch",
                         hint=f"wt enter {shlex.quote(str(found.path))} without --branch, or another name")
    if not is_text(found.branch):
        raise UsageError(f"the name of the branch in {found.path} is not UTF-8, so our records cannot hold it", code="bad-name",
                         hint=f"git -C {shlex.quote(str(found.path))} branch -m NEW-NAME, then wt enter {shlex.quote(str(found.path))}")
    record = worktrees.record_of(repository, found.path)
    if args.base and create.base_of(repository, args.base)[0] != (record.base if record else args.base):  # it says so if there is none
        raise UsageError(f"{found.path} is there already, and was made from {record.base if record else ''}; --base is for a new one",
                         code="other-base", hint=f"wt enter {shlex.quote(str(found.path))} without --base, or another name")
    base = args.base or (record.base if record else bindings.assumed_base(repository, found.branch))
    start = record.base_commit if record else git.ask_or("", "merge-base", "HEAD", base, "--", cwd=found.path) if base else ""
    return {"path": str(found.path), "branch": found.branch, "base": base, "base_commit": start, "created": False, "revived": revived,
            "source": "", "start": "", "remote": "", "branch_made": False, **completing.NOTHING,
            "change_request": record.change_request if record else None, "port": record.port if record else None}


def plan(repository: Repository, wish: create.Wish, source: sources.Source | None) -> create.Plan:
    """What to make for a name, or for the path of a worktree that was here once and whose branch still is."""
    if not wish.name or not worktrees.looks_like_path(wish.name):
        return create.plan(repository, wish, source)
    places = (repository.here / worktrees.expanded(wish.name), repository.home / worktrees.expanded(wish.name))
    path = next((place for place in places if lost_branch(repository, place)), None)
    if path is None:
        raise UsageError(f"{wish.name} is no worktree of this repository", code="no-worktree",
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
            "main_open": open_work.or_none(repository.main)}


def origin_of(repository: Repository) -> str:
    """The remote's default branch as a remote-tracking ref, by its HEAD or its usual name; "" without one."""
    head = git.ask_or("", "symbolic-ref", "-q", "--short", "refs/remotes/origin/HEAD", cwd=repository.at)
    for ref in (head, "origin/main", "origin/master"):
        if ref and git.holds("rev-parse", "-q", "--verify", f"refs/remotes/{ref}", cwd=repository.at):
            return ref
    return ""


def lines(data: dict[str, Any]) -> list[str]:
    if data["dry_run"]:
        verb = "make and enter" if data["source"] else "enter"
        return [f"Would {verb} {data['name']}.", *facts(data), *completing.told(data), *open_in_main(data)]
    whom = f"session {data['session']}" if data["session"] else "everybody in this repository who has no binding of their own"
    made = ", made now" if data["created"] else f", {data['revived']}" if data["revived"] else ""
    told = [f"Entered {data['name']}{made}.", *facts(data), *completing.told(data), f"  binds   {whom}"]
    if data["before"] and data["session"]:
        told.append(f"Before: {data['before']}; it stays as it is.")
    if data["shared_with"]:
        told.append(f"Also bound to it: session {', '.join(data['shared_with'])}.")
    return [*told, *open_in_main(data), f"Next: cd {shlex.quote(data['path'])}"]


def facts(data: dict[str, Any]) -> list[str]:
    base = f"{data['base']} @ {data['base_commit'][:9]}" if data["base"] else "not known"
    come = f", the change request {data['change_request']} of {data['remote']}" if data["remote"] and data["change_request"] else \
        f", from {data['remote']}" if data["remote"] else ", a new one: there was none of that name" if data["branch_made"] else ""
    return [f"  path    {data['path']}", f"  branch  {data['branch'] or '(detached)'}{come}",
            f"  base    {base}{origin_words(data['origin'])}"]


def origin_words(origin: dict[str, Any] | None) -> str:
    if origin is None:
        return ""
    apart = [f"{origin[way]} {way}" for way in ("ahead", "behind") if origin[way]]
    return f" ({', '.join(apart)} of {origin['ref']})" if apart else f" (even with {origin['ref']})"


def open_in_main(data: dict[str, Any]) -> list[str]:
    counts = [f"{count} {kind}" for kind, count in (data["main_open"] or {}).items() if count]
    return [f"The main checkout has open work ({', '.join(counts)}); it stays as it is."] if counts else []

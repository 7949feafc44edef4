"""wt merge: brings a finished worktree into its base. Nothing is forced, nothing rewritten, nothing pushed."""
from __future__ import annotations

import argparse
import shlex
from typing import Any

from guard.wt import bringing_in, leave_to_merge, merge_target, merging, removal, removing, terminal
from guard.wt.commands import remove
from guard.wt.errors import UsageError, WtError
from guard.wt.gate import SHOWN, shown
from guard.wt.removing import Asked
from guard.wt.repository import Repository
from guard.wt.sessions import Caller, caller
from guard.wt.temporary_checkout import alone
from guard.wt.terminal import Tell
from guard.wt.worktrees import Worktree

STDIN = {"path": "name", "message": "message"}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME|PATH", help="the worktree's name or folder")
    parser.add_argument("--squash", action="store_true", help="as one commit that holds all of it")
    parser.add_argument("--message", default="", metavar="M", help="of the merge commit or the squash; a fast-forward makes none")
    parser.add_argument("--into", metavar="BRANCH", help="another branch than its base")
    parser.add_argument("--remove", action="store_true", help="then wt remove it")
    parser.add_argument("--dry-run", action="store_true", help="say what would happen, and change nothing")


def run(repository: Repository, args: argparse.Namespace) -> dict[str, Any]:
    """-> name, source, branch, target, how (fast-forward, merge, squash, nothing), merged, before, after, commits[], backup, undo, guarded,
    dry_run, removed (as wt remove) or None, warnings[]; and of a dry run: conflicts[] (None: git cannot foresee them), open_files[]
    (in the way, where the target is checked out), may (whether the caller has the leave)
    """
    if not args.name or not args.name.strip():
        raise UsageError("merge which worktree?", hint="wt merge NAME; wt status lists them")
    who = caller()
    if args.dry_run:
        plan = planned(repository, args, who)
        return {**described(plan), "after": plan.target.commit, "merged": False, "backup": None, "undo": None, "dry_run": True,
                "conflicts": merging.conflicts(plan), "open_files": merging.open_files(plan),
                "may": leave_to_merge.may(repository, plan.target, who), "removed": None, "warnings": []}
    with alone(repository):
        with repository.store.locked():
            removal.recover(repository)  # a removal that was killed comes to its end first
        plan = planned(repository, args, who)
        outcome = bringing_in.carry_out(plan, who, args.message)
        about = {**described(plan), "how": outcome.how, "after": outcome.after, "merged": outcome.how != "nothing",
                 "backup": outcome.backup or None, "undo": bringing_in.way_back(plan, outcome) if outcome.backup else None,
                 "dry_run": False, "conflicts": [], "open_files": [], "may": True}
    gone = removed(repository, plan, who, terminal.narration(json=args.json)) if args.remove else {"removed": None, "warnings": []}
    return {**about, **gone}


def planned(repository: Repository, args: argparse.Namespace, who: Caller) -> merging.Plan:
    """What is asked for, as it would be done now; with --remove, also what stands against that."""
    given = (("--squash",) if args.squash else (), ("--message", args.message) if args.message.strip() else (),
             () if args.into is None else ("--into", args.into))
    without = shlex.join(["wt", "merge", args.name, *(word for words in given for word in words)])
    again = f"{without} --remove" if args.remove else without
    source = merge_target.source(repository, args.name, who, again)
    if args.remove:
        may_go(repository, source, who, without)
    target = merge_target.chosen(repository, source, args.into, who, again)
    return merging.planned(repository, source, target, args.squash, again)


def may_go(repository: Repository, source: Worktree, who: Caller, without: str) -> None:
    """UsageError where it could not be removed even when merged: then its commits are the target's, and no finding."""
    try:
        removing.now(repository, Asked(str(source.path), who, ["commits"]), lambda _: None, dry=True)
    except UsageError as stands:
        raise UsageError(f"nothing was merged, since --remove would be refused: {stands.said}", code=stands.code, details=stands.details,
                         hint=f"{without} alone merges it and leaves it there; or mend what each line says, then the same with --remove"
                         ) from None


def described(plan: merging.Plan) -> dict[str, Any]:
    return {"name": plan.source.name, "source": str(plan.source.path), "branch": plan.source.branch, "target": plan.target.branch,
            "how": plan.how, "before": plan.target.commit, "commits": plan.commits, "guarded": plan.target.guarded or None}


def removed(repository: Repository, plan: merging.Plan, who: Caller, tell: Tell) -> dict[str, Any]:
    """The merge is done, so whatever stands against the removal by now is told, and fails nothing."""
    try:
        return {"removed": removing.removed(repository, Asked(str(plan.source.path), who), tell), "warnings": []}
    except WtError as stands:
        return {"removed": None, "warnings": [f"merged, but not removed: {stands.said}"]}


def lines(data: dict[str, Any]) -> list[str]:
    into = f"{data['branch']} into {data['target']}"
    if data["how"] == "nothing":
        said = [f"Nothing to merge: {data['target']} has all of {data['branch']}."]
    else:
        made = {"fast-forward": "fast-forward", "merge": "a merge commit", "squash": "squashed"}[data["how"]]
        said = [f"{'Would merge' if data['dry_run'] else 'Merged'} {into}: {len(data['commits'])} commit(s), {made}.",
                *(f"  {line}" for line in data["commits"][:2 * SHOWN])]
        said += [f"  and {len(data['commits']) - 2 * SHOWN} more"] if len(data["commits"]) > 2 * SHOWN else []
    if data["dry_run"]:
        return said + foreseen(data)
    if data["backup"]:
        said += [f"  target  {data['target']} @ {data['after'][:9]}, not pushed",
                 f"  before  {data['before'][:9]}, kept in {data['backup']}", f"Undo: {data['undo']}"]
    said += [f"  warning: {warning}" for warning in data["warnings"]]
    return [*said, *(remove.lines(data["removed"]) if data["removed"] else [f"Next: wt remove {shlex.quote(data['name'])}"])]


def foreseen(data: dict[str, Any]) -> list[str]:
    if data["how"] == "nothing":
        return []
    said = [f"  conflicts in {', '.join(data['conflicts'])}: it would be refused"] if data["conflicts"] else []
    said += [f"  open files in the way: {shown(data['open_files'])}: it would be refused"] if data["open_files"] else []
    said += ["  whether it conflicts cannot be foreseen by this git (2.38 can)"] if data["conflicts"] is None else []
    return said if data["may"] else [*said, f"  not before a person runs wt authorize-main --only merge: {data['guarded']}"]

"""wt lane: a fresh checkout for each writing agent of a workflow. guard/wt/lanes.py has the same for programs."""
from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from msgspec import to_builtins

from guard.wt import completing, lane_making, lanes, terminal
from guard.wt.commands.remove import skip_argument
from guard.wt.lane_ending import Meant
from guard.wt.lane_manifest import Lane
from guard.wt.lane_planning import Asked
from guard.wt.repository import Repository
from guard.wt.sessions import session_id
from guard.wt.table import spelt_out, table

INTERNAL = {"maker", "order", "trash"}


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, said in (("prepare", "a checkout of its own for a task, on a new branch; never the main checkout instead"),
                       ("dispose", "end a lane: what is clean goes to the trash and is handed over, what is not is kept"),
                       ("list", "the lanes of this repository, as git and the disk have them")):
        one = actions.add_parser(name, help=said, description=said[0].upper() + said[1:] + ".", allow_abbrev=False)
        one.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="the answer as one JSON document")
        if name == "list":
            continue
        one.add_argument("--run", required=name == "prepare", default="", metavar="R", help="the run of the workflow")
        one.add_argument("--task", required=name == "prepare", default="", metavar="T", help="the task in that run")
        if name == "prepare":
            one.add_argument("--base", default="", metavar="REF", help="start from here (default: what this checkout has checked out)")
            one.add_argument("--session", metavar="ID", type=session_id, help="bind this session to it; without, nobody is bound")
        else:
            one.add_argument("path", nargs="?", default="", metavar="PATH", help="the lane's folder, instead of run and task")
            one.add_argument("--session", metavar="ID", type=session_id, help="who asks (default: the session whose shell this is)")
            skip_argument(one)


def run(repository: Repository, args: argparse.Namespace) -> dict[str, Any]:
    """-> action, and of prepare: what a lane has (lane_manifest.Lane), created, and what completing.done says; of dispose: lanes.Disposed;
    of list: lanes[]
    """
    tell = terminal.narration(json=args.json)
    if args.action == "prepare":
        lane, furnished = lane_making.prepared(repository, Asked(args.run, args.task, args.base, args.session), tell)
        return {"action": "prepare", **row(lane), "created": True, **furnished}
    if args.action == "dispose":
        ended = lanes.ended(repository, Meant(args.run, args.task, args.path), args.session, tell, skip_teardown=args.skip_teardown)
        left = to_builtins(ended.hand_over) if ended.hand_over else None
        return {"action": "dispose", **asdict(ended), "open": [to_builtins(one) for one in ended.open], "hand_over": left}
    return {"action": "list", "lanes": [row(lane) for lane in lanes.looked_up(repository)]}


def row(lane: Lane) -> dict[str, Any]:
    return {"name": lane.place.name} | {name: value for name, value in to_builtins(lane).items() if name not in INTERNAL}


def lines(data: dict[str, Any]) -> list[str]:
    return {"prepare": prepared, "dispose": disposed, "list": listed}[data["action"]](data)


def prepared(data: dict[str, Any]) -> list[str]:
    binds = [f"  binds   session {data['session']}"] if data["session"] else []
    return [f"Prepared {data['name']}.", f"  path    {data['path']}", f"  branch  {data['branch']}",
            f"  base    {data['base']} @ {data['base_commit'][:9]}", *completing.told(data), *binds]


def disposed(data: dict[str, Any]) -> list[str]:
    if data["status"] != "disposed":
        return [f"Kept {data['path']} ({data['status']}):", *(f"  {one['said']}\n    {one['cure']}" for one in data["open"])]
    left = data["hand_over"]
    fate = "deleted: no commits of its own" if data["branch_deleted"] else f"stays @ {left['head'][:9]}"
    said = [f"Disposed of {data['path']}.", f"  branch  {left['branch'] or '(none)'}: {fate}",
            f"  base    {left['base']} @ {left['base_commit'][:9]}"]
    said += [f"  commits {len(left['commits'])}, {left['files']} file(s) changed"] if left["commits"] else []
    said += [f"    {one['id'][:9]} {spelt_out(one['subject'])}" for one in left["commits"]]
    said += [f"  warning: {warning}" for warning in data["warnings"]]
    return [*said, f"Back again, for 7 days: {data['back']}"] if data["back"] else said


def listed(data: dict[str, Any]) -> list[str]:
    if not data["lanes"]:
        return ["No lanes. wt lane prepare --run RUN --task TASK makes one."]
    rows = [[one["run"], one["task"], one["status"], one["name"], one["branch"], one["session"] or ""] for one in data["lanes"]]
    titles, floors = ("RUN", "TASK", "STATUS", "FOLDER", "BRANCH", "SESSION"), (6, 6, 14, 12, 12, 8)
    return [*table(titles, floors, rows), *(f"  {one['name']}: {said}" for one in data["lanes"] for said in notes(one))]


def notes(one: dict[str, Any]) -> list[str]:
    return [said for said in (one["note"], *(found["said"] for found in one["open"])) if said]

"""wt allow: leave to write one path (and what lies in it) for a while."""
from __future__ import annotations

import argparse
import os
import shlex
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from guard.core.paths import has_git_part
from guard.edge import disk
from guard.edge.records import is_text
from guard.wt import worktrees
from guard.wt.errors import UsageError
from guard.wt.leaves import end_of, living_permits, minutes_left, needs_reason
from guard.wt.models import Permit, Permits, now
from guard.wt.repository import Repository
from guard.wt.sessions import session_id

STDIN = {"path": "path", "reason": "reason", "ttl": "ttl", "action": "action", "session_id": "session", "sessionId": "session"}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", metavar="PATH", help="a file or folder, from here or from the main checkout")
    parser.add_argument("--reason", default="", metavar="R", help="why")
    parser.add_argument("--ttl", default="60m", metavar="T", help="for how long (default 60m)")
    parser.add_argument("--session", metavar="ID", type=session_id, help="only for this session")
    parser.add_argument("--list", dest="action", action="store_const", const="list", default="add", help="show what is allowed")
    parser.add_argument("--clear", dest="action", action="store_const", const="clear", help="end them all")


def run(repository: Repository, args: argparse.Namespace) -> dict[str, Any]:
    """-> action, entries[], and for add: path, expires_at"""
    store = repository.store
    if args.action == "list":
        return {"action": "list", "entries": [to_builtins(p) for p in living_permits(store)]}
    if args.action not in ("add", "clear"):
        raise UsageError(f"{args.action!r} is no action", hint="add, list or clear")
    if args.action == "clear" and args.path:
        raise UsageError("--clear ends every leave, not the one for a path", hint="wt allow --clear")
    made = []
    if args.action == "add":
        path = one_path(repository, args.path or "")
        reason = needs_reason(args.reason, f"allow {shlex.quote(args.path)}")
        made = [Permit(path=path, reason=reason, created_at=now(), expires_at=end_of(args.ttl), session=args.session)]
    with store.locked():
        kept = [p for p in living_permits(store) if args.action == "add" or (args.session and p.session != args.session)]
        again = {(m.path, m.session) for m in made}
        store.save(store.path("allow.json"), Permits(entries=[*(p for p in kept if (p.path, p.session) not in again), *made]))
        store.note(args.action + "-path", path=made[0].path if made else "", reason=made[0].reason if made else "")
    new = {"path": made[0].path, "expires_at": made[0].expires_at} if made else {}
    return {"action": args.action, **new, "entries": [to_builtins(p) for p in living_permits(store)]}


def one_path(repository: Repository, given: str) -> str:
    """The one absolute path that is meant. UsageError for a pattern, for everything at once, and for git's own folder."""
    places = [Path(os.path.normpath(start / worktrees.expanded(given))) for start in (repository.here, repository.home)]
    path = next((place for place in places if place.exists()), places[-1])  # from here, as a shell means it, else from the main checkout
    home = Path(os.path.realpath(repository.home))
    real = Path(os.path.realpath(path))
    if not given.strip():
        raise UsageError("allow which path?", hint="wt allow PATH --reason R")
    if any(char in given for char in "*?") and not path.exists():
        raise UsageError(f"{given} is a pattern; wt allow takes one path", code="pattern", hint="main_write_allow in .worktree-guard.json")
    if not is_text(str(real)):
        raise UsageError(f"{given} is not UTF-8, so our records cannot name it", code="bad-path", hint="wt allow the folder that holds it")
    if home.is_relative_to(real):
        raise UsageError(f"{given} would open the whole main checkout", code="too-wide", hint="wt authorize-main --reason R --ttl 15m")
    if has_git_part(str(real), disk.FLAVOUR) or real.is_relative_to(repository.common):
        raise UsageError(f"{given} lies in git's own folder, which is never written by hand", code="git-folder",
                         hint="use git config or git worktree")
    return str(real)


def lines(data: dict[str, Any]) -> list[str]:
    if data["action"] == "add":
        new = "" if Path(data["path"]).exists() else " (there is no such file yet)"
        until = f"for {minutes_left(data['expires_at'])} min, until {data['expires_at']}"
        return [f"{data['path']}{new} may be written {until}.", "End it earlier: wt allow --clear"]
    if data["action"] == "clear":
        return ["Nothing is allowed any more."]
    return [f"{p['path']}  {minutes_left(p['expires_at'])} min more  ({p['reason']})" for p in data["entries"]] or ["Nothing is allowed."]

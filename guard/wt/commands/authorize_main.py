"""wt authorize-main: a person's leave to write the main checkout, with an end."""
from __future__ import annotations

import argparse
import secrets
from typing import Any

from msgspec import to_builtins

from guard.wt.leaves import end_of, living_authorisations, minutes_left, needs_reason
from guard.wt.models import Authorisation, Overrides, now
from guard.wt.parsing import text
from guard.wt.repository import Repository
from guard.wt.sessions import session_id

STDIN = {"reason": "reason", "ttl": "ttl", "session_id": "session", "sessionId": "session"}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--reason", default="", metavar="R", help="why; kept in the audit")
    parser.add_argument("--ttl", default="15m", metavar="T", help="for how long: 90s, 15m (default), 2h")
    parser.add_argument("--once", action="store_true", help="for one call only")
    parser.add_argument("--branch", metavar="B", type=text, help="only while the main checkout is on this branch")
    parser.add_argument("--only", choices=("push", "merge", "write"), help="only for this")
    parser.add_argument("--session", metavar="ID", type=session_id, help="only for this session (default: for everybody in the repository)")


def run(repository: Repository, args: argparse.Namespace) -> dict[str, Any]:
    """-> the authorisation: id, reason, created_at, expires_at, once, branch, only, session"""
    reason, end = needs_reason(args.reason, "authorize-main"), end_of(args.ttl)
    store = repository.store
    made = Authorisation(id=secrets.token_hex(6), reason=reason, created_at=now(), expires_at=end, once=args.once, branch=args.branch,
                         only=args.only, session=args.session)
    with store.locked():
        store.save(store.path("override.json"), Overrides(authorisations=[*living_authorisations(store), made]))
        store.note("authorize-main", reason=reason, until=end)
    return {**to_builtins(made)}


def lines(data: dict[str, Any]) -> list[str]:
    what = {"push": "pushed from", "merge": "merged into", "write": "written", None: "written"}[data["only"]]
    whom = f" by session {data['session']}" if data["session"] else ""
    once = ", by one call" if data["once"] else ""
    on = f" while it is on {data['branch']}" if data["branch"] else ""
    until = f"for {minutes_left(data['expires_at'])} min, until {data['expires_at']}"
    return [f"The main checkout may be {what}{whom}{on} {until}{once}.", "End it earlier: wt revoke-main"]

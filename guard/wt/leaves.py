"""A person's leave to write the main checkout, or one path, for a while."""
from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import Any

from guard.edge.records import is_text, lasts
from guard.wt.errors import UsageError
from guard.wt.models import Authorisation, Overrides, Permit, Permits, moment, now
from guard.wt.store import Store

UNITS = {"s": "seconds", "m": "minutes", "h": "hours"}
LONGEST = timedelta(hours=24)


def end_of(ttl: str) -> str:
    """When a leave of this length ends. UsageError unless it is 1s to 24h, such as 15m."""
    fits = re.fullmatch(r"(\d{1,6})([smh])", ttl)
    length = timedelta(**{UNITS[fits[2]]: int(fits[1])}) if fits else timedelta()
    if not timedelta() < length <= LONGEST:
        raise UsageError(f"{ttl!r} is no length of time", code="bad-ttl",
                         hint="90s, 15m or 2h, 24h at most: wt authorize-main --reason R --ttl 2h")
    return moment(length)


def minutes_left(end: str) -> int:
    """Whole minutes until then, rounded up."""
    left = datetime.strptime(end, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc) - datetime.now(timezone.utc)
    return max(0, -int(-left.total_seconds() // 60))


def needs_reason(reason: str, command: str) -> str:
    if not reason.strip():
        raise UsageError("what for? It is shown in wt status and kept in the audit", code="no-reason",
                         hint=f"wt {command} --reason 'what it is for'")
    if not is_text(reason):
        raise UsageError("the reason is not UTF-8", code="no-reason", hint=f"wt {command} --reason 'what it is for'")
    return " ".join(reason.split())


def living_authorisations(store: Store) -> list[Authorisation]:
    found = store.load(store.path("override.json"), Overrides)
    used = store.path("used")
    return [a for a in (found.authorisations if found else []) if lasts(a.expires_at, now()) and not (a.once and (used / a.id).exists())]


def living_permits(store: Store) -> list[Permit]:
    found = store.load(store.path("allow.json"), Permits)
    return [p for p in (found.entries if found else []) if lasts(p.expires_at, now())]


def minutes_as_ttl(given: dict[str, Any]) -> None:
    """`ttl_minutes` of a JSON document as `ttl`."""
    minutes = given.pop("ttl_minutes", None)
    if minutes is not None:
        given["ttl"] = f"{minutes}m"

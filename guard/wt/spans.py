"""Lengths of time, in words."""
from __future__ import annotations

from datetime import datetime, timezone

MINUTE, HOUR, DAY = 60, 3600, 86400


def seconds_since(moment: str, at: datetime) -> float | None:
    """None for a text that is no time of ours."""
    try:
        return (at - datetime.strptime(moment, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)).total_seconds()
    except ValueError:
        return None


def age(moment: str | None, at: datetime) -> str:
    """`5 min`, `2 h`, `3 d`; "now" for less than a minute, and for a clock that went back; "" where nobody knows."""
    seconds = seconds_since(moment or "", at)
    if seconds is None:
        return ""
    for length, unit in ((DAY, "d"), (HOUR, "h"), (MINUTE, "min")):
        if seconds >= (2 if unit == "d" else 1) * length:  # 47 h says more than 1 d
            return f"{int(seconds // length)} {unit}"
    return "now"


def ago(moment: str | None, at: datetime) -> str:
    """`2 h ago`, `just now`, or ""."""
    said = age(moment, at)
    return "just now" if said == "now" else f"{said} ago" if said else ""


def left(minutes: int) -> str:
    """`for 12 min more`, `for 3 h more`."""
    return f"for {minutes} min more" if minutes < 120 else f"for {minutes // 60} h more"

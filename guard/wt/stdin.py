"""JSON on stdin for clients that hand arguments over that way (as zcode-worktree-guard's scripts take them)."""
from __future__ import annotations

import argparse
import json
import os
import select
import sys
from typing import Any

from guard.wt.errors import UsageError
from guard.wt.leaves import minutes_as_ttl

WAIT = 0.05  # seconds for the first byte: a stdin that nobody feeds must not hang the command
MOST = 1_000_000


def filled_in(args: argparse.Namespace, names: dict[str, str], *, given: bool) -> None:
    """Fills arguments from a JSON object on stdin, where the command line has none of its own. `names`: their key -> our argument."""
    if given or not names:
        return
    document = on_stdin()
    minutes_as_ttl(document)
    for key, name in names.items():
        if document.get(key) is None:
            continue
        value = document[key]
        if not isinstance(value, str) or "\0" in value or any("\ud800" <= char <= "\udfff" for char in value):
            raise UsageError(f"{key} on stdin is not a text", code="bad-stdin", hint="wt --help")
        if name == "session" and not value.strip():
            raise UsageError(f"{key} on stdin is empty", code="bad-stdin", hint="wt status shows the sessions")
        setattr(args, name, value)


def whole(data: bytes) -> bool:
    """Clients write one document and may keep the pipe open."""
    try:
        json.loads(data.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError):
        return False
    return True


def on_stdin() -> dict[str, Any]:
    """The JSON object on stdin; {} for a terminal, nothing, or a pipe that stays silent. UsageError for anything else."""
    if sys.stdin is None or sys.stdin.isatty() or os.name == "nt":
        return {}
    data = b""
    while len(data) < MOST:
        try:
            chunk = os.read(0, 65536) if select.select([0], [], [], WAIT)[0] else b""
        except OSError:
            break
        data += chunk
        if not chunk or whole(data):
            break
    data = data.removeprefix(b"\xef\xbb\xbf").strip()
    if not data:
        return {}
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as fault:
        raise UsageError(f"stdin is not JSON: {fault}", code="bad-stdin", hint="give the arguments on the command line") from None
    if not isinstance(found, dict):
        raise UsageError("stdin is not a JSON object", code="bad-stdin", hint='such as {"path": ".worktrees/x"}')
    return found

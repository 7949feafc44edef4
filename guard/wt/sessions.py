"""Whose call is this? The session of the agent client whose shell runs `wt`, and its process."""
from __future__ import annotations

import os
from dataclasses import dataclass

from guard.edge import disk
from guard.edge.records import is_text
from guard.edge.sessions import process_of
from guard.wt.errors import UsageError

# (variable, client); the first that is set counts
SESSION_VARIABLES = (("WORKTREE_GUARD_SESSION", ""), ("CLAUDE_CODE_SESSION_ID", "claude-code"), ("ZCODE_SESSION_ID", "zcode"))


@dataclass(frozen=True)
class Caller:
    """`session` is None for a person's terminal and for clients that hide theirs."""

    session: str | None
    client: str = ""
    pid: int | None = None
    started: str | None = None


def caller(given: str | None = None, *, whole_repository: bool = False) -> Caller:
    """The caller by `--session`, then by the environment."""
    if whole_repository:
        return Caller(None)
    for name, client in SESSION_VARIABLES:
        session = os.environ.get(name, "").strip()
        if session and given in (None, session):
            program = client or _client()
            pid, started = process_of(disk) if program == "claude-code" else (None, None)
            return Caller(session, program, pid, started)
    return Caller(given) if given else Caller(None)


def recordable(who: Caller) -> Caller:
    """UsageError for a session that no record could name."""
    if who.session is not None and not is_text(who.session):
        raise UsageError("the session's id in the environment is not UTF-8", code="bad-name",
                         hint=f"another one in {SESSION_VARIABLES[0][0]}, or wt enter NAME --session ID")
    return who


def session_id(text: str) -> str:
    """An argument that names a session: `--session "$UNSET"` is a slip, not everybody."""
    if not text.strip() or not is_text(text):
        import argparse  # who asks has it loaded

        raise argparse.ArgumentTypeError("the session's id is not UTF-8" if text.strip() else "the session's id is empty")
    return text


def _client() -> str:
    return "claude-code" if os.environ.get("CLAUDECODE") else ""

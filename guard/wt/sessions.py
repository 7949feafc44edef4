"""Whose call is this? The session of the agent client whose shell runs `wt`, and its process."""
from __future__ import annotations

import os
from dataclasses import dataclass

from guard.edge import disk
from guard.edge.sessions import process_of

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


def session_id(text: str) -> str:
    """An argument that names a session: `--session "$UNSET"` is a slip, not everybody."""
    if not text.strip():
        import argparse  # who asks has it loaded

        raise argparse.ArgumentTypeError("the session's id is empty")
    return text


def _client() -> str:
    return "claude-code" if os.environ.get("CLAUDECODE") else ""

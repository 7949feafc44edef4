"""Talking with a person at a terminal: on stderr, since stdout is the answer's. Nothing of it in a pipe, nor with --json."""
from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable

from guard.wt.environment import AGENTS

Tell = Callable[[str], None]


def narration(*, json: bool) -> Tell:
    """What is going on, line by line, for a person who watches."""
    def tell(said: str) -> None:
        if not json and sys.stderr is not None and sys.stderr.isatty():
            with contextlib.suppress(OSError):  # perhaps nobody reads any more
                sys.stderr.write(f"{said}\n")
                sys.stderr.flush()
    return tell


def person() -> bool:
    """A person sits there. Some clients give their agents a terminal as well: those are known by their variables."""
    return sys.stdin.isatty() and sys.stderr.isatty() and not any(os.environ.get(name) for name in AGENTS)


def says_yes(question: str) -> bool:
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")

"""Colour on a terminal. Five codes: a library for them would be one more thing that each `wt status` loads."""
from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TextIO

CODES = {"bold": 1, "dim": 2, "red": 31, "green": 32, "yellow": 33}  # ECMA-48, SGR


def wanted(stream: TextIO, variables: Mapping[str, str]) -> bool:
    """In the order of Python's own tools: NO_COLOR, FORCE_COLOR, TERM=dumb, and then whether it is a terminal."""
    if variables.get("NO_COLOR"):
        return False
    if variables.get("FORCE_COLOR", "") not in ("", "0"):
        return True
    knows = os.name != "nt" or "WT_SESSION" in variables or "TERM" in variables  # the old Windows console prints the codes
    return knows and variables.get("TERM") != "dumb" and stream.isatty()


def painted(text: str, *names: str) -> str:
    codes = ";".join(str(CODES[name]) for name in names)
    return f"\x1b[{codes}m{text}\x1b[0m" if codes and text else text

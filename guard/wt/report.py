"""A fault of `wt` itself, written down ready to paste into an issue."""
from __future__ import annotations

import os
import platform
import sys
import tempfile
import traceback

import guard
from guard.wt.errors import OUR_FAULT, WtError


def reported(fault: Exception, words: list[str]) -> WtError:
    """What we know is in a file, else in `details`."""
    text = (f"worktree-guard {guard.VERSION}, Python {platform.python_version()} ({sys.executable}), {platform.platform()}\n"
            f"wt {' '.join(words)}\n\n{''.join(traceback.format_exception(fault))}")
    said = f"a fault of wt itself: {type(fault).__name__}: {fault}"
    try:
        handle, name = tempfile.mkstemp(prefix="wt-report-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError:  # a full disk may be why we are here
        return WtError(said, code="our-fault", status=OUR_FAULT, hint="please report it; wt status may say more",
                       details={"text": text[-4000:]})
    return WtError(said, code="our-fault", status=OUR_FAULT, hint=f"please report it with the text of {name}", details={"report": name})

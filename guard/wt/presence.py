"""Is the folder of a worktree there? A folder that cannot be looked at, or whose disk is only away, is not gone."""
from __future__ import annotations

from pathlib import Path
from typing import Literal

from guard.wt import lost
from guard.wt.inspection import says_gone
from guard.wt.repository import Repository

Presence = Literal["there", "gone", "away", "unreadable"]


def presence(repository: Repository, path: Path) -> Presence:
    """Gone: nothing has that name, on a disk that is there. Away: nothing has it, but its disk may be missing with it."""
    try:
        path.lstat()
    except OSError as fault:
        if not says_gone(fault):
            return "unreadable"
        return "gone" if lost.at_home(repository, path) else "away"
    return "there"

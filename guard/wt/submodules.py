"""Submodules of a new worktree, which git leaves empty: those of the main checkout are set up here too, where that is asked for."""
from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from guard.wt import git
from guard.wt.create import NO_HOOKS
from guard.wt.repository import Repository

LONG = 1800.0  # seconds: it is a clone
GITLINK = "160000"  # the mode of a submodule in the index


def set_up(repository: Repository, path: Path, tell: Callable[[str], None]) -> dict[str, Any]:
    """-> state (none, left: nobody asked for them, done), names[], said. WtError where git cannot."""
    wanted = [name for name in empty(path) if repository.main and os.path.lexists(repository.main / name / ".git")]
    if not wanted:
        return {"state": "none", "names": [], "said": ""}
    if not repository.loaded.settings.sync.submodules:
        said = f'{len(wanted)} left empty: git submodule update --init there, or {{"sync": {{"submodules": true}}}} in .worktree-guard.json'
        return {"state": "left", "names": wanted, "said": said}
    for name in wanted:
        tell(f"setting up the submodule {name} …")
        git.do(*NO_HOOKS, "submodule", "--quiet", "update", "--init", "--recursive", *borrowed(repository, name), "--", name, cwd=path,
               timeout=LONG)
    return {"state": "done", "names": wanted, "said": f"set up: {', '.join(wanted)}"}


def empty(path: Path) -> list[str]:
    """The submodules in the index of a worktree that are not set up there."""
    if not (path / ".gitmodules").is_file():
        return []
    rows = [row for row in git.ask("ls-files", "-s", "-z", cwd=path).split("\0") if row.startswith(GITLINK)]
    names = [row.partition("\t")[2] for row in rows]
    return [name for name in names if not os.path.lexists(path / name / ".git")]


def borrowed(repository: Repository, name: str) -> list[str]:
    """The main checkout's clone of it, from which git copies what is there instead of fetching it (git-clone(1), --dissociate)."""
    assert repository.main is not None
    place = git.ask_or("", "rev-parse", "--absolute-git-dir", cwd=repository.main / name)
    return ["--reference", place, "--dissociate"] if place else []

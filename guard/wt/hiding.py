"""Hiding from `git status` what a worktree manager puts into a checkout: exact lines in the repository's info/exclude, each once."""
from __future__ import annotations

import os
from pathlib import Path

from guard.wt.repository import Repository


def hide_worktree(repository: Repository, path: Path) -> None:
    """A worktree inside the main checkout is no untracked folder of it."""
    home = Path(os.path.realpath(repository.home))
    if repository.main is None or not path.is_relative_to(home):
        return
    below = (path if path.parent == home else path.parent).relative_to(home).as_posix() + "/"
    hide(repository, below if below == ".worktrees/" else "/" + below)


def hide(repository: Repository, pattern: str) -> None:
    """Adds a gitignore pattern for all worktrees (gitignore(5): info/exclude of the common dir), if it is not there."""
    line = os.fsencode(pattern)
    file = repository.common / "info" / "exclude"
    file.parent.mkdir(exist_ok=True)
    text = file.read_bytes() if file.exists() else b""
    if line in text.splitlines():
        return
    with file.open("ab") as end:
        end.write((b"" if not text or text.endswith(b"\n") else b"\n") + line + b"\n")

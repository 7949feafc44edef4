"""Hiding from `git status` what a worktree manager puts into a checkout: exact lines in the repository's info/exclude, each once."""
from __future__ import annotations

import os
from pathlib import Path

from guard.wt import git
from guard.wt.include import literally
from guard.wt.repository import Repository


def hide_worktree(repository: Repository, path: Path) -> None:
    """A worktree inside the main checkout is no untracked folder of it. Its neighbours are hidden with it, where git has no files there."""
    home = Path(os.path.realpath(repository.home))
    if repository.main is None or not path.is_relative_to(home):
        return
    if path.parent == home / ".worktrees":
        hide(repository, ".worktrees/")
        return
    alone = path.parent == home or bool(git.ask_or("", "--literal-pathspecs", "ls-files", "--", str(path.parent), cwd=repository.main))
    hide(repository, "/" + literally((path if alone else path.parent).relative_to(home).as_posix()) + "/")


def hide(repository: Repository, pattern: str) -> None:
    """Adds a gitignore pattern for all worktrees (gitignore(5): info/exclude of the common dir), if it is not there."""
    line = os.fsencode(pattern)
    file = repository.common / "info" / "exclude"
    file.parent.mkdir(exist_ok=True)
    text = file.read_bytes() if file.exists() else b""
    if line in text.split(b"\n"):
        return
    with file.open("ab") as end:
        end.write((b"" if not text or text.endswith(b"\n") else b"\n") + line + b"\n")

"""The configuration of one worktree (git-config(1), --worktree): what a holder has put there ends with its lease."""
from __future__ import annotations

import os
import shlex
from pathlib import Path

from guard.wt import worktrees
from guard.wt.errors import UsageError
from guard.wt.index_copy import index_copy
from guard.wt.repository import Repository

FILE = "config.worktree"


def text_of(admin: Path) -> str:
    """As it stands; "" where there is none. `git worktree add` copies that of the main checkout (git 2.36)."""
    try:
        return (admin / FILE).read_bytes().decode(errors="replace")
    except FileNotFoundError:
        return ""


def put_back(repository: Repository, path: Path, admin: Path) -> None:
    """As it was when the worktree was made. UsageError, with nothing changed, where git sees open files only without the holder's own."""
    record, before = worktrees.record_of(repository, path), text_of(admin)
    made = record.config if record else ""
    if before == made:
        return
    write(admin, made)
    open_now = read_again(path)
    if open_now:
        write(admin, before)
        where = shlex.quote(str(path))
        raise UsageError(f"{path} has a configuration of its own, which hides what is open: {', '.join(line[3:] for line in open_now[:5])}",
                         code="own-config", details={"changes": open_now, "config": before},
                         hint=f"git -C {where} config --worktree --list shows it: take that out of it, and commit what is open; "
                              f"then wt lease write return --workspace {where}")


def read_again(path: Path) -> list[str]:
    """`git status` with a look into each file. They may be written under other rules than count now (core.autocrlf, a filter): git looks
    into those that are not older than its index (racy-git.txt), and that is made as old as can be.
    """
    with index_copy(path) as copy:
        os.utime(copy.file, (1, 1))
        return copy.names("status", "--porcelain=v1", "--untracked-files=all", "--ignore-submodules=none", "--no-renames", "-z")


def write(admin: Path, text: str) -> None:
    if text:
        (admin / FILE).write_text(text, encoding="utf-8")
    else:
        (admin / FILE).unlink(missing_ok=True)

"""A worktree that somebody has put on a protected branch: which branch it belongs on, and the way back there."""
from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

from guard.wt import bindings, git, worktrees
from guard.wt.models import Binding, WorktreeRecord
from guard.wt.repository import Repository


def strayed(repository: Repository, entry: worktrees.Worktree, record: WorktreeRecord | None,
            binding: Binding | None) -> dict[str, Any] | None:
    """-> branch (where it belongs), on, missing, commit (the last one known, where the branch is missing), back (a command)"""
    home = binding.branch if binding else record.branch if record else ""
    if entry.main or not home or entry.branch in ("", home):
        return None
    kept = binding.protected if binding else bindings.protected(repository, record.base if record else "")
    if entry.branch not in kept:
        return None
    missing = not git.holds("rev-parse", "-q", "--verify", f"refs/heads/{home}", cwd=repository.at)
    commit = last_commit(entry.path, home) if missing else ""
    place = f"git -C {shlex.quote(str(entry.path))}"
    back = f"{place} switch {shlex.quote(home)}" if not missing else f"{place} switch -c {shlex.quote(home)} {commit or 'COMMIT'}"
    return {"branch": home, "on": entry.branch, "missing": missing, "commit": commit or None, "back": back}


def last_commit(path: Path, branch: str) -> str:
    """The newest commit that it had while it was on a branch that is gone: by the log of its HEAD, "" where that does not tell."""
    rows = git.lines(git.ask_or("", "log", "--walk-reflogs", "--format=%H %gs", "HEAD", "--", cwd=path))
    for n, row in enumerate(rows):
        if re.fullmatch(rf"checkout: moving from {re.escape(branch)} to .*", row.partition(" ")[2]):
            return rows[n + 1].partition(" ")[0] if n + 1 < len(rows) else ""
    return ""


def words(one: dict[str, Any]) -> str:
    """In one sentence, with the way back."""
    if not one["missing"]:
        return f"worktree is on a protected branch ({one['on']}). Back: {one['back']}"
    last = f"Last known commit of {one['branch']}: {one['commit'][:9]}." if one["commit"] else \
        f"The last commit of {one['branch']} is not known; git reflog there may show it."
    return f"branch missing, worktree is on a protected branch ({one['on']}). {last} Back: {one['back']}"

"""Worktrees that somebody else made: git lists them, and we have no record. Adopting one makes it ours, and changes nothing in it."""
from __future__ import annotations

from msgspec.structs import replace

from guard.edge.records import is_text
from guard.wt import bindings, git, reconciling, survey, worktrees
from guard.wt.models import WorktreeRecord, now
from guard.wt.repository import Repository


def foreign(repository: Repository, listed: list[worktrees.Worktree]) -> list[worktrees.Worktree]:
    """Those that could be adopted: git works in them, and a record could name them."""
    linked = [entry for entry in listed if not entry.main and is_text(f"{entry.path}{entry.branch}")]
    return [entry for entry in linked if worktrees.record_of(repository, entry.path) is None and survey.stale(repository, entry) is None]


def adopt(repository: Repository, entry: worktrees.Worktree) -> WorktreeRecord:
    """Inside the lock. One of ours that `git worktree move` has taken elsewhere keeps what its record said."""
    before = moved_from(repository, entry)
    if before is None:
        base = bindings.assumed_base(repository, entry.branch)
        since = git.ask_or("", "merge-base", base, entry.head, cwd=repository.at) if base else ""
        record = WorktreeRecord(path=str(entry.path), owned=True, branch=entry.branch, base=base, base_commit=since, created_at=now(),
                                source="adopted")
    else:
        record = replace(before.record, path=str(entry.path))
        reconciling.drop(repository, before)
    repository.store.save(worktrees.record_path(repository, entry.path), record)
    repository.store.note("adopt", path=record.path, branch=record.branch, base=record.base)
    return record


def moved_from(repository: Repository, entry: worktrees.Worktree) -> reconciling.Leftover | None:
    """The record of a place that is gone, of the branch that is checked out here: it came with it."""
    left = reconciling.leftovers(repository, worktrees.listing(repository))
    return next((one for one in left if one.why == "moved" and one.record.branch == entry.branch), None)

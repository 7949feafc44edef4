"""A new worktree of the pool: at the commit that is wanted, with all that each holder is to find in it."""
from __future__ import annotations

from msgspec.structs import replace

from guard.wt import git, hiding, lost, making, own_config, pool, receipts, settling, worktrees
from guard.wt.create import NO_HOOKS
from guard.wt.models import WorktreeRecord
from guard.wt.pool import Workspace
from guard.wt.repository import Repository
from guard.wt.workspaces import QUIET


def grown(repository: Repository, workspace: Workspace, head: str) -> None:
    """Inside the lock. Where git cannot make it, nothing of it stays."""
    path = workspace.place
    record = WorktreeRecord(path=str(path), base_commit=head, created_at=workspace.created_at, source="pool")
    try:
        worktrees.make_parent(repository, path)
        hiding.hide_worktree(repository, path)
        hiding.hide(repository, receipts.HIDDEN)
        repository.store.save(worktrees.record_path(repository, path), record)
        git.do(*QUIET, *NO_HOOKS, *making.in_parallel(repository), "worktree", "add", "--quiet", "--detach", "--", str(path), head,
               cwd=repository.at)
        admin = lost.admin_folder(repository, path)
        if admin is not None:
            repository.store.save(worktrees.record_path(repository, path), replace(record, own=own_config.found(admin)))
    except BaseException:
        if settling.taken_away(repository, workspace):
            pool.save(repository, pool.load(repository).without(path))
        raise

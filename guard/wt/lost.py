"""Worktrees whose folder was deleted, emptied or damaged, or whose making was killed: what git still holds is brought back."""
from __future__ import annotations

import os
import shlex
from pathlib import Path

from guard.wt import git, worktrees
from guard.wt.create import NO_HOOKS
from guard.wt.errors import UsageError
from guard.wt.repository import Repository


def brought_back(repository: Repository, entry: worktrees.Worktree) -> str:
    """Makes a listed worktree usable again, or says why not. Nothing that is in its folder is changed. -> what was done, "" for nothing."""
    if entry.locked == "initializing" and made_by_us(repository, entry) and is_husk(entry):
        husk_made_anew(repository, entry)
        return "finished: its making had been interrupted"
    if not entry.there:
        checked_out_again(repository, entry)
        return "made again: its folder was gone, and with it what was neither committed nor staged"
    if not is_worktree(entry.path):
        git.attempt("worktree", "repair", "--", str(entry.path), cwd=repository.at, reads=False)
        if not is_worktree(entry.path):
            raise UsageError(f"{entry.path} is listed, but is no worktree any more", code="damaged",
                             hint=f"git worktree repair {shlex.quote(str(entry.path))}, or another name: wt enter {entry.name}-2")
        return "mended: its .git file did not lead to git"
    return ""


def is_worktree(path: Path) -> bool:
    """git works there on that very folder (without its .git file, git goes on upwards and finds another)."""
    top = git.ask_or("", "rev-parse", "--show-toplevel", cwd=path) if path.is_dir() else ""
    return bool(top) and os.path.realpath(top) == os.path.realpath(path)


def checked_out_again(repository: Repository, entry: worktrees.Worktree) -> None:
    """The folder is gone, but git's own part is there: HEAD, and the index with what was staged."""
    if entry.locked is not None:
        raise UsageError(f"{entry.path} is missing and locked ({entry.locked or 'no reason given'}); its disk may only be away",
                         code="locked-missing", hint=f"bring the disk back, or git worktree unlock {shlex.quote(str(entry.path))}")
    admin = admin_folder(repository, entry.path)
    if admin is None:
        raise UsageError(f"git has no record of {entry.path}", code="damaged", hint="git worktree prune, then wt enter again")
    entry.path.mkdir(parents=True, exist_ok=True)
    (entry.path / ".git").write_bytes(b"gitdir: " + os.fsencode(admin) + b"\n")
    if not (admin / "index").exists():
        git.do(*NO_HOOKS, "read-tree", "HEAD", cwd=entry.path)
    git.do(*NO_HOOKS, "checkout-index", "--all", cwd=entry.path)
    git.attempt(*NO_HOOKS, "update-index", "-q", "--refresh", cwd=entry.path, reads=False)


def admin_folder(repository: Repository, path: Path) -> Path | None:
    """git's own part of a worktree: the folder in `<common>/worktrees` whose `gitdir` file names it."""
    for file in sorted((repository.common / "worktrees").glob("*/gitdir")):
        told = Path(os.fsdecode(file.read_bytes()).rstrip("\n"))
        if os.path.realpath(file.parent / told.parent) == os.path.realpath(path):
            return file.parent
    return None


def holds_work(repository: Repository, entry: worktrees.Worktree) -> str:
    """What only the registration of a missing worktree still holds: staged files, or commits on no branch. "" for nothing."""
    admin = admin_folder(repository, entry.path)
    if admin is None:
        return ""
    if not entry.branch and not git.ask_or("", "for-each-ref", "--contains", entry.head, "--count=1", cwd=repository.at):
        return f"the commit {entry.head[:9]}, which is on no branch"
    same = git.holds(f"--git-dir={admin}", "diff-index", "--cached", "--quiet", "HEAD", cwd=repository.at)
    return "staged files" if (admin / "index").exists() and not same else ""


def made_by_us(repository: Repository, entry: worktrees.Worktree) -> bool:
    return entry.path.parent == worktrees.parent_folder(repository)


def is_husk(entry: worktrees.Worktree) -> bool:
    """`git worktree add` was killed: git's lock says "initializing", and every file there is one that git was writing."""
    if not entry.there:
        return True
    if not is_worktree(entry.path) or not entry.branch:
        return False
    here = {os.path.relpath(Path(folder) / name, entry.path) for folder, _, names in os.walk(entry.path) for name in names} - {".git"}
    listed = git.ask_or("", "ls-tree", "-r", "-z", "--name-only", "HEAD", cwd=entry.path).split("\0")
    return here <= set(listed)


def husk_made_anew(repository: Repository, entry: worktrees.Worktree) -> None:
    git.do("worktree", "remove", "--force", "--force", "--", str(entry.path), cwd=repository.at)
    git.do(*NO_HOOKS, "worktree", "add", "--", str(entry.path), entry.branch, cwd=repository.at)

"""Worktrees whose folder was deleted, emptied or damaged, or whose making was killed: what git still holds is brought back."""
from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

from guard.wt import git, git_locks, worktrees
from guard.wt.create import NO_HOOKS
from guard.wt.errors import UsageError
from guard.wt.repository import Repository


def brought_back(repository: Repository, entry: worktrees.Worktree) -> str:
    """Makes a listed worktree usable again, or says why not. Nothing that is in its folder is changed. -> what was done, "" for nothing."""
    if entry.locked == "initializing" and in_our_folder(repository, entry) and is_husk(repository, entry):
        husk_finished(repository, entry)
        return "finished: its making had been interrupted"
    if entry.there and (entry.locked == "initializing" or without_head(entry)):  # it may be somebody's, and is not ready for anybody
        raise UsageError(f"{entry.path} is half made, and holds files that git did not write", code="half-made", hint=half_made_ways(entry))
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


def half_made_ways(entry: worktrees.Worktree) -> str:
    place = shlex.quote(str(entry.path))
    head = f"git -C {place} symbolic-ref HEAD refs/heads/BRANCH, " if without_head(entry) else ""
    return f"another name: wt enter {entry.name}-2; or finish it: {head}git -C {place} status, git worktree unlock {place}"


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
    if not at_home(repository, entry.path):
        raise UsageError(f"{entry.path} is on another disk, which may only be away", code="disk-away",
                         hint=f"bring the disk back, or git worktree remove {shlex.quote(str(entry.path))}")
    home = Path(os.path.realpath(entry.path))
    fresh = repository.store.path("partial") / home.name  # it comes to its place whole, so that no killed run leaves half a worktree
    not_busy(repository, entry)
    if fresh.is_dir():
        shutil.rmtree(fresh)
    fresh.mkdir(parents=True)
    git_locks.drop_of_worktree(admin)
    there = (f"--git-dir={admin}", f"--work-tree={fresh}", *NO_HOOKS)
    if not (admin / "index").exists():
        git.do(*there, "read-tree", "HEAD", cwd=fresh)
    git.do(*there, "checkout-index", "--all", cwd=fresh)
    (fresh / ".git").write_bytes(b"gitdir: " + os.fsencode(admin) + b"\n")
    if home.is_dir():
        home.rmdir()  # an empty one
    home.parent.mkdir(parents=True, exist_ok=True)
    fresh.rename(home)
    git.attempt(*NO_HOOKS, "update-index", "-q", "--refresh", cwd=entry.path, reads=False)


def at_home(repository: Repository, path: Path) -> bool:
    """Where this folder would be is the disk that git's folder is on: a missing one is then gone, not away."""
    above = next(folder for folder in (path, *path.parents) if folder.is_dir())
    return above.stat().st_dev == repository.common.stat().st_dev


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


def in_our_folder(repository: Repository, entry: worktrees.Worktree) -> bool:
    return entry.path.parent == worktrees.parent_folder(repository)


def is_husk(repository: Repository, entry: worktrees.Worktree) -> bool:
    """`git worktree add` was killed: git's lock says "initializing", and every file there is one that git was writing."""
    not_busy(repository, entry)
    if not entry.there:
        return True
    here = {os.path.relpath(Path(folder) / name, entry.path) for folder, _, names in os.walk(entry.path) for name in names} - {".git"}
    if without_head(entry):
        return not here
    if not is_worktree(entry.path) or not entry.branch:
        return False
    return here <= set(git.ask_or("", "ls-tree", "-r", "-z", "--name-only", "HEAD", cwd=entry.path).split("\0"))


def without_head(entry: worktrees.Worktree) -> bool:
    """git writes zeros there before it knows better. (builtin/worktree.c, add_worktree)"""
    return not entry.branch and not entry.head.strip("0")


def being_made(repository: Repository, entry: worktrees.Worktree) -> bool:
    """git is at work on it, by its lock files; or on making it, which outlives a killed `wt`."""
    admin = admin_folder(repository, entry.path)
    return (admin is not None and git_locks.in_use(admin)) or (entry.locked == "initializing" and git_locks.being_added(entry.path))


def not_busy(repository: Repository, entry: worktrees.Worktree) -> None:
    if being_made(repository, entry):
        raise UsageError(f"{entry.path} is being made right now by another program", code="busy",
                         hint=f"wait for it, then wt enter {shlex.quote(str(entry.path))}")


def husk_finished(repository: Repository, entry: worktrees.Worktree) -> None:
    """Checks out what is missing or cut short. No other file that is there is touched, whoever wrote it."""
    admin = admin_folder(repository, entry.path)
    if not entry.there or admin is None or without_head(entry):
        record = worktrees.record_of(repository, entry.path)
        branch = entry.branch or (record.branch if record else "") or entry.head
        git.do("worktree", "remove", "--force", "--force", "--", str(entry.path), cwd=repository.at)
        git.do(*NO_HOOKS, "worktree", "add", "--", str(entry.path), branch, cwd=repository.at)
        return
    git_locks.drop_of_worktree(admin)
    if not (admin / "index").exists():
        git.do(*NO_HOOKS, "read-tree", "HEAD", cwd=entry.path)
    filled(entry.path)
    if git.ask("ls-files", "--deleted", cwd=entry.path):
        raise UsageError(f"{entry.path} cannot be finished: files are missing that git could not write", code="damaged",
                         hint=f"git -C {shlex.quote(str(entry.path))} status")
    git.do("worktree", "unlock", "--", str(entry.path), cwd=repository.at)


def filled(path: Path) -> None:
    """Checks out what is missing or cut short. What else is there is left as it is."""
    checked_out = (*NO_HOOKS, "checkout-index", "--quiet")
    git.attempt(*checked_out, "--all", cwd=path, timeout=git.SLOW, reads=False)  # 1: some are there
    for name in cut_short(path):
        git.do(*checked_out, "--force", "--", name, cwd=path)
    git.attempt(*NO_HOOKS, "update-index", "-q", "--refresh", cwd=path, reads=False)


def cut_short(path: Path) -> list[str]:
    """Files that end where git was killed while it wrote them: what they hold is the beginning of what git would write."""
    changed = [name for name in git.ask("diff-files", "--name-only", "-z", cwd=path).split("\0") if name]
    found = []
    for name in changed:
        whole = git.attempt("cat-file", "--filters", f":{name}", cwd=path)
        file = path / name
        if whole.returncode == 0 and file.is_file() and not file.is_symlink() and whole.stdout.startswith(file.read_bytes()):
            found.append(name)
    return found

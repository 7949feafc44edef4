"""Bringing a removed worktree back out of the trash: its branch, git's own part of it, its folder, links, record. Never over anything."""
from __future__ import annotations

import contextlib
import os
import shlex
from pathlib import Path

from msgspec.structs import replace

from guard.wt import git, inspection, lost, moving, removal, trash, worktrees
from guard.wt.create import NO_HOOKS
from guard.wt.errors import UsageError, WtError
from guard.wt.models import Trashed
from guard.wt.names import slug
from guard.wt.repository import Repository


def chosen(repository: Repository, name: str | None) -> Trashed:
    """The newest that fits: an id of the trash, a name, a branch or a path. UsageError where none does."""
    found = [entry for entry in trash.entries(repository) if entry.step != "removing" and (name is None or fits(repository, entry, name))]
    if not found:
        raise UsageError(f"{name} is not in the trash" if name else "the trash is empty", code="not-in-trash",
                         hint="wt restore --list shows what is there; wt status lists the worktrees")
    return found[0]


def fits(repository: Repository, entry: Trashed, name: str) -> bool:
    places = [os.path.realpath(start / worktrees.expanded(name)) for start in (repository.here, repository.home)]
    if os.path.realpath(entry.path) in places or name == entry.id:
        return True
    named = Path(entry.path).name in (name, slug(name)) or entry.branch in (name, repository.loaded.settings.branch_prefix + name)
    return bool(name) and named and not worktrees.looks_like_path(name)


def in_trash(repository: Repository, name: str) -> UsageError | None:
    """What to say of a worktree that was removed; None where the trash has none of that name."""
    found = next((entry for entry in trash.entries(repository) if fits(repository, entry, name)), None)
    return None if found is None else UsageError(f"{name} was removed at {found.at}", code="in-trash",
                                                 hint=f"wt restore {found.id} brings it back; wt status lists the others")


def may_come_back(repository: Repository, entry: Trashed) -> None:
    """UsageError where something stands in its place, or its branch has gone on without it."""
    path, again = Path(entry.path), f"then wt restore {entry.id}"
    if inspection.in_the_way(path):
        raise UsageError(f"something stands at {path}", code="folder-exists",
                         hint=f"wt remove {shlex.quote(str(path))} if it is a worktree, else move it away; {again}")
    for other in worktrees.listing(repository):
        if os.path.realpath(other.path) == os.path.realpath(path):
            raise UsageError(f"git has another worktree at {path}, whose folder is missing", code="registered",
                             hint=f"wt enter {shlex.quote(str(path))} and wt remove it, or git worktree prune; {again}")
        if entry.branch and other.branch == entry.branch:
            raise UsageError(f"{entry.branch} is checked out in {other.path}", code="branch-in-use",
                             hint=f"git -C {shlex.quote(str(other.path))} switch to another branch, {again}")
    tip = tip_of(repository, entry.branch)
    if tip and tip != entry.head:
        raise UsageError(f"{entry.branch} is at {tip[:9]} now, and was at {entry.head[:9] or 'no commit'}", code="branch-moved",
                         hint=f"git branch -m {shlex.quote(entry.branch)} NEW-NAME keeps it as it is now; {again}")
    if not trash.tree(repository, entry).is_dir() or not trash.admin(repository, entry).is_dir():
        raise WtError(f"the trash does not have all of {path}", code="incomplete", details={"ref": entry.ref},
                      hint=f"git worktree add NEW-PATH {entry.ref or entry.head} has its files; the rest is in "
                           f"{shlex.quote(str(trash.folder(repository, entry.id)))}")


def tip_of(repository: Repository, branch: str) -> str:
    return git.ask_or("", "rev-parse", "-q", "--verify", f"refs/heads/{branch}", cwd=repository.at) if branch else ""


def put_back(repository: Repository, entry: Trashed) -> None:
    """All of it; each step may have been done before. Inside the lock. WtError where it cannot go on, with both ways out."""
    path = Path(entry.path)
    if entry.step == "removed" or trash.admin(repository, entry).is_dir():
        may_come_back(repository, entry)
    branch_was_there = bool(tip_of(repository, entry.branch))
    try:
        bring_branch(repository, entry)
        entry = register(repository, entry)
        bring_record(repository, entry)
        bring_folder(repository, entry)
    except (OSError, WtError) as fault:
        undone(repository, entry, branch_too=not branch_was_there)
        if isinstance(fault, WtError):
            raise
        raise removal.cannot_move(f"{path} cannot be put back, and stays in the trash: {fault}", fault,
                                  f"make room there, then wt restore {entry.id}; until then its files are in "
                                  f"{shlex.quote(str(trash.tree(repository, entry)))}") from None
    moving.tied(path, entry.links)
    if not lost.is_worktree(path):
        git.attempt("worktree", "repair", "--", str(path), cwd=repository.at, reads=False)
    if not lost.is_worktree(path):
        raise WtError(f"{path} is back, but git does not work there", code="damaged", hint=f"git worktree repair {shlex.quote(str(path))}")
    if entry.hollow:
        lost.filled(path)
    trash.drop(repository, entry)


def undone(repository: Repository, entry: Trashed, *, branch_too: bool) -> None:
    """The folder cannot come back: what came back for it goes again. Where that cannot be done either, it waits for the next restore."""
    home, kept, tree = repository.common / "worktrees" / entry.admin, trash.admin(repository, entry), trash.tree(repository, entry)
    if not tree.is_dir() or os.path.lexists(Path(entry.path) / ".git"):
        return
    with contextlib.suppress(OSError, WtError):
        if not kept.exists():
            home.rename(kept)
        if entry.record is not None and worktrees.record_of(repository, Path(entry.path)) is not None:
            worktrees.record_path(repository, Path(entry.path)).unlink()
        (tree / ".git").unlink(missing_ok=True)
        if branch_too and entry.branch:
            git.attempt(*NO_HOOKS, "update-ref", "-d", f"refs/heads/{entry.branch}", entry.head, cwd=repository.at, reads=False)
        trash.save(repository, replace(entry, step="removed"))


def bring_branch(repository: Repository, entry: Trashed) -> None:
    if entry.branch and entry.head and not tip_of(repository, entry.branch):
        git.do(*NO_HOOKS, "update-ref", "-m", f"wt restore {entry.id}", f"refs/heads/{entry.branch}", entry.head, "", cwd=repository.at)


def bring_record(repository: Repository, entry: Trashed) -> None:
    """Before the folder: it may be the last thing that the disk has room for."""
    if entry.record is not None:
        record = replace(entry.record, restored_head=entry.head)
        repository.store.save(worktrees.record_path(repository, Path(entry.path)), record)


def register(repository: Repository, entry: Trashed) -> Trashed:
    """git's own part back to its place: HEAD, index, logs, a half-done operation, as they were. Under another name if its own is taken."""
    kept, home = trash.admin(repository, entry), repository.common / "worktrees"
    if not kept.is_dir():
        return entry
    home.mkdir(exist_ok=True)
    name, n = entry.admin, 1
    while os.path.lexists(home / name):
        n += 1
        name = f"{entry.admin}{n}"
    pointer = entry.pointer.rstrip("\n").removesuffix(entry.admin) + name + "\n"
    entry = trash.save(repository, replace(entry, step="restoring", admin=name, pointer=pointer))
    kept.rename(home / name)
    return entry


def bring_folder(repository: Repository, entry: Trashed) -> None:
    """The folder to its old place. OSError where something else stands there; what a copy has brought already is no such thing."""
    tree, path = trash.tree(repository, entry), Path(entry.path)
    if not tree.is_dir():
        return
    (tree / ".git").write_text(entry.pointer, encoding="utf-8", errors="surrogateescape")
    if not (os.path.lexists(path) and all(moving.same(tree / name, path / name) for name in moving.below(tree))):
        if os.path.lexists(path):
            path.rmdir()  # an empty folder goes
        path.parent.mkdir(parents=True, exist_ok=True)
        moving.moved(tree, path)
    moving.gone(tree)

"""Removing a worktree: kept in a ref, moved to the trash, forgotten. After each step the next command can go on, or go back."""
from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from msgspec.structs import replace

from guard.wt import bindings, causes, git, held, keeping, lost, moving, trash, worktrees
from guard.wt.create import NO_HOOKS
from guard.wt.errors import WtError
from guard.wt.gate import Case
from guard.wt.models import Trashed, now
from guard.wt.repository import Repository


def carry_out(case: Case, fate: held.Fate) -> tuple[Trashed, list[str]]:
    """Removes what has passed the gate. Inside the lock. -> the entry of the trash, what could not be kept or stays.

    WtError where it cannot be kept or moved: then everything is as it was, and nothing was deleted.
    """
    repository = case.repository
    entry, warnings = begun(case, fate)
    try:
        cut(entry)
        entry = move(repository, entry)
    except OSError as fault:
        roll_back(repository, entry)
        raise cannot_move(f"{case.path} cannot be moved, and stays as it is: {fault}", fault,
                          "end what uses it, or mend its permissions, then wt remove again; wt status") from None
    return finish(repository, entry), warnings


def cannot_move(said: str, fault: OSError, cure: str) -> WtError:
    """A full disk has its own code and cure; whatever else it is has this one."""
    usual = causes.of_system(fault)
    full = usual is not None and usual.code == "disk-full"
    return WtError(said, code="disk-full" if full else "cannot-move", hint=usual.hint if usual and full else cure)


def begun(case: Case, fate: held.Fate) -> tuple[Trashed, list[str]]:
    """Writes down what there is to do, and keeps in refs all that git may forget. On any failure nothing of that is left."""
    name = trash.new_id(case.repository, case.path.name)
    try:
        return written_down(case, fate, name)
    except BaseException as fault:
        with contextlib.suppress(OSError, WtError):
            trash.finish(case.repository, trash.folder(case.repository, name))
        usual = causes.of_system(fault, f"{case.path} stays as it is") if isinstance(fault, OSError) else None
        if usual is None:
            raise
        raise usual from None


def written_down(case: Case, fate: held.Fate, name: str) -> tuple[Trashed, list[str]]:
    repository, path = case.repository, case.path
    ref, more, warnings = keeping.kept(case, name)
    admin = lost.admin_folder(repository, path)
    entry = Trashed(id=name, step="removing", path=str(path), branch=case.entry.branch, head=case.entry.head.strip("0") and case.entry.head,
                    base=held.base_of(repository, case.entry, case.record), at=now(), order=time.time_ns(), ref=ref, more=more,
                    admin=admin.name if admin else "",
                    pointer=(path / ".git").read_text(encoding="utf-8", errors="surrogateescape"), branch_goes=fate.goes,
                    links=moving.links_out(path), record=case.record)
    return trash.save(repository, entry), warnings


def cut(entry: Trashed) -> None:
    moving.cut(Path(entry.path), entry.links)


def move(repository: Repository, entry: Trashed) -> Trashed:
    """The folder into the trash; with all that is in it, ignored files too."""
    if moving.moved(Path(entry.path), trash.tree(repository, entry)):
        entry = trash.save(repository, replace(entry, copied=True))
    return entry


def finish(repository: Repository, entry: Trashed) -> Trashed:
    """What follows once the folder is in the trash. Each step may have been done before."""
    if entry.copied:
        moving.emptied(Path(entry.path), trash.tree(repository, entry))
    unregister(repository, entry)
    drop_branch(repository, entry)
    forget(repository, entry)
    return trash.save(repository, replace(entry, step="removed"))


def unregister(repository: Repository, entry: Trashed) -> None:
    """Takes exactly this worktree's part out of git's folder, if it still names that place and nobody has made another one there."""
    admin = repository.common / "worktrees" / entry.admin
    ours = entry.admin and admin.is_dir() and lost.admin_folder(repository, Path(entry.path)) == admin
    if ours and not lost.is_worktree(Path(entry.path)) and not trash.admin(repository, entry).exists():
        admin.rename(trash.admin(repository, entry))
    pointer = trash.tree(repository, entry) / ".git"
    if pointer.is_file():
        pointer.unlink()  # or git would work there, on whatever gets that name in git's folder next


def drop_branch(repository: Repository, entry: Trashed) -> None:
    """Only if it still is where it was judged."""
    if entry.branch_goes and entry.branch and not any(other.branch == entry.branch for other in worktrees.listing(repository)):
        git.attempt(*NO_HOOKS, "update-ref", "-d", f"refs/heads/{entry.branch}", entry.head, cwd=repository.at, reads=False)


def forget(repository: Repository, entry: Trashed) -> None:
    """Our record, and the bindings that point there."""
    path = Path(entry.path)
    if os.path.lexists(path / ".git"):
        return  # somebody has made another one there
    if worktrees.record_of(repository, path) is not None:
        worktrees.record_path(repository, path).unlink(missing_ok=True)
    bindings.unbind(repository, [b for b in repository.store.bindings() if b.active and bindings.same_place(b.path, path)])


def roll_back(repository: Repository, entry: Trashed) -> None:
    """The folder is where it was: what was taken off it comes back, and the entry goes. Where it is not, the entry is all there is."""
    if Path(entry.path).is_dir():
        moving.tied(Path(entry.path), entry.links)
        trash.drop(repository, entry)
    else:
        trash.save(repository, replace(entry, step="removed"))


def recover(repository: Repository) -> list[Trashed]:
    """Removals that were killed: ended where the folder is in the trash already, else taken back. Inside the lock. -> those ended."""
    ended = []
    for entry in trash.entries(repository):
        if entry.step != "removing":
            continue
        tree, path = trash.tree(repository, entry), Path(entry.path)
        if tree.is_dir() and (entry.copied or not lost.is_worktree(path)):
            ended.append(finish(repository, entry))
        elif tree.is_dir() and not all(moving.same(tree / name, path / name) for name in moving.below(tree)):
            keep_both(repository, entry)
        else:
            roll_back(repository, entry)
    return ended


def keep_both(repository: Repository, entry: Trashed) -> None:
    """A copy was made, and then somebody worked at the old place: that goes on as it was, and the copy waits in the trash."""
    moving.tied(Path(entry.path), entry.links)
    trash.save(repository, replace(entry, step="removed"))

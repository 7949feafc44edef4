"""Which worktree is merged, and into which branch: both must be at rest, and where the branch is checked out it must be able to move."""
from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from guard.wt import bindings, gate, git, held, lost, restoring, worktrees
from guard.wt.errors import UsageError
from guard.wt.remains import a_or_an, operation
from guard.wt.repository import Repository
from guard.wt.sessions import Caller
from guard.wt.worktrees import Worktree

# In git's folder of a worktree: the branch that a rebase or a bisect has put aside, and goes back to. (git-rebase(1), git-bisect(1))
PUT_ASIDE = ("rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START")


@dataclass(frozen=True)
class Target:
    """`place`: where the branch is checked out, None for nowhere. `guarded`: why merging into it is a person's to allow, or ""."""

    branch: str
    commit: str
    place: Worktree | None
    guarded: str


def source(repository: Repository, name: str, who: Caller, again: str) -> Worktree:
    """The worktree that is meant. UsageError where there is none, or where it holds what a merge would leave behind."""
    entry = worktrees.find(repository, name, main=True)
    if entry is None:
        raise restoring.in_trash(repository, name) or UsageError(f"{name} is no worktree of this repository", code="no-worktree",
                                                                 hint="wt status lists them")
    if entry.main:
        raise UsageError(f"{entry.path} is the main checkout, and a worktree is merged", code="main-checkout",
                         hint="wt merge NAME --into BRANCH; wt status lists the worktrees")
    sound(repository, entry, f"{entry.path} is")
    at_rest(repository, entry, again)
    at = f"git -C {shlex.quote(str(entry.path))}"
    if not entry.branch:
        raise UsageError(f"{entry.path} is on a detached HEAD, and a branch is merged", code="detached",
                         hint=f"{at} switch -c NAME; then {again}")
    if not entry.head.strip("0"):
        raise UsageError(f"{entry.branch} has no commit yet", code="no-commit", hint=f"{at} commit -m 'what it is'; then {again}")
    passes(gate.Case(repository, entry, None, who), gate.clean, again)
    return entry


def chosen(repository: Repository, entry: Worktree, into: str | None, who: Caller, again: str) -> Target:
    """The branch that the worktree was made from, or the one that was asked for."""
    base = into if into is not None else held.base_of(repository, entry, worktrees.record_of(repository, entry.path))
    local = without_remote(repository, base)
    branch = tip(repository, base)[0] or tip(repository, local)[0]
    other = f"wt merge {shlex.quote(str(entry.path))} --into BRANCH; git branch lists them"
    if not branch and local:
        raise UsageError(f"the base of {entry.path} is {base}, a remote's branch, and there is no {local} here", code="no-target",
                         hint=f"git branch {shlex.quote(local)} {shlex.quote(base)}, then {again}; or {other}")
    if not branch:
        what = f"{entry.path} was made from {base[:40]}, which is no branch" if base else f"nobody knows what {entry.path} was made from"
        raise UsageError(f"{what}, so there is nothing to merge {entry.branch} into", code="no-target", hint=other)
    if branch == entry.branch:
        raise UsageError(f"{branch} is the branch of {entry.path} itself", code="itself", hint=other)
    return found(repository, branch, entry, who, again)


def found(repository: Repository, branch: str, entry: Worktree, who: Caller, again: str) -> Target:
    """A branch as it stands now. UsageError where it is checked out and cannot move."""
    place = place_of(repository, branch, who, again)
    base = held.base_of(repository, entry, worktrees.record_of(repository, entry.path))
    guarded = "it is protected" if branch in bindings.protected(repository, base) else ""
    if place is not None and not any(b.session == who.session for b in bindings.of_worktree(repository, place.path)):
        guarded = guarded or f"it is checked out in {place.path}, where somebody else may work"
    return Target(branch, tip(repository, branch)[1], place, guarded)


def tip(repository: Repository, name: str) -> tuple[str, str]:
    """(branch, commit) of a branch of exactly that name, or of the one that it is another name for; ("", "") where there is none."""
    words = ("for-each-ref", "--format=%(refname)%00%(symref)%00%(objectname)", f"refs/heads/{name}")
    for row in git.lines(git.ask_or("", *words, cwd=repository.at)):
        ref, other, commit = row.split("\0")
        if ref == f"refs/heads/{name}" and (other or ref).startswith("refs/heads/"):
            return (other or ref).removeprefix("refs/heads/"), commit
    return "", ""


def without_remote(repository: Repository, name: str) -> str:
    """main of origin/main, "" for what is no remote's branch."""
    if not git.holds("show-ref", "--verify", "--quiet", f"refs/remotes/{name}", cwd=repository.at):
        return ""
    remotes = git.lines(git.ask_or("", "remote", cwd=repository.at))
    return next((name.removeprefix(f"{remote}/") for remote in remotes if name.startswith(f"{remote}/")), "")


def place_of(repository: Repository, branch: str, who: Caller, again: str) -> Worktree | None:
    """The checkout whose files move with the branch. In a linked one nothing may lie open, and nobody else may work there."""
    places = [entry for entry in worktrees.listing(repository) if branch_at(repository, entry) == branch]
    if not places:
        return None
    place = places[0]
    if len(places) > 1:
        raise UsageError(f"{branch} is checked out in {place.path} and in {places[1].path}: it cannot move in both",
                         code="checked-out-twice", hint=f"git -C {shlex.quote(str(places[1].path))} switch --detach; then {again}")
    if place.main and repository.main is None:  # --separate-git-dir: git takes its own folder for the checkout
        raise UsageError(f"{branch} is checked out in the main checkout, and nothing here says where that is", code="main-unknown",
                         hint=f"{again}, from the main checkout")
    sound(repository, place, f"{branch} is checked out in {place.path}, which is")
    at_rest(repository, place, again)
    if not place.main:
        case = gate.Case(repository, place, None, who)
        passes(case, gate.unshared, again)
        passes(case, gate.clean, again)
    return place


def branch_at(repository: Repository, entry: Worktree) -> str:
    """What is checked out there, or has been put aside there. (git's list says nothing of a main checkout that is marked as bare.)"""
    if entry.branch:
        return entry.branch
    admin = admin_folder(repository, entry)
    aside = next((admin / name for name in PUT_ASIDE if (admin / name).is_file()), None)
    if aside is not None:
        return aside.read_text(encoding="utf-8", errors="surrogateescape").rstrip("\n").removeprefix("refs/heads/")
    said = git.ask_or("", f"--git-dir={admin}", "symbolic-ref", "-q", "HEAD", cwd=repository.common) if entry.main else ""
    return said.removeprefix("refs/heads/")


def admin_folder(repository: Repository, entry: Worktree) -> Path:
    return lost.admin_folder(repository, entry.path) or repository.common


def sound(repository: Repository, entry: Worktree, what: str) -> None:
    if not lost.is_worktree(entry.path):
        way = "wt doctor; git status" if entry.main else f"wt enter {shlex.quote(str(entry.path))} brings back what git still has of it"
        raise UsageError(f"{what} {'damaged' if entry.there else 'missing'}", code="damaged" if entry.there else "missing", hint=way)


def at_rest(repository: Repository, entry: Worktree, again: str) -> None:
    word = operation(admin_folder(repository, entry))
    if word or lost.being_made(repository, entry):
        what = f"{a_or_an(word)} is half done" if word else "git is at work"
        raise UsageError(f"{what} in {entry.path}", code="busy",
                         hint=f"git -C {shlex.quote(str(entry.path))} status says how to end it; then {again}")


def passes(case: gate.Case, check: Callable[[gate.Case], gate.Finding | None], again: str) -> None:
    stands = check(case)
    if stands is not None:
        raise UsageError(f"{case.path}: {stands.said}", code=stands.code, hint=f"{stands.cure}; then {again}")

"""The one gate before a worktree is removed: what only it holds, and who still needs it. All findings at once, each with its cure."""
from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from guard.edge.records import is_text
from guard.wt import bindings, copies, held, lane_manifest, lost, owners, pool, receipts, worktrees
from guard.wt.errors import UsageError
from guard.wt.models import Binding, WorktreeRecord
from guard.wt.presence import presence
from guard.wt.remains import Remains, a_or_an, only_in_submodule, operation, remains, with_submodules
from guard.wt.repository import Repository
from guard.wt.sessions import Caller

WORDS = ("changes", "ignored", "commits")  # of --discard
SHOWN = 5


@dataclass(frozen=True)
class Finding:
    """What stands against it. `discard` is the word of --discard that overrides it, "" where nothing does."""

    code: str
    said: str
    cure: str
    discard: str = ""


@dataclass(frozen=True)
class Case:
    """One worktree that shall go. `named`: as the caller wrote it; `ending`: bindings that end with it and count as the caller's;
    `keep`: its branch stays, whatever it holds; `way`: the command that asked for it, "" for `wt remove`; `leaving`: processes in it that
    are about to go; `discard`: the words of --discard.
    """

    repository: Repository
    entry: worktrees.Worktree
    record: WorktreeRecord | None
    who: Caller
    named: str = ""
    foreign: bool = False
    ending: list[Binding] = field(default_factory=list)
    keep: bool = False
    way: str = ""
    leaving: frozenset[int] = frozenset()
    discard: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        return self.entry.path

    @property
    def quoted(self) -> str:
        return shlex.quote(str(self.path))

    @property
    def again(self) -> str:
        """The same command once more, for a cure to add its option to."""
        return self.way or f"wt remove {shlex.quote(self.named or str(self.path))}"

    @cached_property
    def base(self) -> str:
        return held.base_of(self.repository, self.entry, self.record)

    @cached_property
    def fate(self) -> held.Fate:
        return held.fate(self.repository, self.entry, self.record, keep=self.keep)

    @cached_property
    def remains(self) -> Remains:
        return remains(self.path)

    @cached_property
    def submodules(self) -> list[Remains]:
        return with_submodules(self.remains)


def findings(case: Case) -> list[Finding]:
    """Everything that stands against it. UsageError where there is nothing to look at, GitError where git cannot look."""
    if presence(case.repository, case.path) == "unreadable":
        raise UsageError(f"{case.path} cannot be looked at, so nobody can tell what it holds", code="unreadable",
                         hint=f"ls -ld {case.quoted} shows why; then {case.again}")
    if not lost.is_worktree(case.path):
        empty = case.path.is_dir() and not case.entry.there
        over = f"; or rmdir {case.quoted}, if no disk belongs there, and {case.again}" if empty else ""
        raise UsageError(f"{case.path} is {'empty' if empty else 'damaged'}, so nobody can tell what it holds",
                         code="empty" if empty else "damaged",
                         hint=f"wt enter {case.quoted} brings back what git still has of it; then remove it{over}")
    return [found for check in CHECKS if (found := check(case)) is not None]


def refuse(case: Case, found: list[Finding]) -> None:
    """UsageError with all findings that `discard` does not override. Its code is that of the only one, else "kept"."""
    found = [one for one in found if not one.discard or one.discard not in case.discard]
    if not found:
        return
    lines = [f"  {one.said}\n    {one.cure}" for one in found]
    words = [f"--discard {word}" for word in WORDS if any(one.discard == word for one in found)]
    over = f"{case.again} {' '.join(words)}" if all(one.discard for one in found) else ""
    hint = f"as each line says; or {over}: it stays in the trash for 7 days" if over else f"as each line says, then {case.again}"
    raise UsageError(f"{case.path} stays as it is:\n" + "\n".join(lines), code=found[0].code if len(found) == 1 else "kept", hint=hint,
                     details=[{"code": one.code, "said": one.said, "cure": one.cure, "discard": one.discard or None} for one in found])


def ours(case: Case) -> Finding | None:
    if case.record is not None and case.record.owned:
        return None
    if not case.foreign:
        return Finding("foreign", "wt did not make it", foreign_way(case))
    if not Path(case.named).is_absolute():
        return Finding("foreign-by-name", "wt did not make it, and a name may mean another one", foreign_way(case))
    return None


def foreign_way(case: Case) -> str:
    return f"wt remove --foreign {case.quoted}"


def apart(case: Case) -> Finding | None:
    """Neither the main checkout, nor where the caller stands, nor anything that holds one of these or another worktree."""
    root, repository = Path(os.path.realpath(case.path)), case.repository
    if not is_text(str(case.path)):
        return Finding("bad-path", "its path is not UTF-8, so our records cannot name it", "rename the folder, then git worktree repair")
    if not is_text(case.entry.branch):
        return Finding("bad-name", "its branch's name is not UTF-8, so our records cannot hold it",
                       f"git -C {case.quoted} branch -m NEW-NAME, then {case.again}")
    home = shlex.quote(str(repository.home))
    if case.entry.main:
        return Finding("main-checkout", "it is the main checkout", "wt status lists the worktrees")
    if repository.stands_in(root):
        lane = lane_of(case)
        ends = f"wt lane dispose {lane.words}" if lane else f"wt remove {case.quoted}"
        return Finding("inside", "you stand in it", f"cd {home} && {ends}")
    others = [repository.home, repository.common, *(entry.path for entry in worktrees.listing(repository) if entry.path != case.path)]
    within = [path for path in others if Path(os.path.realpath(path)).is_relative_to(root)]
    if within:
        return Finding("holds-others", f"{within[0]} lies in it",
                       f"git worktree move {shlex.quote(str(within[0]))} NEW-PATH, or wt remove that one first")
    return None


def unlocked(case: Case) -> Finding | None:
    reason = case.entry.locked
    if reason is None or owners.dead(reason):
        return None
    return Finding("locked", f"it is locked ({reason or 'no reason given'})", f"git worktree unlock {case.quoted}, if that holds no longer")


def unshared(case: Case) -> Finding | None:
    others = [b for b in bindings.of_worktree(case.repository, case.path) if b.session != case.who.session and b not in case.ending]
    way = f"wt leave {case.quoted}" + (f" --session {shlex.quote(others[0].session)}" if others and others[0].session else "")
    return Finding("bound", who_works(others), f"{way}, when that work is over") if others else None


def who_works(found: list[Binding]) -> str:
    """A session's binding may be the repository's as well: it is named once."""
    whom = list(dict.fromkeys(f"session {b.session}" if b.session else "everybody without a binding of their own" for b in found))
    return f"{' and '.join(whom)} {'works' if len(whom) == 1 else 'work'} in it"


def unleased(case: Case) -> Finding | None:
    """Handed out by `wt lease`: its holder gives it back. One without a receipt nobody could: that goes like any other worktree."""
    if case.record is None or case.record.source != "pool":
        return None
    one = pool.load(case.repository).at(case.path)
    return Finding("leased", f"it is leased by {one.lease.holder}", f"wt lease write return --workspace {case.quoted}, by its holder") \
        if one and one.lease and receipts.is_there(case.path) else None


def no_lane(case: Case) -> Finding | None:
    """A task works in it; `wt lane dispose`, which passes the word "lane", ends it."""
    lane = lane_of(case) if "lane" not in case.discard else None
    if lane is None:
        return None
    return Finding("lane", f"it is the lane of the task {lane.task} of the run {lane.run}",
                   f"wt lane dispose {lane.words}, when that is over")


def lane_of(case: Case) -> lane_manifest.Lane | None:
    """The lane that `wt lane dispose` has to end: one at work, and any other that it was asked for."""
    if case.record is None or case.record.source != "lane":
        return None
    lane = lane_manifest.load(case.repository).at(case.path)
    return lane if lane and (lane.status in lane_manifest.HELD or "lane" in case.discard) else None


def idle(case: Case) -> Finding | None:
    own = {os.getppid()} if case.repository.stands_in(case.path) else set()  # apart() says so
    found = owners.inside(case.path, case.leaving | own)
    return Finding("in-use", f"processes stand in it: {shown(found)}", "end them, or cd out of it there; wt status") if found else None


def settled(case: Case) -> Finding | None:
    """No git at work in it, no operation half done. Such a state goes to the trash with the rest, so it counts as changes."""
    if lost.being_made(case.repository, case.entry):
        return Finding("busy", "git is at work in it", "wait for it, then wt remove again")
    if owners.at_work(case.record):
        return Finding("busy", "another wt still sets it up", "wait for it, then wt remove again; wt status")
    admin = lost.admin_folder(case.repository, case.path)
    word = operation(admin) if admin else ""
    cure = f"git -C {case.quoted} {'bisect reset' if word == 'bisect' else f'{word} --abort'}, or finish it"
    return Finding("operation", f"{a_or_an(word)} is half done", cure, "changes") if word else None


def clean(case: Case) -> Finding | None:
    names = case.remains.open
    return Finding("open-changes", f"{len(names)} open file(s): {shown(names)}",
                   f"git -C {case.quoted} add -A && git -C {case.quoted} commit -m 'what it is' keeps them on the branch",
                   "changes") if names else None


def submodules_clean(case: Case) -> Finding | None:
    names = [str(inner.root.relative_to(case.path)) for inner in case.submodules if inner.open]
    return Finding("submodule-changes", f"open files in submodules: {shown(names)}",
                   f"git -C {shlex.quote(str(case.path / names[0]))} stash, or commit and push them there", "changes") if names else None


def submodules_pushed(case: Case) -> Finding | None:
    names = [str(inner.root.relative_to(case.path)) for inner in case.submodules if only_in_submodule(inner.root) != 0]
    return Finding("submodule-commits", f"commits that only these submodules hold: {shown(names)}",
                   f"git -C {shlex.quote(str(case.path / names[0]))} push, from a branch", "commits") if names else None


def ignored(case: Case) -> Finding | None:
    """What the main checkout has at the same place, byte for byte, came from there and is not lost."""
    own = [name for name in case.remains.ignored if not receipts.only_ours(case.path, name)]
    names = own + [f"{inner.root.relative_to(case.path)}/{name}" for inner in case.submodules for name in inner.ignored]
    names = copies.own(case.path, names, case.repository.main)
    return Finding("ignored-files", f"{len(names)} ignored file(s) or folder(s): {shown(names)}",
                   f"{case.again} --discard ignored, or copy what you need", "ignored") if names else None


def commits_held(case: Case) -> Finding | None:
    """Commits of a detached HEAD are held by nothing else."""
    head, repository = case.entry.head, case.repository
    if case.entry.branch or not head.strip("0") or held.holders(repository, head, ""):
        return None
    count = held.only_there(repository, head, "")
    return Finding("unreferenced-commits", f"its HEAD is detached, and commits are on no branch: {shown(count) or head[:9]}",
                   f"git branch NAME {head[:9]} keeps them", "commits")


def commits_elsewhere(case: Case) -> Finding | None:
    """A branch that was made for this worktree alone would be the only sign of them, and its worktree gone: that is to be meant."""
    head, branch = case.entry.head, case.entry.branch
    if not case.fate.alone or not head.strip("0"):
        return None
    count, names = held.how_many_only_there(case.repository, head, branch), held.only_there(case.repository, head, branch)
    more = f" and {int(count) - len(names)} more" if count.isdigit() and int(count) > len(names) else ""
    return Finding("unmerged-commits", f"{count} commit(s) that only {branch} has: {'; '.join(names) or head[:9]}{more}",
                   f"{case.again} --keep-branch keeps them on {branch}", "commits")


CHECKS: tuple[Callable[[Case], Finding | None], ...] = (
    ours, apart, unlocked, unshared, unleased, no_lane, idle, settled, clean, submodules_clean, submodules_pushed, ignored, commits_held,
    commits_elsewhere)


def shown(names: list[str]) -> str:
    """The first few, and how many more."""
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")

"""What `wt doctor --fix` can mend in a repository: each with what it found, what it would do, and whether that needs a person's word."""
from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from guard.wt import adoption, git, owners, reconciling, survey, worktrees
from guard.wt.repository import Repository

DONE = {"adopt": "it is adopted now", "unlock": "it is unlocked now", "drop-record": "the record is dropped now"}


@dataclass(frozen=True)
class Mend:
    """`fix` names what `act` does. `ask` is the question for a person; `sure`: nothing can be lost with it, so --yes is enough."""

    fix: str
    path: Path
    said: str
    cure: str
    ask: str
    sure: bool
    act: Callable[[], object]


def mends(repository: Repository) -> list[Mend]:
    """Everything that is to mend now. Changes nothing."""
    listed = worktrees.listing(repository)
    found = [to_adopt(repository, entry) for entry in adoption.foreign(repository, listed)]
    found += [to_unlock(repository, entry) for entry in listed if locked_for_nothing(repository, entry)]
    return found + [to_drop(repository, one) for one in reconciling.leftovers(repository, listed) if one.why in ("", "branch", "away")]


def carry_out(repository: Repository, one: Mend) -> bool:
    """False where it is not to mend any more: somebody was faster, or the disk is back."""
    with repository.store.locked():
        still = next((other for other in mends(repository) if (other.fix, other.path) == (one.fix, one.path)), None)
        if still is not None:
            still.act()
    return still is not None


def to_adopt(repository: Repository, entry: worktrees.Worktree) -> Mend:
    before = adoption.moved_from(repository, entry)
    whence = f"was moved here from {before.path}" if before else "was made by somebody else"
    return Mend("adopt", entry.path, f"{entry.path} ({entry.branch or 'detached'}) {whence}, and wt has no record of it",
                "wt doctor --fix adopts it: wt then removes and cleans it as one of its own; nothing in it changes",
                f"Adopt {entry.path}?", True, partial(adoption.adopt, repository, entry))


def locked_for_nothing(repository: Repository, entry: worktrees.Worktree) -> bool:
    """Locked, and nothing is there. git's own lock while it makes one is none of these: wt enter finishes that."""
    return entry.locked not in (None, "initializing") and survey.stale(repository, entry) == "locked, missing"


def to_unlock(repository: Repository, entry: worktrees.Worktree) -> Mend:
    """A lock is there because a disk may be away, so only a person knows; unless it is that of a process that has ended."""
    reason, dead = entry.locked or "no reason given", owners.dead(entry.locked or "")
    whose = "the process of its lock has ended" if dead else "its disk may only be unmounted"
    way = "wt doctor --fix unlocks it" if dead else "bring its disk back, or wt doctor --fix in a terminal asks, and unlocks it"
    return Mend("unlock", entry.path, f"{entry.path} is locked ({reason}), and its folder is missing: {whose}",
                f"{way}; then wt enter {shlex.quote(str(entry.path))} makes it again", f"Unlock {entry.path}? {whose.capitalize()}.", dead,
                lambda: git.do("worktree", "unlock", "--", str(entry.path), cwd=repository.at))


def to_drop(repository: Repository, one: reconciling.Leftover) -> Mend:
    why = reconciling.KEPT[one.why]
    return Mend("drop-record", one.path, f"a record of {one.path}, which is gone and which git does not list; {why}",
                "wt doctor --fix drops the record" + ("" if one.why != "away" else ", after asking in a terminal"),
                f"Drop the record of {one.path}? {why.capitalize()}.", one.why != "away", partial(reconciling.drop, repository, one))

"""Who may merge into a guarded branch: a person at a terminal, and whoever has a person's leave for it."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from guard.edge import disk
from guard.wt import terminal
from guard.wt.errors import UsageError
from guard.wt.leaves import living_authorisations
from guard.wt.merge_target import Target
from guard.wt.models import Authorisation
from guard.wt.repository import Repository
from guard.wt.sessions import Caller


def given(repository: Repository, target: str, who: Caller, why: str, again: str) -> Authorisation | None:
    """The leave to merge by; None for a person, who needs none. UsageError for everybody else; `why` the branch is guarded."""
    if terminal.person():  # who types `wt merge` gives leave by typing it; a script without a terminal needs one as an agent does
        return None
    leave = living(repository, target, who)
    if leave is None:
        raise UsageError(f"merging into {target} is a person's to allow: {why}", code="not-authorised",
                         hint=f"a person runs wt authorize-main --reason 'what it is for' --only merge; then {again}")
    return leave


def fits(leave: Authorisation, target: str, session: str | None) -> bool:
    """As the hook judges a leave to write (edge/look.py); its branch is the one that is merged into."""
    return leave.only in (None, "merge") and (leave.branch or target) == target and leave.session in (None, session)


def living(repository: Repository, target: str, who: Caller) -> Authorisation | None:
    """One for a single call is the last to be taken."""
    fitting = [one for one in living_authorisations(repository.store) if fits(one, target, who.session)]
    return min(fitting, key=lambda one: one.once, default=None)


def may(repository: Repository, target: Target, who: Caller) -> bool:
    return not target.guarded or terminal.person() or living(repository, target.branch, who) is not None


@contextmanager
def used_up(repository: Repository, leave: Authorisation | None) -> Iterator[None]:
    """Marks a leave for one call as used, as the hook does; where the call fails it is as good as before."""
    if leave is None or not leave.once:
        yield
        return
    mark = repository.store.path("used") / leave.id
    mark.parent.mkdir(mode=0o700, exist_ok=True)
    try:
        ours = disk.claim(str(mark), "")
    except OSError:
        ours = True  # no links on this disk: the leave was given, says the hook as well
    if not ours:
        raise UsageError("the leave was good for one call, which somebody else has made meanwhile", code="not-authorised",
                         hint="a person runs wt authorize-main --reason 'what it is for' --only merge")
    try:
        yield
    except BaseException:
        mark.unlink(missing_ok=True)
        raise

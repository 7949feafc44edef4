"""The last step of a merge: the base moves forward to what was made, with its files, never by force; where it was is kept in a ref."""
from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass, replace
from pathlib import Path

from guard.wt import causes, forward, git, git_locks, leave_to_merge, merge_target, merging, names
from guard.wt.create import NO_HOOKS
from guard.wt.errors import UsageError, WtError
from guard.wt.gate import SHOWN, shown
from guard.wt.merge_target import Target
from guard.wt.merging import How, Plan
from guard.wt.models import Authorisation
from guard.wt.repository import Repository
from guard.wt.sessions import Caller
from guard.wt.temporary_checkout import checkout
from guard.wt.undisturbed import undisturbed

BACKUPS = "refs/worktree-guard/backup/"
RESULTS = "refs/worktree-guard/merged/"


@dataclass(frozen=True)
class Outcome:
    """`after` is where the target is now; `backup` holds where it was, "" where it has not moved."""

    how: How
    after: str
    backup: str = ""


def carry_out(plan: Plan, who: Caller, message: str) -> Outcome:
    """Makes what the target is to become, and moves it there. WtError where it does not come to that: then all is as it was."""
    if plan.how == "nothing":
        return Outcome("nothing", plan.target.commit)
    allowed(plan, who)  # asked again at the end: a leave may end while the repository's hooks run
    if plan.how == "fast-forward":
        return brought_in(plan, who, plan.source.head)
    with checkout(plan.repository, plan.target.commit) as folder:
        result = merging.merged(plan, folder, message)
        return brought_in(plan, who, result) if result != plan.target.commit else Outcome("nothing", result)


def allowed(plan: Plan, who: Caller) -> Authorisation | None:
    return leave_to_merge.given(plan.repository, plan.target.branch, who, plan.target.guarded, plan.again) if plan.target.guarded else None


def brought_in(plan: Plan, who: Caller, result: str) -> Outcome:
    """The last step, under the lock: the target is still what was merged with, so it moves forward. A ref keeps where it was."""
    repository, target = plan.repository, plan.target
    with repository.store.locked():
        plan = replace(plan, target=merge_target.found(repository, target.branch, plan.source, who, plan.again))
        if (plan.target.commit, plan.target.place) != (target.commit, target.place):
            raise UsageError(f"{target.branch} is not where it was when the merge began", code="moved", hint=f"{plan.again}, once more")
        with undisturbed():
            with leave_to_merge.used_up(repository, allowed(plan, who)):
                backup = moved(plan, result)
            forget(repository, kept_as(plan))
            repository.store.note("merge", source=plan.source.branch, target=target.branch, how=plan.how, before=target.commit,
                                  after=result)
    return Outcome(plan.how, result, backup)


def moved(plan: Plan, result: str) -> str:
    """-> the ref that holds where the target was. WtError where it could not move; then there is none."""
    backup = backed_up(plan.repository, plan.target)
    try:
        move(plan, result)
    except BaseException:
        if merge_target.tip(plan.repository, plan.target.branch)[1] == plan.target.commit:
            forget(plan.repository, backup)
        raise
    return backup


def move(plan: Plan, result: str) -> None:
    """With its files where it is checked out, else the ref alone; git refuses both where something has come in between."""
    target, said = plan.target, f"wt merge {plan.source.branch}"
    if target.place is None:
        words = ("update-ref", "-m", said, f"refs/heads/{target.branch}", result, target.commit)
        done = git.attempt(*words, cwd=plan.repository.at, reads=False)
        against = (os.fsdecode(done.stderr).strip() or f"exit status {done.returncode}") if done.returncode else ""
    else:
        against = forward.forward(target.place.path, target.commit, result, said)
    if against and merge_target.tip(plan.repository, target.branch)[1] != result:
        raise in_the_way(plan, result, against)


def in_the_way(plan: Plan, result: str, said: str) -> WtError:
    """What was merged is kept in a ref, one for each branch, so that it can be looked at."""
    kept = kept_as(plan) if plan.how != "fast-forward" else ""
    if kept:
        git.do(*NO_HOOKS, "update-ref", kept, result, cwd=plan.repository.at)
    place = plan.target.place
    details = {"output": said[-2000:], "result": kept or None}
    also = f" The merge itself is in {kept}." if kept else ""
    if place is None or not re.search("would be overwritten|would lose untracked", said):
        _, code, hint = causes.cause(said) or ("", "not-moved", f"mend what it says, then {plan.again}; wt status")
        return WtError(f"{plan.target.branch} stays where it was, git refused to move it:{also}\n{said}", code=code, details=details,
                       hint=hint)
    files = [line[1:] for line in git.lines(said) if line.startswith("\t")]
    return WtError(f"open files of {place.path} are in the way, and nothing was changed: {shown(files)}.{also}", code="open-files",
                   details={**details, "files": files}, hint=f"{put_aside(place.path, files)} puts them aside; then {plan.again}")


def put_aside(root: Path, files: list[str]) -> str:
    """The command for it. `git stash` does not see what the index is told not to look at (ls-files -v: small letters, and S)."""
    at, which = f"git -C {shlex.quote(str(root))}", shlex.join(files) if len(files) <= SHOWN else "FILES"
    marks = {row[2:]: row[0] for row in git.ask("ls-files", "-v", "-z", cwd=root).split("\0") if row}
    options = [option for option, hidden in (("--no-assume-unchanged", str.islower), ("--no-skip-worktree", "Ss".__contains__))
               if any(hidden(marks.get(name, "H")) for name in files)]
    seen = f"{at} update-index {' '.join(options)} {which} && " if options else ""
    return f"{seen}{at} stash push --all -- {which}"


def backed_up(repository: Repository, target: Target) -> str:
    """A ref that holds where the target is now."""
    taken = git.lines(git.ask("for-each-ref", "--format=%(refname)", BACKUPS, cwd=repository.at))
    ref = names.unique(f"{BACKUPS}{ref_name(target.branch)}-{names.stamp()}", set(taken))
    git_locks.drop_of_ref(repository, ref)
    git.do(*NO_HOOKS, "update-ref", ref, target.commit, "", cwd=repository.at)
    return ref


def ref_name(branch: str) -> str:
    return names.for_ref(branch).removesuffix(".lock").rstrip(".")


def kept_as(plan: Plan) -> str:
    """The ref of a merge that could not be brought in."""
    return RESULTS + ref_name(plan.source.branch)


def forget(repository: Repository, ref: str) -> None:
    git.attempt(*NO_HOOKS, "update-ref", "-d", ref, cwd=repository.at, reads=False)


def way_back(plan: Plan, outcome: Outcome) -> str:
    """The command that undoes it. What lies open or staged stays so: `reset --keep` would put the index aside."""
    backup, place = shlex.quote(outcome.backup), plan.target.place
    if place is not None:
        return f"git -C {shlex.quote(str(place.path))} checkout --no-overwrite-ignore -B {shlex.quote(plan.target.branch)} {backup}"
    ref = shlex.quote(f"refs/heads/{plan.target.branch}")
    return f"git -C {shlex.quote(str(plan.repository.at))} update-ref {ref} {backup} {outcome.after}"

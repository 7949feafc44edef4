"""A lane from the end of its task to the trash: through the one gate, kept where it holds what would go with it, handed over else."""
from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from guard.wt import bindings, git, lane_manifest, lane_reconciling, lost, missing, names, removing, worktrees
from guard.wt.errors import UsageError, WtError
from guard.wt.lane_manifest import Lane, Manifest, Open
from guard.wt.presence import presence
from guard.wt.removing import Asked
from guard.wt.repository import Repository
from guard.wt.sessions import Caller
from guard.wt.terminal import Tell


@dataclass(frozen=True)
class Meant:
    """A lane by its run and task, or by its `path`."""

    run: str = ""
    task: str = ""
    path: str = ""


def disposed(repository: Repository, meant: Meant, who: Caller, tell: Tell, *, skip_teardown: bool = False) -> tuple[Lane, list[str]]:
    """-> the lane, disposed (in the trash) or retained-dirty (kept, with what is `open`); warnings. Twice is the same as once.

    UsageError where somebody else still needs it: another session, a process in it, the command that prepares it.
    """
    with repository.store.locked():
        known = lane_reconciling.settled(repository)
        lane = chosen(known, repository, meant)
        if lane.status == "disposed":
            return lane, []
        if lane_reconciling.at_work(lane):
            raise UsageError(f"{lane.path} is being prepared right now", code="busy", hint="wait for it; wt lane list says when it is done")
        entry = listed(repository, lane)
        if entry is None:
            return forgotten(repository, known, lane, who), []
        if lane.status == "preparing":
            lost.brought_back(repository, entry)
        if stray := elsewhere(repository, lane, entry):
            return retained(repository, lane, stray), []
    ending = [one for one in bindings.of_worktree(repository, lane.place) if lane.session and one.session == lane.session]
    # Ignored files (a build's, a cache's) are no task's work, as git sees it too; they wait in the trash with the rest.
    asked = Asked(lane.path, who, discard=("lane", "ignored"), keep=True, skip_teardown=skip_teardown, ending=ending)
    try:
        asked = removing.torn_down(repository, asked, tell)
        with repository.store.locked():
            return removed(repository, lane, asked, tell)
    except WtError as refusal:
        found = only_open(refusal)
        if not found:
            raise for_a_lane(refusal, lane) from None
    with repository.store.locked():
        return retained(repository, lane, found), []


def elsewhere(repository: Repository, lane: Lane, entry: worktrees.Worktree) -> list[Open]:
    """Something else is checked out there, and the commits of the lane's branch are not in it: nobody would hand them over."""
    tip = lane_reconciling.tip(repository, lane)
    if entry.branch == lane.branch or not tip or not entry.there or \
            git.holds("merge-base", "--is-ancestor", tip, entry.head, cwd=repository.at):
        return []
    on = names.readable(entry.branch) or "a detached HEAD"
    return [Open(code="other-branch", said=f"it is on {on}, which lacks commits of its branch {lane.branch}",
                 cure=f"git -C {shlex.quote(lane.path)} switch {shlex.quote(lane.branch)}, or merge it there")]


def only_open(refusal: WtError) -> list[Open]:
    """What the gate has found, if all of it is work that would go with the lane; else nothing."""
    found: Any = refusal.details if isinstance(refusal.details, list) else []
    return [Open(code=one["code"], said=names.readable(one["said"]), cure=names.readable(one["cure"])) for one in found] \
        if all(one["discard"] for one in found) else []


def for_a_lane(refusal: WtError, lane: Lane) -> WtError:
    """The same refusal; its way out ends with the lane's command instead of `wt remove`."""
    again = f"wt lane dispose {lane.words}"
    if isinstance(refusal.details, list):
        refusal.hint = f"as each line says, then {again}"
    elif refusal.code == "teardown-failed":
        refusal.hint = f"mend it, or {again} --skip-teardown"
    return refusal


def chosen(known: Manifest, repository: Repository, meant: Meant) -> Lane:
    """UsageError where there is none."""
    found = known.at(repository.here / worktrees.expanded(meant.path)) if meant.path else known.of(meant.run, meant.task)
    if found is not None and (meant.run not in ("", found.run) or meant.task not in ("", found.task)):
        raise UsageError(f"{found.path} is the lane of the task {found.task} of the run {found.run}", code="no-lane",
                         hint=f"wt lane dispose {found.words} ends it; wt lane list shows the others")
    if found is None:
        raise UsageError(f"there is no lane {f'at {meant.path}' if meant.path else f'for the task {meant.task} of the run {meant.run}'}",
                         code="no-lane", hint="wt lane list shows them; wt remove takes any other worktree away")
    return found


def listed(repository: Repository, lane: Lane) -> worktrees.Worktree | None:
    """Its own worktree, as git lists it."""
    entry = worktrees.at(repository, lane.path)
    return entry if entry and lane_reconciling.made_for(repository, lane) else None


def removed(repository: Repository, lane: Lane, asked: Asked, tell: Tell) -> tuple[Lane, list[str]]:
    """Through the gate and into the trash. Its branch stays where it has commits of its own. Inside the lock."""
    known = lane_reconciling.settled(repository)
    live = known.of(lane.run, lane.task)
    entry = listed(repository, lane)
    if live is None or live.status == "disposed" or entry is None:
        return live or lane, []  # somebody was faster
    left = lane_reconciling.hand_over(repository, live, entry.branch, entry.head)
    keep = bool(left.commits) or not replace(asked, keep=False).case(repository, entry).fate.goes
    gone = removing.now(repository, replace(asked, keep=keep), tell)
    after = lane_reconciling.disposed(live, Path(gone["trash"]).name, left, deleted=gone["branch_deleted"])
    lane_manifest.save(repository, known.with_(after))
    return after, gone["warnings"]


def forgotten(repository: Repository, known: Manifest, lane: Lane, who: Caller) -> Lane:
    """git does not list it any more. UsageError where its folder is there all the same, or may be. Inside the lock."""
    look = presence(repository, lane.place)
    if look != "gone":
        raise UsageError(f"{lane.path}: {lane.note}", code="lane-lost",
                         hint=f"bring its disk back, or look at what is in {shlex.quote(lane.path)} and move it away; "
                              f"then wt lane dispose {lane.words}")
    ending = [one for one in repository.store.bindings() if lane.session and one.session == lane.session]
    missing.forgotten(repository, lane.path, who, ending, dry=False)
    tip = lane_reconciling.tip(repository, lane)
    left = lane_reconciling.hand_over(repository, lane, lane.branch if tip else "", tip)
    after = lane_reconciling.disposed(lane, "", left, deleted=not tip)
    lane_manifest.save(repository, known.with_(after))
    return after


def retained(repository: Repository, lane: Lane, found: list[Open]) -> Lane:
    """Inside the lock."""
    known = lane_reconciling.settled(repository)
    live = known.of(lane.run, lane.task)
    if live is None or live.status not in (*lane_manifest.HELD, "retained-dirty"):
        return live or lane  # somebody was faster
    after = lane_reconciling.changed(live, status="retained-dirty", maker=None, open=found)
    if after != live:
        lane_manifest.save(repository, known.with_(after))
    return after

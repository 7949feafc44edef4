"""What a lane will be: its folder, its branch, where it begins. Everything is decided here, and nothing is changed."""
from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from guard.edge import disk, repo
from guard.edge.records import is_text
from guard.wt import create, git, inspection, lane_manifest, names, path_length, worktrees
from guard.wt.create import Plan
from guard.wt.errors import UsageError
from guard.wt.lane_manifest import Manifest
from guard.wt.repository import Repository


@dataclass(frozen=True)
class Asked:
    """Which task of which run wants a lane. `base` "": what the caller's checkout has checked out; `session`: who shall be bound to it."""

    run: str
    task: str
    base: str = ""
    session: str | None = None

    @property
    def again(self) -> str:
        return f"wt lane prepare {lane_manifest.options(self.run, self.task)}"


def checkout(repository: Repository, asked: Asked) -> Path:
    """The caller's. UsageError in a subfolder: a lane is a whole checkout, and its task would find itself at the top of it instead."""
    disk.forget()
    here = Path(os.path.realpath(repository.here))
    near = repo.checkout_of(disk, str(here))
    if near is None or near.bare or os.path.realpath(near.common) != str(repository.common):
        raise UsageError(f"{here} is no checkout: a lane starts from one, and a bare repository has none", code="no-checkout",
                         hint=f"wt status lists the worktrees; cd into one, then {asked.again}")
    if os.path.realpath(near.root) != str(here):
        raise UsageError(f"{here} is not the root of its checkout, and a lane is a whole one", code="not-root",
                         hint=f"cd {shlex.quote(near.root)} && {asked.again}")
    return here


def planned(repository: Repository, known: Manifest, asked: Asked, root: Path) -> Plan:
    """Decides all of it. UsageError where something is in the way."""
    path = worktrees.parent_folder(repository) / folder(repository, known, asked)
    if inspection.in_the_way(path):
        raise UsageError(f"{path} is in the way, and no lane of this task", code="folder-exists",
                         hint=f"wt status lists the worktrees: wt remove {shlex.quote(str(path))} if it is one, else move it away; "
                              f"then {asked.again}")
    base, commit = create.base_of(repository, started_from(asked, root))
    prefix = repository.loaded.settings.branch_prefix
    branch = names.unique(prefix + path.name, create.branches(repository))
    create.must_be_branch(repository, branch, path.name)
    path_length.must_fit(path, commit, repository.at)
    return Plan(path, branch, commit, base, commit, fresh=True, source="lane", title=lane_manifest.title(asked.run, asked.task))


def folder(repository: Repository, known: Manifest, asked: Asked) -> str:
    """wf-<run>-<task>, a name for that task alone: where another one has it (a-b and c, a and b-c), a hash of both is added."""
    for name, text in (("run", asked.run), ("task", asked.task)):
        if not text.strip() or not text.isprintable() or not is_text(text):
            raise UsageError(f"the {name} is blank, or holds what cannot be printed", code="bad-name",
                             hint="wt lane prepare --run RUN --task TASK")
    plain = names.slug(f"wf-{asked.run}-{asked.task}").replace("..", ".=2e")  # as a branch: no "..", no ".lock"
    plain = plain[:-5] + "=2elock" if plain.endswith(".lock") else plain
    both = sha256(asked.run.encode() + b"\0" + asked.task.encode()).hexdigest()
    hashed = f"{plain}-{both[:8]}"
    if len(os.fsencode(hashed)) > create.LONGEST:
        raise UsageError(f"run and task make a name of {len(plain)} characters, which is too long", code="bad-name",
                         hint=f"wt lane prepare --run {shlex.quote(asked.run[:20])} --task {shlex.quote(asked.task[:20])}")
    parent = worktrees.parent_folder(repository)
    others = {os.path.normcase(lane.path).casefold() for lane in known.lanes if (lane.run, lane.task) != (asked.run, asked.task)}
    return hashed if os.path.normcase(parent / plain).casefold() in others else plain


def started_from(asked: Asked, root: Path) -> str:
    """The base as asked for, else what the caller's checkout has checked out: its branch, or its commit."""
    if asked.base not in ("", "HEAD"):
        return asked.base
    branch = git.ask_or("", "symbolic-ref", "-q", "--short", "HEAD", cwd=root)
    commit = git.ask_or("", "rev-parse", "-q", "--verify", "HEAD^{commit}", cwd=root)
    if not commit:
        raise UsageError(f"{root} has no commit yet, so there is nothing to start from", code="no-commit",
                         hint=f"make a first commit: git commit --allow-empty -m start; then {asked.again}")
    return branch or commit

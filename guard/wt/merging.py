"""What a merge would be, and making it in a checkout of its own: no branch, and no file of anybody, has changed yet."""
from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from guard.wt import git
from guard.wt.errors import UsageError, WtError
from guard.wt.forward import LONG
from guard.wt.merge_target import Target
from guard.wt.remains import remains
from guard.wt.repository import Repository
from guard.wt.worktrees import Worktree

How = Literal["nothing", "fast-forward", "merge", "squash"]
# Nothing that would outlive the checkout: no resolution learned (git-rerere(1)), no monitor of its files, no gc in the background.
PASSING = ("-c", "rerere.enabled=false", "-c", "core.fsmonitor=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false")


@dataclass(frozen=True)
class Plan:
    """What goes where, and how. `commits` are those that the target lacks, the newest first; `again` is the command that asks for it."""

    repository: Repository
    source: Worktree
    target: Target
    how: How
    commits: list[str]
    again: str


def planned(repository: Repository, source: Worktree, target: Target, squash: bool, again: str) -> Plan:
    """By ancestry alone. UsageError where the two have nothing in common."""
    since = git.ask_or("", "merge-base", target.commit, source.head, cwd=repository.at)
    if not since:
        there = f"git -C {shlex.quote(str(source.path))}"
        raise UsageError(f"{source.branch} and {target.branch} have no commit in common", code="unrelated",
                         hint=f"{there} fetch --unshallow if the clone is shallow; else, if that is meant, "
                              f"{there} merge --allow-unrelated-histories {shlex.quote(as_word(target.branch))}; then {again}")
    words = ("log", "--no-show-signature", "--encoding=UTF-8", "--format=%h %s", f"{target.commit}..{source.head}", "--")
    commits = git.lines(git.ask(*words, cwd=repository.at))
    return Plan(repository, source, target, how(since, target.commit, source.head, squash), commits, again)


def how(since: str, before: str, head: str, squash: bool) -> How:
    if since == head:
        return "nothing"
    return "squash" if squash else "fast-forward" if since == before else "merge"


def conflicts(plan: Plan) -> list[str] | None:
    """Files that would conflict, found without a checkout. None: git cannot tell. (`merge-tree --write-tree` is of git 2.38.)"""
    if plan.how in ("nothing", "fast-forward"):
        return []
    words = ("merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", plan.target.commit, plan.source.head)
    done = git.attempt(*words, cwd=plan.repository.at)
    return sorted(set(os.fsdecode(done.stdout).split("\0")[1:]) - {""}) if done.returncode in (0, 1) else None


def open_files(plan: Plan) -> list[str]:
    """Open and ignored files (folders end in /) where the target is checked out, at paths that the merge changes, below or above them:
    git would not overwrite them. What is only missing there, it writes anew.
    """
    if plan.how == "nothing" or plan.target.place is None:
        return []
    since = git.ask("merge-base", plan.target.commit, plan.source.head, cwd=plan.repository.at)
    words = ("diff-tree", "-r", "-z", "--name-only", since, plan.source.head, "--")
    changed = {PurePosixPath(name) for name in git.ask(*words, cwd=plan.repository.at).split("\0")[:-1]}
    related = changed.union(*(path.parents for path in changed))
    there = remains(plan.target.place.path)
    return [name for name in [*there.open, *there.ignored] if os.path.lexists(there.root / name)
            and (PurePosixPath(name) in related or not changed.isdisjoint(PurePosixPath(name).parents))]


def as_word(branch: str) -> str:
    """A branch as git takes it from a command line: -x would be an option."""
    return f"refs/heads/{branch}" if branch.startswith("-") else branch


def usual_message(plan: Plan) -> str:
    """As git would write it; a squash names what it holds, the oldest first."""
    if plan.how == "squash":
        return "\n".join([f"Squash {plan.source.branch}", "", *(f"* {line.partition(' ')[2]}" for line in reversed(plan.commits))])
    into = "" if plan.target.branch in ("main", "master") else f" into {plan.target.branch}"
    return f"Merge branch '{plan.source.branch}'{into}"


def merged(plan: Plan, folder: Path, message: str) -> str:
    """The commit that the target is to become. The repository's hooks have their say, as in every merge and commit."""
    message = message.strip() or usual_message(plan)

    def run(*words: str) -> None:
        done = git.attempt(*PASSING, *words, cwd=folder, timeout=LONG, reads=False, given=os.fsencode(message))
        if done.returncode:
            raise refusal(plan, folder, os.fsdecode(done.stdout + done.stderr).strip()[-2000:])

    if plan.how == "merge":
        run("merge", "--no-ff", "--no-squash", "--commit", "--no-edit", "--no-stat", "-m", message, plan.source.head)
    else:
        run("merge", "--squash", "--ff", "--no-stat", plan.source.head)  # --ff: merge.ff=false would forbid --squash
        if git.holds("diff", "--cached", "--quiet", "--no-ext-diff", "HEAD", "--", cwd=folder):
            return plan.target.commit
        run("commit", "--quiet", "--no-edit", "-F", "-")
    return git.ask("rev-parse", "HEAD", cwd=folder)


def refusal(plan: Plan, folder: Path, said: str) -> WtError:
    """Conflicts by name; else what git or a hook said."""
    there, target = shlex.quote(str(plan.source.path)), plan.target.branch
    files = sorted(set(git.ask_or("", "diff", "--name-only", "--diff-filter=U", "-z", cwd=folder).split("\0")) - {""})
    if files:
        return WtError(f"{plan.source.branch} and {target} conflict in {len(files)} file(s), and nothing was changed:\n"
                       + "\n".join(f"  {name}" for name in files), code="conflict", details={"files": files},
                       hint=f"git -C {there} merge {shlex.quote(as_word(target))}, solve it there and commit; then {plan.again}")
    return WtError(f"the merge was refused by git or by a hook of the repository, and nothing was changed:\n{said}", code="refused",
                   details={"output": said}, hint=f"mend what it says (files: in {there}, and commit them); then {plan.again}")

"""Making a worktree: decide everything, then `git worktree add`, then the record; what failed is taken back, and nothing else."""
from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from guard.wt import git, names, worktrees
from guard.wt.errors import UsageError, WtError
from guard.wt.models import WorktreeRecord, now
from guard.wt.repository import Repository

NO_HOOKS = ("-c", "core.hooksPath=/dev/null")  # a post-checkout hook of the repository is not part of making a worktree


@dataclass(frozen=True)
class Wish:
    """What the caller asked for. `branch`: work on that one; `reuse`: a left-over branch is welcome; `unique`: count up instead."""

    name: str = ""
    base: str = ""
    branch: str = ""
    reuse: bool = False
    unique: bool = False


@dataclass(frozen=True)
class Plan:
    """What will be made: `start` is what git checks out, `fresh` that the branch is made with it."""

    path: Path
    branch: str
    start: str
    base: str
    base_commit: str
    fresh: bool
    source: Literal["new-branch", "branch"]


def plan(repository: Repository, wish: Wish) -> Plan:
    """Decides, and changes nothing but what a fetch brings. UsageError when the name or the branch is taken."""
    name = wish.name or wish.branch or names.two_words({entry.name for entry in worktrees.listing(repository)})
    prefix = repository.loaded.settings.branch_prefix
    if wish.unique:
        taken = {entry.name for entry in worktrees.listing(repository)} | {b.removeprefix(prefix) for b in branches(repository)}
        name = names.unique(name, taken)
    path = free(parent_folder(repository) / names.slug(name), name)
    base, commit = base_of(repository, wish.base)
    if wish.branch:
        return _on_branch(repository, wish.branch, path, base, commit)
    branch = prefix + name
    if not git.holds("check-ref-format", "--branch", branch, cwd=repository.at):
        raise UsageError(f"{name!r} cannot be part of a branch name", code="bad-name", hint="use letters, digits, - and /")
    if branch in branches(repository):
        if wish.reuse:
            return _on_branch(repository, branch, path, base, commit)
        own = git.ask_or("", "log", "--oneline", "-5", f"{commit}..{branch}", "--", cwd=repository.at).splitlines()
        work = f" with {len(own)} commit(s) of its own: {'; '.join(own)}" if own else " without commits of its own"
        raise UsageError(f"the branch {branch} is left from earlier{work}", code="branch-exists",
                         details={"branch": branch, "commits": own},
                         hint=f"wt enter {name} --reuse to go on with it, or --unique for another name")
    return Plan(path, branch, commit, base, commit, True, "new-branch")


def plan_again(repository: Repository, path: Path, branch: str) -> Plan:
    """A worktree that git has forgotten, at its old place on its old branch."""
    base, commit = base_of(repository, "")
    return _on_branch(repository, branch, free(path, path.name), base, commit)


def free(path: Path, name: str) -> Path:
    """`path`, if nothing is in the way. UsageError with both ways out where something is."""
    if path.exists() and any(path.iterdir() if path.is_dir() else [path]):
        raise UsageError(f"{path} exists and is no worktree of this repository", code="folder-exists",
                         hint=f"git worktree repair '{path}' if it was one, or another name: wt enter {name}-2")
    return path


def _on_branch(repository: Repository, branch: str, path: Path, base: str, commit: str) -> Plan:
    """An existing branch: here, or on a remote (then fetched). A branch of that name nowhere: made from the base."""
    for entry in worktrees.listing(repository):
        if entry.branch == branch:
            raise UsageError(f"{branch} is checked out in {entry.path}", code="branch-in-use",
                             hint="wt leave there first" if entry.main else f"wt enter '{entry.path}'")
    here = branch in branches(repository)
    start, fresh = (branch, False) if here else (_fetched(repository, branch) or commit, True)
    since = git.ask_or("", "merge-base", start, commit, cwd=repository.at)
    return Plan(path, branch, start, base, since or commit, fresh, "branch")


def _fetched(repository: Repository, branch: str) -> str:
    """The remote branch of that name, brought up to date: its commit, "" when no remote has it."""
    for remote in git.ask_or("", "remote", cwd=repository.at).splitlines():
        known = git.holds("rev-parse", "-q", "--verify", f"refs/remotes/{remote}/{branch}", cwd=repository.at)
        listed = known or git.holds("ls-remote", "--exit-code", "--heads", remote, branch, cwd=repository.at)
        if listed:
            git.do("fetch", "--no-tags", remote, f"+refs/heads/{branch}:refs/remotes/{remote}/{branch}", cwd=repository.at)
            return git.ask("rev-parse", "--verify", f"refs/remotes/{remote}/{branch}^{{commit}}", cwd=repository.at)
    return ""


def carry_out(repository: Repository, made: Plan) -> WorktreeRecord:
    """Makes the worktree. On any failure the branch and the folder that this run made are gone again."""
    exclude(repository, made.path)
    made.path.parent.mkdir(parents=True, exist_ok=True)
    words = ["-b", made.branch, "--no-track", "--", str(made.path), made.start] if made.fresh else ["--", str(made.path), made.branch]
    try:
        git.do(*NO_HOOKS, "worktree", "add", *words, cwd=repository.at)
    except WtError:
        take_back(repository, made)
        raise
    record = WorktreeRecord(path=str(made.path), branch=made.branch, base=made.base, base_commit=made.base_commit, created_at=now(),
                            source=made.source)
    repository.store.save(worktrees.record_path(repository, made.path), record)
    return record


def take_back(repository: Repository, made: Plan) -> None:
    if any(entry.path == made.path for entry in worktrees.listing(repository)):
        git.attempt("worktree", "remove", "--force", "--", str(made.path), cwd=repository.at, reads=False)
    if made.fresh:  # only if it still is where this run put it
        git.attempt("update-ref", "-d", f"refs/heads/{made.branch}", made.start, cwd=repository.at, reads=False)


def parent_folder(repository: Repository) -> Path:
    """Where new worktrees go. Outside the repository, each repository has a folder of its own: <parent>/<hash>/<name>."""
    home = Path(os.path.realpath(repository.home))
    parent = Path(os.path.normpath(home / Path(repository.loaded.settings.worktree_parent).expanduser()))
    if parent.is_relative_to(home):
        return parent
    return parent / hashlib.sha256(os.fsencode(repository.common)).hexdigest()[:8]


def base_of(repository: Repository, wanted: str) -> tuple[str, str]:
    """(name, commit) of the base: as asked for, else what the main checkout has checked out."""
    name = wanted or git.ask_or("HEAD", "symbolic-ref", "-q", "--short", "HEAD", cwd=repository.at)
    commit = git.ask_or("", "rev-parse", "-q", "--verify", "--end-of-options", f"{name}^{{commit}}", cwd=repository.at)
    if not commit:
        raise UsageError(f"there is no commit called {name}", code="no-base",
                         hint="git fetch, or another --base" if wanted else "make a first commit: git commit --allow-empty -m start")
    return (commit if name == "HEAD" else name), commit


def branches(repository: Repository) -> set[str]:
    return set(git.ask("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/", cwd=repository.at).splitlines())


def exclude(repository: Repository, path: Path) -> None:
    """Hides a worktree inside the main checkout from its `git status`: an exact line in info/exclude, once."""
    home = Path(os.path.realpath(repository.home))
    if repository.main is None or not path.is_relative_to(home):
        return
    line = (path if path.parent == home else path.parent).relative_to(home).as_posix() + "/"
    file = repository.common / "info" / "exclude"
    file.parent.mkdir(exist_ok=True)
    text = file.read_bytes() if file.exists() else b""
    if line.encode() in text.splitlines():
        return
    with file.open("ab") as end:
        end.write((b"" if not text or text.endswith(b"\n") else b"\n") + line.encode() + b"\n")

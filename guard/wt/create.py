"""Making a worktree: decide everything, then `git worktree add`, then the record; what failed is taken back, and nothing else."""
from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from guard.wt import git, names, worktrees
from guard.wt.errors import UsageError, WtError
from guard.wt.models import WorktreeRecord, now
from guard.wt.repository import Repository

NO_HOOKS = ("-c", "core.hooksPath=/dev/null")  # a post-checkout hook of the repository is not part of making a worktree
LONGEST = 200  # bytes of a folder's name: most systems hold 255, and records and temporary names are longer than it


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
    listed, known = worktrees.listing(repository), branches(repository)
    prefix = repository.loaded.settings.branch_prefix
    name = wish.name or wish.branch or names.two_words({entry.name for entry in listed})
    if wish.unique:
        name = names.unique(name, {entry.name for entry in listed} | {branch.removeprefix(prefix) for branch in known})
    folder = names.slug(name)
    if len(os.fsencode(folder)) > LONGEST:
        raise UsageError(f"a name of {len(name)} characters is too long", code="bad-name", hint=f"wt enter {shlex.quote(name[:20])}")
    path = free(worktrees.parent_folder(repository) / folder, name)
    base, commit = base_of(repository, wish.base)
    if wish.branch:
        return _on_branch(repository, must_be_branch(repository, wish.branch, wish.branch), path, base, commit)
    branch = must_be_branch(repository, prefix + name, name)
    if branch in known and wish.reuse:
        return _on_branch(repository, branch, path, base, commit)
    if branch in known:
        raise UsageError(f"the branch {branch} is left from earlier {own_commits(repository, commit, branch)}", code="branch-exists",
                         details={"branch": branch}, hint=f"wt enter {name} --reuse to go on with it, or --unique for another name")
    return Plan(path, branch, commit, base, commit, True, "new-branch")


def plan_again(repository: Repository, path: Path, branch: str) -> Plan:
    """A worktree that git has forgotten, at its old place on its old branch."""
    base, commit = base_of(repository, "")
    return _on_branch(repository, branch, free(path, path.name), base, commit)


def free(path: Path, name: str) -> Path:
    """`path`, if nothing is in the way. UsageError with both ways out where something is."""
    if os.path.lexists(path) and (path.is_symlink() or not path.is_dir() or any(path.iterdir())):
        raise UsageError(f"{path} exists and is no worktree of this repository", code="folder-exists",
                         hint=f"git worktree repair {shlex.quote(str(path))} if it was one, or another name: wt enter {name}-2")
    return path


def must_be_branch(repository: Repository, branch: str, name: str) -> str:
    """`branch`, if git would take it beside the branches that are there."""
    done = git.attempt("check-ref-format", "--branch", branch, cwd=repository.at)
    if branch.startswith("-") or branch in ("HEAD", "@") or done.returncode or os.fsdecode(done.stdout).rstrip("\n") != branch:
        better = "-".join("".join(c if c.isalnum() else " " for c in name).split()) or "work"
        raise UsageError(f"{name!r} cannot be a branch's name, nor part of one", code="bad-name",
                         hint=f"letters, digits, - and /: wt enter {better}")
    known = branches(repository)
    above = ["/".join(branch.split("/")[:n]) for n in range(1, branch.count("/") + 1)]
    blocking = next((b for b in known if b in above or b.startswith(branch + "/")), None)
    if blocking and branch not in known:
        raise UsageError(f"git cannot have a branch {branch} beside {blocking}: one is a folder of the other", code="bad-name",
                         hint=f"another name: wt enter {name.replace('/', '-')}-2")
    return branch


def own_commits(repository: Repository, commit: str, branch: str) -> str:
    """What a left-over branch holds, in words: how many commits, the newest five by name."""
    count = git.ask_or("0", "rev-list", "--count", f"{commit}..{branch}", "--", cwd=repository.at)
    shown = git.ask_or("", "log", "--oneline", "-5", f"{commit}..{branch}", "--", cwd=repository.at).splitlines()
    return f"with {count} commit(s) of its own: {'; '.join(shown)}" if shown else "without commits of its own"


def _on_branch(repository: Repository, branch: str, path: Path, base: str, commit: str) -> Plan:
    """An existing branch: here, or on a remote (then fetched). A branch of that name nowhere: made from the base."""
    for entry in worktrees.listing(repository):
        if entry.branch == branch and not (entry.path == path and not entry.there):
            way = f"wt enter NAME --base {branch} starts a new branch from it" if entry.main else f"wt enter {shlex.quote(str(entry.path))}"
            raise UsageError(f"{branch} is checked out in {entry.path}", code="branch-in-use", hint=way)
    here = branch in branches(repository)
    start, fresh = (branch, False) if here else (_of_remote(repository, branch) or commit, True)
    since = git.ask_or("", "merge-base", start, commit, cwd=repository.at)
    return Plan(path, branch, start, base, since or commit, fresh, "branch")


def _of_remote(repository: Repository, branch: str) -> str:
    """The remote branch of that name, brought up to date: its commit, "" when no remote has it. WtError when one cannot be asked."""
    for remote in git.ask_or("", "remote", cwd=repository.at).splitlines():
        ref = f"refs/remotes/{remote}/{branch}"
        known = git.holds("rev-parse", "-q", "--verify", ref, cwd=repository.at)
        asked = git.attempt("ls-remote", "--exit-code", remote, f"refs/heads/{branch}", cwd=repository.at)
        if asked.returncode == 0:
            git.do("fetch", "--no-tags", remote, f"+refs/heads/{branch}:{ref}", cwd=repository.at)
        elif asked.returncode != 2 and not known:  # 2: it has no such branch
            raise WtError(f"{remote} cannot be asked whether it has {branch}", code="remote",
                          hint=f"git ls-remote {remote} shows why; git branch {branch} makes a new branch of that name")
        if asked.returncode == 0 or known:
            return git.ask("rev-parse", "--verify", f"{ref}^{{commit}}", cwd=repository.at)
    return ""


def carry_out(repository: Repository, made: Plan) -> WorktreeRecord:
    """Makes the worktree. On any failure, and on an interrupt, the branch and the folder that this run made are gone again."""
    exclude(repository, made.path)
    made.path.parent.mkdir(parents=True, exist_ok=True)
    words = ["-b", made.branch, "--no-track", "--", str(made.path), made.start] if made.fresh else ["--", str(made.path), made.branch]
    record = WorktreeRecord(path=str(made.path), branch=made.branch, base=made.base, base_commit=made.base_commit, created_at=now(),
                            source=made.source)
    try:
        git.do(*NO_HOOKS, "worktree", "add", *words, cwd=repository.at)
        repository.store.save(worktrees.record_path(repository, made.path), record)
    except BaseException as fault:
        if isinstance(fault, git.GitError) and " already " in fault.said:
            raise  # somebody else was faster at this path or branch: what is there is theirs
        take_back(repository, made)
        if isinstance(fault, OSError):
            raise WtError(f"the record of {made.path} cannot be written: {fault}", code="read-only", hint="wt status") from fault
        raise
    return record


def take_back(repository: Repository, made: Plan) -> None:
    if any(entry.path == made.path for entry in worktrees.listing(repository)):  # twice --force: git locks what it has not finished
        git.attempt("worktree", "remove", "--force", "--force", "--", str(made.path), cwd=repository.at, reads=False)
    if made.fresh:  # only if it still is where this run put it
        git.attempt("update-ref", "-d", f"refs/heads/{made.branch}", made.start, cwd=repository.at, reads=False)


def base_of(repository: Repository, wanted: str) -> tuple[str, str]:
    """(name, commit) of the base: as asked for, else what the main checkout has checked out."""
    name = wanted or git.ask_or("HEAD", "symbolic-ref", "-q", "--short", "HEAD", cwd=repository.at)
    commit = git.ask_or("", "rev-parse", "-q", "--verify", "--end-of-options", f"{name}^{{commit}}", cwd=repository.at)
    if not commit:
        raise UsageError(f"there is no commit called {name}", code="no-base",
                         hint="git fetch, or another --base" if wanted else "make a first commit: git commit --allow-empty -m start")
    full = git.ask_or("", "rev-parse", "--symbolic-full-name", name, cwd=repository.at)
    if not full.startswith("refs/"):
        return commit, commit  # main~1 and the like move on with their branch
    return (full.removeprefix("refs/heads/") if name == "HEAD" else name), commit


def branches(repository: Repository) -> set[str]:
    return set(git.ask("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/", cwd=repository.at).splitlines())


def exclude(repository: Repository, path: Path) -> None:
    """Hides a worktree inside the main checkout from its `git status`: an exact line in info/exclude, once."""
    home = Path(os.path.realpath(repository.home))
    if repository.main is None or not path.is_relative_to(home):
        return
    below = (path if path.parent == home else path.parent).relative_to(home).as_posix() + "/"
    line = (below if below == ".worktrees/" else "/" + below).encode("utf-8", "surrogateescape")
    file = repository.common / "info" / "exclude"
    file.parent.mkdir(exist_ok=True)
    text = file.read_bytes() if file.exists() else b""
    if line in text.splitlines():
        return
    with file.open("ab") as end:
        end.write((b"" if not text or text.endswith(b"\n") else b"\n") + line + b"\n")

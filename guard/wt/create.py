"""What a new worktree will be: its folder, its branch, where it begins. Everything is decided here, and nothing is changed."""
from __future__ import annotations

import dataclasses
import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from guard.edge.records import is_text
from guard.wt import bindings, git, inspection, names, path_length, sources, worktrees
from guard.wt.errors import UsageError
from guard.wt.repository import Repository

NO_HOOKS = ("-c", "core.hooksPath=/dev/null")  # a post-checkout hook of the repository is not part of making a worktree
LONGEST = 200  # bytes of a folder's name: most systems hold 255, and records and temporary names are longer than it


@dataclass(frozen=True)
class Wish:
    """What the caller asked for. `branch`: work on that one; `reuse`: a left-over branch is welcome; `unique`: count up instead."""

    name: str = ""
    base: str = ""
    branch: str = ""
    change_request: int | None = None
    reuse: bool = False
    unique: bool = False
    title: str = ""


@dataclass(frozen=True)
class Plan:
    """What will be made: `start` is what git checks out, `fresh` that the branch is made with it, `remote` where it comes from."""

    path: Path
    branch: str
    start: str
    base: str
    base_commit: str
    fresh: bool
    source: Literal["new-branch", "branch", "change-request", "lane"]
    change_request: int | None = None
    remote: str = ""
    title: str = ""


def looked_up(repository: Repository, wish: Wish, *, dry: bool = False) -> sources.Source | None:
    """What a remote has for it, fetched unless `dry`. To be called outside of the lock: it may wait for a network."""
    if wish.change_request is not None:
        found: sources.Source | None = sources.of_change_request(repository, wish.change_request)
    elif wish.branch and wish.branch not in branches(repository):
        found = sources.of_branch(repository, must_be_branch(repository, wish.branch, wish.branch))
    else:
        found = None
    if found is not None and not dry:
        sources.fetched(repository, found)
    return found


def plan(repository: Repository, wish: Wish, source: sources.Source | None = None) -> Plan:
    """Decides, and changes nothing. UsageError when the name or the branch is taken, or its paths would be too long."""
    made = decided(repository, wish, source)
    path_length.must_fit(made.path, made.start, repository.at)
    return made


def decided(repository: Repository, wish: Wish, source: sources.Source | None) -> Plan:
    listed, known = worktrees.listing(repository), branches(repository)
    prefix = repository.loaded.settings.branch_prefix
    request = f"pr-{wish.change_request}" if wish.change_request is not None else ""
    name = wish.name or wish.branch or request or names.two_words({entry.name for entry in listed})
    if wish.unique:
        name = names.unique(name, {entry.name for entry in listed} | {branch.removeprefix(prefix) for branch in known})
    folder = names.slug(name)
    if len(os.fsencode(folder)) > LONGEST:
        raise UsageError(f"a name of {len(name)} characters is too long", code="bad-name", hint=f"wt enter {shlex.quote(name[:20])}")
    path = free(worktrees.parent_folder(repository) / folder, name)
    if wish.branch:
        base, commit = base_of(repository, wish.base)
        made = _on_branch(repository, must_be_branch(repository, wish.branch, wish.branch), path, base, commit, source)
        return dataclasses.replace(made, title=wish.title)
    branch = must_be_branch(repository, prefix + name, name)
    base, commit = base_of(repository, wish.base or (bindings.assumed_base(repository, branch) if request else ""))
    if branch in known and wish.reuse:
        return dataclasses.replace(_on_branch(repository, branch, path, base, commit), title=wish.title)
    if branch in known:
        raise UsageError(f"the branch {branch} is left from earlier {own_commits(repository, commit, branch)}", code="branch-exists",
                         details={"branch": branch}, hint=f"wt enter {name} --reuse to go on with it, or --unique for another name")
    if source is not None:
        since = git.ask_or("", "merge-base", source.commit, commit, cwd=repository.at)
        return Plan(path, branch, source.commit, base, since or commit, True, "change-request", wish.change_request, source.remote,
                    wish.title)
    return Plan(path, branch, commit, base, commit, True, "new-branch", title=wish.title)


def plan_again(repository: Repository, path: Path, branch: str) -> Plan:
    """A worktree that git has forgotten, at its old place on its old branch."""
    base, commit = base_of(repository, "")
    return _on_branch(repository, branch, free(path, path.name), base, commit)


def free(path: Path, name: str) -> Path:
    """`path`, if nothing is in the way. UsageError with both ways out where something is."""
    if inspection.in_the_way(path):
        raise UsageError(f"{path} exists and is no worktree of this repository", code="folder-exists",
                         hint=f"git worktree repair {shlex.quote(str(path))} if it was one, or another name: wt enter {name}-2")
    return path


def must_be_branch(repository: Repository, branch: str, name: str) -> str:
    """`branch`, if git would take it beside the branches that are there."""
    done = git.attempt("check-ref-format", "--branch", branch, cwd=repository.at)
    if branch.startswith("-") or branch in ("HEAD", "@") or done.returncode or os.fsdecode(done.stdout).rstrip("\n") != branch \
            or not is_text(branch):
        better = "-".join("".join(c if c.isalnum() else " " for c in name).split()) or "work"
        raise UsageError(f"{name!r} cannot be a branch's name, nor part of one", code="bad-name",
                         hint=f"letters, digits, - and /: wt enter {better}")
    known = branches(repository)
    above = ["/".join(branch.split("/")[:n]) for n in range(1, branch.count("/") + 1)]
    blocking = next((b for b in known if b in above or b.startswith(branch + "/")), None)
    if blocking and branch not in known:
        prefix = repository.loaded.settings.branch_prefix
        way = f"another name: wt enter {name.replace('/', '-')}-2"
        if branch != name and prefix.startswith(f"{blocking}/"):  # no name will do
            way = f'another "branch_prefix" than {prefix} in .worktree-guard.json; or git branch -m {shlex.quote(blocking)} NEW-NAME'
        raise UsageError(f"git cannot have a branch {branch} beside {blocking}: one is a folder of the other", code="bad-name", hint=way)
    return branch


def own_commits(repository: Repository, commit: str, branch: str) -> str:
    """What a left-over branch holds, in words: how many commits, the newest five by name."""
    count = git.ask_or("0", "rev-list", "--count", f"{commit}..{branch}", "--", cwd=repository.at)
    shown = git.lines(git.ask_or("", "log", "--oneline", "-5", f"{commit}..{branch}", "--", cwd=repository.at))
    return f"with {count} commit(s) of its own: {'; '.join(shown)}" if shown else "without commits of its own"


def _on_branch(repository: Repository, branch: str, path: Path, base: str, commit: str, source: sources.Source | None = None) -> Plan:
    """An existing branch: here, or on a remote. A branch of that name nowhere: made from the base."""
    for entry in worktrees.listing(repository):
        if entry.branch == branch and not (entry.path == path and not entry.there):
            way = f"wt enter NAME --base {branch} starts a new branch from it" if entry.main else f"wt enter {shlex.quote(str(entry.path))}"
            raise UsageError(f"{branch} is checked out in {entry.path}", code="branch-in-use", hint=way, details={"path": str(entry.path)})
    here = branch in branches(repository)
    start, fresh = (branch, False) if here else (source.commit if source else commit, True)
    since = git.ask_or("", "merge-base", start, commit, cwd=repository.at)
    return Plan(path, branch, start, base, since or commit, fresh, "branch", remote=source.remote if source and fresh else "")


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
    base = full.removeprefix("refs/heads/") if name == "HEAD" else name
    if not is_text(base):
        raise UsageError(f"the name of the base {base} is not UTF-8, so our records cannot hold it", code="bad-name",
                         hint=f"--base {commit[:9]} starts there all the same; git branch -m gives it another name")
    return base, commit


def branches(repository: Repository) -> set[str]:
    return set(git.lines(git.ask("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/", cwd=repository.at)))

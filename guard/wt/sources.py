"""Where a worktree begins that begins on a remote: a branch that is not here yet, or a change request. Only git is asked, no forge."""
from __future__ import annotations

import os
from dataclasses import dataclass

from guard.wt import git
from guard.wt.errors import UsageError, WtError
from guard.wt.repository import Repository

# https://docs.github.com/en/pull-requests (also Gitea, Forgejo), https://docs.gitlab.com/ee/user/project/merge_requests/
CHANGE_REQUESTS = ("refs/pull/{}/head", "refs/merge-requests/{}/head")
FIRST = ("upstream", "origin")  # a fork's change requests are with the repository it was forked from


@dataclass(frozen=True)
class Source:
    """`commit` is what `ref` of `remote` names. `into` is the remote branch that a fetch brings up to date, "" for none."""

    remote: str
    ref: str
    commit: str
    into: str = ""
    here: bool = False


def of_branch(repository: Repository, branch: str) -> Source | None:
    """The remote branch of that name; None when no remote has it. WtError when one cannot be asked, and nothing is known of it."""
    for remote in remotes(repository):
        ref, into = f"refs/heads/{branch}", f"refs/remotes/{remote}/{branch}"
        known = git.ask_or("", "rev-parse", "-q", "--verify", f"{into}^{{commit}}", cwd=repository.at)
        asked = git.attempt("ls-remote", "--exit-code", remote, ref, cwd=repository.at)
        if asked.returncode == 0:
            return Source(remote, ref, os.fsdecode(asked.stdout).split("\t")[0], into)
        if known:
            return Source(remote, ref, known, into, here=True)
        if asked.returncode != 2:  # 2: it has no such branch
            raise WtError(f"{remote} cannot be asked whether it has {branch}", code="remote",
                          hint=f"git ls-remote {remote} shows why; git branch {branch} makes a new branch of that name")
    return None


def of_change_request(repository: Repository, number: int) -> Source:
    """A pull or merge request by its number. UsageError when no remote has one, WtError when none could be asked."""
    refs, unheard = [form.format(number) for form in CHANGE_REQUESTS], []
    for remote in remotes(repository):
        asked = git.attempt("ls-remote", remote, *refs, cwd=repository.at)
        rows = [line.split("\t") for line in git.lines(os.fsdecode(asked.stdout))]
        if rows:
            return Source(remote, rows[0][1], rows[0][0])
        if asked.returncode:
            unheard.append(remote)
    if unheard:
        raise WtError(f"{', '.join(unheard)} cannot be asked for the change request {number}", code="remote",
                      hint=f"git ls-remote {unheard[0]} shows why")
    raise UsageError(f"no remote has a change request {number}", code="no-change-request",
                     hint="git remote -v shows the remotes; wt new NAME --branch BRANCH works on a branch of theirs")


def remotes(repository: Repository) -> list[str]:
    names = git.lines(git.ask_or("", "remote", cwd=repository.at))
    return sorted(names, key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))


def fetched(repository: Repository, source: Source) -> None:
    """Brings the commit here. It may take as long as a network does: call it outside of the lock."""
    if not source.here:
        what = f"+{source.ref}:{source.into}" if source.into else source.ref
        git.do("fetch", "--no-tags", "--no-write-fetch-head", source.remote, what, cwd=repository.at)

"""What git says of a workspace of the pool. Nothing that a holder has configured makes it look away."""
from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from guard.wt import git
from guard.wt.repository import Repository

# fsmonitor: its daemon would stand in the workspace, as a process that uses it. The others let git believe a file without a look at it.
QUIET = tuple(word for setting in ("core.fsmonitor=false", "core.untrackedCache=false", "core.trustctime=true", "core.checkStat=default")
              for word in ("-c", setting))


@dataclass(frozen=True)
class Seen:
    """Where git works when it is called in a folder: `root` of the work tree, git's own part of it (`admin`), its commit or ""."""

    root: Path
    admin: Path
    common: Path
    head: str


def seen(path: Path) -> Seen | None:
    """None where git works in no checkout."""
    words = ("rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir", "-q", "--verify", "HEAD^{commit}")
    done = git.attempt(*QUIET, *words, cwd=path) if path.is_dir() else None
    lines = git.lines(os.fsdecode(done.stdout)) if done else []
    if done is None or len(lines) != (4 if done.returncode == 0 else 3):
        return None
    root, admin, common = (Path(os.path.realpath(line)) for line in lines[:3])
    return Seen(root, admin, common, lines[3] if done.returncode == 0 else "")


def whats_wrong(repository: Repository, path: Path, look: Seen | None) -> str:
    """Why a folder is not a worktree of this repository with its root there, in words; "" where it is.

    git's own part has to name that very path: a link that leads to another worktree is not one.
    """
    if look is None or look.root != Path(os.path.realpath(path)):
        return f"{path} is not the root of a worktree"
    if look.common != repository.common:
        return f"{path} belongs to another repository"
    try:
        told = Path(os.fsdecode((look.admin / "gitdir").read_bytes()).rstrip("\n"))
    except OSError:
        return f"{path} is no linked worktree"
    leads_here = os.path.normpath(look.admin / told.parent) == os.path.normpath(path)
    return "" if leads_here else f"the .git file of {path} leads to what git keeps of {told.parent}"


def changes(path: Path) -> list[str]:
    """`git status` of a workspace, one text a file as git prints it: a leading blank belongs to it."""
    words = (*QUIET, "status", "--porcelain=v1", "--untracked-files=all", "--ignore-submodules=none",
             "--no-renames", "-z")
    return [line for line in git.answer(git.attempt(*words, cwd=path), words).split("\0") if line]


def hidden(path: Path) -> dict[str, list[str]]:
    """Files that lie there and that the index keeps `git status` from looking at, by the option of update-index that ends it."""
    words = (*QUIET, "ls-files", "-v", "-z")
    marked = [line for line in git.answer(git.attempt(*words, cwd=path), words).split("\0") if line[:1] not in ("H", "")]
    skipped = [line[2:] for line in marked if line[0] in "Ss" and os.path.lexists(path / line[2:])]
    assumed = [line[2:] for line in marked if line[0].islower()]
    return {option: names for option, names in (("--no-skip-worktree", skipped), ("--no-assume-unchanged", assumed)) if names}


def unhide(path: Path) -> None:
    for option, names in hidden(path).items():
        words = (*QUIET, "update-index", option, "-z", "--stdin")
        git.answer(git.attempt(*words, cwd=path, reads=False, given=os.fsencode("\0".join(names))), words)

"""The worktrees of a repository as git lists them, and finding one by name or path."""
from __future__ import annotations

import errno
import hashlib
import os
import shlex
from dataclasses import dataclass
from pathlib import Path

from guard.wt import git
from guard.wt.errors import UsageError
from guard.wt.models import WorktreeRecord
from guard.wt.names import slug
from guard.wt.repository import Repository

NO_FOLDER = (errno.EEXIST, errno.ENOTDIR, errno.ENOENT, errno.ELOOP)  # of making one with all that are above it


@dataclass(frozen=True)
class Worktree:
    """One entry of `git worktree list`. `branch` is "" when detached; `locked` holds git's reason."""

    path: Path
    head: str
    branch: str
    main: bool
    locked: str | None = None

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def there(self) -> bool:
        """Its folder is there, with anything in it."""
        return self.path.is_dir() and any(self.path.iterdir())


def listing(repository: Repository) -> list[Worktree]:
    """All worktrees, the main checkout first; a bare repository itself is left out."""
    done = git.attempt("worktree", "list", "--porcelain", "-z", cwd=repository.at)
    if done.returncode:  # git before 2.36 has no -z
        text = git.ask("worktree", "list", "--porcelain", cwd=repository.at)
        blocks = [block.split("\n") for block in text.split("\n\n")]
    else:
        blocks = [block.split("\0") for block in os.fsdecode(done.stdout).split("\0\0")]
    found = []
    for n, block in enumerate(block for block in blocks if any(block)):
        fields = {key: value for key, _, value in (line.partition(" ") for line in block if line)}
        if "bare" in fields and not (n == 0 and repository.main):
            continue
        main = n == 0
        path = repository.main if main and repository.main else Path(fields["worktree"])
        found.append(Worktree(path=path, head=fields.get("HEAD", ""), branch=fields.get("branch", "").removeprefix("refs/heads/"),
                              main=main, locked=fields.get("locked")))
    return found


def at(repository: Repository, path: Path | str) -> Worktree | None:
    """The one that git lists at this very place, links resolved; the main checkout too."""
    place = os.path.realpath(path)
    return next((entry for entry in listing(repository) if os.path.realpath(entry.path) == place), None)


def record_path(repository: Repository, path: Path) -> Path:
    """Where the record of a worktree is kept: by its folder's name, and by its place as well where another one has that name."""
    plain = repository.store.path("worktrees") / f"{path.name}.json"
    found = repository.store.load(plain, WorktreeRecord)
    if found is None or found.path == str(path):
        return plain
    return plain.with_name(f"{path.name[:100]}-{hashlib.sha256(os.fsencode(path)).hexdigest()[:8]}.json")


def record_of(repository: Repository, path: Path) -> WorktreeRecord | None:
    found = repository.store.load(record_path(repository, path), WorktreeRecord)
    return found if found and found.path == str(path) else None


def parent_folder(repository: Repository) -> Path:
    """Where new worktrees go. Outside the repository, each repository has a folder of its own: <parent>/<hash>/<name>."""
    home = Path(os.path.realpath(repository.home))
    parent = Path(os.path.normpath(home / expanded(repository.loaded.settings.worktree_parent)))
    shared = repository.main is None and not repository.common.name.startswith(".")  # several bare repositories in one folder
    if shared or not parent.is_relative_to(home):
        parent = parent / hashlib.sha256(os.fsencode(repository.common)).hexdigest()[:8]
    return Path(os.path.realpath(parent))


def make_parent(repository: Repository, path: Path) -> None:
    """The folder above a new worktree. UsageError where there can be none: a file is in its place, or above it, or it is the system's."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        if fault.errno not in NO_FOLDER:
            raise
        raise UsageError(f"{path.parent}, where new worktrees go, can be no folder: {fault.strerror}", code="bad-parent",
                         hint='another "worktree_parent" in .worktree-guard.json, or move away what is there; then again') from None


def expanded(name: str) -> Path:
    """A path with `~` and `~user` resolved. UsageError for a user who is not there."""
    try:
        return Path(name).expanduser()
    except RuntimeError:
        raise UsageError(f"{name}: there is no such home", code="bad-path",
                         hint="give the path in full: wt enter /path/to/worktree") from None


def looks_like_path(name: str) -> bool:
    return name.startswith((".", "~")) or Path(name).is_absolute() or (os.sep == "\\" and "\\" in name)


def find(repository: Repository, name: str, *, main: bool = False) -> Worktree | None:
    """The worktree meant by a path (from here, then from the main checkout), a folder name or a branch. None: there is none.

    UsageError when it is the main checkout (`main`: a path to it will do as well), or when two would fit.
    """
    entries = listing(repository)
    for start in (repository.here, repository.home):
        place = os.path.realpath(start / expanded(name))
        for entry in entries:
            if os.path.realpath(entry.path) == place:
                return entry if main else _not_main(entry)
    if looks_like_path(name):
        return None
    linked = [entry for entry in entries if not entry.main]
    prefix = repository.loaded.settings.branch_prefix
    for fits in ([e for e in linked if e.name == slug(name)], [e for e in linked if e.name == name],
                 [e for e in linked if e.branch in (name, prefix + name) and name]):
        if len(fits) > 1:
            places = ", ".join(str(e.path) for e in fits)
            raise UsageError(f"{name} could be any of {places}", code="ambiguous", hint=f"wt enter {shlex.quote(str(fits[0].path))}")
        if fits:
            return fits[0]
    return None


def _not_main(entry: Worktree) -> Worktree:
    if entry.main:
        raise UsageError(f"{entry.path} is the main checkout", code="main-checkout",
                         hint="wt leave to work there; wt enter NAME for a worktree")
    return entry


def distance(path: Path, one: str, two: str) -> tuple[int, int] | None:
    """(commits of `one` that `two` lacks, the reverse); None where one of them is unknown."""
    said = git.ask_or("", "rev-list", "--left-right", "--count", f"{one}...{two}", "--", cwd=path)
    left, _, right = said.partition("\t")
    return (int(left), int(right)) if right else None

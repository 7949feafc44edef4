"""The repository `wt` was called in: its common dir, its main checkout, its settings, its store."""
from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from guard.edge import disk, repo
from guard.wt import git
from guard.wt.errors import MISSING, UsageError, WtError
from guard.wt.models import Binding
from guard.wt.settings import Loaded, load
from guard.wt.store import Store


@dataclass(frozen=True)
class Repository:
    """`main` is None where there is no main checkout (bare), or none that anything names."""

    common: Path
    main: Path | None
    here: Path

    @cached_property
    def store(self) -> Store:
        return Store(self.common)

    @cached_property
    def loaded(self) -> Loaded:
        return load(self.home)

    @property
    def home(self) -> Path:
        """Where relative things count from: the main checkout, or the folder that holds a bare repository."""
        return self.main or self.common.parent

    def stands_in(self, path: Path | str) -> bool:
        """Was `wt` called in that folder, or below it?"""
        return Path(os.path.realpath(self.here)).is_relative_to(os.path.realpath(path))

    @property
    def at(self) -> Path:
        """A folder where git works on this repository as a whole."""
        return self.main or self.common


def open_repository(here: Path) -> Repository:
    """The repository at `here`. UsageError outside of one."""
    done = git.attempt("rev-parse", "--path-format=absolute", "--git-common-dir", cwd=here)
    if done.returncode:
        if b"safe.directory" in done.stderr:
            raise UsageError(f"git does not trust {here}: it belongs to somebody else", code="not-trusted",
                             hint=f"git config --global --add safe.directory {shlex.quote(str(here))}")
        raise UsageError(f"{here} is in no git repository", code="no-repository", hint="cd into a repository, or git init")
    if done.stdout.startswith(b"--path-format"):  # git before 2.31 prints what it does not know
        raise WtError(f"{git.ask('version', cwd=here)} is too old", code="git-too-old", status=MISSING,
                      hint="install git 2.31 or newer, or put it first on PATH; then wt status")
    common = Path(os.path.realpath(os.fsdecode(done.stdout).removesuffix("\n")))
    found = Repository(common=common, main=_main(common, here), here=here)
    for path in (common, found.home):
        if any("\udc80" <= char <= "\udcff" for char in str(path)):  # bytes that are no text: our records could not name it
            raise UsageError(f"the path {path} is not UTF-8", code="bad-path", hint="rename the folder, then git worktree repair")
    return found


def _main(common: Path, here: Path) -> Path | None:
    bare, told = repo.work_tree(disk, str(common))
    if bare:
        return None
    if told:
        return Path(os.path.realpath(told))
    near = repo.checkout_of(disk, disk.real(str(here)))
    if near is not None and not near.linked and disk.same(near.common, str(common)):
        return Path(near.root)
    known = Store(common).load(common / "worktree-guard" / "state.json", Binding)  # --separate-git-dir: git itself does not know
    return Path(known.main) if known and known.main else None

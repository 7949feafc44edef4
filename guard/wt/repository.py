"""The repository `wt` was called in: its common dir, its main checkout, its settings, its store."""
from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from guard.edge import disk, repo
from guard.wt import git
from guard.wt.errors import UsageError
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

    @property
    def at(self) -> Path:
        """A folder where git works on this repository as a whole."""
        return self.main or self.common


def open_repository(here: Path) -> Repository:
    """The repository at `here`. UsageError outside of one."""
    done = git.attempt("rev-parse", "--path-format=absolute", "--git-common-dir", cwd=here)
    if done.returncode:
        raise UsageError(f"{here} is in no git repository", code="no-repository", hint="cd into a repository, or git init")
    common = Path(os.path.realpath(os.fsdecode(done.stdout).removesuffix("\n")))
    return Repository(common=common, main=_main(common, here), here=here)


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

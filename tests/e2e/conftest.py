"""Worlds for the rows about git: the two modules that go through them share one set in each process."""
from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.git_worlds import GitWorlds


@pytest.fixture(scope="session")
def git_worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GitWorlds]:
    base = Path(os.path.realpath(tmp_path_factory.mktemp("git-worlds")))
    yield GitWorlds(base)
    shutil.rmtree(base, ignore_errors=True)

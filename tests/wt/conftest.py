"""Worlds that several files use."""
from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conftest import Worlds
from tests.worlds import World
from tests.wt.killing import Killer
from tests.wt.merges import apart, finished


@pytest.fixture
def ready(worlds: Worlds) -> World:
    """R on main, W on wt/x with two commits that main lacks, and a person's leave to merge."""
    return worlds.fresh("ready to merge", finished)


@pytest.fixture
def diverged(worlds: Worlds) -> World:
    """The same; main has a commit that wt/x lacks."""
    return worlds.fresh("ready to merge, diverged", apart)


@pytest.fixture
def cloned(plain: World) -> World:
    """R with a remote: origin.git, whose HEAD is known; `other` is somebody else's clone."""
    plain.sh("""git clone -q --bare "$R" origin.git; git clone -q origin.git other
             cd "$R"; git remote add origin ../origin.git; git fetch -q; git remote set-head origin main""")
    return plain


@pytest.fixture(scope="module")
def killer() -> Iterator[Killer]:
    """Runs `wt` in processes that can be ended at any of their fault points."""
    running = Killer()
    yield running
    running.close()

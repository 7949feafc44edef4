"""A sealed environment and worlds to test in: built once a run, copied for each test that wants one."""
from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.worlds import World, make_world

SEALED = ("CLAUDE_CODE_SESSION_ID", "CLAUDE_PID", "CLAUDE_PROJECT_DIR", "CLAUDECODE", "WORKTREE_GUARD_SESSION", "ZCODE_SESSION_ID",
          "XDG_STATE_HOME", "XDG_DATA_HOME")


@pytest.fixture(autouse=True)
def sealed(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the person's home, git configuration or agent session."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.getbasetemp() / "YouForgotToChooseAHome"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for name in [*SEALED, *(name for name in os.environ if name.startswith("GIT_") and not name.startswith("GIT_CONFIG_"))]:
        monkeypatch.delenv(name, raising=False)


class Worlds:
    """Templates by layout, at a fixed place: git writes absolute paths, so a copy must come to stand where it was built."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.at = base / "world"
        self.templates: dict[str, Path] = {}

    def fresh(self, layout: str, build: Callable[[Path], World]) -> World:
        for _ in range(100):  # what a client's session has started may still be writing there
            shutil.rmtree(self.at, ignore_errors=True)
            if not self.at.exists():
                break
            time.sleep(0.05)
        if layout not in self.templates:
            self.at.mkdir(parents=True, exist_ok=True)
            self.known = getattr(self, "known", {})
            self.known[layout] = build(self.at)
            self.templates[layout] = self.base / f"template-{len(self.templates)}"
            shutil.copytree(self.at, self.templates[layout], symlinks=True)
        else:
            shutil.copytree(self.templates[layout], self.at, symlinks=True, dirs_exist_ok=True)
        world = self.known[layout]
        return World(world.root, world.R, world.W, world.W2, world.OUT)


@pytest.fixture(scope="session")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worlds]:
    base = Path(os.path.realpath(tmp_path_factory.mktemp("worlds")))
    yield Worlds(base)
    shutil.rmtree(base, ignore_errors=True)


def _bound(layout: str, *words: str) -> Callable[[Path], World]:
    def build(root: Path) -> World:
        world = make_world(root, layout)
        world.bind(*words)
        return world
    return build


@pytest.fixture
def world(worlds: Worlds) -> World:
    """R, W and W2 beside each other; nothing bound."""
    return worlds.fresh("beside", make_world)


@pytest.fixture
def bound(worlds: Worlds) -> World:
    """The same; the whole repository is bound to W."""
    return worlds.fresh("beside, bound", _bound("beside"))


@pytest.fixture
def nested(worlds: Worlds) -> World:
    """W and W2 in R/.worktrees; the whole repository is bound to W."""
    return worlds.fresh("nested, bound", _bound("nested"))

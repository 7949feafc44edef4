"""Leases in tests: the three operations, the receipt, and all that a refused one must leave as it was."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.worlds import World
from tests.wt.surroundings import everything
from tests.wt.test_enter import done, wt

RECEIPT = "out/treehouse/lease.json"
HOLDER = "session-1"


def acquire(world: World, holder: str | None = HOLDER, **more: Any) -> dict[str, Any]:
    return done(world, "lease", "write", "acquire", *(() if holder is None else ("--holder", holder)), **more)


def give_back(world: World, path: str | Path, *words: str, **more: Any) -> dict[str, Any]:
    return done(world, "lease", "write", "return", "--workspace", str(path), *words, **more)


def rows(world: World, **more: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = done(world, "lease", "read", "status", **more)["workspaces"]
    return found


def row(world: World, path: str | Path, **more: Any) -> dict[str, Any]:
    return next(one for one in rows(world, **more) if one["path"] == str(path))


def receipt(path: str | Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((Path(path) / RECEIPT).read_text())
    return found


def pool(world: World) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((world.state / "pool.json").read_text())
    return found


def declined(world: World, code: str, *words: str, status: int = 2, **more: Any) -> dict[str, Any]:
    """The refusal of a lease command, which has changed nothing at all: no ref, file, registration, record or receipt."""
    before = everything(world)
    ran = wt(world, "lease", *words, **more)
    assert (ran.returncode, ran.stdout) == (status, ""), (ran.stderr, ran.stdout)
    document: dict[str, Any] = json.loads(ran.stderr)
    assert (document["ok"], document["code"]) == (False, code), document
    assert "wt " in document["hint"] or code == "no-repository", "no way out is named"
    assert everything(world) == before
    return document


def not_returned(world: World, code: str, path: str | Path, *words: str, **more: Any) -> dict[str, Any]:
    return declined(world, code, "write", "return", "--workspace", str(path), *words, **more)

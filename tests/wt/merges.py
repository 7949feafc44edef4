"""Worlds for the tests of `wt merge`: a finished worktree and a person's leave; and what to look at behind a merge or a refusal."""
from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.worlds import World
from tests.wt.test_enter import done, small, wt
from tests.wt.test_remove import listed
from tests.wt.test_snapshot import files

COMMIT = "git add -A; git commit -qm"
DIVERGED = f'cd "$R"; echo r > r; {COMMIT} r'


def finished(root: Path) -> World:
    """R on main, W on wt/x with two commits that main lacks, and a person's leave to merge."""
    world = small(root)
    world.sh('printf "*.env\\nbuild/\\n" > "$R/.git/info/exclude"')
    world = replace(world, W=Path(done(world, "new", "x")["path"]))
    world.sh(f'cd "$W"; echo n > new; {COMMIT} "a new file"; echo "value = 2" > src/app.py; {COMMIT} "value is 2"')
    done(world, "authorize-main", "--reason", "r", "--only", "merge", "--ttl", "24h")
    return world


def apart(root: Path) -> World:
    """The same; main has a commit that wt/x lacks."""
    world = finished(root)
    world.sh(DIVERGED)
    return world


def whole(world: World, *roots: Path) -> dict[str, Any]:
    """Every byte of the checkouts and of git's folder, but objects, and our records and logs (not what a merge leaves lying about)."""
    common = world.state.parent
    parts = {path.relative_to(common).as_posix(): path.read_bytes() for path in common.rglob("*") if path.is_file()}
    ours = r"objects/|worktree-guard/(lock|merging.lock|audit.jsonl)$"
    return {"git": {name: text for name, text in parts.items() if not re.match(ours, name)},
            "files": [files(root) for root in (world.R, world.W, *roots) if root.is_dir()]}


def against(world: World, *words: str, status: int = 2, **more: Any) -> dict[str, Any]:
    """The refusal of a merge that leaves everything as it was, and names a command."""
    before = whole(world)
    ran = wt(world, "merge", *words, **more)
    assert (ran.returncode, ran.stdout) == (status, ""), ran.stderr
    assert whole(world) == before
    document: dict[str, Any] = json.loads(ran.stderr)
    assert re.search(r"\b(wt|git) [a-z-]+", document["hint"]), document
    return document


def status(world: World, root: Path | None = None) -> str:
    return world.git("status", "--porcelain=v1", "--ignored", cwd=root or world.R)


def left_over(world: World) -> list[str]:
    """Checkouts of merges, on the disk or in git's list."""
    return [path for path in listed(world) if "/merging/" in path] + [str(path) for path in (world.state / "merging").glob("*")]


def hook(world: World, name: str, text: str) -> Path:
    path = world.R / ".git/hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def leave(world: World, *words: str) -> str:
    """The only leave there is. -> its id"""
    done(world, "revoke-main")
    return str(done(world, "authorize-main", "--reason", "r", *words)["id"]) if words != ("none",) else ""


def told_and_waiting(going: Path, go: Path) -> str:
    """For a shell: says which process has started it, and waits."""
    return f"echo $PPID > {going}.new; mv {going}.new {going}; while [ ! -e {go} ]; do sleep 0.02; done"

"""Entering a worktree forgets what binds nobody any more, and nothing that still binds somebody."""
from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.worlds import World

LONG_AGO = "2020-01-01T00:00:00Z"
LATER = "2999-01-01T00:00:00Z"


def record(world: World, session: str, **changed: Any) -> Path:
    folder = world.state / "sessions"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{session}.json"
    path.write_text(json.dumps({"version": 1, "path": str(world.W), "session": session, "entered_at": LATER, **changed}))
    return path


# what is changed in the record, is the worktree's folder removed, does the record stay
ROWS = [
    ("a living session", {}, False, True),
    ("a living session whose worktree is gone: it is told so", {}, True, True),
    ("a living session of long ago", {"entered_at": LONG_AGO}, False, True),
    ("an ended session of today: it may be resumed", {"ended_at": LATER}, False, True),
    ("an ended session whose worktree is gone", {"ended_at": LATER}, True, False),
    ("an ended session of long ago", {"ended_at": LONG_AGO, "entered_at": LONG_AGO}, False, False),
    ("a session whose client is gone, of long ago", {"client_pid": 2**22 + 7, "client_started": "1", "entered_at": LONG_AGO}, False, False),
    ("a session whose client is gone, of today", {"client_pid": 2**22 + 7, "client_started": "1"}, False, True),
]


@pytest.mark.parametrize(("_why", "changed", "gone", "stays"), ROWS, ids=[row[0] for row in ROWS])
def test_a_session_s_record(world: World, _why: str, changed: dict[str, Any], gone: bool, stays: bool) -> None:
    path = record(world, "s1", **changed)
    if gone:
        shutil.rmtree(world.W)
    world.wt_json("enter", str(world.W2))
    assert path.exists() is stays


def test_a_spoilt_record_is_left_for_a_look(world: World) -> None:
    path = record(world, "s1")
    path.write_text("{")
    world.wt_json("enter", str(world.W))
    assert path.read_text() == "{"


def test_marks_of_used_leaves_go_with_them(world: World) -> None:
    world.wt_json("authorize-main", "--reason", "r", "--once")
    world.bind()
    assert world.hook("Write", {"file_path": "{R}/a", "content": ""}, tool_use_id="t1").kind == "allow"
    (mark,) = (world.state / "used").iterdir()
    (world.state / "used/older").write_text("t0")
    world.wt_json("enter", str(world.W))
    assert mark.exists() and not (world.state / "used/older").exists()


def test_a_base_that_would_move_is_recorded_as_its_commit(world: World) -> None:
    world.git("commit", "-q", "--allow-empty", "-m", "two")
    before = world.git("rev-parse", "main~1")
    assert world.wt_json("new", "a", "--base", "main~1")["base"] == before
    assert world.wt_json("new", "b", "--base", "HEAD")["base"] == "main"
    assert world.wt_json("new", "c", "--base", "main")["base"] == "main"

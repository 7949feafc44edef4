"""What the guard and the other commands make of a lane: its session's, and for everybody else another worktree that a task works in."""
from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.worlds import World
from tests.wt.test_enter import ONE, TWO, done, refused, small
from tests.wt.test_lease_guard import wrote

LANE = ("--run", "r", "--task", "t")


@pytest.fixture
def plain(tmp_path: Path) -> World:
    return small(Path(os.path.realpath(tmp_path)))


def prepared(world: World, *words: str) -> Path:
    return Path(done(world, "lane", "prepare", *LANE, *words)["path"])


def test_its_session_works_there_and_nobody_else(plain: World) -> None:
    place = prepared(plain, "--session", ONE)
    row = next(row for row in done(plain, "status")["worktrees"] if row["path"] == str(place))
    assert (row["bound_by"], row["lane"]) == ([ONE], {"run": "r", "task": "t", "status": "active"})
    assert wrote(plain, plain.R / "src/new.py", ONE) == str(place / "src/new.py")
    assert wrote(plain, place / "src/new.py", TWO) == "deny other-worktree"
    assert "lane r t" in plain.wt("status").stdout
    done(plain, "lane", "dispose", *LANE)
    assert wrote(plain, plain.R / "src/new.py", ONE) == "allow"


def test_whose_calls_stand_there_works_there(plain: World) -> None:
    place = prepared(plain)
    assert wrote(plain, place / "src/new.py", ONE, cwd=place) == "allow"


@pytest.mark.parametrize("words", [("remove", "wf-r-t"), ("remove", "wf-r-t", "--discard", "changes")], ids=" ".join)
def test_a_lane_at_work_is_removed_by_its_own_command_alone(plain: World, words: tuple[str, ...]) -> None:
    place = prepared(plain)
    document = refused(plain, *words)
    assert (document["code"], "wt lane dispose --run r --task t" in document["details"][0]["cure"]) == ("lane", True)
    plain.sh("echo 1 > new; git add new; git commit -qm new", cwd=place)
    plain.sh("git merge -q wt/wf-r-t", cwd=plain.R)
    assert [(row["action"], row["code"]) for row in done(plain, "clean", "--apply")["worktrees"]] == [("keep", "lane")]
    assert done(plain, "lane", "dispose", *LANE)["status"] == "disposed"


def test_one_that_was_kept_goes_like_any_other_worktree(plain: World) -> None:
    place = prepared(plain)
    (place / "new").write_text("x")
    assert done(plain, "lane", "dispose", *LANE)["status"] == "retained-dirty"
    assert "lane r t, retained-dirty" in plain.wt("status").stdout
    done(plain, "remove", "wf-r-t", "--discard", "changes")
    assert not place.exists()

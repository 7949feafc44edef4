"""What somebody else made or wrote in the meantime is theirs."""
from __future__ import annotations

from pathlib import Path

import pytest

from guard.wt import create, git, making
from guard.wt.repository import open_repository
from tests.worlds import World


def test_a_worktree_made_between_plan_and_making_stays(world: World) -> None:
    repository = open_repository(world.R)
    made = create.plan(repository, create.Wish("quick"))
    world.git("worktree", "add", "-q", "-b", "theirs", str(made.path))
    (made.path / "work.txt").write_text("not committed\n")
    with repository.store.locked(), pytest.raises(git.GitError):
        making.begun(repository, made)
    assert (made.path / "work.txt").read_text() == "not committed\n"
    assert str(made.path) in world.git("worktree", "list")


def test_a_branch_made_between_plan_and_making_stays(world: World) -> None:
    repository = open_repository(world.R)
    made = create.plan(repository, create.Wish("quick"))
    world.git("branch", made.branch, "main")
    with repository.store.locked(), pytest.raises(git.GitError):
        making.begun(repository, made)
    assert world.git("rev-parse", made.branch) == world.git("rev-parse", "main")


def test_an_edit_in_an_unfinished_worktree_stays(world: World) -> None:
    path = Path(world.wt_json("new", "h")["path"])
    world.git("worktree", "lock", "--reason", "initializing", str(path))
    (path / "src/app.py").write_text("edited\n")
    (path / "src/util.py").unlink()
    said = world.wt("enter", "h").stdout
    assert "finished: its making had been interrupted" in said
    assert (path / "src/app.py").read_text() == "edited\n"
    assert (path / "src/util.py").exists()
    assert "locked" not in world.git("worktree", "list", "--porcelain")


def test_an_empty_session_on_stdin_does_not_bind_everybody(world: World) -> None:
    ran = world.wt("enter", given='{"path": "x", "session_id": ""}')
    assert ran.returncode == 2
    assert not (world.state / "state.json").exists()


def test_a_record_is_found_after_the_parent_folder_was_set_anew(world: World) -> None:
    world.wt_json("new", "q")
    (world.R / ".worktree-guard.json").write_text('{"worktree_parent": "trees"}')
    world.wt_json("new", "q2")
    rows = {row["name"]: row["owned"] for row in world.wt_json("status")["worktrees"]}
    assert (rows["q"], rows["q2"]) == (True, True)

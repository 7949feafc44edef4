"""The client's own worktrees are made and removed by us: `claude --worktree`, EnterWorktree, isolated helpers, ExitWorktree."""
from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Worlds
from tests.e2e.claude_code.client import call, checkout, run, shell
from tests.worlds import World, make_world

pytestmark = pytest.mark.client
BYPASS = "bypassPermissions"
EVERY_TOOL = ("--tools", "Bash,Read,Write,Edit,Agent,EnterWorktree,ExitWorktree")
HIDDEN = 'echo set-up.txt >> "$(git rev-parse --git-path info/exclude)"'
SETTINGS = {"sync": {"copy_files": [".env"]}, "setup": ['echo "$WT_BRANCH_NAME" > set-up.txt', HIDDEN]}


@pytest.fixture
def ready(worlds: Worlds) -> World:
    """A repository with an .env to copy and setup commands that its owner trusts."""
    def build(root: Path) -> World:
        world = make_world(root)
        (world.R / ".env").write_text("SECRET=1\n")
        (world.R / ".worktree-guard.json").write_text(json.dumps(SETTINGS))
        world.sh('git -C "$R" add .worktree-guard.json; git -C "$R" commit -qm settings')
        assert world.wt("trust", "--accept").returncode == 0
        return world
    return worlds.fresh("client, native", build)


def furnished(path: Path, branch: str) -> bool:
    return ((path / ".env").read_text(), (path / "set-up.txt").read_text()) == ("SECRET=1\n", f"{branch}\n")


def test_claude_worktree_starts_in_one_of_ours(ready: World) -> None:
    story = run(ready, [call("Write", file_path="own.txt", content="o\n"), shell("pwd; wt status")], BYPASS, "--worktree", "x1")
    path = ready.R / ".worktrees/x1"
    assert furnished(path, "wt/x1")
    assert (path / "own.txt").read_text() == "o\n"
    assert story.ok(1).startswith(str(path))
    assert not (ready.R / ".claude/worktrees").exists()


def test_an_isolated_helper_gets_one_and_keeps_its_work(ready: World) -> None:
    run(ready, [call("Agent", description="a task", prompt="HELPER go", subagent_type="general-purpose", isolation="worktree")],
        BYPASS, helpers={"HELPER": [call("Write", file_path="iso.txt", content="i\n")]})
    (own,) = ready.R.glob(".worktrees/agent-*")
    assert furnished(own, f"wt/{own.name}")
    assert (own / "iso.txt").read_text() == "i\n"


def test_a_worktree_that_is_entered_is_removed_through_the_gate(ready: World) -> None:
    """The client does not look into a worktree that a hook has made: it wants discard_changes each time. The gate looks."""
    story = run(ready, [call("EnterWorktree", name="feat/y"), shell("pwd"), call("ExitWorktree", action="remove", discard_changes=True),
                        shell("pwd")], BYPASS, *EVERY_TOOL)
    path = ready.R / ".worktrees/feat+y"
    assert story.ok(1).startswith(str(path))
    story.ok(2)
    assert not path.exists()
    assert ready.git("branch", "--list", "wt/feat/y") == ""
    (entry,) = (ready.state / "trash").glob("*/tree")
    assert furnished(entry, "wt/feat/y"), "also what git ignores waits in the trash"


def test_dirty_work_stays_whatever_the_client_discards(ready: World) -> None:
    run(ready, [call("EnterWorktree", name="y2"), call("Write", file_path="work.txt", content="mine\n"),
                call("ExitWorktree", action="remove", discard_changes=True), shell("pwd")], BYPASS, *EVERY_TOOL)
    assert (ready.R / ".worktrees/y2/work.txt").read_text() == "mine\n"
    assert str(ready.R / ".worktrees/y2") in ready.git("worktree", "list")


@pytest.mark.parametrize("fault", ["a setup that fails", "no interpreter for wt"])
def test_a_failing_hook_still_gives_one(ready: World, fault: str, tmp_path: Path) -> None:
    plugin = tmp_path / "plugin"
    checkout(plugin)
    (plugin / ".venv").symlink_to(Path(__file__).parents[3] / ".venv")  # or the session's start would make one, in the background
    if fault == "a setup that fails":
        (ready.R / ".worktree-guard.json").write_text(json.dumps({"setup": "exit 7"}))
        assert ready.wt("trust", "--accept").returncode == 0
    else:
        (plugin / "scripts/wt").write_text("#!/bin/sh\nexit 127\n")
    story = run(ready, [call("EnterWorktree", name="z"), call("Write", file_path="own.txt", content="o\n")], BYPASS, *EVERY_TOOL,
                plugin=plugin)
    story.ok(1)
    assert (ready.R / ".claude/worktrees/z/own.txt").read_text() == "o\n"
    assert not (ready.R / ".worktrees/z").exists()

"""The real client obeys: what is written lands in the worktree, and the main checkout's `git status` stays what it was."""
from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Worlds
from tests.e2e.claude_code.client import call, checkout, run, shell, told
from tests.worlds import World, make_world

pytestmark = pytest.mark.client
WT = ("--allowedTools", "Bash(wt:*)")
EVERY_TOOL = ("--tools", "Bash,Read,Write,Edit,Glob,Grep,NotebookEdit,Agent,EnterWorktree,ExitWorktree")
EDIT = {"old_string": "value = 1", "new_string": "value = 2"}
LAYOUTS = ("beside", "nested")
MODES = ("acceptEdits", "bypassPermissions")


def make(worlds: Worlds, layout: str) -> World:
    def build(root: Path) -> World:
        world = make_world(root, layout)
        world.sh('echo "value = 1 # W" > "$W/src/util.py"; echo "value = 1 # R" > "$R/src/util.py"; git -C "$R" commit -qam util')
        return world
    return worlds.fresh(f"client, {layout}", build)


@pytest.fixture(params=LAYOUTS)
def place(request: pytest.FixtureRequest, worlds: Worlds) -> Iterator[World]:
    world = make(worlds, request.param)
    before = world.git("status", "--porcelain")
    yield world
    assert world.git("status", "--porcelain") == before, "the main checkout changed"
    assert world.git("status", "--porcelain", cwd=world.W2) == " M src/app.py", "the other worktree changed"


@pytest.fixture
def beside(worlds: Worlds) -> World:
    return make(worlds, "beside")


@pytest.mark.parametrize("mode", MODES)
def test_a_session_that_enters_a_worktree_works_there(place: World, mode: str) -> None:
    story = run(place, [
        call("Read", file_path="{R}/src/app.py"),
        shell("wt enter {W}"),
        call("Write", file_path="{R}/src/brand_new.py", content="new\n"),
        call("Edit", file_path="{R}/src/app.py", **EDIT),
        call("Read", file_path="{R}/src/util.py"),
        call("Edit", file_path="{R}/src/util.py", **EDIT),
        call("Edit", file_path="{W}/src/util.py", **EDIT),
        call("Grep", pattern="value", output_mode="content"),
        call("Glob", pattern="**/new_feature.py"),
        call("Write", file_path="{W2}/stray.py", content="x"),
        call("Write", file_path="{R}/.git/hooks/pre-commit", content="x"),
        call("Write", file_path="{OUT}/notes.md", content="x"),
    ], mode, *WT, *EVERY_TOOL)
    assert "Entered x" in story.ok(1)
    assert str(place.W / "src/brand_new.py") in story.ok(2)
    assert (place.W / "src/brand_new.py").read_text() == "new\n" and not (place.R / "src/brand_new.py").exists()
    assert str(place.W / "src/app.py") in story.refused(3), "the refusal names the right path"
    assert "# W" in story.ok(4) and "# R" not in story.ok(4)
    assert f"Edit it only as {place.W}/src/util.py" in story.notes
    story.refused(5)  # by the client itself: it knows only the worktree's file as read
    story.ok(6)
    assert (place.W / "src/util.py").read_text() == "value = 2 # W\n"
    assert "# W" in story.ok(7) or "value = 2" in story.ok(7)
    assert "# R" not in story.ok(7)
    assert "new_feature.py" in story.ok(8), "a file that only the worktree has"
    assert "other-worktree" in story.refused(9) and not (place.W2 / "stray.py").exists()
    story.refused(10)
    assert not (place.R / ".git/hooks/pre-commit").exists()
    if mode == "bypassPermissions":
        assert "git-folder" in story.refused(10)
        story.ok(11)


def test_a_helper_is_held_as_well(place: World) -> None:
    place.bind()
    story = run(place, [call("Agent", description="a task", prompt="HELPER: work in {R}/src", subagent_type="general-purpose")],
                "bypassPermissions", helpers={"HELPER": [call("Write", file_path="{R}/src/by_helper.py", content="h\n"),
                                                         call("Write", file_path="{W2}/by_helper.py", content="h\n")]})
    assert (place.W / "src/by_helper.py").read_text() == "h\n"
    assert not (place.R / "src/by_helper.py").exists()
    helper = told(story.model, "HELPER")
    assert "other-worktree" in helper.refused(1)
    assert f"work in {place.W}" in helper.notes
    assert "a helper should use your worktree" in story.notes


def test_an_isolated_helper_keeps_its_own_worktree(beside: World) -> None:
    beside.bind()
    beside.sh('echo .claude/ >> "$R/.git/info/exclude"')
    run(beside, [call("Agent", description="a task", prompt="HELPER go", subagent_type="general-purpose", isolation="worktree")],
        "bypassPermissions", helpers={"HELPER": [call("Write", file_path="iso.txt", content="i\n")]})
    (own,) = beside.R.glob(".worktrees/agent-*/iso.txt")
    assert own.read_text() == "i\n"
    assert not (beside.W / "iso.txt").exists() and not (beside.R / "iso.txt").exists()


def test_the_client_s_own_worktree_is_followed_and_left(beside: World) -> None:
    story = run(beside, [
        call("EnterWorktree", name="native"),
        call("Write", file_path="own.txt", content="o\n"),
        shell("wt status"),
        call("Write", file_path="{W}/stray.txt", content="s\n"),
        call("ExitWorktree", action="keep"),
        call("Write", file_path="{OUT}/after.txt", content="a\n"),
        shell("wt status"),
    ], "bypassPermissions", *EVERY_TOOL)
    own = beside.R / ".worktrees/native"
    story.ok(1)
    assert (own / "own.txt").read_text() == "o\n"
    assert f"works in native ({own})" in story.ok(2)
    story.refused(3)
    assert not (beside.W / "stray.txt").exists()
    story.ok(4)
    assert "nothing bound" in story.ok(6)


def test_entering_a_native_worktree_while_bound_is_refused(beside: World) -> None:
    beside.bind()
    story = run(beside, [call("EnterWorktree", name="native"), call("EnterWorktree", path="{W2}")], "bypassPermissions", *EVERY_TOOL)
    assert "leave-first" in story.refused(0)
    assert "leave-first" in story.refused(1)
    assert not (beside.R / ".worktrees/native").exists()


def test_another_session_is_untouched(beside: World) -> None:
    entered = run(beside, [shell("wt enter {W}"), call("Write", file_path="{R}/first.py", content="1\n")], "bypassPermissions")
    entered.ok(1)
    assert (beside.W / "first.py").exists() and not (beside.R / "first.py").exists()
    other = run(beside, [call("Write", file_path="{R}/second.py", content="2\n")], "bypassPermissions")
    other.ok(0)
    assert (beside.R / "second.py").exists() and not (beside.W / "second.py").exists()
    assert "no worktree is bound" in other.notes


def test_a_resumed_session_has_its_binding_back(beside: World) -> None:
    session = str(uuid.uuid4())
    before = [shell("wt enter {W}"), [{"text": "entered"}]]
    run(beside, before, "bypassPermissions", "--session-id", session).ok(0)
    record = json.loads((beside.state / f"sessions/{session}.json").read_text())
    assert record["ended_at"], "the binding ends with the session"
    again = run(beside, [*before, call("Write", file_path="{R}/resumed.py", content="r\n")], "bypassPermissions", "--resume", session)
    assert f"this session works in the worktree {beside.W}" in again.notes
    assert (beside.W / "resumed.py").exists() and not (beside.R / "resumed.py").exists()


@pytest.mark.parametrize("rule", ["deny", "ask"])
def test_a_person_s_rules_for_the_worktree_still_hold(beside: World, rule: str) -> None:
    beside.bind()
    settings = beside.root / "home/.claude/settings.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(json.dumps({"permissions": {rule: [f"Edit(/{beside.W}/src/**)"]}}))
    story = run(beside, [call("Write", file_path="{R}/src/ruled.py", content="x\n"),
                         call("Write", file_path="{R}/docs/free.md", content="x\n")])
    story.refused(0)
    assert not (beside.W / "src/ruled.py").exists() and not (beside.R / "src/ruled.py").exists()
    story.ok(1)
    assert (beside.W / "docs/free.md").exists()


def test_default_mode_still_asks_before_a_write(beside: World) -> None:
    beside.bind()
    story = run(beside, [call("Write", file_path="{R}/asked.py", content="x\n"), call("Read", file_path="{R}/src/app.py")], "manual")
    story.refused(0)
    assert not (beside.W / "asked.py").exists() and not (beside.R / "asked.py").exists()
    story.ok(1)


def test_an_authorisation_lifts_and_its_end_closes_again(beside: World) -> None:
    beside.bind()
    write = [call("Write", file_path="{R}/by_leave.py", content="x\n")]
    assert beside.wt("authorize-main", "--reason", "a test").returncode == 0
    run(beside, write, "bypassPermissions").ok(0)
    assert (beside.R / "by_leave.py").exists()
    (beside.R / "by_leave.py").unlink()
    assert beside.wt("revoke-main").returncode == 0
    run(beside, write, "bypassPermissions").ok(0)
    assert (beside.W / "by_leave.py").exists() and not (beside.R / "by_leave.py").exists()


def test_leaving_opens_the_main_checkout(beside: World) -> None:
    beside.bind()
    assert beside.wt("leave").returncode == 0
    story = run(beside, [call("Read", file_path="{R}/src/app.py"), call("Edit", file_path="{R}/src/app.py", **EDIT)], "bypassPermissions")
    story.ok(1)
    assert (beside.R / "src/app.py").read_text() == "value = 2\n"


def test_a_plugin_that_vanishes_in_mid_session_stops_nobody(beside: World, tmp_path: Path) -> None:
    plugin = tmp_path / "plugin"
    checkout(plugin)
    beside.bind()
    story = run(beside, [call("Write", file_path="{R}/before.py", content="x\n"), shell(f"rm -rf {plugin}"),
                         call("Write", file_path="{R}/after.py", content="x\n"), call("Read", file_path="{R}/src/app.py")],
                "bypassPermissions", plugin=plugin)
    story.ok(0)
    assert (beside.W / "before.py").exists()
    story.ok(2)
    assert (beside.R / "after.py").exists(), "nobody guards any more, and nobody is stopped"
    story.ok(3)

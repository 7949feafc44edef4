"""Who holds a worktree, and where links lead: cases that a table of single paths does not show."""
from __future__ import annotations

import pytest

from tests.worlds import World

A, B, C = (f"0f0f0f0f-0000-4000-8000-00000000000{n}" for n in "abc")


@pytest.fixture
def two(world: World) -> World:
    """Session A works in W; later session B enters W2."""
    assert world.wt("enter", str(world.W), "--session", A).returncode == 0
    assert world.wt("enter", str(world.W2), "--session", B).returncode == 0
    return world


@pytest.mark.parametrize(("tree", "holder"), [("{W}", A), ("{W2}", B)])
def test_a_worktree_that_a_session_holds_is_no_other_s(two: World, tree: str, holder: str) -> None:
    given = {"file_path": f"{tree}/src/new.py", "content": ""}
    assert two.hook("Write", given, tree, session_id=C).rule == "other-worktree"
    assert two.hook("Write", given, tree, session_id=holder).kind == "allow"
    assert two.wt("leave", "--session", holder).returncode == 0
    assert two.hook("Write", given, tree, session_id=C).kind == "allow", "nobody holds it any more"


def test_a_session_that_has_ended_holds_nothing(two: World) -> None:
    """state.json still names B, the last that entered; B's own record says that it has ended."""
    record = two.state / f"sessions/{B}.json"
    record.write_text(record.read_text().replace('"ended_at": null', '"ended_at": "2026-01-02T03:04:05Z"'))
    assert two.hook("Write", {"file_path": "{W2}/src/new.py", "content": ""}, "{W2}", session_id=C).kind == "allow"
    assert two.hook("Write", {"file_path": "{W}/src/new.py", "content": ""}, "{W}", session_id=C).rule == "other-worktree"


def test_a_helper_that_stands_in_another_session_s_worktree_is_not_bound_to_it(two: World) -> None:
    own = two.hook("Write", {"file_path": "{R}/src/new.py", "content": ""}, "{W}", session_id=B, agent_id="h1")
    assert own.input == {"file_path": str(two.W2 / "src/new.py"), "content": ""}
    assert two.hook("Write", {"file_path": "{W}/src/new.py", "content": ""}, "{W}", session_id=B, agent_id="h1").rule == "other-worktree"


@pytest.mark.parametrize("goal", ["$OUT/plain", "$OUT/repository"], ids=["a folder", "a repository of its own"])
def test_a_link_out_of_the_worktree_is_one_wherever_it_leads(bound: World, goal: str) -> None:
    bound.sh(f'mkdir -p "$OUT/plain"; git init -q "$OUT/repository"; ln -s "{goal}" "$W/dep"; ln -s src "$W/inner"')
    assert bound.hook("Write", {"file_path": "{W}/dep/a.py", "content": ""}, "{W}").rule == "link-leaves-worktree"
    assert bound.hook("Read", {"file_path": "{W}/dep/a.py"}, "{W}").kind == "allow"
    assert bound.hook("Write", {"file_path": "{W}/inner/a.py", "content": ""}, "{W}").kind == "allow", "it stays inside"


def test_a_leave_for_a_folder_does_not_follow_its_links(bound: World) -> None:
    bound.sh('ln -s ../src "$R/docs/l"')
    assert bound.wt("allow", "docs", "--reason", "t").returncode == 0
    assert bound.hook("Write", {"file_path": "{R}/docs/notes.md", "content": ""}).kind == "allow"
    assert bound.hook("Write", {"file_path": "{R}/docs/l/app.py", "content": ""}).rule == "use-worktree-path"


def test_settings_at_the_end_of_a_link_are_settings(world: World) -> None:
    world.sh('mkdir "$R/conf"; echo "{}" > "$R/conf/g.json"; ln -s conf/g.json "$R/.worktree-guard.json"')
    for name in ("conf/g.json", ".worktree-guard.json"):
        assert world.hook("Write", {"file_path": "{R}/" + name, "content": ""}).rule == "guard-settings"
    assert world.hook("Write", {"file_path": "{R}/conf/other.json", "content": ""}).kind == "allow"


def test_what_a_person_agrees_to_still_moves(bound: World) -> None:
    answer = bound.hook("mcp__fs__write_files", {"paths": ["{R}/.worktree-guard.json", "{R}/src/app.py"]})
    assert (answer.kind, answer.rule) == ("ask", "guard-settings")
    assert answer.input == {"paths": [str(bound.R / ".worktree-guard.json"), str(bound.W / "src/app.py")]}

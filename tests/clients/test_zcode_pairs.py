"""ZCode's documents and the whole answer to each, as pairs in tests/fixtures/zcode, through the real hook process.

Made from its documented contract: every key comes twice, in camelCase and snake_case; `updatedInput` replaces the input, and a decision
beside it would silence the person's prompt. In pairs whose name begins with "unbound" nobody is bound, in the others everybody is, to W.
"""
from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.worlds import ROOT, World, run_hook

PAIRS = Path(__file__).parent.parent / "fixtures/zcode"
NAMES = sorted(path.name.removesuffix(".in.json") for path in PAIRS.glob("*.in.json"))
SESSION = "sess_8f2c1d"
ONLY_CAMEL = ("riskLevel", "sideEffectScope", "turnId", "traceId", "mode")
ONE_WORD = ("cwd", "mode")  # the same in both spellings


def load(name: str, side: str) -> dict[str, Any]:
    return dict(json.loads((PAIRS / f"{name}.{side}.json").read_text(encoding="utf-8")))


def camel_of(key: str) -> str:
    first, *more = key.split("_")
    return first + "".join(word.capitalize() for word in more)


def camel(document: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if "_" not in key}


def snake(document: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key in ONE_WORD or key.islower()}


def ask(world: World, document: dict[str, Any], client: str = "zcode") -> dict[str, Any]:
    """The hook's whole answer, {} for none. It must not be a fault."""
    answer = run_hook(json.dumps(document).encode(), world.env, world.R, client)
    assert answer.stderr == ""
    return answer.document


@pytest.fixture
def place(request: pytest.FixtureRequest, name: str) -> World:
    """The world of a pair. docs/notes.md is in the main checkout alone."""
    world: World = request.getfixturevalue("world" if name.startswith("unbound") else "bound")
    (world.W / "docs/notes.md").unlink()
    return world


def test_the_pairs_are_whole() -> None:
    assert len(NAMES) > 30
    assert {path.name for path in PAIRS.iterdir()} == {f"{name}.{side}.json" for name in NAMES for side in ("in", "out")}
    for name in NAMES:
        document = load(name, "in")
        doubled = {key for key in document if key not in (*ONLY_CAMEL, "cwd")}
        assert {camel_of(key) for key in doubled if "_" in key} == {key for key in doubled if "_" not in key}
        assert all(document[key] == document[camel_of(key)] for key in doubled)
        assert all(key in document for key in (*ONLY_CAMEL, "permission_mode", "cwd"))


@pytest.mark.parametrize("name", NAMES)
def test_the_answer_is_the_pair_s(place: World, name: str) -> None:
    document, expected = place.fill(load(name, "in")), place.fill(load(name, "out"))
    assert ask(place, document) == expected
    assert ask(place, document, client="") == expected, "it is recognised by its doubled keys"
    assert ask(place, camel(document)) == expected, "camelCase alone"
    assert ask(place, snake(document)) == expected, "snake_case alone"


def only_moves(name: str) -> bool:
    return set(load(name, "out").get("hookSpecificOutput", {})) == {"hookEventName", "updatedInput"}


@pytest.mark.parametrize("name", [name for name in NAMES if only_moves(name)])
def test_a_moved_call_is_whole_and_settled(place: World, name: str) -> None:
    document, answer = place.fill(load(name, "in")), place.fill(load(name, "out"))["hookSpecificOutput"]
    assert set(answer) == {"hookEventName", "updatedInput"}, "a decision would silence the person's prompt; notes reach nobody"
    assert set(answer["updatedInput"]) >= set(document["tool_input"])
    again = {**document, "tool_input": answer["updatedInput"], "toolInput": answer["updatedInput"]}
    assert ask(place, again) == {}, "moving twice is moving once"


@pytest.mark.parametrize("spelt", [dict, snake, camel], ids=["both", "snake_case", "camelCase"])
def test_a_leave_for_one_call_is_known_by_the_call(bound: World, spelt: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Hooks that are registered twice ask twice about one call; the second must hear what the first heard, in either spelling."""
    assert bound.wt("authorize-main", "--once", "--reason", "a test").returncode == 0
    document = bound.fill(load("write-over-a-file", "in"))
    one, other = (spelt({**document, "tool_use_id": call, "toolUseId": call}) for call in ("call_1", "call_2"))
    assert ask(bound, one) == {}
    assert ask(bound, one) == {}, "the same call"
    assert ask(bound, other) == bound.fill(load("write-over-a-file", "out")), "another call"


# --- the shell, which does not know its session ----------------------------------------------------------------------

CALLS = ["wt enter x", "cd {R} && wt status", "(wt leave)", "A=1 wt status", "/opt/scripts/wt status", "worktree-guard enter x",
         "wt status|cat", "`wt status`", 'echo "$(wt status)"', "true;wt leave", "C:\\tools\\wt status", "ls\nwt leave", "  wt enter x"]
OTHERS = ["", "ls", "echo wt", "grep -r wt .", "cd wt", "git worktree list",
          "wtf", "awt x", "wt-x", "cat wt.txt", "git log wt/x", "ls wt/", "./wt/run", "WT", "wt_x",
          "worktree-guard-docs", "cat worktree-guard.json", "export ZCODE_SESSION_ID=sess_other; wt status"]
ODD = ["", " ", "a b", "a;id", "$(id)", "`id`", "a'b", 'a"b', "é", "a\nb", "a/b", "*", "~", "a&b", "a\\b", "\u0661"]


def shell(world: World, command: Any, session: str | None = SESSION, tool: str = "Bash", client: str = "zcode") -> Any:
    """The command as it is run: the moved one, or the same."""
    given = {"command": world.fill(command), "description": "d"}
    document = {**load("shell-of-another-program", "in"), "tool_name": tool, "toolName": tool, "tool_input": given, "toolInput": given,
                "session_id": session, "sessionId": session}
    answer = ask(world, world.fill(document), client)
    if not answer:
        return given["command"]
    moved = answer["hookSpecificOutput"].get("updatedInput", given)  # a question about `wt leave` comes with the command it would run
    assert {**moved, "command": given["command"]} == given
    return moved["command"]


def test_a_call_of_wt_is_told_its_session_once(bound: World) -> None:
    for command in CALLS:
        moved = shell(bound, command)
        assert moved == f"export ZCODE_SESSION_ID={SESSION}; {bound.fill(command)}"
        assert shell(bound, moved) == moved


def test_other_commands_stay_as_they_are(bound: World) -> None:
    for command in [*OTHERS, None]:
        assert shell(bound, command) == bound.fill(command)
    assert shell(bound, "wt status", tool="Monitor") == "wt status"
    assert shell(bound, "wt status", client="claude-code") == "wt status", "its shell knows"


def test_an_odd_session_is_not_put_into_a_command(bound: World) -> None:
    for session in ODD:
        assert shell(bound, "wt status", session) == "wt status"
    assert shell(bound, "wt status", None) == "wt status"
    for session in ("a", "A-1_b.c", "0f0f0f0f-0000-4000-8000-000000000001"):
        assert shell(bound, "wt status", session) == f"export ZCODE_SESSION_ID={session}; wt status"


def test_the_moved_command_binds_that_session(world: World) -> None:
    command = shell(world, f"wt enter '{world.W}' | cat")
    world.sh(f'cd "$R"; PATH="{ROOT}/scripts:$PATH"; {command}')
    document = world.fill(load("edit", "in"))
    assert ask(world, document) == world.fill(load("edit", "out"))
    assert ask(world, {**document, "session_id": "sess_2", "sessionId": "sess_2"}) == {}, "another session"

"""`wt status`: what programs may rely on, and what a person must see."""
from __future__ import annotations

import json
import os
import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from tests.worlds import World, run_hook
from tests.wt.test_enter import ONE, TWO, done, small, wt

NONE = type(None)
ROW: dict[str, Any] = {
    "name": str, "path": str, "branch": str, "head": str, "base": (str, NONE), "ahead": (int, NONE), "behind": (int, NONE),
    "dirty": (dict, NONE), "main": bool, "owned": bool, "bound_by": list, "lease": object, "lane": object, "locked": (str, NONE),
    "stale": (str, NONE),
}


@pytest.fixture
def plain(tmp_path: Path) -> World:
    return small(Path(os.path.realpath(tmp_path)))


def row(world: World, name: str, **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in done(world, "status", **more)["worktrees"] if one["name"] == name)
    return found


def text(world: World, **more: Any) -> str:
    ran = world.wt("status", **more)
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


# --- what programs may rely on ---------------------------------------------------------------------------------------

def test_every_promised_field_is_there(world: World) -> None:
    done(world, "enter", "x")
    done(world, "new", "z")
    data = done(world, "status")
    assert {"worktrees", "binding", "mode", "authorisations", "faults"} <= set(data)
    for one in data["worktrees"]:
        assert set(ROW) <= set(one)
        assert all(isinstance(one[name], kind) for name, kind in ROW.items())
    assert data["worktrees"][0]["path"] == str(world.R)
    assert {(one["name"], one["main"], one["owned"]) for one in data["worktrees"]} == {
        ("app", True, False), ("z", False, True), ("x", False, False), ("y", False, False)}
    assert (data["mode"], data["authorisations"], data["faults"]) == ("open", [], [])
    assert (data["binding"]["path"], data["binding"]["name"], data["binding"]["source"]) == (str(world.W), "x", "repository")


def test_counts_are_gits(world: World) -> None:
    world.sh('''cd "$R"; git commit -q --allow-empty -m 1; git commit -q --allow-empty -m 2
                cd "$W"; git commit -q --allow-empty -m own2
                echo 5 > src/app.py; git rm -q docs/notes.md; echo 1 > a; mkdir d; echo 1 > d/b''')
    found = row(world, "x")
    assert (found["ahead"], found["behind"], found["base"]) == (2, 2, "main")
    assert found["dirty"] == {"modified": 2, "untracked": 2, "conflicted": 0}
    assert (found["branch"], found["head"], found["path"]) == ("wt/x", world.git("rev-parse", "wt/x"), str(world.W))


def test_a_conflict_is_counted_as_one(world: World) -> None:
    world.sh('''cd "$W"; echo 5 > src/app.py; git commit -qam w; cd "$R"; echo 6 > src/app.py; git commit -qam m
                cd "$W"; git merge -q main || true''')
    assert row(world, "x")["dirty"] == {"modified": 0, "untracked": 0, "conflicted": 1}


SETTINGS = ["status.showUntrackedFiles=no", "status.branch=true", "status.short=true", "color.ui=always", "status.renames=copies"]


def test_the_owners_git_settings_change_no_count(world: World) -> None:
    world.sh('cd "$W"; echo 5 > src/app.py; git mv nb.ipynb "nb é.ipynb"; echo 1 > loose')
    before = row(world, "x")
    for setting in SETTINGS:
        world.git("config", *setting.split("="))
    assert row(world, "x") == before
    assert before["dirty"] == {"modified": 3, "untracked": 1, "conflicted": 0}


def test_who_is_bound_where(world: World) -> None:
    done(world, "enter", "y")
    done(world, "enter", "x", "--session", ONE)
    done(world, "enter", "x", "--session", TWO)
    assert (row(world, "x")["bound_by"], row(world, "y")["bound_by"], row(world, "app")["bound_by"]) == ([ONE, TWO], ["repository"], [])
    done(world, "leave", "--all")
    assert row(world, "x")["bound_by"] == []


VIEWS: list[tuple[str, list[str], dict[str, str], str, str]] = [
    ("a person", [], {}, "y", "repository"),
    ("--session", ["--session", ONE], {}, "x", "session"),
    ("an agent's shell", [], {"CLAUDE_CODE_SESSION_ID": ONE}, "x", "session"),
    ("a session without a binding of its own", ["--session", TWO], {}, "y", "repository"),
]


@pytest.mark.parametrize(("words", "env", "place", "source"), [view[1:] for view in VIEWS], ids=[view[0] for view in VIEWS])
def test_the_binding_is_the_callers(world: World, words: list[str], env: dict[str, str], place: str, source: str) -> None:
    done(world, "enter", "y")
    done(world, "enter", "x", "--session", ONE)
    data = done(world, "status", *words, **env)
    assert (data["binding"]["name"], data["binding"]["source"]) == (place, source)


def test_another_sessions_binding_is_not_ones_own(world: World) -> None:
    done(world, "enter", "x", CLAUDE_CODE_SESSION_ID=ONE)
    assert done(world, "status", CLAUDE_CODE_SESSION_ID=TWO)["binding"] is None
    assert "nothing bound but 1 session of others: the main checkout is open to you." in text(world, CLAUDE_CODE_SESSION_ID=TWO)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="a process's start time is told by /proc")
def test_a_session_whose_client_is_gone_is_shown_and_not_enforced(world: World) -> None:
    with subprocess.Popen(["sleep", "60"]) as client:
        done(world, "enter", "x", CLAUDE_CODE_SESSION_ID=ONE, CLAUDE_PID=str(client.pid))
        assert row(world, "x")["bound_by"] == [ONE]
        client.kill()
    data = done(world, "status", CLAUDE_CODE_SESSION_ID=ONE)
    assert (data["binding"], [(s["session"], s["enforced"]) for s in data["sessions"]]) == (None, [(ONE, False)])
    assert row(world, "x")["bound_by"] == []
    assert "Ended: session" in text(world)
    assert world.hook("Edit", {"file_path": "{R}/src/app.py", "old_string": "1", "new_string": "2"}, session_id=ONE).kind == "allow"


def test_a_detached_worktree_has_no_branch(world: World) -> None:
    world.git("checkout", "-q", "--detach", cwd=world.W)
    assert row(world, "x")["branch"] == ""
    assert "(detached)" in text(world)


def test_locked_and_missing_worktrees_are_marked(world: World) -> None:
    world.git("worktree", "lock", "--reason", "on a usb stick", str(world.W))
    assert (row(world, "x")["locked"], row(world, "x")["stale"]) == ("on a usb stick", None)
    world.git("worktree", "lock", str(world.W2))
    assert row(world, "y")["locked"] == "", "locked without a reason is not unlocked"
    world.git("worktree", "unlock", str(world.W2))
    world.sh('rm -rf "$W" "$W2"')
    assert (row(world, "x")["stale"], row(world, "y")["stale"]) == ("locked, missing", "missing")
    assert (row(world, "y")["dirty"], row(world, "y")["ahead"]) == (None, None)
    assert "missing" in text(world)


@pytest.mark.parametrize("damage", ["rm .git", "echo 'gitdir: /nowhere' > .git"], ids=["no .git file", "a .git file that leads nowhere"])
def test_a_folder_that_is_no_worktree_any_more_is_stale_and_shows_no_counts_of_the_main_checkout(plain: World, damage: str) -> None:
    folder = Path(done(plain, "enter", "x")["path"])
    plain.sh('cd "$R"; git switch -qc other; git commit -q --allow-empty -m "of R"; echo 5 > src/app.py')
    plain.sh(damage, cwd=folder)
    found = row(plain, "x")
    assert (found["dirty"], found["ahead"] in (0, None)) == (None, True)
    assert found["stale"]


def test_the_main_checkout_is_first_from_everywhere(world: World) -> None:
    for place in (world.R / "src", world.W, world.W2 / "src"):
        first = done(world, "status", cwd=place)["worktrees"][0]
        assert (first["path"], first["main"]) == (str(world.R), True)


def test_many_worktrees_of_one_name_are_told_apart_by_path(world: World) -> None:
    world.git("worktree", "add", "-q", "-b", "second", str(world.OUT / "x"))
    done(world, "enter", str(world.OUT / "x"))
    assert [(one["path"], one["bound_by"]) for one in done(world, "status")["worktrees"] if one["name"] == "x"] == [
        (str(world.W), []), (str(world.OUT / "x"), ["repository"])]
    world.sh('rm -rf "$W" "$W2"')
    assert f"wt enter {world.W} makes it again" in text(world), "its name could mean the other one"
    assert "wt enter y makes it again" in text(world)


# --- what a person must see ------------------------------------------------------------------------------------------

def test_the_table_names_everything_once(world: World) -> None:
    done(world, "enter", "x")
    done(world, "enter", "y", "--session", ONE)
    lines = text(world).splitlines()
    assert next(line for line in lines if " x " in line).split()[:5] == ["*", "x", "wt/x", "main", "+1"]
    assert "1 modified" in next(line for line in lines if " y " in line)
    assert ONE[:8] in next(line for line in lines if " y " in line)
    assert any(line.startswith("Mode open. Bound: everybody here works in x") for line in lines)


MODES = [({}, "Mode open, nothing bound"), ({"mode": "protect"}, "Mode protect, nothing bound: the main checkout is protected; wt enter")]


@pytest.mark.parametrize(("settings", "said"), MODES, ids=["open by default", "protect"])
def test_the_mode_is_told(plain: World, settings: dict[str, str], said: str) -> None:
    if settings:
        (plain.R / ".worktree-guard.json").write_text(json.dumps(settings))
    assert said in text(plain)
    assert done(plain, "status")["mode"] == settings.get("mode", "open")


def test_the_settings_of_the_main_checkout_count_and_not_a_worktrees_copy(world: World) -> None:
    (world.W / ".worktree-guard.json").write_text('{"mode": "protect"}')
    assert done(world, "status", cwd=world.W)["mode"] == "open"
    (world.R / ".worktree-guard.json").write_text('{"mode": "protect"}')
    (world.W / ".worktree-guard.json").write_text('{"mode": "open"}')
    assert done(world, "status", cwd=world.W)["mode"] == "protect"


BROKEN_SETTINGS = [
    ("no JSON", "{", ["defaults are used"]),
    ("no object", "[1]", ["not an object"]),
    ("an unknown field", '{\n"mod": "protect"}', [":2:", "mod"]),
    ("a wrong type", '{\n\n"mode": 7, "implicit": false}', [":3:", "mode"]),
    ("a wrong type in a list", '{"protected_branches": [1]}', ["protected_branches"]),
    ("a wrong type under an old name", '{"main_write_whitelist": 5}', ["main_write_whitelist"]),
    ("a pattern for everything", '{"main_write_allow": ["**"]}', ["main_write_allow", "whole main checkout"]),
    ("a byte order mark", '\ufeff{"mode": "x"}', ["mode"]),
    ("deep", "[" * 100000, ["defaults are used"]),
]


@pytest.mark.parametrize(("content", "words"), [one[1:] for one in BROKEN_SETTINGS], ids=[one[0] for one in BROKEN_SETTINGS])
def test_what_is_wrong_in_the_settings_is_told_with_file_line_and_field(plain: World, content: str, words: list[str]) -> None:
    file = plain.R / ".worktree-guard.json"
    file.write_text(content)
    warnings = done(plain, "status")["settings"]["warnings"]
    assert len(warnings) == 1
    assert all(word in warnings[0] for word in [str(file), *words])
    assert f"Setting: {warnings[0]}" in text(plain)


def test_faults_of_the_hook_show(plain: World) -> None:
    run_hook(b"{", plain.env, plain.R)
    faults = done(plain, "status")["faults"]
    assert len(faults) == 1
    assert faults[0]["fault"]
    assert faults[0]["fault"] in text(plain)


def test_faults_that_no_repository_could_be_named_for_show_too(plain: World) -> None:
    (plain.root / "home/.local/state").mkdir(parents=True)
    run_hook(b"{", plain.env, plain.OUT)
    assert len(done(plain, "status")["faults"]) == 1
    (plain.root / "state").mkdir()
    run_hook(b"[", {**plain.env, "XDG_STATE_HOME": str(plain.root / "state")}, plain.OUT)
    assert len(done(plain, "status", XDG_STATE_HOME=str(plain.root / "state"))["faults"]) == 1


def test_old_and_spoilt_fault_lines_do_no_harm(plain: World) -> None:
    plain.state.mkdir()
    at = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    lines = ['{"at": "2020-01-01T00:00:00Z", "fault": "long ago"}', "half a li", "[1]", "7", '{"fault": "without a time"}',
             json.dumps({"at": at, "fault": "now"})]
    (plain.state / "faults.jsonl").write_bytes("\n".join(lines).encode() + b"\n\xff\xfe\n")
    assert "now" in [fault["fault"] for fault in done(plain, "status")["faults"]]
    assert "long ago" not in text(plain)


STATE_FILES = ["state.json", f"sessions/{ONE}.json", "override.json", "allow.json", "worktrees/z.json"]
CONTENTS = [("half", b"{"), ("a later version", b'{"version": 2, "path": "/x"}'), ("no text", b"\xff\xfe\x00"),
            ("wrong types", b'{"path": 7, "authorisations": 7, "entries": 7}')]


@pytest.mark.parametrize("name", STATE_FILES)
@pytest.mark.parametrize("content", [content for _, content in CONTENTS], ids=[why for why, _ in CONTENTS])
def test_spoilt_state_counts_as_absent_and_shows(world: World, name: str, content: bytes) -> None:
    done(world, "new", "z")
    (world.state / "sessions").mkdir(exist_ok=True)
    (world.state / name).write_bytes(content)
    data = done(world, "status", "--session", ONE)
    assert data["spoilt"] == [str(world.state / name)]
    assert data["binding"] is None
    assert (world.state / name).read_bytes() == content, "looking changes nothing"


@pytest.mark.parametrize("end", ["2099-01-01T00:00:00+00:00", "tomorrow"])
@pytest.mark.parametrize("name", ["override.json", "allow.json"])
def test_an_end_that_is_no_time_does_not_break_status(plain: World, name: str, end: str) -> None:
    plain.state.mkdir()
    one = {"id": "a", "path": "/a", "reason": "by hand", "expires_at": end}
    (plain.state / name).write_text(json.dumps({"version": 1, "authorisations": [one], "entries": [one]}))
    assert wt(plain, "status").returncode == 0


def test_leaves_to_write_show_with_the_time_left(plain: World) -> None:
    done(plain, "authorize-main", "--reason", "a hot fix", "--ttl", "90s", "--only", "push", "--once", "--session", ONE)
    done(plain, "allow", "docs", "--reason", "the changelog", "--ttl", "2h")
    data = done(plain, "status")
    assert [(a["reason"], a["only"], a["once"], a["session"], a["minutes_left"]) for a in data["authorisations"]] == [
        ("a hot fix", "push", True, ONE, 2)]
    assert [(p["path"], p["minutes_left"]) for p in data["allowed"]] == [(str(plain.R / "docs"), 120)]
    said = text(plain)
    for word in ("a hot fix", "push", ONE[:8], "one call", "2 min", "wt revoke-main", "the changelog", "2 h", "wt allow --clear",
                 f"{plain.R}/docs"):
        assert word in said


def test_what_is_over_does_not_show(plain: World) -> None:
    plain.state.mkdir()
    ended = (datetime.now(timezone.utc) - timedelta(seconds=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    one = {"id": "a", "path": "/a", "reason": "over", "expires_at": ended}
    (plain.state / "override.json").write_text(json.dumps({"version": 1, "authorisations": [one]}))
    (plain.state / "allow.json").write_text(json.dumps({"version": 1, "entries": [one]}))
    data = done(plain, "status")
    assert (data["authorisations"], data["allowed"]) == ([], [])


def test_a_bound_worktree_that_is_gone_is_told_with_both_ways_out(world: World) -> None:
    done(world, "enter", "x")
    world.sh('rm -rf "$W"')
    said = text(world)
    assert "wt enter x makes it again" in said
    assert "wt leave" in said


def test_status_changes_nothing(world: World) -> None:
    done(world, "enter", "x")
    done(world, "enter", "y", "--session", ONE)
    world.sh('cd "$R"; echo 5 > src/app.py; touch -d "1 hour ago" src/app.py docs/notes.md')
    before = tree(world.R / ".git")
    text(world)
    done(world, "status", cwd=world.W)
    assert tree(world.R / ".git") == before


def test_a_repository_that_never_used_wt_is_left_untouched(world: World) -> None:
    done(world, "status")
    assert not world.state.exists()

"""The events beside PreToolUse, each through the real `hooks/run` on real repositories: what it prints and what it leaves behind."""
from __future__ import annotations

import json
import os
import re
import select
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import guard
from guard.edge import disk
from tests.conftest import Worlds
from tests.worlds import ROOT, SESSION, World, make_world

RUN = ROOT / "hooks/run"
SH = shutil.which("sh") or "/bin/sh"
NEW = "0f0f0f0f-0000-4000-8000-000000000002"
PID = str(os.getpid())  # a process that lives as long as the tests: the client
EVENTS = {"session_start": "SessionStart", "subagent_start": "SubagentStart", "session_end": "SessionEnd",
          "post_tool_use": "PostToolUse", "permission_request": "PermissionRequest"}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@dataclass
class Told:
    """What one event printed."""

    document: dict[str, Any]
    stderr: str

    @property
    def context(self) -> str:
        return str(self.document.get("hookSpecificOutput", {}).get("additionalContext", ""))


def run(world: World, event: str, stdin: bytes, run_from: Path = RUN, client: str = "claude-code", **env: str) -> Told:
    """The real process, no other program on PATH. It must exit 0 and print nothing, or one document of this event on one line."""
    data = world.root / "home/.local/share/worktree-guard"
    if not (data / "python").exists():
        data_of(world)
        (data / "set-up").write_text(f"{guard.VERSION} {ROOT}\n")  # nothing is to be installed
    words = [SH, str(run_from), event, *(["--client", client] if client else [])]
    done = subprocess.run(words, input=stdin, env={**world.env, "PATH": str(world.root / "bin"), **env}, cwd=world.R, capture_output=True,
                          timeout=20, check=False)
    stderr = done.stderr.decode(errors="replace")
    assert done.returncode == 0, stderr
    if not done.stdout:
        return Told({}, stderr)
    assert done.stdout.endswith(b"\n") and done.stdout.count(b"\n") == 1
    document = json.loads(done.stdout)
    assert document["hookSpecificOutput"]["hookEventName"] == EVENTS[event]
    return Told(document, stderr)


def document(world: World, event: str, cwd: str = "{R}", **more: Any) -> dict[str, Any]:
    """As Claude Code 2.1.332 sends it."""
    common = {"session_id": world.session, "transcript_path": "/t.jsonl", "cwd": cwd, "hook_event_name": EVENTS[event]}
    own: dict[str, Any] = {"session_start": {"source": "startup"}, "subagent_start": {"prompt_id": "p1", "agent_type": "general-purpose"},
                           "session_end": {"reason": "exit"}}.get(event, {})
    return dict(world.fill({**common, **own, **more}))


def tell(world: World, event: str, env: dict[str, str] | None = None, run_from: Path = RUN, **more: Any) -> Told:
    """One event that must not be a fault."""
    told = run(world, event, json.dumps(document(world, event, **more)).encode(), run_from, **(env or {}))
    assert told.stderr == ""
    return told


def start(world: World, source: str = "startup", session: str = SESSION, **env: str) -> str:
    """SessionStart in R: the line the model sees."""
    return tell(world, "session_start", env, source=source, session_id=session).context


def records(world: World) -> dict[str, Any]:
    """state.json and the records of sessions, by file name."""
    return {path.name: json.loads(path.read_text()) for path in [world.state / "state.json", *(world.state / "sessions").glob("*")]
            if path.exists()}


def files(world: World) -> dict[str, bytes]:
    """All state, the logs left out."""
    return {str(path.relative_to(world.state)): path.read_bytes() for path in sorted(world.state.rglob("*"))
            if path.is_file() and path.suffix != ".jsonl"}


def held(world: World, session: str = SESSION) -> bool:
    """Is the session kept out of the main checkout by PreToolUse?"""
    answer = world.hook("Edit", {"file_path": "{R}/src/app.py", "old_string": "1", "new_string": "2"}, session_id=session)
    assert answer.kind in ("allow", "deny")
    assert answer.kind == "allow" or answer.rule == "use-worktree-path"
    return answer.kind == "deny"


def as_session(session: str = SESSION, pid: str = PID) -> dict[str, str]:
    """The environment of `wt` in the client's shell."""
    return {"CLAUDE_CODE_SESSION_ID": session, "CLAUDE_PID": pid}


def enter(root: Path) -> World:
    world = make_world(root)
    done = world.wt("enter", str(world.W), **as_session())
    assert done.returncode == 0, done.stderr
    return world


@pytest.fixture
def own(worlds: Worlds) -> World:
    """One session is bound to W; its client is this very process."""
    return worlds.fresh("one session bound", enter)


# --- SessionStart: what the model is told ----------------------------------------------------------------------------

def test_a_bound_session_is_told_its_worktree(own: World) -> None:
    said = start(own)
    assert said.startswith("worktree-guard: ") and "\n" not in said
    assert f"works in the worktree {own.W} (branch wt/x)" in said
    assert f"`cd {own.W}`" in said
    assert "wt status" not in said
    assert str(own.W) not in start(own, session=NEW), "another session is not bound"


@pytest.mark.parametrize("client", ["", "claude-code", "zcode"])
def test_a_bound_repository_binds_every_session(bound: World, client: str) -> None:
    told = run(bound, "session_start", json.dumps(document(bound, "session_start", session_id=NEW)).encode(), client=client)
    assert f"works in the worktree {bound.W} (branch wt/x)" in told.context
    assert told.stderr == ""


def test_an_unbound_session_is_told_how_to_get_a_worktree(world: World) -> None:
    said = start(world)
    assert "no worktree is bound, the main checkout is open" in said
    assert "`wt enter NAME`" in said
    (world.R / ".worktree-guard.json").write_text('{"mode": "protect"}')
    said = start(world)
    assert "the main checkout is protected" in said and "`wt enter NAME`" in said
    assert "is open" not in said


def test_a_worktree_that_is_gone_is_not_recommended(bound: World) -> None:
    shutil.rmtree(bound.W)
    said = start(bound)
    assert f"{bound.W}, which is gone" in said
    assert f"`wt enter {bound.W}`" in said and "`wt leave`" in said
    assert "`cd " not in said


@pytest.mark.parametrize("way", ["--detach wt/x", "main"])
def test_a_worktree_that_left_its_branch(bound: World, way: str) -> None:
    if way == "main":
        bound.git("switch", "-q", "--detach")
    bound.git("switch", "-q", *way.split(), cwd=bound.W)
    said = start(bound)
    command = f"git -C {bound.W} switch wt/x"
    assert f"has left its branch. Run `{command}`." in said
    bound.sh(command)
    assert f"works in the worktree {bound.W} (branch wt/x)" in start(bound)


def test_a_session_started_in_a_worktree_is_told_so(world: World) -> None:
    told = tell(world, "session_start", {"CLAUDE_PROJECT_DIR": str(world.W2)}, cwd="{W2}")
    assert f"works in the worktree {world.W2}" in told.context
    (world.R / ".worktree-guard.json").write_text('{"implicit": false}')
    told = tell(world, "session_start", {"CLAUDE_PROJECT_DIR": str(world.W2)}, cwd="{W2}")
    assert "no worktree is bound" in told.context


@pytest.mark.parametrize("cwd", ["{OUT}", "/", "/nowhere/at/all"])
def test_outside_a_repository_nothing_is_said_or_left_behind(world: World, cwd: str) -> None:
    told = tell(world, "session_start", {"CLAUDE_PROJECT_DIR": world.fill(cwd)}, cwd=cwd)
    assert told.document == {}
    assert not world.state.exists() and not list(world.OUT.iterdir())


def test_commands_for_a_path_with_blanks_can_be_typed(tmp_path: Path) -> None:
    world = make_world(tmp_path, name="my app")
    world.bind()
    command = start(world).split("`")[1]
    assert world.sh(f"{command} && pwd -P", cwd=world.R).strip() == str(world.W.resolve())


def test_faults_are_told_for_a_day(bound: World) -> None:
    run(bound, "session_start", b"{broken")
    faults = bound.state / "faults.jsonl"
    assert faults.exists()
    said = start(bound)
    assert f"works in the worktree {bound.W}" in said and "Tell the person" in said and "`wt status`" in said
    old = faults.stat().st_mtime - 2 * 86400
    os.utime(faults, (old, old))
    assert "Tell the person" not in start(bound)


def test_state_that_cannot_be_read_is_told(bound: World) -> None:
    (bound.state / "state.json").write_text("{broken")
    said = start(bound)
    assert "no worktree is bound" in said
    assert "Tell the person: " in said and str(bound.state / "state.json") in said


# --- SessionStart: what later shell calls get ------------------------------------------------------------------------

def exported(world: World, session: str = SESSION, before: str = "", run_from: Path = RUN) -> Path:
    file = world.root / "claude env"
    file.write_text(before)
    tell(world, "session_start", {"CLAUDE_ENV_FILE": str(file)}, run_from, session_id=session)
    return file


def shell(world: World, file: Path, script: str) -> str:
    return world.sh(f'. "{file}"; {script}')


def test_the_environment_file_gets_two_lines(world: World) -> None:
    before = "export A=1\n# somebody else's\n"
    file = exported(world, before=before)
    assert file.read_text() == f"{before}export WORKTREE_GUARD_SESSION='{SESSION}'\nexport PATH=\"$PATH\":'{ROOT}/scripts'\n"


def test_what_it_exports_works_in_a_shell(world: World) -> None:
    (world.root / "bin").mkdir()
    (world.root / "bin/first").touch(0o755)
    file = exported(world, before="export A=1\n")
    said = shell(world, file, f'PATH="{world.root}/bin:$PATH"; echo "$A $WORKTREE_GUARD_SESSION"; command -v first worktree-guard')
    lines = said.splitlines()
    assert lines[:2] == [f"1 {SESSION}", str(world.root / "bin/first")]
    assert os.path.realpath(lines[2]) == str(ROOT / "scripts/worktree-guard")
    assert f"binds   session {SESSION}" in shell(world, file, 'cd "$R"; "${PATH##*:}/wt" enter x')


def test_a_line_without_an_end_is_not_continued(world: World) -> None:
    file = exported(world, before="export A=1")
    assert shell(world, file, 'echo "$A $WORKTREE_GUARD_SESSION"') == f"1 {SESSION}\n"


STRANGE = ["'", "a b", "$(touch {OUT}/x)", "`touch {OUT}/x`", "a\nexport B=2", "'; touch {OUT}/x; '", '"$HOME"', "\\", "é", "*", "-n", "!!"]


def test_a_strange_session_id_is_one_word(world: World) -> None:
    for session in world.fill(STRANGE):
        file = exported(world, session)
        assert shell(world, file, 'printf %s "$WORKTREE_GUARD_SESSION"; test -z "$B"') == session
        assert not (world.OUT / "x").exists()


def test_without_a_session_nothing_is_exported_for_it(world: World) -> None:
    file = world.root / "env"
    tell(world, "session_start", {"CLAUDE_ENV_FILE": str(file)}, session_id=None)
    assert "WORKTREE_GUARD_SESSION" not in file.read_text()
    assert file.read_text().count("\n") == 1


def test_an_environment_file_that_cannot_be_written_is_heard(bound: World) -> None:
    given = json.dumps(document(bound, "session_start")).encode()
    told = run(bound, "session_start", given, CLAUDE_ENV_FILE=str(bound.root / "no/such/folder/env"))
    assert f"works in the worktree {bound.W}" in told.context
    assert told.stderr.startswith("worktree-guard: ") and told.stderr.count("\n") == 1


def test_another_program_called_wt_is_stepped_around(world: World) -> None:
    (world.root / "bin").mkdir()
    assert "`wt enter NAME`" in start(world)
    (world.root / "bin/wt").touch(0o755)
    assert "`worktree-guard enter NAME`" in start(world)
    assert "`wt enter NAME`" in start(world, PATH=f"{ROOT}/scripts"), "our own is not another"
    assert "`wt enter NAME`" in start(world, PATH="")


# --- SessionStart: an environment for wt -----------------------------------------------------------------------------

@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """A copy of the program without an environment, whose set-up only leaves a mark."""
    place = tmp_path / "plug in"
    for name in ("guard", "hooks", "scripts"):
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
    (place / "guard/wt/environment.py").write_text(
        "import json, sys\n"
        "open(__file__ + '.started', 'a').write(json.dumps([sys.executable, sys.flags.isolated, *sys.argv[1:]]) + '\\n')\n")
    return place


def set_ups(world: World, plugin: Path) -> list[Any]:
    """The set-ups that a session's start starts: waits until the last process that came of it has ended."""
    ends, kept = os.pipe()
    try:
        done = subprocess.run([SH, str(plugin / "hooks/run"), "session_start"], input=json.dumps(document(world, "session_start")).encode(),
                              env={**world.env, "PATH": str(world.root / "bin")}, cwd=world.R, capture_output=True, timeout=20,
                              check=False, pass_fds=(kept,))
    finally:
        os.close(kept)
    assert (done.returncode, done.stderr) == (0, b"")
    ready, _, _ = select.select([ends], [], [], 20)
    assert ready and os.read(ends, 1) == b"", "a process stayed"
    os.close(ends)
    mark = plugin / "guard/wt/environment.py.started"
    lines = [json.loads(line) for line in mark.read_text().splitlines()] if mark.exists() else []
    mark.unlink(missing_ok=True)
    return lines


def data_of(world: World) -> Path:
    """The program's data in the scratch home, where it finds the interpreter of the tests."""
    data = world.root / "home/.local/share/worktree-guard"
    data.mkdir(parents=True, exist_ok=True)
    (data / "python").write_text(sys.executable + "\n")
    return data


def test_the_set_up_starts_until_it_is_done(world: World, plugin: Path) -> None:
    data = data_of(world)
    assert set_ups(world, plugin) == [[sys.executable, 1, "--detached"]]
    done = f"{guard.VERSION} {plugin.resolve()}\n"  # as guard/wt/environment.py writes it
    (data / "set-up").write_text(done.replace(guard.VERSION, "0.0.1"))
    assert len(set_ups(world, plugin)) == 1
    (data / "set-up").write_text(done.replace("plug in", "elsewhere"))
    assert len(set_ups(world, plugin)) == 1
    (data / "set-up").write_text(done)
    assert set_ups(world, plugin) == [], "it is done"


def test_a_checkout_with_its_own_environment_is_not_set_up(world: World, plugin: Path) -> None:
    data_of(world)
    (plugin / ".venv").mkdir()
    assert len(set_ups(world, plugin)) == 1
    (plugin / ".venv/ready").touch()
    assert set_ups(world, plugin) == []


def test_hooks_without_wt_prepare_nothing(world: World, plugin: Path) -> None:
    data_of(world)
    shutil.rmtree(plugin / "scripts")
    assert set_ups(world, plugin) == []
    assert "PATH" not in exported(world, run_from=plugin / "hooks/run").read_text()


def test_the_interpreter_is_remembered_for_the_next_call(world: World) -> None:
    data = data_of(world)
    (data / "python").unlink()
    (data / "set-up").write_text(f"{guard.VERSION} {ROOT}\n")
    (world.root / "bin").mkdir()
    (world.root / "bin/python3").symlink_to(sys.executable)
    done = subprocess.run([SH, str(RUN), "session_start"], input=json.dumps(document(world, "session_start")).encode(),
                          env={**world.env, "PATH": str(world.root / "bin")}, cwd=world.R, capture_output=True, timeout=20, check=False)
    assert b"no worktree is bound" in done.stdout
    assert (data / "python").read_text() == f"{world.root}/bin/python3\n"
    assert sorted(path.name for path in data.iterdir()) == ["python", "set-up"]


# --- SessionStart: resume and clear ----------------------------------------------------------------------------------

def end(world: World, session: str = SESSION, reason: str = "other") -> None:
    assert tell(world, "session_end", session_id=session, reason=reason).document == {}


def test_a_resumed_session_has_its_worktree_back(own: World) -> None:
    end(own)
    assert not held(own)
    other = str(os.getppid())
    said = start(own, "resume", CLAUDE_PID=other)
    assert f"works in the worktree {own.W}" in said
    assert held(own)
    record = records(own)[f"{SESSION}.json"]
    assert (record["ended_at"], record["client_pid"], record["path"]) == (None, int(other), str(own.W))
    assert record["client_started"] == disk.started(int(other))


def test_resume_without_a_process_of_the_client(own: World) -> None:
    end(own)
    start(own, "resume")
    assert held(own)
    assert records(own)[f"{SESSION}.json"]["client_pid"] is None


@pytest.mark.parametrize("source", ["startup", "compact", "fork", ""])
def test_other_starts_bring_nothing_back(own: World, source: str) -> None:
    end(own)
    before = files(own)
    for session in (SESSION, NEW):
        assert "no worktree is bound" in start(own, source, session, CLAUDE_PID=PID)
        assert not held(own, session)
    assert files(own) == before


def test_resume_brings_back_only_the_session_s_own(own: World) -> None:
    before = files(own)
    assert "no worktree is bound" in start(own, "resume", NEW, CLAUDE_PID=PID)
    assert files(own) == before
    assert own.wt("leave", **as_session()).returncode == 0
    assert "no worktree is bound" in start(own, "resume", CLAUDE_PID=PID), "it has left"
    assert not held(own)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no start times of processes here")
def test_after_a_clear_the_new_session_goes_on(own: World) -> None:
    end(own, reason="clear")
    said = start(own, "clear", NEW, CLAUDE_PID=PID)
    assert f"works in the worktree {own.W} (branch wt/x)" in said
    assert held(own, NEW) and not held(own)
    record = records(own)[f"{NEW}.json"]
    assert (record["session"], record["ended_at"], record["client_pid"]) == (NEW, None, os.getpid())
    assert records(own)[f"{SESSION}.json"]["ended_at"] is not None


def recorded(world: World, **changed: Any) -> dict[str, str]:
    """Another process in the record than the one that asks."""
    file = world.state / f"sessions/{SESSION}.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changed}))
    return {"CLAUDE_PID": PID}


CLIENTS: dict[str, Callable[[World], dict[str, str]]] = {
    "another process": lambda _: {"CLAUDE_PID": str(os.getppid())},
    "the same number, started at another time": lambda world: recorded(world, client_started="1"),
    "another number, started at the same time": lambda world: recorded(world, client_pid=os.getppid()),
    "no process": lambda _: {},
    "an empty one": lambda _: {"CLAUDE_PID": ""},
    "zero": lambda _: {"CLAUDE_PID": "0"},
    "not a number": lambda _: {"CLAUDE_PID": f"{PID}x"},
    "other digits": lambda _: {"CLAUDE_PID": PID.translate({48 + n: 0x660 + n for n in range(10)})},
    "one that is gone": lambda _: {"CLAUDE_PID": "4194305"},
}


@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
def test_after_a_clear_of_another_client_nothing_goes_on(own: World, client: Callable[[World], dict[str, str]]) -> None:
    env = client(own)
    before = records(own)
    assert "no worktree is bound" in start(own, "clear", NEW, **env)
    assert not held(own, NEW)
    assert records(own) == before


def test_what_was_left_does_not_come_back_with_a_clear(own: World) -> None:
    """Bound, cleared, left, cleared again: the first session's record is still there, and must not count any more."""
    end(own, reason="clear")
    start(own, "clear", NEW, CLAUDE_PID=PID)
    assert own.wt("leave", **as_session(NEW)).returncode == 0
    end(own, NEW, reason="clear")
    third = NEW[:-1] + "3"
    assert "no worktree is bound" in start(own, "clear", third, CLAUDE_PID=PID)
    assert not held(own, third)


def test_a_session_bound_of_its_own_is_not_taken_over_by_a_clear(own: World) -> None:
    assert own.wt("enter", str(own.W2), **as_session(NEW)).returncode == 0
    before = records(own)
    assert f"works in the worktree {own.W2}" in start(own, "clear", NEW, CLAUDE_PID=PID)
    assert records(own) == before


# --- SubagentStart ---------------------------------------------------------------------------------------------------

def helper(world: World, **more: Any) -> str:
    told = tell(world, "subagent_start", **{"agent_id": "ab16b1000dda9b1cb", **more})
    assert "\n" not in told.context
    return told.context


def test_a_helper_is_told_where_to_work(own: World) -> None:
    assert helper(own).startswith(f"worktree-guard: work in {own.W};")
    assert helper(own, cwd="{W}").startswith(f"worktree-guard: work in {own.W};")
    assert helper(own, session_id=NEW) == "", "another session's helper"
    assert helper(own, cwd="{OUT}") == ""


def test_a_helper_in_a_worktree_of_its_own_is_told_that_one(own: World) -> None:
    own.git("worktree", "add", "-q", str(own.R / ".claude/worktrees/agent-1"))
    assert helper(own, cwd="{R}/.claude/worktrees/agent-1").startswith(f"worktree-guard: work in {own.R}/.claude/worktrees/agent-1;")


def test_a_helper_is_told_nothing_where_nothing_helps(bound: World) -> None:
    assert str(bound.W) in helper(bound)
    shutil.rmtree(bound.W)
    assert helper(bound) == ""
    assert bound.wt("leave").returncode == 0
    assert helper(bound) == ""


# --- SessionEnd ------------------------------------------------------------------------------------------------------

def test_an_ended_session_is_held_no_longer(own: World) -> None:
    assert held(own)
    before = records(own)
    end(own)
    after = records(own)
    assert TIME.fullmatch(after[f"{SESSION}.json"]["ended_at"])
    changed = {"ended_at": after[f"{SESSION}.json"]["ended_at"], "client_pid": None, "client_started": None}
    assert after == {**before, f"{SESSION}.json": {**before[f"{SESSION}.json"], **changed}}
    assert after["state.json"]["active"] and after["state.json"]["session"] == SESSION, "state.json still names it"
    assert not held(own)
    assert "no worktree is bound" in start(own)


def test_status_lists_an_ended_session_as_ended(own: World) -> None:
    end(own)
    (listed,) = own.wt_json("status")["sessions"]
    assert (listed["session"], listed["path"], listed["enforced"]) == (SESSION, str(own.W), False)
    assert f"Ended: session 0f0f0f0f… was in {own.W}" in own.wt("status").stdout


def test_status_of_an_ended_session_says_what_the_hook_does(own: World) -> None:
    end(own)
    assert not held(own)
    data = own.wt_json("status", **as_session())
    assert data["binding"] is None
    assert [one["bound_by"] for one in data["worktrees"] if one["path"] == str(own.W)] == [[]]


def test_a_session_ends_once_and_alone(own: World) -> None:
    assert own.wt("enter", str(own.W2), **as_session(NEW)).returncode == 0
    end(own)
    before = files(own)
    end(own)
    end(own, "nobody")
    assert files(own) == before
    assert held(own, NEW)


def test_the_repository_s_binding_outlives_a_session(bound: World) -> None:
    before = files(bound)
    end(bound)
    assert files(bound) == before
    assert held(bound)


def test_a_session_that_ends_elsewhere_is_found_by_its_project(own: World) -> None:
    tell(own, "session_end", cwd="{OUT}")
    assert not held(own)


def test_an_unbound_end_leaves_nothing_behind(world: World) -> None:
    end(world)
    assert not world.state.exists()


# --- PostToolUse of the client's own worktree tools ------------------------------------------------------------------

def used(world: World, tool: str, response: Any, cwd: str = "{R}", **more: Any) -> None:
    told = tell(world, "post_tool_use", cwd=cwd, permission_mode="default", tool_name=tool, tool_input={"name": "native"},
                tool_response=response, tool_use_id="toolu_1", **more)
    assert told.document == {}


@pytest.fixture
def native(world: World) -> World:
    """The client has made a worktree of its own."""
    world.git("worktree", "add", "-q", "-b", "worktree-native", str(world.R / ".claude/worktrees/native"))
    return world


NATIVE = {"worktreePath": "{R}/.claude/worktrees/native", "worktreeBranch": "worktree-native", "message": "x"}


def test_the_binding_follows_the_client_s_own_worktree(native: World) -> None:
    used(native, "EnterWorktree", NATIVE, NATIVE["worktreePath"])
    place = native.fill(NATIVE["worktreePath"])
    assert f"works in the worktree {place} (branch worktree-native)" in start(native)
    assert native.hook("Read", {"file_path": "{R}/src/app.py"}).input == {"file_path": f"{place}/src/app.py"}
    assert native.hook("Write", {"file_path": "{W}/a", "content": ""}).rule == "other-worktree"
    assert native.hook("Write", {"file_path": "{R}/a", "content": ""}, session_id=NEW).kind == "allow", "this session's alone"
    used(native, "ExitWorktree", NATIVE, NATIVE["worktreePath"])
    assert not held(native)
    record = records(native)[f"{SESSION}.json"]
    assert record["active"] is False and TIME.fullmatch(record["ended_at"])
    before = files(native)
    assert "no worktree is bound" in start(native, "resume"), "a resumed session does not go back in"
    assert files(native) == before


@pytest.mark.parametrize("cwd", ["{R}", "{OUT}", ""])
@pytest.mark.parametrize("place", ["{R}/.claude/worktrees/native", "{W2}"])
def test_a_worktree_that_was_removed_on_the_way_out_is_left(native: World, place: str, cwd: str) -> None:
    response = {"worktreePath": place, "worktreeBranch": "b"}
    used(native, "EnterWorktree", response, place)
    native.git("worktree", "remove", "--force", native.fill(place))
    used(native, "ExitWorktree", response, cwd or place)
    assert records(native)[f"{SESSION}.json"]["active"] is False
    assert not held(native)


def test_entering_an_existing_worktree_again_and_another(native: World) -> None:
    used(native, "EnterWorktree", {"worktreePath": "{W}"}, "{W}")
    assert records(native)[f"{SESSION}.json"]["path"] == str(native.W)
    before = files(native)
    used(native, "EnterWorktree", {"worktreePath": "{W}"}, "{W}")
    assert files(native) == before
    used(native, "EnterWorktree", NATIVE, NATIVE["worktreePath"])
    assert records(native)[f"{SESSION}.json"]["path"] == native.fill(NATIVE["worktreePath"])


def test_a_binding_by_wt_survives_the_client_s_tools(own: World) -> None:
    before = files(own)
    response = {"worktreePath": "{W}", "worktreeBranch": "wt/x"}
    for tool in ("EnterWorktree", "ExitWorktree"):
        used(own, tool, response, "{W}")
        assert files(own) == before
        assert held(own)


def test_an_ended_binding_by_wt_is_entered_anew(own: World) -> None:
    end(own)
    used(own, "EnterWorktree", {"worktreePath": "{W}", "worktreeBranch": "wt/x"}, "{W}")
    assert held(own)
    used(own, "ExitWorktree", {"worktreePath": "{W}", "worktreeBranch": "wt/x"}, "{W}")
    assert not held(own)


ODD = [None, "x", 5, True, [], ["{W}"], {}, {"worktreePath": None}, {"worktreePath": 5}, {"worktreePath": ["{W}"]},
       {"worktreePath": {"path": "{W}"}}, {"worktreePath": ""}, {"worktreePath": "\0"}, {"worktreePath": "wt/x"},
       {"worktreePath": "{OUT}"}, {"path": "{W}"}, {"content": [{"type": "text", "text": "Entered {W}"}]}]


@pytest.mark.parametrize("tool", ["EnterWorktree", "ExitWorktree"])
def test_an_odd_response_changes_nothing(own: World, tool: str) -> None:
    before = files(own)
    for response in ODD:
        used(own, tool, response)
    told = tell(own, "post_tool_use", tool_name=tool, tool_input={})
    assert told.document == {}
    assert files(own) == before


@pytest.mark.parametrize("path", ["{R}", "{R}/src", "{R}/.git", "{W}/src", "{R}/.claude/worktrees/none"])
def test_what_is_no_worktree_of_the_repository_binds_nobody(world: World, path: str) -> None:
    """A binding to it would be a stale one at once, and keep the session from writing at all."""
    used(world, "EnterWorktree", {"worktreePath": path, "worktreeBranch": "x"})
    assert not world.state.exists()


@pytest.mark.parametrize("more", [{"agent_id": "a1"}, {"session_id": None}, {"session_id": ""}])
def test_a_helper_or_nobody_binds_no_session(world: World, more: dict[str, Any]) -> None:
    used(world, "EnterWorktree", {"worktreePath": "{W}"}, "{W}", **more)
    assert not world.state.exists()


@pytest.mark.parametrize("tool", ["Write", "Bash", "enterworktree", "", None, 5, ["EnterWorktree"]])
def test_other_tools_bind_nobody(world: World, tool: Any) -> None:
    used(world, tool, {"worktreePath": "{W}", "worktreeBranch": "wt/x"}, "{W}")
    assert not world.state.exists()


# --- PermissionRequest -----------------------------------------------------------------------------------------------

def folders(*paths: str) -> dict[str, Any]:
    return {"type": "addDirectories", "directories": list(paths), "destination": "session"}


def rule(content: Any, tool: str = "Read", behavior: str = "allow") -> dict[str, Any]:
    return {"type": "addRules", "rules": [{"toolName": tool, "ruleContent": content}], "behavior": behavior, "destination": "session"}


ACCEPT = {"type": "setMode", "mode": "acceptEdits", "destination": "session"}
FILE = "{W}/src/app.py"
# id, tool, file, permission mode, suggestions
GRANTED: list[tuple[str, str, str, str, Any]] = [
    ("read, a rule for the folder", "Read", FILE, "default", [rule("/{W}/src/**")]),
    ("read, a rule for the worktree", "Read", FILE, "acceptEdits", [rule("/{W}/**")]),
    ("read, the folder", "Read", FILE, "default", [folders("{W}/src")]),
    ("read, the worktree among others", "Read", FILE, "plan", [ACCEPT, folders("{OUT}", "{W}")]),
    ("write in acceptEdits", "Write", "{W}/new/er/a.py", "acceptEdits", [folders("{W}/new/er")]),
    ("a way round that ends in W", "Read", "{W2}/../x/src/app.py", "default", [folders("{W}")]),
]
UNANSWERED: list[tuple[str, str, Any, Any, Any]] = [
    ("write in another mode", "Write", FILE, "default", [folders("{W}")]),
    ("write in plan mode", "Write", FILE, "plan", [folders("{W}")]),
    ("write in no mode", "Write", FILE, None, [folders("{W}")]),
    ("edit", "Edit", FILE, "acceptEdits", [folders("{W}")]),
    ("shell", "Bash", FILE, "acceptEdits", [folders("{W}")]),
    ("no suggestions", "Read", FILE, "default", []),
    ("suggestions null", "Read", FILE, "default", None),
    ("suggestions a text", "Read", FILE, "default", "{W}"),
    ("suggestions an object", "Read", FILE, "default", folders("{W}")),
    ("suggestions of texts", "Read", FILE, "default", ["{W}", 5, None, []]),
    ("a mode alone", "Write", FILE, "acceptEdits", [ACCEPT]),
    ("the folder above W", "Read", FILE, "default", [folders("{R}-wt", "/"), rule("/{R}-wt/**"), rule("//**")]),
    ("a folder that begins like W", "Read", FILE, "default", [folders("{W}yz"), rule("/{W}yz/**")]),
    ("the main checkout", "Read", FILE, "default", [folders("{R}"), rule("/{R}/**")]),
    ("a rule for another tool", "Read", FILE, "default", [rule("/{W}/**", "Edit")]),
    ("a rule that refuses", "Read", FILE, "default", [rule("/{W}/**", behavior="deny")]),
    ("a rule that asks", "Read", FILE, "default", [rule("/{W}/**", behavior="ask")]),
    ("a rule from the project's folder", "Read", FILE, "default", [rule("{W}/**"), rule("src/**")]),
    ("odd rules", "Read", FILE, "default", [rule(5), rule(None), {"type": "addRules", "behavior": "allow", "rules": [5, None]}]),
    ("odd folders", "Read", FILE, "default", [{"type": "addDirectories", "directories": "{W}"}, folders(5), folders(None)]),  # type: ignore[arg-type]
    ("folders to take away", "Read", FILE, "default", [{**folders("{W}"), "type": "removeDirectories"}]),
    ("a file of R", "Read", "{R}/src/app.py", "default", [folders("{W}")]),
    ("a file of W2", "Read", "{W2}/src/app.py", "default", [folders("{W}")]),
    ("a file outside", "Read", "{OUT}/a", "default", [folders("{W}")]),
    ("a way out of W", "Read", "{W}/../y/src/app.py", "default", [folders("{W}")]),
    ("through a link out of W", "Read", "{W}/out/a", "default", [folders("{W}")]),
    ("a path that is no text", "Read", ["{W}"], "default", [folders("{W}")]),
    ("no path", "Read", None, "default", [folders("{W}")]),
]


def request(world: World, tool: str, path: Any, mode: Any, suggestions: Any, **more: Any) -> dict[str, Any]:
    return tell(world, "permission_request", tool_name=tool, tool_input={"file_path": path}, permission_mode=mode,
                permission_suggestions=suggestions, **more).document


@pytest.mark.parametrize(("_id", "tool", "path", "mode", "suggestions"), GRANTED, ids=[row[0] for row in GRANTED])
def test_the_bound_worktree_becomes_a_working_folder(own: World, _id: str, tool: str, path: str, mode: str, suggestions: Any) -> None:
    granted = {"type": "addDirectories", "directories": [str(own.W)], "destination": "session"}
    assert request(own, tool, path, mode, suggestions) == {"hookSpecificOutput": {
        "hookEventName": "PermissionRequest", "decision": {"behavior": "allow", "updatedPermissions": [granted]}}}
    assert request(own, tool, path, mode, suggestions, session_id=NEW) == {}, "another session is not bound"


@pytest.mark.parametrize(("_id", "tool", "path", "mode", "suggestions"), UNANSWERED, ids=[row[0] for row in UNANSWERED])
def test_everything_else_stays_the_person_s(own: World, _id: str, tool: str, path: Any, mode: Any, suggestions: Any) -> None:
    (own.W / "out").symlink_to(own.OUT)
    assert request(own, tool, path, mode, suggestions) == {}


@pytest.mark.parametrize("given", [None, [], "x", 5, {}, {"path": FILE}])
def test_an_odd_input_stays_the_person_s(own: World, given: Any) -> None:
    told = tell(own, "permission_request", tool_name="Read", tool_input=given, permission_suggestions=[folders("{W}")])
    assert told.document == {}


def test_a_worktree_that_is_not_in_order_is_not_opened(bound: World) -> None:
    ask = ("Read", FILE, "default", [folders("{W}")])
    assert request(bound, *ask)
    bound.git("switch", "-q", "--detach", cwd=bound.W)
    assert request(bound, *ask) == {}
    shutil.rmtree(bound.W)
    assert request(bound, *ask) == {}
    assert bound.wt("leave").returncode == 0
    assert request(bound, *ask) == {}


# --- bad input -------------------------------------------------------------------------------------------------------

NOT_A_DOCUMENT = [b"", b'{"cwd": "/', b"null", b"[]", b"{} {}", b"\xff\xfe", b"[" * 100_000]
MUST_BE_TEXT = {"cwd": 5, "session_id": ["x"], "agent_id": {"x": 1}, "tool_use_id": True}
MAY_BE_ANYTHING = {"session_start": ["source"], "post_tool_use": ["tool_name", "tool_response"],
                   "permission_request": ["tool_name", "tool_input", "permission_mode", "permission_suggestions"]}
ANY_TYPE = [None, 0, 1.5, True, "", "x", [], ["x"], {}, {"x": 1}]


@pytest.mark.parametrize("event", EVENTS)
def test_what_is_no_document_is_heard(own: World, event: str) -> None:
    before = files(own)
    for n, stdin in enumerate(NOT_A_DOCUMENT, 1):
        told = run(own, event, stdin)
        assert told.document == {}
        assert told.stderr.startswith("worktree-guard: ") and told.stderr.count("\n") == 1
        assert len((own.state / "faults.jsonl").read_text().splitlines()) == n
    assert files(own) == before


@pytest.mark.parametrize("event", EVENTS)
def test_a_field_of_the_wrong_type_is_heard(own: World, event: str) -> None:
    before = files(own)
    for name, value in MUST_BE_TEXT.items():
        told = run(own, event, json.dumps({**document(own, event), name: value}).encode())
        assert told.document == {}
        assert told.stderr.startswith("worktree-guard: ") and name in told.stderr
    assert files(own) == before


@pytest.mark.parametrize("event", MAY_BE_ANYTHING)
def test_a_field_that_an_event_reads_for_itself_is_no_fault_of_any_type(bound: World, event: str) -> None:
    tool = "Read" if event == "permission_request" else "EnterWorktree"
    base = {"tool_name": tool, "tool_input": {"file_path": FILE}, "permission_suggestions": [{"type": "addRules"}]}
    before = files(bound)
    for name in MAY_BE_ANYTHING[event]:
        for value in ANY_TYPE:
            told = tell(bound, event, **{**base, name: value})
            assert bool(told.document) == (event == "session_start")
    assert files(bound) == before


@pytest.mark.parametrize("event", ["", "nonsense", "SessionStart", "session_start.py", "__init__", "../main", "session-start", "é"])
def test_an_unknown_event_is_heard(own: World, event: str) -> None:
    before = files(own)
    told = run(own, event, json.dumps(document(own, "session_end")).encode())
    assert told.document == {}
    assert told.stderr.startswith("worktree-guard: ") and told.stderr.count("\n") == 1
    assert files(own) == before


@pytest.mark.parametrize("event", EVENTS)
def test_an_unknown_client_is_heard(own: World, event: str) -> None:
    before = files(own)
    told = run(own, event, json.dumps(document(own, event)).encode(), client="nobody")
    assert told.document == {}
    assert told.stderr.startswith("worktree-guard: ") and "nobody" in told.stderr
    assert files(own) == before


@pytest.mark.parametrize("event", EVENTS)
def test_a_damaged_record_is_no_fault_of_the_event(own: World, event: str) -> None:
    for name in ("state.json", f"sessions/{SESSION}.json"):
        (own.state / name).write_text('{"version": 1, "path": 5}')
    told = tell(own, event, source="resume", tool_name="ExitWorktree", tool_response={"worktreePath": str(own.W)})
    assert bool(told.document) == (event == "session_start")

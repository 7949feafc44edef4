"""The repository's setup and teardown commands: where they come from, and running them for real."""
from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from guard.wt import project_commands, steps, trust
from guard.wt.errors import WtError
from guard.wt.models import WorktreeRecord
from guard.wt.project_commands import Project, commands, port_range, project
from guard.wt.repository import Repository, open_repository
from tests.worlds import ROOT, World
from tests.wt.test_enter import binding, done, record, refused, small, wt


@pytest.fixture
def plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """R and a worktree x; this process has its environment."""
    world = small(Path(os.path.realpath(tmp_path)))
    for name, value in world.env.items():
        monkeypatch.setenv(name, value)
    done(world, "new", "x")
    return World(world.root, world.R, world.R / ".worktrees/x", world.W2, world.OUT)


def write(world: World, settings: Any = None, paseo: Any = None) -> Repository:
    """Settings, a paseo.json, or both; a text is written as it is. -> the repository as `wt` opens it next"""
    for name, value in ((".worktree-guard.json", settings), ("paseo.json", paseo)):
        if value is not None:
            (world.R / name).write_text(value if isinstance(value, str) else json.dumps(value))
    return open_repository(world.R)


def accepted(world: World, settings: Any = None, paseo: Any = None) -> Repository:
    repository = write(world, settings, paseo)
    trust.accept(repository, project(repository))
    return repository


def ran(repository: Repository, path: Path, record: WorktreeRecord | None = None) -> tuple[dict[str, Any], list[str]]:
    told: list[str] = []
    return steps.set_up(repository, path, record, told.append), told


def kinds(found: Project) -> list[tuple[str, str]]:
    return [(step.kind, step.command) for step in found.steps]


# --- where they come from --------------------------------------------------------------------------------------------

BY_PLATFORM = {"linux": "l", "macos": ["m", "m2"], "windows": "w"}


@pytest.mark.parametrize(("value", "platform", "expected"), [
    ("make", "linux", ["make"]), (["a", "b"], "win32", ["a", "b"]), ([], "linux", []), ("", "linux", []),
    (["a", " ", "b"], "linux", ["a", "b"]),
    (BY_PLATFORM, "linux", ["l"]), (BY_PLATFORM, "darwin", ["m", "m2"]), (BY_PLATFORM, "win32", ["w"]), (BY_PLATFORM, "freebsd14", ["l"]),
    ({"darwin": "d", "win32": "w"}, "darwin", ["d"]), ({"darwin": "d", "win32": "w"}, "win32", ["w"]), ({"darwin": "d"}, "linux", []),
    ({"windows": 3, "linux": "l"}, "linux", ["l"]),
])
def test_commands_of_a_platform(value: Any, platform: str, expected: list[str]) -> None:
    complaints: list[str] = []
    assert (commands("setup", value, platform, complaints), complaints) == (expected, [])


@pytest.mark.parametrize("value", [3, None, True, ["a", 3], [["a"]], {"linux": 3}, {"linux": {"a": "b"}}, "a\0b", ["\ud800"]])
def test_what_is_no_command_runs_nothing_and_is_told(value: Any) -> None:
    complaints: list[str] = []
    assert commands("worktree.setup", value, "linux", complaints) == []
    assert "worktree.setup" in complaints[0]


@pytest.mark.parametrize(("text", "expected"), [
    ("3000-3999", range(3000, 4000)), ("1-65535", range(1, 65536)), ("80-80", range(80, 81)), (" 80-81 ", range(80, 82)), ("", range(0)),
    ("0-5", None), ("5-4", None), ("1-65536", None), ("a", None), ("3000", None), ("3000-", None), (3000, None), (None, None),
    ("³-5", None),
])
def test_ranges(text: Any, expected: range | None) -> None:
    assert port_range(text) == expected


def test_settings_go_before_paseo_json_and_each_command_knows_its_file(plain: World) -> None:
    paseo = {"worktree": {"setup": "theirs", "teardown": ["t1", "t2"], "servicePorts": {"portScript": "./port", "range": "4000-4009"}}}
    found = project(write(plain, paseo=paseo))
    assert kinds(found) == [("setup", "theirs"), ("teardown", "t1"), ("teardown", "t2"), ("ports.script", "./port")]
    assert {step.file for step in found.steps} == {str(plain.R / "paseo.json")}
    assert found.ports == project_commands.PortWish(range(4000, 4010), "./port")
    found = project(write(plain, {"setup": "ours"}))
    assert kinds(found) == [("setup", "ours"), ("ports.script", "./port")], "who names one of them, names both"
    assert [Path(step.file).name for step in found.steps] == [".worktree-guard.json", "paseo.json"]
    assert kinds(project(write(plain, {"setup": [], "ports": {}}))) == [], "an empty list is an answer too"


@pytest.mark.parametrize(("worktree", "wish"), [
    ({"setup": "a"}, project_commands.PortWish()), ({}, None),
    ({"setup": "a", "servicePorts": {"range": "9-9"}}, project_commands.PortWish(range(9, 10))),
])
def test_with_a_paseo_json_each_worktree_has_a_port(plain: World, worktree: dict[str, Any], wish: project_commands.PortWish | None) -> None:
    assert project(write(plain, paseo={"worktree": worktree})).ports == wish


@pytest.mark.parametrize(("paseo", "expected", "complaint"), [
    ({"worktree": {"setup": "a"}, "scripts": {"dev": {"command": "x"}}}, ["a"], ""),
    ({"scripts": {}}, [], ""), ({}, [], ""),
    ({"worktree": {"setup": {"darwin": "m", "linux": ["a", "b"]}}}, ["a", "b"], ""),
    ({"worktree": {"setup": 3, "teardown": "t"}}, ["t"], "setup: neither"),
    ({"worktree": {"setup": "a", "servicePorts": "x"}}, ["a"], "ports: not an object"),
    ({"worktree": {"setup": "a", "servicePorts": {"range": "9-1", "portScript": "p"}}}, ["a", "p"], "ports.range: '9-1'"),
    ({"worktree": {"ports": {"range": "4000-4001", "script": 3}}}, [], "ports.script"),
    ({"worktree": ["a"]}, [], "worktree: not an object"),
    ([], [], "not an object; it is ignored"), ("{", [], "it is ignored"), ("", [], "it is ignored"), ("\ufeff{}", [], ""),
])
def test_a_paseo_json_is_read_leniently(plain: World, paseo: Any, expected: list[str], complaint: str) -> None:
    found = project(write(plain, paseo=paseo), "linux")
    assert [step.command for step in found.steps] == expected
    assert len(found.warnings) == bool(complaint)
    assert all(complaint in said and str(plain.R / "paseo.json") in said for said in found.warnings)


def test_a_worktree_s_own_files_do_not_count(plain: World) -> None:
    (plain.W / "paseo.json").write_text('{"worktree": {"setup": "a"}}')
    (plain.W / ".worktree-guard.json").write_text('{"setup": "b"}')
    assert project(open_repository(plain.W)).steps == ()


# --- running ---------------------------------------------------------------------------------------------------------

def test_one_after_another_in_the_worktree(plain: World) -> None:
    repository = accepted(plain, {"setup": ["pwd; echo 1 >> order", "echo 2 >> order; echo said >&2", "test -f src/app.py"]})
    data, told = ran(repository, plain.W)
    assert (data["state"], (plain.W / "order").read_text()) == ("done", "1\n2\n")
    assert told == ["setup 1 of 3: pwd; echo 1 >> order", str(plain.W), "setup 2 of 3: echo 2 >> order; echo said >&2", "said",
                    "setup 3 of 3: test -f src/app.py"]


def test_nothing_to_run(plain: World) -> None:
    repository = write(plain, {"teardown": "touch gone"})
    assert ran(repository, plain.W) == ({"state": "none", "commands": [], "warnings": [], "said": ""}, [])


def test_the_first_that_fails_is_the_last(plain: World) -> None:
    script = "for n in $(seq 30); do echo line $n; done; exit 3"
    repository = accepted(plain, {"setup": ["touch before", script, "touch behind"], "teardown": "kill -9 $$"})
    with pytest.raises(WtError) as caught:
        ran(repository, plain.W)
    fault = caught.value
    assert (fault.code, fault.status, fault.details["command"], fault.details["status"]) == ("setup-failed", 1, script, 3)
    assert fault.details["output"] == [f"line {n}" for n in range(11, 31)]
    assert "ended with status 3" in fault.said and fault.said.endswith("line 30") and "wt setup x" in fault.hint
    assert ((plain.W / "before").exists(), (plain.W / "behind").exists()) == (True, False)
    with pytest.raises(WtError, match="was ended by signal 9") as caught:
        steps.tear_down(repository, plain.W, None, lambda _: None)
    assert (caught.value.code, "--skip-teardown" in caught.value.hint) == ("teardown-failed", True)


def test_output_is_heard_while_the_command_runs(plain: World) -> None:
    """The command waits for what is written once its first line was heard; it would give up after a while, and fail."""
    os.mkfifo(plain.OUT / "answer")
    told = []

    def tell(line: str) -> None:
        told.append(line)
        if line == "first":
            (plain.OUT / "answer").write_text("heard\n")
    command = f"echo first; timeout 20 cat {shlex.quote(str(plain.OUT / 'answer'))}"
    steps.run_commands([command], plain.W, os.environ, tell)
    assert told[1:] == ["first", "heard"]


@pytest.mark.parametrize(("script", "told"), [
    (r"printf 'a\377b\r\nc'", ["a\ufffdb", "c"]), (r"printf '\n\n'", ["", ""]), ("true", []),
    ("head -c 70000 /dev/zero | tr '\\0' x", ["x" * 65536, "x" * 4464]),
    ("exec >&- 2>&-; true", []),
])
def test_any_bytes_can_be_printed(plain: World, script: str, told: list[str]) -> None:
    heard: list[str] = []
    steps.run_commands([script], plain.W, os.environ, heard.append)
    assert heard[1:] == told


def test_nobody_answers_a_command_that_asks(plain: World) -> None:
    heard: list[str] = []
    steps.run_commands(["cat; read x || echo none; (: < /dev/tty) 2> /dev/null || echo no terminal"], plain.W, os.environ, heard.append)
    assert heard[1:] == ["none", "no terminal"]


def test_a_server_that_is_left_running_is_not_waited_for(plain: World) -> None:
    """It has the output open; and it is still there afterwards."""
    heard: list[str] = []
    steps.run_commands(["sleep 100 & echo $!"], plain.W, os.environ, heard.append)
    os.kill(int(heard[1]), signal.SIGKILL)


def test_what_a_command_is_told(plain: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GIT_DIR", "WT_PORT", "PASEO_WORKTREE_PORT"):
        monkeypatch.setenv(name, "of somebody else")
    monkeypatch.setenv("WORKTREE_GUARD_SESSION", "s")
    repository = accepted(plain, {"setup": "env -0 > environment"})

    def told(port: int | None) -> dict[str, str]:
        ran(repository, plain.W, WorktreeRecord(path=str(plain.W), branch="wt/x", port=port))
        lines = (plain.W / "environment").read_text().split("\0")
        return {name: value for name, _, value in (line.partition("=") for line in lines)
                if name.startswith(("WT_", "PASEO_", "GIT_DIR", "WORKTREE_GUARD_SESSION"))}
    without = {"WT_SOURCE_PATH": str(plain.R), "WT_WORKTREE_PATH": str(plain.W), "WT_BRANCH_NAME": "wt/x", "WORKTREE_GUARD_SESSION": "s",
               "PASEO_SOURCE_CHECKOUT_PATH": str(plain.R), "PASEO_ROOT_PATH": str(plain.R), "PASEO_WORKTREE_PATH": str(plain.W),
               "PASEO_BRANCH_NAME": "wt/x"}
    assert told(None) == without
    assert told(3001) == {**without, "WT_PORT": "3001", "PASEO_WORKTREE_PORT": "3001"}


@pytest.mark.parametrize(("windows", "expected"), [
    (False, ["sh", "-c", 'echo "a b"']), (True, r'C:\cmd.exe /d /s /c "echo "a b""'),
])
def test_the_shell_of_a_platform(windows: bool, expected: list[str] | str) -> None:
    assert steps.shell('echo "a b"', windows, r"C:\cmd.exe") == expected


# --- wt setup --------------------------------------------------------------------------------------------------------

def test_setup_does_all_of_it_again(plain: World) -> None:
    """A file of the main checkout, a port, the commands; from the outside by its name, from the inside by where one stands."""
    plain.sh("echo .env > .gitignore; git add .; git commit -qm i; echo a=1 > .env", cwd=plain.R)
    accepted(plain, {"setup": "echo said; echo $WT_PORT >> ports", "sync": {"copy_files": [".env"]}, "ports": {}})
    for words, cwd in ((["setup", "x"], plain.R), (["setup"], plain.W / "src")):
        done_ = wt(plain, *words, cwd=cwd)
        assert (done_.returncode, done_.stderr) == (0, ""), "what a command says is for a person who watches"
        data = json.loads(done_.stdout)["data"]
        assert (data["path"], data["name"], data["setup"]["state"]) == (str(plain.W), "x", "done")
    assert (plain.W / ".env").read_text() == "a=1\n"
    assert (plain.W / "ports").read_text().split() == [str(data["port"])] * 2
    assert record(plain, "x")["port"] == data["port"]
    shown = plain.wt("setup", "x").stdout
    assert f"port    {data['port']}" in shown and "1 setup command(s) done" in shown


def test_an_interrupted_creation_is_finished(plain: World) -> None:
    """Its process is gone, and its record says that it is being made."""
    accepted(plain, {"setup": "touch made"})
    file = plain.state / "worktrees/x.json"
    with subprocess.Popen(["true"]) as gone:
        pass
    file.write_text(json.dumps({**record(plain, "x"), "making": {"pid": gone.pid, "started": "long ago"}}))
    assert wt(plain, "setup", "x").returncode == 0
    assert (plain.W / "made").exists() and record(plain, "x")["making"] is None


def test_a_creation_that_goes_on_is_left_alone(plain: World) -> None:
    accepted(plain, {"setup": "touch made"})
    with subprocess.Popen(["sleep", "100"]) as other:
        (plain.state / "worktrees/x.json").write_text(json.dumps({**record(plain, "x"), "making": {"pid": other.pid}}))
        assert refused(plain, "setup", "x")["code"] == "busy"
        other.kill()
    assert not (plain.W / "made").exists()


def test_a_failure_is_the_commands_and_the_last_line_is_the_document(plain: World) -> None:
    accepted(plain, {"setup": "echo why; false"})
    ended = wt(plain, "setup", "x")
    document = json.loads(ended.stderr.splitlines()[-1])
    assert (ended.returncode, ended.stdout, document["code"], document["details"]["output"]) == (1, "", "setup-failed", ["why"])
    assert wt(plain, "status").returncode == 0


def test_the_lock_is_free_while_commands_run(plain: World) -> None:
    """The command enters a worktree itself."""
    accepted(plain, {"setup": f"{shlex.quote(str(ROOT / 'scripts/wt'))} enter x --repo"})
    ended = wt(plain, "setup", "x")
    assert ended.returncode == 0, ended.stderr
    assert binding(plain)["path"] == str(plain.W)


@pytest.mark.parametrize(("words", "code"), [
    (["setup"], "main-checkout"), (["setup", "."], "main-checkout"), (["setup", "nowhere"], "no-worktree"), (["setup", ""], "no-worktree"),
])
def test_setup_is_for_worktrees(plain: World, words: list[str], code: str) -> None:
    accepted(plain, {"setup": "touch made"})
    document = refused(plain, *words)
    assert (document["code"], "wt setup NAME" in document["hint"]) == (code, True)
    assert not (plain.R / "made").exists()


@pytest.mark.parametrize(("damage", "code"), [("rm -rf {}", "missing"), ("rm {}/.git", "damaged")])
def test_a_worktree_that_is_not_whole_comes_first(plain: World, damage: str, code: str) -> None:
    plain.sh(damage.format(shlex.quote(str(plain.W))))
    document = refused(plain, "setup", "x")
    assert (document["code"], f"wt enter {plain.W}" in document["hint"]) == (code, True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_everything_that_was_started(plain: World, number: signal.Signals) -> None:
    """Also what the shell has put into the background, which a plain interrupt does not reach."""
    accepted(plain, {"setup": 'sleep 100 & echo $! $$ > "$OUT/pids.new"; mv "$OUT/pids.new" "$OUT/pids"; wait; touch behind'})
    with subprocess.Popen([str(ROOT / "scripts/wt"), "setup", "x"], cwd=plain.R, env={**plain.env, **plain.paths}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as running:
        end = time.monotonic() + 20
        while not (plain.OUT / "pids").exists():
            assert time.monotonic() < end, "the command never began"
            time.sleep(0.02)
        running.send_signal(number)
        assert running.wait(30) == 130
    for pid in (plain.OUT / "pids").read_text().split():
        assert not lives(int(pid))
    assert not (plain.W / "behind").exists()


def lives(pid: int) -> bool:
    """Not a zombie either, where nobody takes the orphans."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False

"""Whatever comes in, and whatever state the disk is in: exit status 0, one document or nothing, every fault heard, nothing lost.

Heard means a line on stderr that begins with "worktree-guard:", and one in faults.jsonl where that can be written.
"""
from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.worlds import HOOK, ROOT, Answer, World, run_hook

SMALL_LIMIT = 3.0  # seconds for a stdin that never closes; the hook itself waits 1.5
PATH = "{R}/src/app.py"
CLIENTS = ["claude-code", "zcode"]


def call(world: World, path: Any = PATH, tool: str = "Write", **more: Any) -> dict[str, Any]:
    return world.document(tool, {"file_path": path, "content": ""}, **more)


def encoded(document: Any) -> bytes:
    return json.dumps(document).encode()


def run(world: World, stdin: bytes, env: dict[str, str] | None = None, cwd: Path | None = None, client: str = "claude-code") -> Answer:
    return run_hook(stdin, world.env if env is None else env, cwd or world.R, client)


def faults(folder: Path) -> list[dict[str, Any]]:
    """The lines of faults.jsonl, each of which must be a whole document."""
    file = folder / "faults.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def snapshot(folder: Path) -> dict[str, Any]:
    """Every state record: what the hook may add to are its own two logs and the marks of leaves that were used."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        if path.name.partition(".jsonl")[0] in ("audit", "faults"):
            continue
        name = str(path.relative_to(folder))
        found[name] = path.readlink() if path.is_symlink() else path.read_bytes() if path.is_file() else "folder"
    return found


def is_heard(world: World, answer: Answer, before: int = 0) -> None:
    assert answer.stderr.startswith("worktree-guard: ")
    assert all(line.startswith("worktree-guard: ") for line in answer.stderr.splitlines()), answer.stderr
    assert len(answer.stderr) < 1000
    assert len(faults(world.state)) > before
    assert set(faults(world.state)[-1]) == {"at", "client", "tool", "fault"}


# --- what comes in on stdin ------------------------------------------------------------------------------------------

NOT_A_CALL = {
    "nothing": b"",
    "blanks": b" \t\r\n ",
    "a byte order mark alone": b"\xef\xbb\xbf",
    "two byte order marks": b"\xef\xbb\xbf\xef\xbb\xbf{}",
    "half a document": b'{"tool_name": "Write", "tool_input": {"file_pa',
    "a document and more": b'{"tool_name": "Write", "tool_input": {}} {}',
    "single quotes": b"{'tool_name': 'Write'}",
    "a trailing comma": b'{"tool_name": "Write", "tool_input": {},}',
    "a bare word": b"Write",
    "a number": b"1",
    "a text": b'"Write"',
    "a list": b"[]",
    "null": b"null",
    "an empty object": b"{}",
    "NUL": b"\0",
    "NUL in a text": b'{"tool_name": "Wri\0te", "tool_input": {}}',
    "a raw newline in a text": b'{"tool_name": "Wri\nte", "tool_input": {}}',
    "NaN": b'{"tool_name": "Write", "tool_input": {"x": NaN}}',
    "Infinity": b'{"tool_name": "Write", "tool_input": {"x": -Infinity}}',
    "a number of 5,000 digits": b'{"tool_name": "Write", "tool_input": {"x": ' + b"9" * 5000 + b"}}",
    "UTF-16": '{"tool_name": "Write", "tool_input": {}}'.encode("utf-16"),
    "Latin-1": b'{"tool_name": "Write", "tool_input": {"file_path": "/\xe9"}}',
    "a surrogate as UTF-8": b'{"tool_name": "Write", "tool_input": {"file_path": "/\xed\xa0\x80"}}',
    "a bad escape": b'{"tool_name": "Write", "tool_input": {"file_path": "\\x"}}',
    "100,000 open lists": b"[" * 100_000,
    "100,000 nested lists": b"[" * 100_000 + b"]" * 100_000,
    "100,000 nested objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "5 MB of nothing": b" " * 5_000_000,
    "5 MB of noise": bytes(range(256)) * 20_000,
}


@pytest.mark.parametrize("stdin", NOT_A_CALL.values(), ids=NOT_A_CALL)
def test_what_is_no_call_passes_and_is_heard(bound: World, stdin: bytes) -> None:
    before = snapshot(bound.state)
    for n, client in enumerate([*CLIENTS, ""]):
        answer = run(bound, stdin, client=client)
        assert answer.document == {}
        is_heard(bound, answer, before=n)
    assert snapshot(bound.state) == before


ODD_AND_FINE: dict[str, Callable[[World], bytes]] = {
    "a byte order mark": lambda world: b"\xef\xbb\xbf" + encoded(call(world)),
    "blanks around it": lambda world: b"\r\n\t " + encoded(call(world)) + b"\n\n",
    "5 MB of content": lambda world: encoded({**call(world), "tool_input": world.fill({"file_path": PATH, "content": "é" * 900_000})}),
    "unknown fields of every type": lambda world: encoded({**call(world), "a": None, "b": [1, {}], "c": 1.5, "d": True, "é": "\ud800"}),
    "a number too large for a double": lambda world: encoded({**call(world), "a": 0}).replace(b'"a": 0', b'"a": 1e999'),
    "a number of 4,000 digits": lambda world: encoded({**call(world), "a": int("9" * 4000)}),
    "900 nested lists in another field": lambda world: encoded(call(world))[:-1] + b', "a": ' + b"[" * 900 + b"]" * 900 + b"}",
    "no session": lambda world: encoded(call(world, session_id=None)),
    "no call id": lambda world: encoded(call(world, tool_use_id=None)),
    "a session with the name of a path": lambda world: encoded(call(world, session_id="../../../etc/passwd\0")),
    "an endless session": lambda world: encoded(call(world, session_id="s" * 100_000)),
    "a lone surrogate as session": lambda world: encoded(call(world, session_id="\ud800")),
}


@pytest.mark.parametrize("build", ODD_AND_FINE.values(), ids=ODD_AND_FINE)
@pytest.mark.parametrize("client", CLIENTS)
def test_what_is_odd_and_clear_is_judged(bound: World, build: Callable[[World], bytes], client: str) -> None:
    before = snapshot(bound.state)
    answer = run(bound, build(bound), client=client)
    assert answer.stderr == ""
    if client == "zcode":
        assert answer.input is not None
        assert answer.input["file_path"] == str(bound.W / "src/app.py")
    else:
        assert (answer.kind, answer.rule) == ("deny", "use-worktree-path")
    assert snapshot(bound.state) == before


WRONG: list[Any] = [1, 1.5, True, [], ["x"], {}, {"x": 1}]
MUST_BE_TEXT = ["tool_name", "cwd", "session_id", "agent_id", "tool_use_id"]


@pytest.mark.parametrize("field", MUST_BE_TEXT)
def test_a_field_of_the_wrong_type_passes_and_is_heard(bound: World, field: str) -> None:
    before = snapshot(bound.state)
    for n, (value, client) in enumerate((value, client) for value in WRONG for client in CLIENTS):
        answer = run(bound, encoded({**call(bound), field: value}), client=client)
        assert answer.document == {}
        is_heard(bound, answer, before=n)
        assert field in answer.stderr
    assert snapshot(bound.state) == before


def test_an_input_that_is_no_object_passes_and_is_heard(bound: World) -> None:
    for n, value in enumerate([None, 1, 1.5, True, "x", "", [], [{"file_path": PATH}], json.dumps({"file_path": PATH})]):
        answer = run(bound, encoded({**call(bound), "tool_input": value}))
        assert answer.document == {}
        is_heard(bound, answer, before=n)
        assert "tool_input" in answer.stderr


TOOLS = [("Write", "file_path"), ("Read", "file_path"), ("Edit", "file_path"), ("MultiEdit", "file_path"),
         ("NotebookEdit", "notebook_path"), ("Grep", "path"), ("LS", "path"), ("Glob", "path"), ("Glob", "pattern"), ("Agent", "prompt"),
         ("EnterWorktree", "path"), ("EnterWorktree", "name"), ("Write", "path"), ("Write", "filePath")]


@pytest.mark.parametrize(("tool", "field"), TOOLS)
def test_a_path_of_the_wrong_type_passes_and_is_heard(bound: World, tool: str, field: str) -> None:
    for n, value in enumerate(WRONG):
        answer = run(bound, encoded(bound.document(tool, {field: value})))
        assert answer.document == {}
        is_heard(bound, answer, before=n)
        assert faults(bound.state)[-1]["tool"] == tool


def test_a_tool_without_its_path_is_the_clients_to_refuse(bound: World) -> None:
    for tool in sorted({tool for tool, _ in TOOLS}):
        answer = run(bound, encoded(bound.document(tool, {}, "{W}")))
        assert answer.stderr == ""
        assert answer.kind == ("deny" if tool == "EnterWorktree" else "allow")


def test_an_empty_field_does_not_hide_the_one_that_is_used(bound: World) -> None:
    """Clients borrow each other's hooks: a spelling that is there and says nothing is not the path."""
    given = {"file_path": None, "path": PATH, "content": ""}
    assert run(bound, encoded(bound.document("Write", {**given, "path": "{W}/src/app.py"}))).document == {}
    assert run(bound, encoded(bound.document("Write", given))).rule == "use-worktree-path"


ODD_PATHS = {
    "NUL": "{R}/src/a\0b",
    "NUL at the end": "{R}/src/app.py\0",
    "NUL alone": "\0",
    "a newline": "{R}/src/a\nb",
    "a newline alone": "\n",
    "a lone surrogate": "{R}/src/\ud800",
    "a lone low surrogate": "{R}/src/\udfff",
    "a byte that is no UTF-8": "{R}/src/\udce9",
    "a blank": " ",
    "a name of 5,000 letters": "{R}/src/" + "x" * 5000,
    "3,000 folders": "{R}/" + "d/" * 3000 + "x",
    "up beyond the root": "/" + "../" * 3000 + "{R}/src/new",
    "only dots": "../" * 3000,
    "only slashes": "/" * 100_000,
    "somebody's home": "~root/x",
}


@pytest.mark.parametrize("path", ODD_PATHS.values(), ids=ODD_PATHS)
def test_odd_paths_never_leave_the_worktree_by_our_doing(bound: World, path: str) -> None:
    before = snapshot(bound.state)
    for tool, client in ((tool, client) for tool in ("Read", "Write", "Edit") for client in CLIENTS):
        answer = bound.hook(tool, {"file_path": path, "content": ""}, client=client)
        assert answer.stderr == ""
        if answer.input is not None:
            moved = answer.input["file_path"]
            assert (moved + "/").startswith(str(bound.W) + "/")
            assert answer.input == {"file_path": moved, "content": ""}
    assert snapshot(bound.state) == before


ODD_FOLDERS = ["\0", "{R}\0", "{R}\n", "/\ud800", "src", "", "~", "{R}/nowhere", "/" * 5000, "{R}/src/app.py", "{R}/.git"]


@pytest.mark.parametrize("cwd", ODD_FOLDERS, ids=lambda cwd: ascii(cwd)[:20])
def test_odd_folders_are_judged_as_far_as_they_go(bound: World, cwd: str) -> None:
    refused = run(bound, encoded({**call(bound), "cwd": bound.fill(cwd)}))
    assert (refused.kind, refused.rule, refused.stderr) == ("deny", "use-worktree-path", "")
    passed = run(bound, encoded({**call(bound, "{W}/src/app.py"), "cwd": bound.fill(cwd)}))
    assert (passed.document, passed.stderr) == ({}, "")


@pytest.mark.parametrize("where", ["file_path", "cwd"])
def test_a_path_longer_than_any_is_answered_in_time(bound: World, where: str) -> None:
    """100 KB of folders: no system opens it, and it must not cost the person seven seconds (nor half a minute, under load)."""
    long = str(bound.R) + "/" + "d/" * 50_000
    document = call(bound, long + "x") if where == "file_path" else {**call(bound, "x"), "cwd": long}
    begin = time.monotonic()
    answer = run(bound, encoded(document))
    assert time.monotonic() - begin < SMALL_LIMIT
    assert "no answer" not in answer.stderr


def test_a_rewrite_that_json_cannot_say_is_not_said_halfway(bound: World) -> None:
    """Python would write Infinity, which no client reads. The path is then named in a refusal, or the call passes and is heard."""
    stdin = encoded(call(bound, "{R}/src/new.py")).replace(b'"content": ""', b'"content": 1e999')
    assert b"1e999" in stdin
    done = hook_with(bound, ["--client", "claude-code"], stdin)
    assert done.returncode == 0
    assert b"Infinity" not in done.stdout
    if done.stdout:
        assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    else:
        is_heard(bound, Answer({}, done.stderr.decode()))


LONG_CALLS: dict[str, Callable[[World], dict[str, Any]]] = {
    "a path": lambda world: call(world, "{R}/.git/" + "x" * 200_000),
    "a session": lambda world: call(world, "{R}/.git/config", session_id="s" * 200_000),
    "an agent": lambda world: call(world, "{R}/.git/config", agent_id="a" * 200_000),
    "a tool": lambda world: world.document("mcp__x__write_" + "y" * 200_000, {"path": "{R}/src/app.py"}),
    "many paths": lambda world: world.document("mcp__x__write_files", {"paths": [f"{{R}}/src/{n}" for n in range(2000)]}),
}


@pytest.mark.parametrize("build", LONG_CALLS.values(), ids=LONG_CALLS)
def test_audit_lines_have_a_bound(bound: World, build: Callable[[World], dict[str, Any]]) -> None:
    """The file's own bound (one million bytes, twice) holds for lines of a sensible length alone."""
    assert run(bound, encoded(build(bound))).kind in ("deny", "rewrite")
    [line] = (bound.state / "audit.jsonl").read_text().splitlines()
    assert len(line) < 16_384


# --- the command line and the environment ----------------------------------------------------------------------------

def hook_with(world: World, words: list[str], stdin: bytes, **more: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-I", "-S", str(HOOK), *words], input=stdin, env=world.env, cwd=world.R, capture_output=True,
                          timeout=20, check=False, **more)


@pytest.mark.parametrize("words", [["--client", "nobody"], ["--client=nobody"], ["--client", "../claude"], ["--client", "--client=zcode"],
                                   ["--client", "wt"], ["--client", "\n"], ["--client", "é" * 10_000]], ids=lambda words: ascii(words)[:40])
def test_an_unknown_client_passes_and_is_heard(bound: World, words: list[str]) -> None:
    done = hook_with(bound, words, encoded(call(bound)))
    assert (done.returncode, done.stdout) == (0, b"")
    is_heard(bound, Answer({}, done.stderr.decode()))


@pytest.mark.parametrize("words", [[], ["--client"], ["--client="], ["--client", ""], ["--help"], ["-x", "y"], ["claude-code"]], ids=str)
def test_words_without_a_client_leave_it_to_the_document(bound: World, words: list[str]) -> None:
    done = hook_with(bound, words, encoded(call(bound)))
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    twice = hook_with(bound, words, encoded({**call(bound), "hookEventName": "PreToolUse"}))
    assert json.loads(twice.stdout)["hookSpecificOutput"]["updatedInput"]["file_path"] == str(bound.W / "src/app.py"), "ZCode's shape"


def without_home(world: World) -> dict[str, str]:
    return {name: value for name, value in world.env.items() if name != "HOME"}


ENVIRONMENTS: dict[str, Callable[[World], dict[str, str]]] = {
    "no HOME": without_home,
    "an empty HOME": lambda world: {**world.env, "HOME": ""},
    "nothing at all": lambda _: {},
    "a project that is nowhere": lambda world: {**world.env, "CLAUDE_PROJECT_DIR": "/nowhere"},
    "a relative project": lambda world: {**world.env, "CLAUDE_PROJECT_DIR": "src"},
    "another repository's GIT_DIR": lambda world: {**world.env, "GIT_DIR": "/nowhere", "GIT_WORK_TREE": "/nowhere"},
    "a C locale": lambda world: {**world.env, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"},
    "Python's own variables": lambda world: {**world.env, "PYTHONPATH": "/nowhere", "PYTHONSTARTUP": "/nowhere", "PYTHONHOME": "/nowhere"},
}


@pytest.mark.parametrize("build", ENVIRONMENTS.values(), ids=ENVIRONMENTS)
def test_any_environment_will_do(bound: World, build: Callable[[World], dict[str, str]]) -> None:
    env = build(bound)
    assert run(bound, encoded(call(bound)), env).rule == "use-worktree-path"
    assert run(bound, encoded(call(bound, "{W}/src/é.py")), env).document == {}
    broken = run(bound, b"{", env)
    assert broken.document == {}
    is_heard(bound, broken)


def test_without_a_home_a_tilde_is_not_a_folder_of_the_worktree(bound: World) -> None:
    """Where the home is cannot be told, but it is not W/~."""
    answer = run(bound, encoded(call(bound, "~/notes.md")), without_home(bound))
    assert answer.document == {}


def test_a_fault_outside_every_repository_is_the_users(bound: World) -> None:
    state = bound.root / "home/.local/state"
    state.mkdir(parents=True)
    answer = run(bound, b"{", cwd=bound.OUT)
    assert answer.stderr.startswith("worktree-guard: ")
    assert len(faults(state / "worktree-guard")) == 1
    chosen = bound.root / "chosen"
    chosen.mkdir()
    run(bound, b"{", {**bound.env, "XDG_STATE_HOME": str(chosen)}, cwd=bound.OUT)
    assert len(faults(chosen / "worktree-guard")) == 1


def test_a_fault_in_a_home_without_state_is_kept_as_well(bound: World) -> None:
    home = bound.root / "home"
    assert not (home / ".local").exists()
    answer = run(bound, b"{", cwd=bound.OUT)
    assert answer.stderr.startswith("worktree-guard: ")
    assert len(faults(home / ".local/state/worktree-guard")) == 1


def test_a_folder_that_is_gone_under_the_hook(bound: World) -> None:
    gone = bound.root / "gone"
    gone.mkdir()
    words = [sys.executable, "-I", "-S", str(HOOK), "--client", "claude-code"]
    script = f'cd "{gone}"; rmdir "{gone}"; exec "$@"'
    for stdin, kind in ((encoded(call(bound)), b"deny"), (encoded({**call(bound), "cwd": None}), b"deny"), (b"{", b"")):
        gone.mkdir(exist_ok=True)
        done = subprocess.run(["sh", "-c", script, "sh", *words], input=stdin, env=bound.env, capture_output=True, timeout=20, check=False)
        assert done.returncode == 0
        assert kind in done.stdout
        assert bool(done.stdout) == bool(kind)


# --- stdin and stdout as descriptors ---------------------------------------------------------------------------------

@pytest.mark.parametrize("sent", [b"", b'{"tool_name": ', b"whole"], ids=["nothing", "half", "whole"])
def test_a_stdin_that_never_closes(bound: World, sent: bytes) -> None:
    given = encoded(call(bound)) if sent == b"whole" else sent
    begin = time.monotonic()
    with subprocess.Popen([sys.executable, "-I", "-S", str(HOOK), "--client", "claude-code"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=bound.env, cwd=bound.R) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(given)
        process.stdin.flush()
        assert process.wait(timeout=10) == 0
        assert time.monotonic() - begin < SMALL_LIMIT
        assert process.stdout.read() == b""
        is_heard(bound, Answer({}, process.stderr.read().decode()))


def test_a_stdin_that_does_not_block_is_waited_for(bound: World) -> None:
    """A client may hand over a pipe set to O_NONBLOCK: "nothing there yet" is not the end."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    with subprocess.Popen([sys.executable, "-I", "-S", str(HOOK), "--client", "claude-code"], stdin=reading, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=bound.env, cwd=bound.R) as process:
        os.write(writing, encoded(call(bound)))
        end = time.monotonic() + SMALL_LIMIT
        while select.select([reading], [], [], 0)[0] and time.monotonic() < end and process.poll() is None:
            os.sched_yield()  # until the hook has taken it all, and asks for more
        os.close(reading)
        os.close(writing)
        stdout, stderr = process.communicate(timeout=20)
    assert (process.returncode, stderr) == (0, b"")
    assert json.loads(stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_a_stdout_that_does_not_block_gets_the_whole_document(bound: World) -> None:
    given = bound.root / "large.json"
    given.write_bytes(encoded(bound.document("Write", {"file_path": "{R}/src/new.py", "content": "x" * 3_000_000})))
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with given.open("rb") as stdin, subprocess.Popen([sys.executable, "-I", "-S", str(HOOK), "--client", "claude-code"], stdin=stdin,
                                                     stdout=writing, stderr=subprocess.PIPE, env=bound.env, cwd=bound.R) as process:
        os.close(writing)
        with open(reading, "rb") as pipe_end:  # noqa: PTH123 - a descriptor
            stdout = pipe_end.read()
        assert process.wait(timeout=20) == 0
    assert len(json.loads(stdout)["hookSpecificOutput"]["updatedInput"]["content"]) == 3_000_000


def test_a_slow_reader_never_gets_half_a_document(bound: World) -> None:
    """The time limit is for deciding. Once the answer is being written, it is written whole (the limit is lowered here)."""
    given = bound.root / "large.json"
    given.write_bytes(encoded(bound.document("Write", {"file_path": "{R}/src/new.py", "content": "x" * 1_000_000})))
    code = ("import sys; sys.path.insert(0, sys.argv[1])\nfrom guard.edge import disk\ndisk.DECIDE_SECONDS = 0.3\n"
            "from guard.main import main\nmain(['--client', 'claude-code'])")
    words = [sys.executable, "-I", "-S", "-c", code, str(ROOT)]
    with given.open("rb") as stdin, subprocess.Popen(words, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=bound.env,
                                                     cwd=bound.R) as process:
        try:
            process.wait(timeout=1.5)  # nobody reads until then: a pipe holds 64 KB
        except subprocess.TimeoutExpired:
            pass
        stdout, _ = process.communicate(timeout=20)
        assert process.returncode == 0
    assert len(json.loads(stdout)["hookSpecificOutput"]["updatedInput"]["content"]) == 1_000_000


def test_a_reader_that_has_gone(bound: World) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        for path in ("{R}/src/app.py", "{R}/src/new.py"):
            done = subprocess.run([sys.executable, "-I", "-S", str(HOOK), "--client", "zcode"], input=encoded(call(bound, path)),
                                  stdout=writing, stderr=subprocess.PIPE, env=bound.env, cwd=bound.R, timeout=20, check=False)
            assert (done.returncode, done.stderr) == (0, b"")
    finally:
        os.close(writing)
    assert len((bound.state / "audit.jsonl").read_text().splitlines()) == 2


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("path", ["{R}/src/app.py", "{R}/src/new.py", "{W}/src/app.py"])
def test_closed_descriptors_take_nothing_along(bound: World, closed: str, path: str) -> None:
    """A file that we open may get the number of a closed one: nothing meant for stdout or stderr may land in it."""
    run(bound, encoded(call(bound, "{W2}/x")))
    before = snapshot(bound.state)
    words = [sys.executable, "-I", "-S", str(HOOK), "--client", "zcode"]
    done = subprocess.run(["sh", "-c", f'exec "$@" {closed}', "sh", *words], input=encoded(call(bound, path)), env=bound.env, cwd=bound.R,
                          capture_output=True, timeout=20, check=False)
    assert done.returncode == 0
    assert bool(done.stdout) == (closed == "2>&-" and not path.startswith("{W}"))
    assert snapshot(bound.state) == before
    for line in (bound.state / "audit.jsonl").read_text().splitlines():
        assert "verdict" in json.loads(line)


# --- the disk --------------------------------------------------------------------------------------------------------

DENIED = ("deny", "use-worktree-path")


def test_state_that_cannot_be_kept_anywhere(bound: World) -> None:
    """.git/worktree-guard is a file: nothing can be read or written below it."""
    state = bound.state
    shutil.rmtree(state)
    state.write_text("mine")
    assert run(bound, encoded(call(bound))).kind == "allow", "as if unbound"
    refused = run(bound, encoded(call(bound, "{W2}/x")))
    assert (refused.kind, refused.rule) == ("deny", "other-worktree")
    assert refused.stderr.startswith("worktree-guard: ")
    broken = run(bound, b"{")
    assert (broken.document, broken.stderr[:16]) == ({}, "worktree-guard: ")
    assert state.read_text() == "mine"


@pytest.mark.parametrize("names", [["audit.jsonl"], ["faults.jsonl"], ["audit.jsonl", "faults.jsonl"]], ids=" and ".join)
def test_a_full_disk_changes_no_answer(bound: World, names: list[str]) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    for name in names:
        (bound.state / name).symlink_to("/dev/full")
    refused = run(bound, encoded(call(bound)))
    assert (refused.kind, refused.rule) == DENIED
    moved = run(bound, encoded(call(bound, tool="Read")))
    assert moved.input is not None
    assert run(bound, encoded(call(bound, "{W}/src/app.py"))).document == {}
    broken = run(bound, b"{")
    assert (broken.document, broken.stderr[:16]) == ({}, "worktree-guard: ")
    if "audit.jsonl" in names:
        assert refused.stderr.startswith("worktree-guard: ")
        assert moved.stderr.startswith("worktree-guard: ")


def test_an_audit_that_cannot_be_written_is_kept_as_a_fault(bound: World) -> None:
    assert run(bound, encoded(call(bound))).stderr == ""
    assert faults(bound.state) == []
    (bound.state / "audit.jsonl").unlink()
    (bound.state / "audit.jsonl").mkdir()
    is_heard(bound, run(bound, encoded(call(bound))))


def test_pipes_where_logs_should_be_block_nobody(bound: World) -> None:
    """Opening a pipe that nobody reads waits for ever unless told not to."""
    for name in ("audit.jsonl", "faults.jsonl"):
        os.mkfifo(bound.state / name)
    begin = time.monotonic()
    answer = run(bound, encoded(call(bound)))
    assert (answer.kind, answer.rule) == DENIED
    assert time.monotonic() - begin < SMALL_LIMIT
    assert run(bound, encoded(call(bound, "{W}/src/app.py"))).document == {}


def link_to(goal: str) -> Callable[[Path], None]:
    def spoil(path: Path) -> None:
        path.unlink()
        path.symlink_to(path.name if goal == "itself" else goal)
    return spoil


def text(new: str | bytes) -> Callable[[Path], None]:
    return lambda path: [path.write_bytes(new.encode(errors="surrogatepass") if isinstance(new, str) else new), None][1]


def field(**changed: Any) -> Callable[[Path], None]:
    return lambda path: [path.write_text(json.dumps({**json.loads(path.read_text()), **changed})), None][1]


def without(name: str) -> Callable[[Path], None]:
    return lambda path: [path.write_text(json.dumps({k: v for k, v in json.loads(path.read_text()).items() if k != name})), None][1]


def half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def padded(path: Path) -> None:
    path.write_text(path.read_text() + " " * 5_000_000)


SPOILT: dict[str, Callable[[Path], None]] = {
    "emptied": text(""),
    "half written": half,
    "zeros": text("\0" * 300),
    "no UTF-8": text(b"\xff\xfe{}"),
    "a list": text("[]"),
    "a text": text('"x"'),
    "null": text("null"),
    "too deep": text("[" * 100_000),
    "too large": padded,
    "a later version": field(version=2),
    "a version that is no number": field(version="1"),
    "a version that is true": field(version=True),
    "a link to itself": link_to("itself"),
    "an endless device": link_to("/dev/zero"),
    "a folder": folder,
    "a pipe": pipe,
}
WRONG_BINDINGS: dict[str, Callable[[Path], None]] = {
    "no path": without("path"),
    "a number for a path": field(path=1),
    "null for a path": field(path=None),
    "a number for active": field(active=1),
    "a text for protected": field(protected="main"),
    "numbers in protected": field(protected=[1]),
    "a number for session": field(session=1),
    "true for a process": field(client_pid=True),
    "a fraction for a process": field(client_pid=1.5),
    "a number for the end": field(ended_at=0),
}


def kept(path: Path) -> Any:
    """What may not change: the bytes of a file, else what it is."""
    if path.is_symlink():
        return str(path.readlink())
    return path.read_bytes() if path.is_file() else path.lstat().st_mode


@pytest.mark.parametrize("spoil", [*SPOILT.values(), *WRONG_BINDINGS.values()], ids=[*SPOILT, *WRONG_BINDINGS])
def test_spoilt_state_counts_as_unbound_and_is_heard(bound: World, spoil: Callable[[Path], None]) -> None:
    state = bound.state / "state.json"
    assert run(bound, encoded(call(bound))).rule == "use-worktree-path"
    spoil(state)
    before = kept(state)
    answer = run(bound, encoded(call(bound)))
    assert answer.document == {}
    is_heard(bound, answer)
    assert "state.json" in answer.stderr
    assert run(bound, encoded(call(bound, "{W2}/x"))).rule == "other-worktree", "the net is always on"
    assert kept(state) == before


@pytest.mark.parametrize("spoil", [*SPOILT.values(), *WRONG_BINDINGS.values()], ids=[*SPOILT, *WRONG_BINDINGS])
def test_a_spoilt_session_falls_back_to_the_repository_and_is_heard(bound: World, spoil: Callable[[Path], None]) -> None:
    done = bound.wt("enter", str(bound.W2), "--session", bound.session)
    assert done.returncode == 0, done.stderr
    [session] = (bound.state / "sessions").iterdir()
    assert run(bound, encoded(call(bound, "{W2}/x"))).document == {}
    spoil(session)
    before = kept(session)
    answer = run(bound, encoded(call(bound)))
    assert (answer.kind, answer.rule) == DENIED
    assert str(bound.W) + "/" in answer.reason, "the repository's binding"
    is_heard(bound, answer)
    assert kept(session) == before


@pytest.mark.parametrize("name", ["override.json", "allow.json"])
@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_a_spoilt_leave_is_none_and_is_heard(bound: World, name: str, spoil: Callable[[Path], None]) -> None:
    words = ["authorize-main"] if name == "override.json" else ["allow", "src"]
    assert bound.wt(*words, "--reason", "t").returncode == 0
    file = bound.state / name
    assert run(bound, encoded(call(bound))).document == {}
    spoil(file)
    before = kept(file)
    answer = run(bound, encoded(call(bound)))
    assert (answer.kind, answer.rule) == DENIED
    is_heard(bound, answer)
    assert name in answer.stderr
    assert kept(file) == before


ENTRIES: dict[str, Any] = {
    "a number": 1,
    "a list in it": [[]],
    "a text in it": ["x"],
    "null in it": [None],
    "a wrong field": [{"id": 1, "path": 1, "expires_at": "9999-01-01T00:00:00Z"}],
    "an end that is a number": [{"id": "a", "path": "/", "expires_at": 9999999999}],
    "an end that is null": [{"id": "a", "path": "/", "expires_at": None}],
    "nothing in it": [{}],
}


@pytest.mark.parametrize("name", ["override.json", "allow.json"])
@pytest.mark.parametrize("entries", ENTRIES.values(), ids=ENTRIES)
def test_a_spoilt_entry_does_not_count_and_is_heard(bound: World, name: str, entries: Any) -> None:
    (bound.state / name).write_text(json.dumps({"version": 1, "authorisations": entries, "entries": entries}))
    answer = run(bound, encoded(call(bound)))
    assert (answer.kind, answer.rule) == DENIED
    is_heard(bound, answer)


@pytest.mark.parametrize("spoil", [folder, link_to("itself"), pipe], ids=["a folder", "a link to itself", "a pipe"])
def test_the_mark_of_a_used_leave_that_cannot_be_read_is_a_used_leave(bound: World, spoil: Callable[[Path], None]) -> None:
    assert bound.wt("authorize-main", "--reason", "t", "--once").returncode == 0
    assert run(bound, encoded(call(bound, tool_use_id="toolu_1"))).document == {}
    [mark] = (bound.state / "used").iterdir()
    spoil(mark)
    answer = run(bound, encoded(call(bound, tool_use_id="toolu_2")))
    assert (answer.kind, answer.rule) == DENIED


def test_a_leave_for_one_call_is_good_even_if_that_cannot_be_marked(bound: World) -> None:
    assert bound.wt("authorize-main", "--reason", "t", "--once").returncode == 0
    (bound.state / "used").write_text("a file, so that nothing can be made below it")
    assert run(bound, encoded(call(bound))).document == {}
    assert run(bound, encoded(call(bound, "{W2}/x"))).rule == "other-worktree"


SETTINGS: dict[str, str | bytes] = {
    "emptied": "",
    "half written": '{"mode": "prot',
    "a comment": '// mine\n{"mode": "protect"}',
    "no UTF-8": b'{"mode": "\xff"}',
    "a list": "[]",
    "null": "null",
    "too deep": "[" * 100_000,
    "an unknown mode": '{"mode": "PROTECT"}',
    "a list for mode": '{"mode": ["protect"]}',
    "an object for mode": '{"mode": {}}',
    "a number for implicit": '{"implicit": 1}',
    "a text for main_write_allow": '{"main_write_allow": "src/"}',
    "numbers in main_write_allow": '{"main_write_allow": ["src/", 1]}',
    "null for main_write_allow": '{"main_write_allow": null}',
    "a list for sync": '{"sync": ["src"]}',
    "a text for symlink_dirs": '{"sync": {"symlink_dirs": "src"}}',
    "an unknown on_fault": '{"on_fault": "deny"}',
    "null for sync": '{"sync": null}',
    "NaN": '{"mode": NaN}',
}


@pytest.mark.parametrize("given", SETTINGS.values(), ids=SETTINGS)
def test_spoilt_settings_fall_back_and_are_heard(bound: World, given: str | bytes) -> None:
    file = bound.R / ".worktree-guard.json"
    text(given)(file)
    before = kept(file)
    answer = run(bound, encoded(call(bound)))
    assert (answer.kind, answer.rule) == DENIED
    is_heard(bound, answer)
    assert kept(file) == before


@pytest.mark.parametrize("spoil", [folder, pipe, link_to("itself"), link_to("/dev/zero")],
                         ids=["a folder", "a pipe", "a link to itself", "an endless device"])
def test_settings_that_are_no_file_fall_back_and_are_heard(bound: World, spoil: Callable[[Path], None]) -> None:
    file = bound.R / ".worktree-guard.json"
    file.write_text('{"main_write_allow": ["src/"]}')
    assert run(bound, encoded(call(bound))).document == {}
    spoil(file)
    answer = run(bound, encoded(call(bound)))
    assert (answer.kind, answer.rule) == DENIED
    is_heard(bound, answer)


@pytest.mark.parametrize("name", ["{R}/.worktree-guard.json", "{R}/.git/worktree-guard/state.json", "{OUT}/.git"])
def test_a_pipe_that_somebody_holds_open_is_not_waited_for(bound: World, name: str) -> None:
    file = Path(bound.fill(name))
    file.unlink(missing_ok=True)
    os.mkfifo(file)
    held = os.open(file, os.O_RDWR)
    try:
        begin = time.monotonic()
        for cwd in ("{R}", "{OUT}"):
            assert "no answer" not in run(bound, encoded(call(bound, cwd=bound.fill(cwd)))).stderr
        assert time.monotonic() - begin < SMALL_LIMIT
    finally:
        os.close(held)


def test_one_bad_setting_leaves_the_others(bound: World) -> None:
    (bound.R / ".worktree-guard.json").write_text('{"mode": 7, "main_write_allow": ["src/"]}')
    answer = run(bound, encoded(call(bound)))
    assert answer.document == {}
    is_heard(bound, answer)


@pytest.mark.parametrize("path", ["{W}/loop", "{W}/loop/x", "{W}/one/x", "{OUT}/loop", "{W}/c0"])
def test_loops_of_links_are_left_to_the_system(bound: World, path: str) -> None:
    for link, goal in (("loop", "loop"), ("one", "two"), ("two", "one")):
        (bound.W / link).symlink_to(goal)
    (bound.OUT / "loop").symlink_to("loop")
    for n in range(60):  # a chain longer than the system follows
        (bound.W / f"c{n}").symlink_to(f"c{n + 1}")
    answer = run(bound, encoded(call(bound, path)))
    assert (answer.document, answer.stderr) == ({}, "")
    assert run(bound, encoded(call(bound, "{R}/loop", tool="Edit"))).rule == "use-worktree-path", "W has something of that name"


def link_git_to_itself(pointer: Path) -> None:
    pointer.symlink_to(".git")


BROKEN_POINTERS: dict[str, Callable[[Path], Any]] = {
    "a loop": link_git_to_itself,
    "a pipe": os.mkfifo,
    "empty": text(""),
    "points to itself": text("gitdir: .git"),
    "NUL": text("gitdir: \0"),
    "too large": text("x" * 100_000),
    "no UTF-8": text(b"gitdir: \xff\xfe"),
    "points nowhere": text("gitdir: "),
    "an empty folder": Path.mkdir,
}


@pytest.mark.parametrize("make", BROKEN_POINTERS.values(), ids=BROKEN_POINTERS)
def test_a_broken_git_folder_is_no_repository(bound: World, make: Callable[[Path], Any]) -> None:
    place = bound.OUT / "broken"
    place.mkdir()
    make(place / ".git")
    answer = run(bound, encoded(call(bound, "x", cwd=str(place))), {**bound.env, "CLAUDE_PROJECT_DIR": ""}, cwd=place)
    assert answer.document == {}
    assert answer.stderr == ""
    assert run(bound, encoded(call(bound, cwd=str(place))), cwd=place).rule == "use-worktree-path", "R itself is as it was"


@pytest.mark.parametrize("spoil", [text(""), text("ref: "), text(b"\xff" * 50), folder, link_to("itself"), text("x" * 100_000)],
                         ids=["empty", "half", "no UTF-8", "a folder", "a link to itself", "too large"])
@pytest.mark.parametrize("which", ["HEAD", "commondir"])
def test_a_worktree_whose_git_files_are_spoilt_is_not_written_into_main(bound: World, which: str, spoil: Callable[[Path], None]) -> None:
    spoil(bound.R / ".git/worktrees/x" / which)
    for path in ("{R}/src/app.py", "{R}/src/new.py"):
        answer = run(bound, encoded(call(bound, path)))
        assert answer.kind in ("deny", "rewrite"), "never a plain pass into the main checkout"
    assert run(bound, encoded(call(bound, "{OUT}/x"))).document == {}


@pytest.mark.parametrize("damage", ["core/judge.py", "edge/look.py", "clients/claude.py", "edge/wire.py", "main.py"])
@pytest.mark.parametrize("how", ["missing", "half written"])
def test_a_half_installed_guard_blocks_nobody(bound: World, damage: str, how: str) -> None:
    installed = bound.root / "installed"
    shutil.copytree(ROOT / "guard", installed / "guard", ignore=shutil.ignore_patterns("wt", "__pycache__"))
    shutil.copytree(ROOT / "hooks", installed / "hooks")
    hook = installed / "hooks/pre_tool_use.py"
    assert run_hook(encoded(call(bound)), bound.env, bound.R, hook=hook).rule == "use-worktree-path"
    shutil.rmtree(installed / "guard/__pycache__", ignore_errors=True)
    file = installed / "guard" / damage
    if how == "missing":
        file.unlink()
    else:
        file.write_text(file.read_text()[:200] + "\n'''")
    answer = run_hook(encoded(call(bound)), bound.env, bound.R, hook=hook)
    assert answer.document == {}
    assert answer.stderr.startswith(("worktree-guard: ", "worktree-guard is damaged: "))

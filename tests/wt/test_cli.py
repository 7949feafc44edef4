"""The command line itself: envelopes, exit statuses, words, stdin, help. What each verb does is in the other files."""
from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

import guard
from guard.wt import cli
from guard.wt.errors import UsageError
from tests.worlds import ROOT, World
from tests.wt.test_enter import ONE, binding, bound_to, done, known, refused, small, wt

OnStdin = Callable[[str], None]
GOLDEN = Path(__file__).parent / "golden"
UPDATE = os.environ.get("WORKTREE_GUARD_UPDATE_GOLDEN") == "1"
VERBS = ["enter", "new", "leave", "remove", "restore", "snapshot", "status", "authorize-main", "revoke-main", "allow",
         "clean", "merge", "setup", "trust", "lane"]
LINE = {"authorize-main": ["--reason", "r"], "allow": ["src", "--reason", "r"], "enter": ["x"], "new": ["z"],
        "remove": ["{W}", "--foreign"], "restore": ["--list"], "merge": ["x", "--dry-run"], "setup": ["x"],
        "lane": ["list"]}  # a complete line for each


@pytest.fixture
def plain(tmp_path: Path) -> World:
    return small(Path(os.path.realpath(tmp_path)))


def start(world: World, *words: str, **more: Any) -> subprocess.Popen[str]:
    given = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    return subprocess.Popen([str(ROOT / "scripts/wt"), *words], cwd=world.R, env=world.env, text=True, **given)


@pytest.fixture
def on_stdin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OnStdin]:
    """Puts a text on this process's stdin, for `wt`'s main."""
    kept = os.dup(0)

    def put(given: str) -> None:
        (tmp_path / "stdin").write_bytes(given.encode("utf-8", "surrogateescape"))
        with (tmp_path / "stdin").open("rb") as file:
            os.dup2(file.fileno(), 0)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(os.fdopen(os.dup(0), "rb")))

    yield put
    sys.stdin.close()
    os.dup2(kept, 0)
    os.close(kept)


# --- envelopes and exit statuses -------------------------------------------------------------------------------------

@pytest.mark.parametrize("verb", VERBS)
def test_json_is_one_document_on_stdout_and_nothing_else(world: World, verb: str) -> None:
    if verb == "leave":
        done(world, "enter", "x")
    ran = world.wt(verb, *world.fill(LINE.get(verb, [])), "--json")
    assert (ran.returncode, ran.stderr, ran.stdout.count("\n"), ran.stdout[-1:]) == (0, "", 1, "\n")
    document = json.loads(ran.stdout)
    assert (set(document), document["ok"], type(document["data"])) == ({"ok", "data"}, True, dict)


@pytest.mark.parametrize("verb", ["enter", "leave", "authorize-main", "allow", "nonsense"])
def test_a_refusal_in_json_is_one_document_on_stderr_and_nothing_else(world: World, verb: str) -> None:
    ran = world.wt(verb, "--json")
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)
    document = json.loads(ran.stderr)
    assert set(document) == {"ok", "error", "code", "hint", "details"}
    assert (document["ok"], bool(document["error"]), bool(document["code"]), type(document["details"])) == (False, True, True, dict)


def test_text_is_for_people_the_answer_on_stdout_the_refusal_on_stderr(world: World) -> None:
    good, bad = world.wt("enter", "x"), world.wt("enter", "x", "--branch", "wt/y")
    assert (good.returncode, good.stderr, good.stdout.splitlines()[0]) == (0, "", "Entered x.")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert [line.partition(": ")[0] for line in bad.stderr.splitlines()] == ["wt", "Instead"]


def test_words_behind_a_double_dash_are_no_options(plain: World) -> None:
    ran = plain.wt("new", "--", "--json")
    assert (ran.returncode, ran.stdout.splitlines()[1:3]) == (0, [f"  path    {plain.R}/.worktrees/=2d-json", "  branch  wt/--json"])


def test_output_survives_a_terminal_that_knows_ascii_only(plain: World) -> None:
    ran = plain.wt("new", "ärger", LC_ALL="C", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert json.loads(plain.wt("status", "--json").stdout)["data"]["worktrees"][1]["name"] == "ärger"


def test_status_0_and_1_and_2(plain: World) -> None:
    assert wt(plain, "new", "x").returncode == 0
    plain.sh("""cd "$R"; echo '* filter=f' > .gitattributes; git add .; git commit -qm f; git config filter.f.smudge false
                git config filter.f.required true""")
    assert wt(plain, "new", "y").returncode == 1, "git failed"
    assert wt(plain, "new", "x").returncode == 2, "an unmet precondition"


def test_status_127_without_git(world: World) -> None:
    ran = world.wt("status", "--json", PATH="/nowhere")
    assert (ran.returncode, ran.stdout) == (127, "")
    document = json.loads(ran.stderr)
    assert (document["code"], "git" in document["error"], "git" in document["hint"]) == ("missing-program", True, True)


def raising(fault: BaseException) -> Any:
    def run(*_: object, **__: object) -> NoReturn:
        raise fault
    return run


def test_status_3_for_a_fault_of_our_own_and_a_report_ready_to_paste(world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cli.command("status"), "run", raising(RuntimeError("the moon is full")))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ran = wt(world, "status")
    assert (ran.returncode, ran.stdout) == (3, "")
    document = json.loads(ran.stderr)
    report = Path(document["details"]["report"])
    assert document["code"] == "our-fault"
    assert str(report) in document["hint"]
    text = report.read_text()
    for word in ("RuntimeError: the moon is full", "Traceback", guard.VERSION, "Python 3.", "wt status --json"):
        assert word in text
    assert report.stat().st_mode & 0o077 == 0, "it may name the owner's paths"


def test_status_3_where_no_report_can_be_written(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk is a likely reason for the fault itself."""
    monkeypatch.setattr(cli.command("status"), "run", raising(RuntimeError("the moon is full")))
    monkeypatch.setattr("tempfile.mkstemp", raising(OSError(28, "No space left on device")))
    ran = wt(world, "status")
    assert ran.returncode == 3
    assert "the moon is full" in json.loads(ran.stderr)["error"]


@pytest.mark.parametrize("fault", [UsageError("no"), OSError(28, "No space left on device"), RuntimeError("the moon is full")], ids=repr)
def test_each_refusal_of_a_lease_is_indented(world: World, monkeypatch: pytest.MonkeyPatch, fault: Exception, tmp_path: Path) -> None:
    monkeypatch.setattr(cli.command("lease"), "run", raising(fault))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    said = wt(world, "lease", "read", "status").stderr
    assert said == json.dumps(json.loads(said), indent=2) + "\n"


def test_status_130_when_interrupted(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli.command("status"), "run", raising(KeyboardInterrupt()))
    assert wt(world, "status").returncode == 130


def test_a_reader_that_has_gone_is_no_fault(world: World) -> None:
    with start(world, "status") as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == ""
    assert running.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_an_answer_that_cannot_be_written_is_a_failure_not_a_fault_of_wt(world: World) -> None:
    with Path("/dev/full").open("w") as full, start(world, "status", stdout=full) as running:
        assert running.stderr is not None
        said = running.stderr.read()
    assert (running.returncode, "fault of wt" in said, "Traceback" in said) == (1, False, False)


def test_closed_stdin_and_stdout_are_no_fault(world: World) -> None:
    command = f"{ROOT / 'scripts/wt'} status"
    world.sh(f'cd "$R"; {command} <&-; {command} >&- || test $? = 1')


# --- words -----------------------------------------------------------------------------------------------------------

SLIPS: list[tuple[str, list[str], str]] = [
    ("an unknown verb", ["entre", "x"], "entre"),
    ("an unknown option", ["enter", "x", "--bases", "main"], "--bases"),
    ("a shortened option", ["enter", "x", "--bas", "main"], "--bas"),
    ("a shortened verb", ["stat"], "stat"),
    ("a missing value", ["enter", "x", "--base"], "--base"),
    ("an option instead of a value", ["enter", "x", "--base", "--reuse"], "--base"),
    ("a value for a switch", ["enter", "x", "--repo=yes"], "--repo"),
    ("a word too many", ["enter", "x", "y"], "y"),
    ("a word where none is taken", ["status", "x"], "x"),
    ("a word for revoke-main", ["revoke-main", "x"], "x"),
    ("another verb's option", ["leave", "--base", "main"], "--base"),
    ("two that exclude each other", ["new", "--reuse", "--unique"], "--unique"),
    ("a choice that is none", ["authorize-main", "--reason", "r", "--only", "all"], "all"),
    ("an empty verb", ["", "x"], ""),
    ("a verb in capitals", ["STATUS"], "STATUS"),
]


@pytest.mark.parametrize(("words", "named"), [slip[1:] for slip in SLIPS], ids=[slip[0] for slip in SLIPS])
def test_a_slip_is_refused_by_name(world: World, words: list[str], named: str) -> None:
    document = refused(world, *words)
    assert document["code"] == "usage"
    assert named in document["error"]
    assert "--help" in document["hint"]
    assert not world.state.exists()


def test_an_unknown_verb_is_told_the_known_ones(world: World) -> None:
    error = refused(world, "nonsense")["error"]
    assert all(f" {verb}" in error for verb in VERBS)
    assert refused(world, "stat")["error"] == "stat is no command: did you mean status?"
    assert world.wt("help").stdout == world.wt("--help").stdout


def test_an_unknown_option_is_told_where_its_command_is_explained(plain: World) -> None:
    for words in (("status", "--foo"), ("enter", "a", "b")):
        document = refused(plain, *words)
        assert (document["code"], document["hint"]) == ("usage", f"wt {words[0]} --help"), document


def test_an_option_twice_counts_as_its_last(plain: World) -> None:
    plain.sh('cd "$R"; git branch one; git branch two')
    assert done(plain, "new", "x", "--base", "one", "--base", "two", "--json", "--json")["base"] == "two"


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"]], ids=["nothing", "--help", "-h"])
def test_help_lists_every_verb_and_every_exit_status(world: World, words: list[str]) -> None:
    ran = world.wt(*words, cwd=world.OUT)
    assert (ran.returncode, ran.stderr) == (0, "")
    for verb in VERBS:
        assert re.search(rf"^ +{verb}\b", ran.stdout, re.M)
    for status in ("0 done", "1 failed", "2 ", "3 ", "127 ", "130 interrupted"):
        assert status in ran.stdout


def test_version(world: World) -> None:
    assert world.wt("--version", cwd=world.OUT).stdout == f"worktree-guard {guard.VERSION}\n"


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_a_verb_is_as_agreed(world: World, verb: str) -> None:
    """WORKTREE_GUARD_UPDATE_GOLDEN=1 writes the files anew. Words are compared: Pythons differ in where they break lines."""
    ran = world.wt(verb, "--help", cwd=world.OUT, COLUMNS="100")
    assert (ran.returncode, ran.stderr) == (0, "")
    file = GOLDEN / f"help-{verb}.txt"
    if UPDATE:
        GOLDEN.mkdir(exist_ok=True)
        file.write_text(ran.stdout)
    assert ran.stdout.split() == file.read_text().split()


def test_no_golden_file_is_left_of_a_verb_that_is_gone() -> None:
    assert {path.stem.removeprefix("help-") for path in GOLDEN.iterdir()} == set(VERBS)
    assert set(VERBS) <= set(cli.COMMANDS)


def test_old_names_still_work(plain: World) -> None:
    assert done(plain, "create", "x")["created"] is True
    assert bound_to(plain) is None, "create is new: it binds nobody"
    done(plain, "enter", "x")
    assert done(plain, "exit")["left"][0]["name"] == "x"


def test_an_old_name_is_a_verb_and_not_a_value(plain: World) -> None:
    assert done(plain, "new", "exit")["name"] == "exit"
    assert done(plain, "enter", "create")["name"] == "create"


# --- remedies --------------------------------------------------------------------------------------------------------

SETUP = """cd "$R"; git branch wt/left; mkdir -p .worktrees/way; echo 1 > .worktrees/way/f
git worktree lock "$W2"; rm -rf "$W2"; git worktree add -q -b second "$OUT/x"; git branch wt/deep; git branch wt/deeper"""
REFUSALS: list[tuple[str, list[str]]] = [
    ("enter without a name", ["enter"]),
    ("enter the main checkout", ["enter", "{R}"]),
    ("enter a path to nothing", ["enter", "./nowhere"]),
    ("enter a missing and locked one", ["enter", "y"]),
    ("enter an ambiguous name", ["enter", "x"]),
    ("enter with another branch", ["enter", "{W}", "--branch", "wt/y"]),
    ("a branch left over", ["enter", "left"]),
    ("a branch in use", ["enter", "z", "--branch", "wt/x"]),
    ("a branch in use by the main checkout", ["enter", "z", "--branch", "main"]),
    ("a folder in the way", ["enter", "way"]),
    ("an unknown base", ["enter", "z", "--base", "nowhere"]),
    ("a name for no branch", ["enter", "a b"]),
    ("a name below another branch", ["enter", "deep/er"]),
    ("new of one that is there", ["new", "{W}"]),
    ("leave while not bound", ["leave"]),
    ("authorize without a reason", ["authorize-main"]),
    ("authorize for too long", ["authorize-main", "--reason", "r", "--ttl", "9d"]),
    ("allow nothing", ["allow"]),
    ("allow without a reason", ["allow", "src"]),
    ("allow everything", ["allow", ".", "--reason", "r"]),
    ("allow a pattern", ["allow", "*.py", "--reason", "r"]),
    ("allow git's folder", ["allow", ".git/config", "--reason", "r"]),
    ("remove without a name", ["remove"]),
    ("remove what is nowhere", ["remove", "nowhere"]),
    ("remove what somebody else made", ["remove", "{W}"]),
    ("restore what is not there", ["restore", "nowhere"]),
    ("merge without a name", ["merge"]),
    ("merge what is nowhere", ["merge", "nowhere"]),
    ("merge without leave", ["merge", "{W}"]),
    ("set up the main checkout", ["setup"]),
    ("set up what is missing", ["setup", "{W2}"]),
    ("accept no commands", ["trust", "--accept"]),
    ("lease without words", ["lease"]),
    ("lease what is no verb", ["lease", "write", "destroy"]),
    ("lease with a blank holder", ["lease", "write", "acquire", "--holder", " "]),
    ("return what is not leased", ["lease", "write", "return", "--workspace", "{W}"]),
    ("prepare a lane of no task", ["lane", "prepare", "--run", "r"]),
    ("dispose of no lane", ["lane", "dispose", "--run", "r", "--task", "t"]),
    ("a slip", ["status", "--nonsense"]),
    ("outside a repository", ["status"]),
]
GIT_VERBS = {"worktree", "init", "fetch", "commit", "switch", "branch", "config", "log", "update-ref", "-C"}


@pytest.mark.parametrize(("why", "words"), REFUSALS, ids=[why for why, _ in REFUSALS])
def test_every_refusal_names_a_real_command_that_helps(world: World, why: str, words: list[str]) -> None:
    world.sh(SETUP)
    document = refused(world, *[world.fill(word) for word in words], cwd=world.OUT if why.startswith("outside") else world.R)
    hint = document["hint"]
    ours = re.findall(r"(?:^|[\s(])wt ([a-z][\w-]*|--help)", hint)
    gits = re.findall(r"(?:^|[\s(])git ([a-z][\w-]*|-C)", hint)
    assert ours or gits or re.search(r"\bcd |\.worktree-guard\.json", hint), hint
    assert set(ours) <= {"--help", *cli.COMMANDS}, hint
    assert set(gits) <= GIT_VERBS, hint


def test_a_failure_of_git_names_a_command_too(plain: World) -> None:
    plain.sh("""cd "$R"; echo '* filter=f' > .gitattributes; git add .; git commit -qm f; git config filter.f.smudge false
                git config filter.f.required true""")
    assert re.search(r"\b(wt|git) \w", refused(plain, "enter", "x", status=1)["hint"])


# --- stdin -----------------------------------------------------------------------------------------------------------

def test_arguments_come_as_json_on_stdin(world: World) -> None:
    assert json.loads(world.wt("enter", "--json", given=json.dumps({"path": str(world.W)})).stdout)["data"]["path"] == str(world.W)
    assert "Left x." in world.wt("leave", given=json.dumps({"path": "../app-wt/x"})).stdout
    made = json.loads(world.wt("create", "--json", given='\ufeff{"task_name": "t/1", "base_branch": "wt/x", "more": 1}\n').stdout)["data"]
    assert (made["branch"], made["base"], made["base_commit"]) == ("wt/t/1", "wt/x", world.git("rev-parse", "wt/x"))


@pytest.mark.parametrize("key", ["session_id", "sessionId"])
def test_the_session_comes_on_stdin_too(world: World, key: str) -> None:
    assert world.wt("enter", given=json.dumps({"path": "x", key: ONE})).returncode == 0
    assert binding(world, ONE)["path"] == str(world.W)


@pytest.mark.parametrize(("action", "status", "there"), [("remove", 0, False), ("keep", 0, True), ("drop", 2, True)])
def test_leaving_with_an_action_comes_on_stdin(plain: World, action: str, status: int, there: bool) -> None:
    path = Path(done(plain, "enter", "x")["path"])
    ran = plain.wt("exit", given=json.dumps({"action": action, "confirm_remove": True}))
    assert (ran.returncode, path.exists()) == (status, there), ran.stderr


def test_leaves_to_write_come_on_stdin(world: World) -> None:
    ran = world.wt("authorize-main", "--json", given=json.dumps({"reason": "why", "ttl_minutes": 30}))
    data = json.loads(ran.stdout)["data"]
    assert (data["reason"], data["created_at"] < data["expires_at"]) == ("why", True)
    minutes = [a["minutes_left"] for a in done(world, "status")["authorisations"]]
    assert minutes == [30]
    words: dict[str, Any] = {"action": "add", "path": "docs", "reason": "why", "ttl_minutes": 5}
    assert json.loads(world.wt("allow", "--json", given=json.dumps(words)).stdout)["data"]["path"] == str(world.R / "docs")
    assert "docs" in world.wt("allow", given='{"action": "list"}').stdout
    assert world.wt("allow", given='{"action": "clear"}').returncode == 0
    assert done(world, "status")["allowed"] == []


def test_the_command_line_goes_before_stdin(world: World) -> None:
    assert world.wt("enter", "x", given='{"path": "y"}').returncode == 0
    assert bound_to(world) == str(world.W)


BROKEN: list[tuple[str, str, str]] = [
    ("half a document", "enter", '{"path": "x"'),
    ("no JSON", "enter", "x"),
    ("two documents", "enter", '{"path": "x"} {"path": "y"}'),
    ("a list", "enter", '["x"]'),
    ("a text", "enter", '"x"'),
    ("a number for a path", "enter", '{"path": 7}'),
    ("an object for a path", "enter", '{"path": {}}'),
    ("no UTF-8", "enter", '{"path": "\udcff"}'),
    ("nested deep", "enter", "[" * 100000),
    ("a NUL in a path", "enter", '{"path": "a\\u0000b"}'),
    ("half a surrogate pair", "enter", '{"path": "a\\ud800b"}'),
    ("a NUL in an allowed path", "allow", '{"path": "a\\u0000b", "reason": "r"}'),
    ("half a surrogate pair in a reason", "authorize-main", '{"reason": "a\\ud800b"}'),
    ("minutes that are none", "authorize-main", '{"reason": "r", "ttl_minutes": "soon"}'),
    ("minutes below one", "authorize-main", '{"reason": "r", "ttl_minutes": 0}'),
    ("half a minute", "authorize-main", '{"reason": "r", "ttl_minutes": 0.5}'),
    ("minutes without an end", "authorize-main", '{"reason": "r", "ttl_minutes": 1e9}'),
    ("no reason", "authorize-main", '{"ttl_minutes": 5}'),
    ("an unknown action", "allow", '{"action": "remove", "path": "docs", "reason": "r"}'),
]


@pytest.mark.parametrize(("verb", "given"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_what_makes_no_sense_on_stdin_is_refused(world: World, on_stdin: OnStdin, verb: str, given: str) -> None:
    before = known(world)
    on_stdin(given)
    ran = wt(world, verb)
    assert (ran.returncode, ran.stdout) == (2, ""), ran.stderr
    assert json.loads(ran.stderr)["error"]
    assert known(world) == before
    assert not any((world.state / name).exists() for name in ("state.json", "override.json", "allow.json"))


def test_nothing_on_stdin_is_as_good_as_none(world: World) -> None:
    assert world.wt("enter", given="").returncode == 2
    done(world, "enter", "x")
    assert world.wt("leave", given=" \n").returncode == 0


@pytest.mark.parametrize(("words", "status"), [(["status"], 0), (["enter"], 2), (["leave"], 2), (["revoke-main"], 0), (["enter", "x"], 0)])
def test_a_stdin_that_stays_open_and_silent_does_not_hang(world: World, words: list[str], status: int) -> None:
    with start(world, *words, stdin=subprocess.PIPE) as running:
        try:
            assert running.wait(15) == status
        finally:
            running.kill()


def test_a_stdin_that_stays_open_behind_its_document_does_not_hang(world: World) -> None:
    """Clients write one line and keep the pipe."""
    with start(world, "enter", "--json", stdin=subprocess.PIPE) as running:
        assert running.stdin is not None
        running.stdin.write('{"path": "x"}\n')
        running.stdin.flush()
        try:
            assert running.wait(4) == 0
        finally:
            running.kill()
    assert bound_to(world) == str(world.W)


def test_a_stdin_that_stops_in_the_middle_does_not_hang(world: World) -> None:
    with start(world, "enter", "--json", stdin=subprocess.PIPE) as running:
        assert running.stdin is not None
        running.stdin.write('{"path": ')
        running.stdin.flush()
        try:
            assert running.wait(4) == 2
        finally:
            running.kill()


def test_a_large_document_on_stdin_is_read_whole_or_refused(world: World) -> None:
    ran = world.wt("enter", "--json", given=json.dumps({"path": "x", "note": "n" * 300_000}))
    assert ran.returncode == 0
    assert world.wt("enter", "--json", given=json.dumps({"path": "x", "note": "n" * 2_000_000})).returncode in (0, 2)


# --- where it cannot work --------------------------------------------------------------------------------------------

def test_state_that_cannot_be_written_is_told_and_nothing_is_made(plain: World) -> None:
    (plain.R / ".git/worktree-guard").write_text("a file where a folder should be")
    document = refused(plain, "enter", "x", status=1)
    assert (document["code"], bool(document["hint"])) == ("read-only", True)
    assert not (plain.R / ".worktrees").exists()
    assert done(plain, "status")["binding"] is None

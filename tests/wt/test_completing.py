"""A worktree with all that belongs in it: made so, taken back where that fails, and torn down again."""
from __future__ import annotations

import contextlib
import json
import os
import pty
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from guard.wt import making
from guard.wt.models import WorktreeRecord
from guard.wt.repository import open_repository
from tests.worlds import ROOT, World
from tests.wt.test_enter import ONE, binding, bound_to, done, known, record, refused, small, wt

IGNORED = """printf '.env\\ncache/\\nport\\nran\\n' > .gitignore; git add .gitignore; git commit -qm ignore
             echo secret > .env; mkdir cache; echo c > cache/c"""
SETTINGS = {"sync": {"copy_files": [".env"], "symlink_dirs": ["cache"]}, "setup": ["echo $WT_PORT > port", "cat .env cache/c > ran"],
            "ports": {}}


@pytest.fixture
def plain(tmp_path: Path) -> World:
    world = small(Path(os.path.realpath(tmp_path)))
    world.sh(IGNORED, cwd=world.R)
    return world


def write(world: World, settings: dict[str, Any]) -> None:
    (world.R / ".worktree-guard.json").write_text(json.dumps(settings))


def accepted(world: World, settings: dict[str, Any]) -> None:
    """Settings whose commands a person has accepted."""
    write(world, settings)
    done(world, "trust", "--accept")


def place(world: World, name: str = "x") -> Path:
    return world.R / ".worktrees" / name


# --- made ------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("words", [("new", "x"), ("enter", "x"), ("enter", "x", "--session", ONE), ("new", "x", "--branch", "old")],
                         ids=" ".join)
def test_copies_links_port_and_setup_in_that_order(plain: World, words: tuple[str, ...]) -> None:
    plain.sh("git branch old", cwd=plain.R)
    accepted(plain, SETTINGS)
    data = done(plain, *words)
    port = str(data["port"])
    assert [(one["name"], one["state"]) for one in data["outcomes"]] == [(".env", "copied"), ("cache", "linked")]
    assert (data["setup"]["state"], data["created"]) == ("done", True)
    assert [(place(plain) / name).read_text() for name in (".env", "ran", "port")] == ["secret\n", "secret\nc\n", f"{port}\n"]
    assert (place(plain) / "cache").readlink() == plain.R / "cache"
    kept = record(plain, "x")
    assert (kept["copied"], str(kept["port"]), kept["making"]) == ([".env"], port, None)
    assert plain.git("status", "--porcelain", cwd=place(plain)) == plain.git("diff", cwd=place(plain)) == ""


def test_a_person_reads_what_was_done(plain: World) -> None:
    write(plain, {**SETTINGS, "sync": {"copy_files": [".env", "cache", "nothing*"]}})
    shown = plain.wt("new", "x").stdout
    assert "\n  copied  .env, cache\n" in shown and "\n  skipped nothing*: nothing fits it\n" in shown
    assert f"\n  port    {record(plain, 'x')['port']}\n" in shown
    assert "2 setup command(s) not run, nobody has accepted them: wt trust shows them to a person; then wt setup x" in shown
    assert not (place(plain) / "ran").exists()
    plain.wt("trust", "--accept")
    assert "2 setup command(s) done" in plain.wt("setup", "x").stdout
    assert (place(plain) / "ran").exists()


def test_on_a_terminal_the_commands_are_heard_while_they_run(plain: World) -> None:
    """In a pipe nothing is told on the way (the test of `wt setup` sees that)."""
    accepted(plain, {"setup": "echo said by it"})
    ours, theirs = pty.openpty()
    ran = subprocess.run([str(ROOT / "scripts/wt"), "new", "x"], env={**plain.env, **plain.paths}, cwd=plain.R, stdin=subprocess.DEVNULL,
                         stderr=theirs, stdout=subprocess.PIPE, text=True, timeout=60, check=False)
    os.close(theirs)
    heard = os.read(ours, 65536).decode().splitlines()
    os.close(ours)
    assert (ran.returncode, heard) == (0, ["setup 1 of 1: echo said by it", "said by it"])
    assert ran.stdout.startswith("Made x.\n")


def test_a_repository_without_wishes_says_nothing_of_them(plain: World) -> None:
    data = done(plain, "new", "x")
    assert (data["outcomes"], data["port"], data["setup"]["state"], data["submodules"]["state"]) == ([], None, "none", "none")
    assert record(plain, "x")["making"] is None
    assert [line.split()[0] for line in plain.wt("new", "y").stdout.splitlines()] == ["Made", "path", "branch", "base", "Next:"]


def test_one_that_is_there_is_not_set_up_again(plain: World) -> None:
    accepted(plain, {"setup": "echo again >> ran", "ports": {}})
    port = done(plain, "enter", "x")["port"]
    data = done(plain, "enter", "x")
    assert (data["created"], data["port"], data["setup"]["state"]) == (False, port, "none")
    assert (place(plain) / "ran").read_text() == "again\n"


@pytest.mark.parametrize("trusted", [True, False])
def test_a_dry_run_shows_the_commands_and_changes_nothing(plain: World, trusted: bool) -> None:
    (accepted if trusted else write)(plain, SETTINGS)
    before = known(plain)
    data = done(plain, "new", "x", "--dry-run")
    assert (data["setup"]["state"], data["setup"]["commands"]) == ("planned" if trusted else "untrusted", SETTINGS["setup"])
    assert ("nobody has accepted them" in plain.wt("enter", "x", "--dry-run").stdout) is not trusted
    assert (known(plain), place(plain).exists()) == (before, False)


# --- taken back ------------------------------------------------------------------------------------------------------

def fails(world: World, *words: str) -> dict[str, Any]:
    """The error of a command whose own work went wrong; but for the trash all is as it was."""
    before, ended = visible(world), wt(world, *words)
    assert (ended.returncode, ended.stdout, visible(world)) == (1, "", before), ended.stderr
    document: dict[str, Any] = json.loads(ended.stderr)
    return document


def visible(world: World) -> tuple[str, str, str | None]:
    return world.git("for-each-ref", "refs/heads"), world.git("worktree", "list", "--porcelain"), bound_to(world)


FAILS = {"a setup command": ({"setup": ["touch ran", "false"]}, "setup-failed"),
         "no port": ({"ports": {"script": "echo no number"}}, "bad-port")}


@pytest.mark.parametrize(("settings", "code"), FAILS.values(), ids=FAILS)
@pytest.mark.parametrize("words", [("new", "x"), ("enter", "x", "--session", ONE)], ids=" ".join)
def test_what_fails_is_taken_back(plain: World, settings: dict[str, Any], code: str, words: tuple[str, ...]) -> None:
    """Nobody is bound, the branch is gone, and what the command had written waits in the trash."""
    accepted(plain, settings)
    document = fails(plain, *words)
    assert (document["code"], "--keep-failed" in document["hint"], "wt restore" in document["hint"]) == (code, True, True)
    assert not place(plain).exists() and not (plain.state / "worktrees/x.json").exists()
    write(plain, {})
    assert done(plain, *words)["created"], "the name and the branch are free"
    entry = json.loads(next((plain.state / "trash").glob("*/entry.json")).read_text())
    assert (plain.state / "trash" / entry["id"] / "tree/src/app.py").exists()


def test_a_branch_that_was_there_stays(plain: World) -> None:
    plain.sh("git branch old; git branch wt/x", cwd=plain.R)
    accepted(plain, {"setup": "false"})
    for words in (("new", "y", "--branch", "old"), ("new", "x", "--reuse")):
        fails(plain, *words)
    assert plain.git("branch", "--format=%(refname:short)").split() == ["main", "old", "wt/x"]


def test_commits_that_the_setup_makes_stay_on_the_branch(plain: World) -> None:
    accepted(plain, {"setup": "echo 1 > new; git add new; git commit -qm made; false"})
    assert wt(plain, "new", "x").returncode == 1
    assert plain.git("log", "-1", "--format=%s", "wt/x").strip() == "made"


def test_keep_failed_keeps_it_and_setup_finishes_it(plain: World) -> None:
    accepted(plain, {"setup": "touch ran; test -e ok"})
    ended = wt(plain, "enter", "x", "--keep-failed")
    document = json.loads(ended.stderr)
    assert (ended.returncode, document["code"], "wt setup x" in document["hint"]) == (1, "setup-failed", True)
    assert (place(plain) / "ran").exists() and bound_to(plain) is None
    row = next(row for row in done(plain, "status")["worktrees"] if row["name"] == "x")
    assert (row["making"], row["stale"]) == ("unfinished", None)
    (place(plain) / "ok").touch()
    done(plain, "setup", "x")
    assert record(plain, "x")["making"] is None
    assert not done(plain, "enter", "x")["created"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_takes_it_back_as_well(plain: World, number: signal.Signals) -> None:
    accepted(plain, {"setup": 'echo $$ > "$OUT/pid.new"; mv "$OUT/pid.new" "$OUT/pid"; sleep 100'})
    with started(plain, "new", "x") as running:
        eventually((plain.OUT / "pid").exists)
        running.send_signal(number)
        assert running.wait(30) == 130
    assert not place(plain).exists()
    assert "wt/x" not in plain.git("branch")


# --- killed, and many at once -----------------------------------------------------------------------------------------

@contextlib.contextmanager
def started(world: World, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """`wt` in a process of its own; it is asked to end where the test has not seen its end."""
    with subprocess.Popen([str(ROOT / "scripts/wt"), *words], cwd=world.R, env={**world.env, **world.paths}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as running:
        try:
            yield running
        finally:
            if running.poll() is None:
                running.terminate()


def eventually(holds: Any) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_nobody_enters_before_it_is_set_up(plain: World) -> None:
    """The second waits for the first, and finds all of it there."""
    accepted(plain, {"setup": 'touch "$OUT/began"; while ! test -e "$OUT/go"; do sleep 0.05; done; touch ran'})
    with started(plain, "new", "x") as first:
        eventually((plain.OUT / "began").exists)
        assert [row["making"] for row in done(plain, "status")["worktrees"]] == [None, "running"]
        assert refused(plain, "setup", "x")["code"] == "busy"
        assert "busy" in [one["code"] for one in refused(plain, "remove", "x")["details"]]
        done(plain, "new", "other", "--dry-run")
        with started(plain, "enter", "x") as second:
            (plain.OUT / "go").touch()
            assert (second.wait(60), first.wait(60)) == (0, 0)
    assert (place(plain) / "ran").exists() and binding(plain)["path"] == str(place(plain))


def test_one_whose_maker_was_killed_is_finished_by_the_next_who_enters(plain: World) -> None:
    accepted(plain, SETTINGS)
    write(plain, {})
    done(plain, "new", "x")
    with subprocess.Popen(["true"]) as gone:
        pass
    file = plain.state / "worktrees/x.json"
    file.write_text(json.dumps({**record(plain, "x"), "making": {"pid": gone.pid, "started": "long ago"}}))
    accepted(plain, SETTINGS)
    data = done(plain, "enter", "x")
    assert (data["created"], data["setup"]["state"], record(plain, "x")["making"]) == (False, "done", None)
    assert (place(plain) / "ran").exists()


def test_only_one_takes_over(plain: World) -> None:
    done(plain, "new", "x")
    repository = open_repository(plain.R)
    made = WorktreeRecord(**{**record(plain, "x"), "making": {"pid": 1, "started": "0"}})
    making.saved(repository, made)
    assert making.taken_over(repository, place(plain)).making == making.myself()
    with pytest.raises(Exception, match="is being set up by another wt"):
        making.taken_over(repository, place(plain))


# --- submodules -------------------------------------------------------------------------------------------------------

@pytest.fixture
def nested(plain: World) -> World:
    plain.sh("""git init -q -b main lib; (cd lib; echo l > l; git add l; git commit -qm l)
                git config --file home/.gitconfig protocol.file.allow always
                cd "$R"; git submodule --quiet add ../lib inner/lib; git submodule --quiet add ../lib unused
                git commit -qm modules; git submodule --quiet deinit -f unused""", cwd=plain.root)
    return plain


@pytest.mark.parametrize(("asked", "state"), [(True, "done"), (False, "left")])
def test_submodules_of_the_main_checkout(nested: World, asked: bool, state: str) -> None:
    """Only those that are set up there; without the setting they are named. git forgets nothing when the main checkout goes."""
    write(nested, {"sync": {"submodules": asked}})
    inner = done(nested, "new", "x")["submodules"]
    assert (inner["state"], inner["names"], "unused" in inner["said"]) == (state, ["inner/lib"], False)
    assert ((place(nested) / "inner/lib/l").exists(), (place(nested) / "unused/l").exists()) == (asked, False)
    assert nested.git("status", "--porcelain", cwd=place(nested)) == ""
    assert ("inner/lib" if asked else "git submodule update --init") in nested.wt("new", "y").stdout
    if asked:
        assert not list((nested.R / ".git").rglob("alternates"))
        assert done(nested, "setup", "x")["submodules"]["state"] == "none", "the second time there is nothing to do"


def test_a_submodule_that_cannot_be_had_takes_it_back(nested: World) -> None:
    write(nested, {"sync": {"submodules": True}})
    nested.sh("git config --file home/.gitconfig protocol.file.allow never; rm -rf lib", cwd=nested.root)
    document = fails(nested, "new", "x")
    assert ("submodule" in document["error"], place(nested).exists()) == (True, False)


# --- torn down --------------------------------------------------------------------------------------------------------

TEARDOWN = 'echo "$WT_WORKTREE_PATH $WT_PORT" >> "$OUT/gone"; echo left > left; echo left > ran'
REMOVALS = {"remove": (("remove", "x"),), "leave": (("enter", "x"), ("leave", "--remove")), "clean": (("clean", "--apply"),),
            "merge": (("authorize-main", "--reason", "r"), ("merge", "x", "--remove"))}


@pytest.mark.parametrize("commands", REMOVALS.values(), ids=REMOVALS)
def test_teardown_runs_once_and_what_it_leaves_is_no_work(plain: World, commands: tuple[tuple[str, ...], ...]) -> None:
    accepted(plain, {"teardown": TEARDOWN, "ports": {}})
    port = done(plain, "new", "x")["port"]
    if commands[-1][0] != "remove":
        plain.sh("echo 1 > new; git add new; git commit -qm new", cwd=place(plain))
    if commands[-1][0] in ("clean", "leave"):
        plain.sh("git merge -q wt/x", cwd=plain.R)
    for words in commands:
        done(plain, *words, OUT=str(plain.OUT))
    assert not place(plain).exists()
    assert (plain.OUT / "gone").read_text() == f"{place(plain)} {port}\n"
    done(plain, "restore", "x")
    assert (place(plain) / "left").read_text() == "left\n"


@pytest.mark.parametrize("words", [("remove", "x", "--dry-run"), ("clean",)], ids=" ".join)
def test_teardown_does_not_run_in_a_dry_run(plain: World, words: tuple[str, ...]) -> None:
    accepted(plain, {"teardown": TEARDOWN})
    done(plain, "new", "x")
    done(plain, *words, OUT=str(plain.OUT))
    assert not (plain.OUT / "gone").exists()


def test_teardown_does_not_run_where_the_gate_stays_closed(plain: World) -> None:
    accepted(plain, {"teardown": TEARDOWN})
    done(plain, "new", "x")
    (place(plain) / "work").touch()
    assert refused(plain, "remove", "x", OUT=str(plain.OUT))["code"] == "open-changes"
    assert not (plain.OUT / "gone").exists()
    done(plain, "remove", "x", "--discard", "changes", OUT=str(plain.OUT))
    assert (plain.OUT / "gone").exists()


@pytest.mark.parametrize("words", [("remove", "x"), ("leave", "--remove")], ids=" ".join)
def test_a_teardown_that_fails_keeps_it(plain: World, words: tuple[str, ...]) -> None:
    accepted(plain, {"teardown": "echo why; false"})
    done(plain, "enter", "x")
    document = fails(plain, *words)
    assert (document["code"], document["details"]["output"], "--skip-teardown" in document["hint"]) == ("teardown-failed", ["why"], True)
    done(plain, "leave", "--remove", "--skip-teardown")
    assert not place(plain).exists()


def test_a_teardown_that_nobody_has_accepted_does_not_run_and_stops_nothing(plain: World) -> None:
    write(plain, {"teardown": TEARDOWN})
    done(plain, "new", "x")
    data = done(plain, "remove", "x", OUT=str(plain.OUT))
    assert ("nobody has accepted them" in data["warnings"][0], place(plain).exists(), (plain.OUT / "gone").exists()) == (True, False, False)


def test_one_that_moves_on_while_it_is_torn_down_stays(plain: World) -> None:
    """The gate is asked again: what is committed meanwhile is nobody's to lose."""
    accepted(plain, {"teardown": "echo 1 > new; git add new; git commit -qm new"})
    done(plain, "new", "x")
    document = json.loads(wt(plain, "remove", "x").stderr)
    assert (document["code"], place(plain).exists()) == ("unmerged-commits", True)


@pytest.mark.parametrize("name", ["it's", "a b", "grün"])
def test_names_in_hints_are_quoted(plain: World, name: str) -> None:
    accepted(plain, {"setup": "false"})
    ended = wt(plain, "new", name, "--branch", "b", "--keep-failed")
    folder = next(path.name for path in (plain.R / ".worktrees").iterdir())
    assert f"wt setup {shlex.quote(folder)} " in json.loads(ended.stderr)["hint"]

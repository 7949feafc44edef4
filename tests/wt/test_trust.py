"""Nothing of the repository's own runs before a person has accepted exactly that, for that clone."""
from __future__ import annotations

import dataclasses
import json
import os
import pty
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.wt import steps, trust
from guard.wt.commands.trust import printable
from guard.wt.errors import WtError
from guard.wt.project_commands import Project, Step, project
from guard.wt.repository import Repository, open_repository
from tests.worlds import ROOT, World
from tests.wt.test_enter import done, refused, small, wt
from tests.wt.test_setup import write

SETTINGS = {"setup": ["touch made", "true"], "teardown": "touch gone", "ports": {"script": "touch asked; echo 4000"}}


@pytest.fixture
def plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    world = small(Path(os.path.realpath(tmp_path)))
    for name, value in world.env.items():
        monkeypatch.setenv(name, value)
    return world


def kept(world: World) -> Path:
    return world.root / "home/.local/share/worktree-guard/trusted.json"


def is_trusted(world: World) -> bool:
    repository = open_repository(world.R)
    return trust.trusted(repository, project(repository))


# --- what is accepted ------------------------------------------------------------------------------------------------

def test_every_command_is_shown_with_its_file_and_accepted_at_once(plain: World) -> None:
    write(plain, SETTINGS)
    rows = [("setup", "touch made"), ("setup", "true"), ("teardown", "touch gone"), ("ports.script", "touch asked; echo 4000")]
    data = done(plain, "trust")
    assert [(row["kind"], row["command"]) for row in data["commands"]] == rows
    assert {row["file"] for row in data["commands"]} == {str(plain.R / ".worktree-guard.json")}
    assert (data["action"], data["trusted"], data["changed"], kept(plain).exists()) == ("show", False, False, False)
    text = plain.wt("trust").stdout
    assert all(command in text for _, command in rows) and "wt trust --accept" in text
    assert done(plain, "trust", "--accept")["trusted"]
    assert done(plain, "trust")["trusted"] and is_trusted(plain)
    assert "Accepted" in plain.wt("trust").stdout
    assert done(plain, "trust", "--revoke")["trusted"] is False
    assert not is_trusted(plain) and json.loads(kept(plain).read_text())["accepted"] == []


def test_what_is_kept(plain: World) -> None:
    write(plain, {"setup": "a"})
    done(plain, "trust", "--accept")
    one, = json.loads(kept(plain).read_text())["accepted"]
    assert (one["common"], one["commands"], len(one["hash"])) == (str(plain.R / ".git"), ["a"], 64)
    assert stat.S_IMODE(kept(plain).stat().st_mode) == 0o600
    assert '"trust"' in (plain.state / "audit.jsonl").read_text()


CHANGES: list[tuple[dict[str, Any], bool]] = [
    ({"mode": "protect"}, True), ({"ports": {"script": "touch asked; echo 4000", "range": "4000-4001"}}, True),
    ({"setup": ["touch made", "true"]}, True), ({"setup": {"linux": ["touch made", "true"], "windows": "x"}}, True),
    ({"setup": ["true", "touch made"]}, False), ({"setup": ["touch made"]}, False), ({"setup": ["touch made", "true "]}, False),
    ({"setup": "touch made"}, False), ({"teardown": "touch other"}, False), ({"teardown": []}, False),
    ({"ports": {"script": "echo 4000"}}, False), ({"ports": {}}, False),
]


@pytest.mark.parametrize(("change", "still"), CHANGES)
def test_a_changed_command_is_not_accepted_any_more(plain: World, change: dict[str, Any], still: bool) -> None:
    write(plain, SETTINGS)
    done(plain, "trust", "--accept")
    write(plain, {**SETTINGS, **change})
    data = done(plain, "trust")
    assert (data["trusted"], data["changed"], is_trusted(plain)) == (still, not still, still)
    write(plain, SETTINGS)
    assert is_trusted(plain), "what was accepted stays so"


def test_the_new_ones_among_changed_commands_are_marked(plain: World) -> None:
    write(plain, {"setup": ["a", "b"]})
    done(plain, "trust", "--accept")
    write(plain, {"setup": ["a", "c"]})
    assert [row["new"] for row in done(plain, "trust")["commands"]] == [False, True]
    text = plain.wt("trust").stdout
    assert "have changed" in text and text.count("(new)") == 1


def test_commands_that_move_to_another_file_are_the_same_commands(plain: World) -> None:
    write(plain, paseo={"worktree": {"setup": "a"}})
    done(plain, "trust", "--accept")
    write(plain, {"setup": "a"})
    assert is_trusted(plain)


def test_one_clone_is_not_another(plain: World) -> None:
    write(plain, {"setup": "a"})
    plain.sh('git add -A; git commit -qm s; git clone -q "$R" "$OUT/clone"', cwd=plain.R)
    done(plain, "trust", "--accept")
    assert done(plain, "trust", cwd=plain.OUT / "clone")["trusted"] is False
    done(plain, "trust", "--accept", cwd=plain.OUT / "clone")
    done(plain, "trust", "--revoke")
    assert (is_trusted(plain), done(plain, "trust", cwd=plain.OUT / "clone")["trusted"]) == (False, True)


def test_a_worktree_and_a_way_through_a_link_are_the_same_clone(plain: World) -> None:
    write(plain, {"setup": "true"})
    plain.sh('ln -s "$R" "$OUT/link"')
    done(plain, "trust", "--accept", cwd=plain.OUT / "link")
    assert done(plain, "trust", cwd=Path(done(plain, "new", "x")["path"]))["trusted"]


texts = st.lists(st.tuples(st.sampled_from(["setup", "teardown", "ports.script"]), st.text()), max_size=4)


@given(texts, texts)
def test_no_two_lists_of_commands_are_one(one: list[tuple[str, str]], two: list[tuple[str, str]]) -> None:
    at = Repository(common=Path("/r/.git"), main=None, here=Path("/r"))
    first, second = (Project(tuple(Step(kind, command, "f") for kind, command in rows)) for rows in (one, two))
    assert (trust.hash_of(at, first) == trust.hash_of(at, second)) == (one == two)
    assert trust.hash_of(at, first) != trust.hash_of(dataclasses.replace(at, common=Path("/s/.git")), first)


# --- what is not ------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("spoil", [
    None, "", "{", "[]", '{"accepted": 3}', '{"version": 2, "accepted": []}', '{"accepted": [{"hash": 3}]}', "\0", "folder",
])
def test_without_trust_nothing_runs(plain: World, spoil: str | None) -> None:
    """Whatever has become of the file. What it says no more, a person says again."""
    repository = write(plain, SETTINGS)
    path = Path(done(plain, "new", "x")["path"])
    if spoil is not None:
        trust.accept(repository, project(repository))
        kept(plain).unlink()
        kept(plain).mkdir() if spoil == "folder" else kept(plain).write_text(spoil)
    for kind, run in (("setup", steps.set_up), ("remove", steps.tear_down)):
        data = run(repository, path, None, lambda _: None)
        assert (data["state"], "wt trust" in data["said"], f"wt {kind} x" in data["said"]) == ("untrusted", True, True)
    data = done(plain, "setup", "x")
    assert (data["setup"]["state"], data["port"]) == ("untrusted", None)
    assert not {"made", "gone", "asked"} & {file.name for file in path.iterdir()}
    assert ("cannot be read" in "".join(done(plain, "trust")["warnings"])) == (spoil is not None)
    done(plain, "trust", "--accept")
    assert is_trusted(plain) and wt(plain, "setup", "x").returncode == 0
    assert (path / "made").exists()


@pytest.mark.parametrize("home", ["", "/dev/null"])
def test_without_a_home_nothing_is_accepted(plain: World, home: str) -> None:
    write(plain, SETTINGS)
    assert done(plain, "trust", HOME=home)["trusted"] is False
    document = refused(plain, "trust", "--accept", HOME=home, status=1)
    assert (document["code"], "XDG_DATA_HOME" in document["hint"]) == ("read-only", True)


def test_nothing_to_accept(plain: World) -> None:
    assert refused(plain, "trust", "--accept")["code"] == "no-commands"
    assert (done(plain, "trust")["commands"], "no commands" in plain.wt("trust").stdout) == ([], True)
    assert is_trusted(plain), "nobody needs to accept nothing"
    assert refused(plain, "trust", "--accept", "--revoke")["code"] == "usage"


# --- a person at a terminal ------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("typed", "env", "trusted"), [
    ("y\n", {}, True), ("YES\n", {}, True), ("n\n", {}, False), ("\n", {}, False), ("\x04", {}, False), ("yo\n", {}, False),
    ("y\n", {"CLAUDECODE": "1"}, False),
])
def test_a_person_is_asked_and_an_agent_is_not(plain: World, typed: str, env: dict[str, str], trusted: bool) -> None:
    write(plain, SETTINGS)
    ours, theirs = pty.openpty()
    os.write(ours, typed.encode())
    ran = subprocess.run([str(ROOT / "scripts/wt"), "trust"], env={**plain.env, **env}, cwd=plain.R, stdin=theirs, stderr=theirs,
                         stdout=subprocess.PIPE, text=True, timeout=60, check=False)
    os.close(theirs)
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    assert (ran.returncode, is_trusted(plain)) == (0, trusted)
    assert ("touch gone" in shown, "[y/N]" in shown, "touch gone" in ran.stdout) == (not env, not env, bool(env))
    assert ("Accepted" if trusted else "none of them runs") in ran.stdout


@pytest.mark.parametrize(("text", "shown"), [
    ("rm -rf /\x1b[2K\recho", r"rm -rf /\x1b[2K\recho"), ("a\u202eb", r"a\u202eb"), ("a\tb", r"a\tb"), ("grün  ✓", "grün  ✓"), ("", ""),
])
def test_a_command_cannot_hide_itself(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_a_command_of_several_lines_is_shown_whole(plain: World) -> None:
    write(plain, {"setup": "first\n\x1b[1Asecond\n"})
    assert "first\n                \\x1b[1Asecond\n" in plain.wt("trust").stdout


def test_what_cannot_be_written_is_a_refusal(plain: World) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(plain.R / "src/app.py"))
        repository = write(plain, SETTINGS)
        with pytest.raises(WtError, match="cannot be kept"):
            trust.accept(repository, project(repository))

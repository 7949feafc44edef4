"""`wt doctor` in a repository: what it finds, and what --fix mends. The client's side is in test_install.py."""
from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.worlds import World
from tests.wt.test_enter import done, known, record, small, wt
from tests.wt.test_reconcile import REMOVED, records


@pytest.fixture
def plain(tmp_path: Path) -> World:
    """With a client that is in order, and a worktree x."""
    world = small(Path(os.path.realpath(tmp_path)))
    done(world, "install", "claude-code")
    done(world, "new", "x")
    return world


def findings(world: World, *words: str, **env: str) -> list[dict[str, Any]]:
    """Of this repository alone."""
    ran = wt(world, "doctor", *words, **env)
    assert ran.stderr == ""
    told = json.loads(ran.stdout)["data"]["findings"]
    return [one for one in told if one["check"] in ("binding", "worktree", "state", "settings", "faults")]


def test_a_repository_in_order_has_no_findings(plain: World) -> None:
    done(plain, "enter", "x")
    assert (findings(plain), wt(plain, "doctor").returncode) == ([], 0)


# What was done to it, the state of the finding, its fix, and what the cure must say.
WRONG: list[tuple[str, str, str, str | None, str]] = [
    ("a folder that is gone", "rm -rf .worktrees/x", "note", None, "wt enter x makes it again, wt remove x takes it off the list"),
    ("a .git file that is gone", "rm .worktrees/x/.git", "note", None, "wt enter x mends it"),
    ("a bound one that is gone", "{wt} enter x; rm -rf .worktrees/x", "wrong", None, "makes it again, wt leave ends the binding"),
    ("a lock, and no folder", "git worktree lock --reason usb .worktrees/x; rm -rf .worktrees/x", "note", "unlock", "bring its disk back"),
    ("a lock of a process that has ended", "git worktree lock --reason 'pid 999999999' .worktrees/x; rm -rf .worktrees/x", "note", "unlock",
     "wt doctor --fix unlocks it"),
    ("one that somebody else made", "git worktree add -q ../by-hand -b topic", "note", "adopt", "wt doctor --fix adopts it"),
    ("one that was moved", "git worktree move .worktrees/x ../moved", "note", "adopt", "wt doctor --fix adopts it"),
    ("a record without a worktree", REMOVED, "note", "drop-record", "wt doctor --fix drops the record"),
    ("spoilt state", "echo { > .git/worktree-guard/state.json", "wrong", None, "wt enter"),
    ("a wrong setting", "echo '{\"mode\": 7}' > .worktree-guard.json", "wrong", None, "mend that field"),
]


@pytest.mark.parametrize(("script", "state", "fix", "cure"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_what_is_found_is_told_with_its_cure_and_left_alone(plain: World, script: str, state: str, fix: str | None, cure: str) -> None:
    if script.startswith("{wt} enter x; "):
        done(plain, "enter", "x")
    plain.sh(script.removeprefix("{wt} enter x; "), cwd=plain.R)
    before = (known(plain), records(plain))
    (found,) = findings(plain)
    assert (found["state"], found["fix"], found["fixed"], cure in found["cure"]) == (state, fix, False, True)
    assert re.search(r"\bwt \w", found["cure"])
    assert (known(plain), records(plain)) == before


FIXED = {"one that somebody else made", "one that was moved", "a record without a worktree", "a lock of a process that has ended"}


@pytest.mark.parametrize(("why", "script"), [row[:2] for row in WRONG if row[3]], ids=[row[0] for row in WRONG if row[3]])
def test_yes_is_enough_only_where_nothing_can_be_lost(plain: World, why: str, script: str) -> None:
    """A lock that names no process may mean a disk that is only away: that is for a person to say."""
    plain.sh(script, cwd=plain.R)
    files = sorted(str(path) for path in plain.root.rglob("app.py"))
    (found,) = findings(plain, "--fix", "--yes")
    assert found["fixed"] is (why in FIXED)
    assert sorted(str(path) for path in plain.root.rglob("app.py")) == files
    assert [one["fix"] for one in findings(plain) if one["fix"]] == ([] if why in FIXED else ["unlock"]), "mended once, it is found no more"


@pytest.mark.parametrize("env", [{}, {"CLAUDE_CODE_SESSION_ID": "s1"}], ids=["no terminal", "an agent"])
def test_without_a_person_nothing_is_mended_unasked(plain: World, env: dict[str, str]) -> None:
    plain.sh("git worktree add -q ../by-hand -b topic", cwd=plain.R)
    assert [one["fixed"] for one in findings(plain, "--fix", **env)] == [False]
    assert records(plain) == ["x"]


def test_an_adopted_one_is_ours_from_then_on(plain: World) -> None:
    plain.sh("git worktree add -q ../by-hand -b topic; git worktree move .worktrees/x ../moved", cwd=plain.R)
    before = record(plain, "x")
    assert [one["fixed"] for one in findings(plain, "--fix", "--yes")] == [True, True]
    assert {**before, "path": str(plain.root / "moved")} == record(plain, "moved"), "it keeps what was known of it"
    assert done(plain, "remove", str(plain.root / "by-hand"))["branch_deleted"] is False
    assert {row["name"]: row["owned"] for row in done(plain, "status")["worktrees"]} == {"app": False, "moved": True}


def test_yes_without_fix_says_what_is_meant(plain: World) -> None:
    ran = wt(plain, "doctor", "--yes")
    assert (ran.returncode, json.loads(ran.stderr)["hint"]) == (2, "wt doctor --fix --yes")


@pytest.mark.parametrize(("name", "told"), [
    ("snapshots/x-20200101T000000Z", True), ("backup/main-20200101T000000Z", True), ("returned/pool-1-20200101T000000.123456Z-more", True),
    ("snapshots/x-29990101T000000Z", False), ("snapshots/by-hand", False), ("trash/x-20200101T000000Z", False),
])
def test_old_refs_with_work_are_named(plain: World, name: str, told: bool) -> None:
    plain.git("update-ref", f"refs/worktree-guard/{name}", "HEAD")
    found = [one for one in json.loads(wt(plain, "doctor").stdout)["data"]["findings"] if one["check"] == "kept work"]
    assert [(one["state"], one["said"]) for one in found] == [("note", "1 of the refs that keep work are older than 30 days")] * told
    if told:
        assert f"refs/worktree-guard/{name}" in plain.sh(found[0]["cure"].partition(" shows")[0], cwd=plain.R)


def test_outside_of_a_repository_the_client_is_looked_at(plain: World) -> None:
    ran = wt(plain, "doctor", cwd=plain.OUT)
    assert (ran.returncode, {one["check"] for one in json.loads(ran.stdout)["data"]["findings"]} >= {"registration", "probe"}) == (0, True)

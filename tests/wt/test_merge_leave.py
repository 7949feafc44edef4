"""Who may merge into a guarded branch, and what becomes of a leave for one call."""
from __future__ import annotations

import json
import os
import pty
import re
import shlex
import subprocess

import pytest

from guard.wt import leave_to_merge
from guard.wt.models import Authorisation
from tests.worlds import ROOT, World
from tests.wt.merges import COMMIT, against, hook, leave, left_over
from tests.wt.test_enter import ONE, TWO, done, tip, wt

MAY = [
    ("any leave", (), ONE, (), True), ("to merge", ("--only", "merge"), ONE, (), True),
    ("into that branch", ("--branch", "main"), ONE, (), True), ("of this session", ("--session", ONE), ONE, (), True),
    ("once", ("--once",), ONE, (), True), ("no session", (), "", (), True),
    ("a free branch", ("none",), ONE, ("--into", "free"), True), ("a free branch, no session", ("none",), "", ("--into", "free"), True),
    ("no leave", ("none",), ONE, (), False), ("no leave, no session", ("none",), "", (), False),
    ("to push", ("--only", "push"), ONE, (), False), ("to write", ("--only", "write"), ONE, (), False),
    ("into another branch", ("--branch", "release"), ONE, (), False), ("of another session", ("--session", TWO), ONE, (), False),
    ("of a session, by none", ("--session", TWO), "", (), False), ("what R has checked out", ("none",), ONE, ("--into", "here"), False),
    ("a protected branch", ("none",), ONE, ("--into", "master"), False),
]


@pytest.mark.parametrize(("words", "session", "into", "may"), [row[1:] for row in MAY], ids=[row[0] for row in MAY])
def test_who_may(ready: World, words: tuple[str, ...], session: str, into: tuple[str, ...], may: bool) -> None:
    ready.sh('cd "$R"; git branch free; git branch master; [ "$0" ] && git branch here')
    if "here" in into:
        ready.sh('git -C "$R" switch -q here')
    leave(ready, *words)
    if may:
        assert done(ready, "merge", "x", *into, CLAUDE_CODE_SESSION_ID=session)["merged"]
    else:
        document = against(ready, "x", *into, CLAUDE_CODE_SESSION_ID=session)
        assert document["code"] == "not-authorised"
        assert "wt authorize-main --reason 'what it is for' --only merge" in document["hint"]


@pytest.mark.parametrize("only", [None, "merge", "push", "write"])
@pytest.mark.parametrize("branch", [None, "", "main", "release"])
@pytest.mark.parametrize("session", [None, ONE, TWO])
def test_a_leave_fits_in_each_of_its_parts(only: str | None, branch: str | None, session: str | None) -> None:
    one = Authorisation(id="a", only=only, branch=branch, session=session)
    assert leave_to_merge.fits(one, "main", ONE) is (only in (None, "merge") and branch in (None, "", "main") and session in (None, ONE))


def test_once_is_once_and_not_lost_by_a_refusal(ready: World) -> None:
    mark = ready.state / "used" / leave(ready, "--once")
    ready.sh('echo mine > "$R/new"')
    assert against(ready, "x", status=1)["code"] == "open-files"
    assert not mark.exists()
    (ready.R / "new").unlink()
    done(ready, "merge", "x")
    assert mark.exists()
    ready.sh(f"echo 2 > two; {COMMIT} two", cwd=ready.W)
    assert against(ready, "x")["code"] == "not-authorised"


def test_a_leave_for_one_call_is_the_last_to_be_taken(ready: World) -> None:
    mark = ready.state / "used" / leave(ready, "--once")
    done(ready, "authorize-main", "--reason", "r", "--only", "merge")
    done(ready, "merge", "x")
    assert not mark.exists()


@pytest.mark.parametrize(("words", "kind"), [((), "allow"), (("--only", "merge"), "deny"), (("--only", "write"), "allow")])
@pytest.mark.parametrize("at", ["main", "other"])
def test_what_undoes_it_is_a_write_to_the_guard(ready: World, words: tuple[str, ...], kind: str, at: str) -> None:
    ready.sh("git branch other", cwd=ready.R)
    ready.git("switch", "-q", at)
    done(ready, "enter", "x")
    undo = done(ready, "merge", "x")["undo"]
    leave(ready, *words)
    assert ready.hook("Bash", {"command": undo}).kind == kind
    ready.sh(undo)
    assert tip(ready, "main") == tip(ready, "other")


def test_a_leave_that_a_call_has_used_or_that_has_ended(ready: World) -> None:
    done(ready, "enter", "x")
    leave(ready, "--once")
    assert ready.hook("Edit", {"file_path": "{R}/src/app.py", "old_string": "1", "new_string": "2"}).kind == "allow"
    assert against(ready, "x")["code"] == "not-authorised"
    leave(ready)
    file = ready.state / "override.json"
    file.write_text(re.sub(r'"expires_at": *"[^"]*"', '"expires_at": "2020-01-01T00:00:00Z"', file.read_text()))
    assert against(ready, "x")["code"] == "not-authorised"


def test_a_leave_that_ends_while_the_hooks_run(diverged: World) -> None:
    hook(diverged, "commit-msg", f"{shlex.quote(str(ROOT / 'scripts/wt'))} revoke-main >/dev/null")
    assert json.loads(wt(diverged, "merge", "x").stderr)["code"] == "not-authorised"
    assert (diverged.git("log", "-1", "--format=%s", "main"), left_over(diverged)) == ("r", [])


@pytest.mark.parametrize(("agent", "status"), [("", 0), ("CLAUDECODE", 2), ("WORKTREE_GUARD_SESSION", 2)])
def test_a_person_at_a_terminal_needs_no_leave(ready: World, agent: str, status: int) -> None:
    leave(ready, "none")
    ours, theirs = pty.openpty()
    ran = subprocess.run([str(ROOT / "scripts/wt"), "merge", "x"], cwd=ready.R, env={**ready.env, **({agent: "1"} if agent else {})},
                         stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, text=True, timeout=60, check=False)
    os.close(theirs)
    os.close(ours)
    assert (ran.returncode, tip(ready, "main") == tip(ready, "wt/x")) == (status, status == 0), ran.stdout

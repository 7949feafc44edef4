"""What went wrong for people who worked with worktrees and agents, elsewhere: each done again step by step, and what happens here.

One function a report. All of them begin at the same desk: R on main with a remote, W on wt/x with one commit of its own, which
everybody works in, and W2 on wt/y with an open edit.
"""
from __future__ import annotations

import json
import os
import pty
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Worlds
from tests.worlds import HOOK, ROOT, World, home_with_identity
from tests.wt.surroundings import a_git_that
from tests.wt.test_enter import ONE, TWO, binding, done, known, record, refused, wt
from tests.wt.test_remove import in_trash, listed, state
from tests.wt.test_snapshot import files

IN_W = {"CLAUDE_CODE_SESSION_ID": ONE}
TIMEOUT = 5.0  # seconds: the smallest that a client gives our hooks (hooks/hooks.json)
RECIPE = """set -e
git init -q -b main "$R"; cd "$R"; mkdir -p src docs .claude/commands
printf '.env\\n.worktrees/\\n' > .gitignore
echo 'value = 1' > src/app.py; echo n > docs/notes.md; echo '{}' > nb.ipynb; echo c > .claude/commands/check.md
git add -A; git commit -qm base; git clone -q --bare . ../origin.git; git remote add origin "$PWD/../origin.git"; git fetch -q
git remote set-head origin main"""


def at_the_desk(root: Path) -> World:
    home_with_identity(root)
    world = World(root, root / "app", root / "app/.worktrees/x", root / "app/.worktrees/y", root / "out")
    world.OUT.mkdir()
    world.sh(RECIPE)
    done(world, "enter", "x")
    done(world, "new", "y")
    world.sh("""cd "$W"; echo nf > src/new.py; git add -A; git commit -qm own; echo 'value = 3' > "$W2/src/app.py" """)
    return world


@pytest.fixture
def desk(worlds: Worlds) -> World:
    return worlds.fresh("field reports", at_the_desk)


def finding(ran: subprocess.CompletedProcess[str], check: str) -> dict[str, Any]:
    """One of `wt doctor --json`."""
    found: dict[str, Any] = next(one for one in json.loads(ran.stdout)["data"]["findings"] if one["check"] == check)
    return found


def row(world: World, name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in done(world, "status")["worktrees"] if one["name"] == name)
    return found


# --- making ----------------------------------------------------------------------------------------------------------

def test_cr_02_a_half_made_worktree(desk: World) -> None:
    """https://github.com/Untrivial-ai/agent-orchestrator/pull/3313: its making was killed; it passed for finished, and a worker hung."""
    desk.sh("""cd "$R"; echo '*.slow filter=slow' > .gitattributes; echo 1 > a.slow; git add -A; git commit -qm slow
            git config filter.slow.clean cat; git config filter.slow.required true
            git config filter.slow.smudge 'touch "$OUT/at-work"; sleep 60; cat'""")
    place = desk.R / ".worktrees/z"
    adding = subprocess.Popen(["git", "worktree", "add", "-q", "-b", "wt/z", str(place)], cwd=desk.R, env={**desk.env, **desk.paths},
                              start_new_session=True)
    with adding:
        end = time.monotonic() + 20
        while not (desk.OUT / "at-work").exists():
            assert time.monotonic() < end, "the checkout never began"
            time.sleep(0.02)
        os.killpg(adding.pid, signal.SIGKILL)
    desk.git("config", "filter.slow.smudge", "cat")
    assert (row(desk, "z")["locked"], (place / "a.slow").exists()) == ("initializing", False)
    head = desk.R / ".git/worktrees/z/HEAD"
    sound, zeros = head.read_bytes(), b"0" * 40 + b"\n"  # what git writes there first: nothing that it can check out
    (place / "mine.txt").write_text("a person's")
    for content in (zeros, sound):
        head.write_bytes(content)
        before, document = files(place), refused(desk, "enter", "z")
        assert (document["code"], str(place) in document["error"], "wt enter z-2" in document["hint"]) == ("half-made", True, True)
        assert files(place) == before, "not provably a husk: left alone, and not entered"
    (place / "mine.txt").unlink()
    done(desk, "enter", "z")
    assert ((place / "a.slow").read_text(), desk.git("status", "--porcelain", cwd=place), row(desk, "z")["locked"]) == ("1\n", "", None)


def test_cr_03_a_folder_that_git_does_not_know(desk: World) -> None:
    """https://github.com/bbk1ng/agent-orch/issues/540: the registration was lost, the folder not; the tool tried for ever to make it."""
    shutil.rmtree(desk.R / ".git/worktrees/x")
    (desk.W / "src/new.py").write_text("changed")
    before, log = files(desk.W), desk.OUT / "asked"
    place, desk.W = desk.W, desk.OUT / "nothing"  # git does not answer there any more
    path = a_git_that(desk, f'case " $* " in *" worktree add "*) echo x >> {shlex.quote(str(log))} ;; esac')
    document = refused(desk, "enter", "x", PATH=path)
    assert (document["code"], str(place) in document["error"]) == ("folder-exists", True)
    for way in (f"git worktree repair {place}", "wt enter x-2"):
        assert way in document["hint"]
    assert (files(place), log.exists()) == (before, False), "nothing is deleted, and git is not even asked to make it"
    assert done(desk, "enter", "x-2")["created"] is True
    assert files(place) == before


def test_cr_05_an_old_branch_of_the_same_name(desk: World) -> None:
    """https://github.com/anthropics/claude-code/issues/51596: new work went onto a branch that a session of days ago had left."""
    desk.sh("""cd "$R"; git switch -qc wt/z; git commit -q --allow-empty -m 'of another day'; git switch -q main""")
    document = refused(desk, "enter", "z")
    assert (document["code"], "of another day" in document["error"]) == ("branch-exists", True)
    assert ("--reuse" in document["hint"], "--unique" in document["hint"]) == (True, True)
    other = done(desk, "enter", "z", "--unique")
    assert (other["branch"] != "wt/z", desk.git("log", "-1", "--format=%s", other["branch"])) == (True, "base")
    assert desk.git("log", "-1", "--format=%s", done(desk, "enter", "z", "--reuse")["branch"]) == "of another day"


def test_cr_06_the_base_of_a_new_worktree(desk: World) -> None:
    """https://github.com/anthropics/claude-code/issues/50850: agents worked on a tree of long ago, and nothing told them."""
    desk.sh("""cd "$R"; git switch -qc dev; for n in 1 2 3 4 5; do git commit -q --allow-empty -m $n; done""")
    tip = desk.git("rev-parse", "dev")
    said = desk.wt("enter", "z").stdout
    assert ("dev" in said, tip[:9] in said, "5" in said, "origin/main" in said) == (True, True, True, True), said
    assert desk.git("rev-parse", "wt/z") == tip
    assert done(desk, "new", "v", "--base", "main")["base_commit"] == desk.git("rev-parse", "main")


def test_cr_07_a_worktree_made_while_main_has_open_work(desk: World) -> None:
    """https://github.com/openai/codex/issues/35330: the main checkout was reset without a question, and open work was gone."""
    desk.sh("""cd "$R"; echo 2 > src/app.py; echo 2 > docs/notes.md; git add docs; echo 1 > loose""")
    before = (files(desk.R / "src"), files(desk.R / "docs"), (desk.R / "loose").read_bytes(), (desk.R / ".git/index").read_bytes(),
              desk.git("rev-parse", "HEAD"), desk.git("stash", "list"))
    said = desk.wt("enter", "z").stdout
    assert before == (files(desk.R / "src"), files(desk.R / "docs"), (desk.R / "loose").read_bytes(), (desk.R / ".git/index").read_bytes(),
                      desk.git("rev-parse", "HEAD"), desk.git("stash", "list"))
    assert ("2 modified" in said, "1 untracked" in said or "1 new" in said) == (True, True), said
    assert desk.git("status", "--porcelain", cwd=desk.R / ".worktrees/z") == ""


def test_cr_08_settings_copied_into_a_new_worktree(desk: World) -> None:
    """https://github.com/anthropics/claude-code/issues/79755: tracked files were copied over as well: dirty from the first second."""
    desk.sh("""cd "$R"; echo secret > .env; echo 'value = 9' > src/app.py; ln -s "$OUT" docs/out; echo kept > "$OUT/kept"
            echo '{"sync": {"copy_files": [".env", "src/app.py", "docs/out/*", "docs/out"]}}' > .worktree-guard.json""")
    ran = desk.wt("enter", "z")
    place = desk.R / ".worktrees/z"
    assert ((place / "src/app.py").read_text(), (place / ".env").read_text()) == ("value = 1\n", "secret\n")
    assert (desk.git("status", "--porcelain", cwd=place), sorted(files(desk.OUT))) == ("", ["kept"])
    assert not (place / "docs/out").exists()
    assert "src/app.py" in ran.stdout and "docs/out" in ran.stdout, "what was not copied, and why"


# --- leaving and cleaning --------------------------------------------------------------------------------------------

def test_cl_01_leaving_with_commits_that_are_nowhere_else(desk: World) -> None:
    """https://github.com/anthropics/claude-code/issues/79899: commits that nobody had pushed were called nothing to keep, and went."""
    desk.sh("git commit -q --allow-empty -m 'the second'", cwd=desk.W)
    document = refused(desk, "leave", "--remove")
    assert document["code"] == "unmerged-commits"
    for text in ("own", "the second", "--keep-branch"):
        assert text in document["error"]
    assert "wt leave --remove --discard commits" in document["hint"]
    desk.git("push", "-q", "origin", "wt/x")
    assert done(desk, "leave", "--remove")["removed"]["branch_deleted"], "looked at anew: now the remote has them"


def test_cl_03_a_new_branch_with_open_files(desk: World) -> None:
    """https://github.com/marcusquinn/aidevops/issues/22606: an edit on a branch without commits counted as merged, and was deleted."""
    before = state(desk, desk.W2)
    for words in (("--merged",), ("--apply",), ("--merged", "--include-new", "--apply")):
        row = next(one for one in done(desk, "clean", *words)["worktrees"] if one["name"] == "y")
        assert (row["action"], row["code"]) == ("keep", "open-changes")
    assert state(desk, desk.W2) == before
    desk.git("checkout", "-q", "src/app.py", cwd=desk.W2)
    row = next(one for one in done(desk, "clean", "--merged", "--apply")["worktrees"] if one["name"] == "y")
    assert (row["action"], row["code"], desk.W2.is_dir()) == ("keep", "new", True)


def test_cl_04_a_squash_merged_branch(desk: World) -> None:
    """https://github.com/anthropics/claude-code/issues/88239: nothing that had been squashed could be removed any more without force."""
    desk.sh("git merge -q --squash wt/x; git commit -qm squashed", cwd=desk.R)
    removed = done(desk, "leave", "--remove")["removed"]
    assert (removed["branch_deleted"], "main" in removed["why"], desk.W.exists()) == (True, True, False)
    desk.sh("git checkout -q .; git commit -q --allow-empty -m 'who can tell'", cwd=desk.W2)
    done(desk, "remove", "y", "--keep-branch")
    assert desk.git("log", "-1", "--format=%s", "wt/y") == "who can tell"


def test_cl_07_the_wrong_one_after_a_merge(desk: World) -> None:
    """https://github.com/max-sixty/worktrunk/issues/1618: after a merge the default branch's own worktree was removed in its stead."""
    desk.sh("git merge -q wt/x; git switch -q --detach; git worktree add -q .worktrees/default main", cwd=desk.R)
    ran = desk.wt("leave", "--remove", cwd=desk.W2)
    assert (ran.returncode, f"path    {desk.W}\n" in ran.stdout) == (0, True), ran.stderr
    assert (desk.W.exists(), desk.W2.exists(), (desk.R / ".worktrees/default/src/app.py").exists()) == (False, True, True)
    assert listed(desk) == [str(desk.R), str(desk.R / ".worktrees/default"), str(desk.W2)]


def test_cl_09_locked_and_its_folder_is_gone(desk: World) -> None:
    """https://github.com/coderabbitai/git-worktree-runner/issues/180: prune passes a locked one over, so its branch stayed blocked."""
    desk.git("worktree", "lock", "--reason", "on a usb stick", str(desk.W))
    shutil.rmtree(desk.W)
    assert (row(desk, "x")["stale"], row(desk, "x")["locked"]) == ("locked, missing", "on a usb stick")
    assert "on a usb stick" in desk.wt("status").stdout
    for words in (("doctor", "--fix"), ("doctor", "--fix", "--yes")):
        assert "its disk may only be unmounted" in desk.wt(*words).stdout
        assert row(desk, "x")["locked"] == "on a usb stick", "without a person it stays: the disk may come back"
    for answer, locked in (("n", "on a usb stick"), ("y", None)):
        assert f"Unlock {desk.W}?" in on_a_terminal(desk, answer, "doctor", "--fix")
        assert row(desk, "x")["locked"] == locked
    done(desk, "enter", "x")
    assert (desk.W / "src/new.py").read_text() == "nf\n"


def on_a_terminal(world: World, answer: str, *words: str) -> str:
    """What `wt` says there, to somebody who answers every question so."""
    ours, theirs = pty.openpty()
    try:
        with subprocess.Popen([str(ROOT / "scripts/wt"), *words], cwd=world.R, env=world.env, stdin=theirs, stdout=subprocess.PIPE,
                              stderr=theirs) as running:
            os.write(ours, f"{answer}\n".encode() * 20)
            running.communicate(timeout=60)
        return os.read(ours, 65536).decode()
    finally:
        os.close(ours)
        os.close(theirs)


def test_cl_10_a_folder_deleted_by_hand(desk: World) -> None:
    """https://github.com/max-sixty/worktrunk/issues/724: each command only complained of the folder, also the one that should forget it."""
    tip = desk.git("rev-parse", "wt/x")
    shutil.rmtree(desk.W)
    said = desk.wt("leave").stdout
    assert (binding(desk)["active"], str(desk.W) in listed(desk), desk.git("rev-parse", "wt/x")) == (False, False, tip)
    way = said.partition("back again: ")[2].strip()
    assert way.startswith("wt enter "), said
    done(desk, *shlex.split(way)[1:])
    assert (desk.W / "src/new.py").read_text() == "nf\n"


def test_cl_11_a_worktree_that_a_living_session_has(desk: World) -> None:
    """https://github.com/anthropics/claude-code/issues/77268: a session that had been idle for days lost its tree to a resumed one."""
    desk.git("push", "-q", "origin", "wt/x")
    done(desk, "leave")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as client:
        done(desk, "enter", "x", **IN_W, CLAUDE_PID=str(client.pid))
        for file in (desk.state / "state.json", desk.state / f"sessions/{ONE}.json"):
            file.write_text(json.dumps({**json.loads(file.read_text()), "entered_at": "2026-01-01T00:00:00Z"}))
        assert refused(desk, "remove", "x", CLAUDE_CODE_SESSION_ID=TWO)["code"] == "bound"
        rows = {one["name"]: one["code"] for one in done(desk, "clean", "--apply", CLAUDE_CODE_SESSION_ID=TWO)["worktrees"]}
        assert rows["x"] == "bound"
        assert done(desk, "enter", "mine", CLAUDE_CODE_SESSION_ID=TWO)["path"] != str(desk.W), "the other one gets a tree of its own"
        assert binding(desk, ONE)["path"] == str(desk.W)
        client.communicate(b"\n")
    assert row(desk, "x")["bound_by"] == [], "its owner has proven to be dead"
    assert done(desk, "remove", "x", CLAUDE_CODE_SESSION_ID=TWO)["path"] == str(desk.W)


@pytest.mark.parametrize("way", ["a process in it", "git cannot", "the system cannot"])
def test_cl_12_removal_of_a_folder_in_use(desk: World, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """https://github.com/anthropics/claude-code/issues/58885: what could not be removed was then deleted file by file."""
    desk.sh("git push -q origin wt/x; echo not yet added > loose", cwd=desk.W)
    before = state(desk, desk.W)
    words = ("leave", "--remove", "--discard", "changes")
    if way == "a process in it":
        job = f"while read -r _; do echo more >> {shlex.quote(str(desk.W / 'loose'))}; done"
        with subprocess.Popen(["bash", "-c", f"echo; {job}"], cwd=desk.W, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as there:
            assert there.stdout is not None
            there.stdout.readline()
            document = refused(desk, *words)
            there.communicate(b"\n")
        assert (document["code"], f"bash ({there.pid})" in document["error"]) == ("in-use", True)
        assert (desk.W / "loose").read_text() == "not yet added\nmore\n", "the job never noticed"
    elif way == "git cannot":
        path = a_git_that(desk, 'case " $* " in *" update-ref "*) echo "cannot lock ref: it is busy" >&2; exit 128 ;; esac')
        document = refused(desk, *words, status=1, PATH=path)
        assert ("it is busy" in document["error"], state(desk, desk.W)) == (True, before)
    else:
        def busy(*_: object) -> None:
            raise OSError(16, "Device or resource busy")
        monkeypatch.setattr("guard.wt.moving.moved", busy)
        document = refused(desk, *words, status=1)
        assert (document["code"], "busy" in document["error"], state(desk, desk.W)) == ("cannot-move", True, before)
    assert (in_trash(desk), binding(desk)["active"]) == ([], True)


def test_cl_13_its_branch_was_deleted_by_another_tool(desk: World) -> None:
    """https://github.com/microsoft/vscode-pull-request-github/issues/8519: after a click on "delete branch" the worktree sat on main."""
    tip = desk.git("rev-parse", "wt/x")
    desk.git("switch", "-q", "--detach")
    desk.sh("git switch -q main; git branch -q -D wt/x", cwd=desk.W)
    said = desk.wt("status").stdout
    for text in ("branch missing, worktree is on a protected branch", tip[:9], f"switch -c wt/x {tip}"):
        assert text in said
    edit = ("Edit", {"file_path": "{R}/src/app.py", "old_string": "1", "new_string": "2"})
    before = desk.hook(*edit, client="zcode")
    assert (before.kind, before.rule) == ("deny", "wrong-branch"), "nothing is led into a worktree that is on main"
    desk.sh(row(desk, "x")["strayed"]["back"])
    assert (desk.git("rev-parse", "wt/x"), "branch missing" in desk.wt("status").stdout) == (tip, False)
    after = desk.hook(*edit, client="zcode")
    assert (after.kind, (after.input or {})["file_path"]) == ("rewrite", str(desk.W / "src/app.py"))


# --- the hook and its clients ----------------------------------------------------------------------------------------

def test_hf_04_a_python3_that_is_only_a_stub(desk: World) -> None:
    """https://github.com/anthropics/claude-code/issues/57946: `python3` was the Windows store's stub: no hook ran, and nobody was told."""
    desk.wt_json("install", "claude-code")
    (desk.root / "home/.local/share/worktree-guard/python").unlink(missing_ok=True)
    for folder, status in (("WindowsApps", 0), ("bin", 1)):
        stub = desk.root / folder / "python3"
        stub.parent.mkdir()
        stub.write_text("exit 49\n")  # without a first line: as the real one, it looks like a program
        stub.chmod(0o755)
        ran = wt(desk, "doctor", PATH=f"{stub.parent}:{os.environ['PATH']}")
        assert (ran.returncode, finding(ran, "probe")["state"]) == (status, "wrong" if status else "good")
    assert "49" in finding(ran, "probe")["said"]
    named = finding(ran, "interpreter")
    assert (named["state"], str(stub) in named["said"], sys.executable in named["cure"]) == ("wrong", True, True)
    desk.sh(named["cure"])
    assert wt(desk, "doctor", PATH=f"{stub.parent}:{os.environ['PATH']}").returncode == 0


def test_hf_06_a_command_of_two_megabytes(desk: World) -> None:
    """https://github.com/akaszubski/autonomous-dev/issues/1631: a hook that is too slow counts as a yes, with all its checks skipped."""
    for command, kind in (("echo " + "word " * 400_000 + f"; git -C {desk.R} commit -qam x", "ask"), ("echo " + "x" * 2_000_000, "allow"),
                          (f"cat > {desk.R}/src/app.py <<E\n" + "line\n" * 400_000 + "E\n", "deny")):
        began = time.monotonic()
        answer = desk.hook("Bash", {"command": command}, cwd=desk.W)
        assert (answer.kind, time.monotonic() - began < TIMEOUT) == (kind, True), answer.reason[-200:]
    began = time.monotonic()
    with subprocess.Popen([sys.executable, "-I", "-S", str(HOOK)], cwd=desk.R, env=desk.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as hook:
        assert hook.stdin and hook.stdout
        hook.stdin.write(b'{"tool_name": "Bash", "tool_input": {"command": "echo ' + b"x" * 60_000)  # and then no more
        hook.stdin.flush()
        assert (hook.wait(20), hook.stdout.read(), time.monotonic() - began < TIMEOUT) == (0, b"", True)
        hook.stdin.close()
    assert len(done(desk, "status")["faults"]) == 1
    assert "Fault of the hook (1 x" in desk.wt("status").stdout


def test_su_04_a_client_whose_helpers_skip_the_hook(desk: World) -> None:
    """https://github.com/github/copilot-cli/issues/2392: helpers ran without any hook, so every rule could be had round in silence."""
    before = known(desk)
    ran = wt(desk, "doctor", "--client", "copilot-cli")
    document = json.loads(ran.stderr)
    assert (ran.returncode, ran.stdout, known(desk)) == (2, "", before), "what has not been probed is not called good"
    assert ("copilot-cli" in document["error"], "claude-code" in document["error"]) == (True, True)
    assert record(desk, "x")["owned"]

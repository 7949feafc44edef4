"""`wt merge` and what may end it: the repository's own hooks, a signal, another merge."""
from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import time
from pathlib import Path
from typing import Any, NoReturn

import psutil
import pytest

from guard.wt import bringing_in, forward, merging, temporary_checkout
from guard.wt.errors import WtError
from tests.worlds import ROOT, World
from tests.wt.merges import COMMIT, DIVERGED, against, hook, leave, left_over, status, told_and_waiting, whole
from tests.wt.test_concurrency import ended, start
from tests.wt.test_enter import done, tip, wt
from tests.wt.test_remove import Killed

# --- the repository's own hooks --------------------------------------------------------------------------------------

HOOKS = [("pre-merge-commit", (), 1), ("commit-msg", (), 1), ("prepare-commit-msg", (), 1), ("commit-msg", ("--squash",), 1),
         ("pre-commit", ("--squash",), 1), ("pre-commit", (), 0), ("post-checkout", (), 0)]


@pytest.mark.parametrize(("name", "words", "status"), HOOKS)
def test_hooks_have_their_say(diverged: World, name: str, words: tuple[str, ...], status: int) -> None:
    path = hook(diverged, name, "echo not like this >&2; exit 1")
    if status:
        document = against(diverged, "x", *words, status=status)
        assert (document["code"], "not like this" in document["error"]) == ("refused", True)
        path.unlink()
    assert done(diverged, "merge", "x", *words)["merged"]


def test_a_hook_may_write_the_message(diverged: World) -> None:
    hook(diverged, "commit-msg", 'echo "Signed-off-by: t" >> "$1"')
    assert "Signed-off-by: t" in diverged.git("log", "-1", "--format=%B", done(diverged, "merge", "x")["after"])


@pytest.mark.parametrize("script", ["true", "git switch -qc other", (
    "echo mine > mine; git add mine; echo open > r; rm src/app.py; git rm -q --cached src/app.py")])
def test_a_hook_that_refuses_the_ref_is_the_last_word(diverged: World, script: str) -> None:
    diverged.sh(script, cwd=diverged.R)
    hook(diverged, "reference-transaction", 'if [ "$1" = prepared ] && grep -q refs/heads/main; then echo frozen >&2; exit 1; fi')
    before, seen = whole(diverged), status(diverged)
    document = json.loads(wt(diverged, "merge", "x").stderr)
    now, kept = whole(diverged), document["details"].pop("result", None)
    now["git"].pop(kept, None)
    for one in (before, now):
        one["git"].pop("index")
    assert (document["code"], now, status(diverged)) in [("not-moved", before, seen), ("open-files", before, seen)]
    assert left_over(diverged) == []


def test_without_an_identity_git_says_so(diverged: World) -> None:
    (diverged.root / "home/.gitconfig").write_text("[user]\n useConfigOnly = true\n")
    document = against(diverged, "x", status=1)
    assert (document["code"], "user.email" in document["error"]) == ("refused", True)


# --- half way --------------------------------------------------------------------------------------------------------

HALVES = [
    ("one written, one made", "true"), ("taken away", "git rm -q src/app.py"), ("in a folder of its own", "mkdir -p a/b; echo c > a/b/c"),
    ("a file for a folder", "git rm -rq src; echo s > src"),
    ("a folder for a file", "git rm -q src/app.py; mkdir -p src/app.py; echo k > src/app.py/k"),
    ("a link for a folder", "git rm -rq src; ln -s a src; mkdir a; echo b > a/b"), ("its mode alone", "chmod +x src/app.py"),
]


def stopped_at_z(world: World, script: str, action: str) -> None:
    """W has another commit, with a file z that git writes last; where that is in R, a smudge filter does `action` first."""
    world.sh('echo "z filter=f" > .git/info/attributes; git config filter.f.clean cat; git config filter.f.required true', cwd=world.R)
    world.sh(f"{script}; echo z > z; {COMMIT} z", cwd=world.W)
    path = world.root / "smudge"
    path.write_text(f"case $PWD in */app) {action};; esac; cat\n")
    world.git("config", "filter.f.smudge", f"exec sh {shlex.quote(str(path))}")  # its $PPID is git


def as_before(world: World, before: dict[str, Any], *new: str) -> bool:
    """But for when git has looked at the files, and for `new` files of git."""
    now = whole(world)
    for one in (before, now):
        one["git"].pop("index")
    return bool({**now, "git": {name: text for name, text in now["git"].items() if name not in new}} == before)


@pytest.mark.parametrize("action", ["exit 1", "kill -9 $PPID"], ids=["failed", "killed"])
@pytest.mark.parametrize("apart", [False, True], ids=["fast-forward", "merge"])
@pytest.mark.parametrize("script", [row[1] for row in HALVES], ids=[row[0] for row in HALVES])
def test_what_git_leaves_half_way_is_put_back(ready: World, script: str, apart: bool, action: str) -> None:
    stopped_at_z(ready, script, action)
    ready.sh(f'{DIVERGED if apart else "true"}; cd "$R"; echo k > k; git add k; echo kk > k; echo mine > mine; mkdir -p empty')
    before, seen = whole(ready), status(ready)
    document = json.loads(wt(ready, "merge", "x").stderr)
    (ready.R / ".git/index.lock").unlink(missing_ok=action == "exit 1")
    assert (document["code"], status(ready), (ready.R / "empty").is_dir()) == ("not-moved", seen, True)
    assert as_before(ready, before, document["details"]["result"] or "")
    ready.git("config", "filter.f.smudge", "cat")
    assert done(ready, "merge", "x")["merged"]
    assert (status(ready), (ready.R / "z").read_text()) == (seen, "z\n")


def merging_in_a_group_of_its_own(world: World) -> subprocess.Popen[str]:
    return subprocess.Popen([str(ROOT / "scripts/wt"), "merge", "x"], cwd=world.R, env=world.env, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def until(path: Path) -> None:
    while not path.exists():
        time.sleep(0.02)


def test_ctrl_c_while_git_writes_files(ready: World) -> None:
    mark = ready.state / "used" / leave(ready, "--once")
    going, go = ready.root / "going", ready.root / "go"
    stopped_at_z(ready, "true", told_and_waiting(going, go))
    before, seen = whole(ready), status(ready)
    running = merging_in_a_group_of_its_own(ready)
    until(going)
    assert (ready.R / "src/app.py").read_text() == "value = 2\n"
    os.killpg(running.pid, signal.SIGINT)
    said = running.communicate(timeout=60)
    assert (running.returncode, mark.exists(), status(ready), as_before(ready, before)) == (130, False, seen, True), said
    go.touch()
    assert done(ready, "merge", "x")["merged"]
    assert mark.exists()


def test_a_time_limit_while_git_writes_files_waits_for_the_last_step(ready: World) -> None:
    mark = ready.state / "used" / leave(ready, "--once")
    going, go = ready.root / "going", ready.root / "go"
    stopped_at_z(ready, "true", told_and_waiting(going, go))
    seen, running = status(ready), merging_in_a_group_of_its_own(ready)
    until(going)
    os.kill(running.pid, signal.SIGTERM)
    go.touch()
    running.communicate(timeout=60)
    assert (running.returncode, tip(ready, "main"), status(ready), mark.exists()) == (-signal.SIGTERM, tip(ready, "wt/x"), seen, True)
    assert '"event": "merge"' in (ready.state / "audit.jsonl").read_text()


@pytest.mark.parametrize("late", [False, True], ids=["its git is killed", "it takes too long"])
def test_a_hook_behind_the_merge_undoes_nothing(ready: World, monkeypatch: pytest.MonkeyPatch, late: bool) -> None:
    mark, real = ready.state / "used" / leave(ready, "--once"), forward.git.attempt
    hook(ready, "post-merge", "exit 1" if late else "kill -9 $PPID")

    def too_long(*words: str, **more: Any) -> Any:
        ran = real(*words, **more)
        if late and "--ff-only" in words:
            raise WtError("git merge took longer than 600 s", code="timeout")
        return ran
    with monkeypatch.context() as patch:
        patch.setattr(forward.git, "attempt", too_long)
        data = done(ready, "merge", "x")
    assert (data["merged"], tip(ready, data["backup"]), tip(ready), mark.exists()) == (True, data["before"], tip(ready, "wt/x"), True)


# --- killed, and many at once ----------------------------------------------------------------------------------------

STEPS: list[tuple[Any, str]] = [(merging, "merged"), (bringing_in, "backed_up"), (bringing_in, "move"), (bringing_in, "forget"),
                                (temporary_checkout.git, "do")]


@pytest.mark.parametrize("cleared", [True, False], ids=["interrupted", "killed"])
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(("module", "name"), STEPS, ids=[name for _, name in STEPS])
def test_killed_anywhere_the_next_merge_goes_on(diverged: World, monkeypatch: pytest.MonkeyPatch, module: Any, name: str, when: str,
                                                cleared: bool) -> None:
    before, real, seen = tip(diverged, "main"), getattr(module, name), whole(diverged)

    def end(*given: Any, **more: Any) -> NoReturn:
        if when == "after":
            real(*given, **more)
        raise Killed(name)
    with monkeypatch.context() as patch:
        patch.setattr(module, name, end)
        if not cleared:
            patch.setattr(temporary_checkout, "drop", lambda *_: None)
        with pytest.raises(Killed):
            wt(diverged, "merge", "x")
    moved = tip(diverged, "main") != before
    assert moved == (name == "forget" or (name, when) == ("move", "after"))
    if not moved:
        assert whole(diverged)["files"] == seen["files"]
        assert cleared is False or left_over(diverged) == []
    data = done(diverged, "merge", "x")
    assert (data["how"], left_over(diverged)) == ("nothing" if moved else "merge", [])
    assert diverged.git("log", "-1", "--format=%P", "main") == f"{before} {tip(diverged, 'wt/x')}"
    backups = diverged.git("for-each-ref", "--format=%(objectname)", bringing_in.BACKUPS).splitlines()
    assert set(backups) == {before}


def test_others_do_not_wait_for_the_hooks_and_a_real_kill_loses_nothing(diverged: World) -> None:
    going, go = diverged.root / "going", diverged.root / "go"
    path = hook(diverged, "commit-msg", f"{told_and_waiting(going, go)}; exit 1")
    running = start(diverged, "merge", "x")
    until(going)
    assert len(left_over(diverged)) == 2
    done(diverged, "new", "meanwhile")
    git = psutil.Process(int(going.read_text()))
    psutil.Process(running.pid).send_signal(signal.SIGKILL)
    running.communicate(timeout=60)
    go.touch()
    git.wait(30)
    path.unlink()
    assert diverged.git("log", "-1", "--format=%s", "main") == "r"
    assert (done(diverged, "merge", "x")["how"], left_over(diverged)) == ("merge", [])


def test_merges_at_once_come_one_after_another(ready: World) -> None:
    for name in ("y", "z"):
        ready.sh(f"echo {name} > {name}; {COMMIT} {name}", cwd=Path(done(ready, "new", name)["path"]))
    answers = ended([start(ready, "merge", name) for name in ("x", "y", "z")])
    assert sorted(answer["data"]["how"] for answer in answers) == ["fast-forward", "merge", "merge"]
    assert ready.git("ls-tree", "--name-only", "main") == "new\nsrc\ny\nz"
    assert (status(ready).replace("!! .worktrees/", "").strip(), left_over(ready)) == ("", [])


def test_a_base_that_went_on_meanwhile_is_not_moved(diverged: World) -> None:
    hook(diverged, "commit-msg", 'cd "$(git rev-parse --git-common-dir)"; unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE; '
                                 "git update-ref refs/heads/free $(git commit-tree -p free -m later free^{tree})")
    diverged.git("branch", "free", "main")
    document = json.loads(wt(diverged, "merge", "x", "--into", "free").stderr)
    assert (document["code"], document["hint"]) == ("moved", "wt merge x --into free, once more")
    assert diverged.git("log", "-1", "--format=%s", "free") == "later"

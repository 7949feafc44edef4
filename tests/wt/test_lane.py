"""`wt lane` and guard.wt.lanes: a fresh checkout for each task of a workflow, ended without losing work, found again after any kill."""
from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from guard.wt import completing, lanes
from guard.wt.errors import UsageError, WtError
from tests.conftest import Worlds
from tests.worlds import ROOT, World
from tests.wt.killing import Killer, prepare
from tests.wt.test_concurrency import ended, start
from tests.wt.test_enter import ONE, TWO, bound_to, done, record, refused, small, tip, wt
from tests.wt.test_remove import in_trash, listed

COMMIT = "echo own > own; echo 2 > src/app.py; git add -A; git commit -qm 'own work'"


@pytest.fixture
def plain(tmp_path: Path) -> World:
    return small(Path(os.path.realpath(tmp_path)))


def of(run: str = "r", task: str = "t") -> tuple[str, ...]:
    return f"--run={run}", f"--task={task}"


def made(world: World, *words: str, **more: Any) -> Path:
    return Path(done(world, "lane", "prepare", *of(), *words, **more)["path"])


def dispose(world: World, *words: str, **more: Any) -> dict[str, Any]:
    return done(world, "lane", "dispose", *(words or of()), **more)


def rows(world: World) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = done(world, "lane", "list")["lanes"]
    return found


def status(world: World) -> str:
    (lane,) = rows(world)
    return str(lane["status"])


# --- prepare ---------------------------------------------------------------------------------------------------------

def test_a_fresh_checkout_on_its_own_branch_and_nobody_is_bound(plain: World) -> None:
    data = done(plain, "lane", "prepare", *of("r1", "fix"), CLAUDE_CODE_SESSION_ID=ONE)
    path = plain.R / ".worktrees/wf-r1-fix"
    expected = {"run": "r1", "task": "fix", "name": "wf-r1-fix", "path": str(path), "branch": "wt/wf-r1-fix", "base": "main",
                "base_commit": tip(plain), "session": None, "status": "active", "created": True}
    assert {key: data[key] for key in expected} == expected
    assert (plain.git("symbolic-ref", "--short", "HEAD", cwd=path), tip(plain, cwd=path)) == ("wt/wf-r1-fix", tip(plain))
    assert (path / "src/app.py").read_text() == "value = 1\n"
    assert (plain.git("status", "--porcelain"), plain.git("symbolic-ref", "HEAD")) == ("", "refs/heads/main")
    assert (bound_to(plain), list((plain.state / "sessions").glob("*"))) == (None, [])
    assert record(plain, "wf-r1-fix")["source"] == "lane"
    assert [(row["name"], row["status"], row["note"]) for row in rows(plain)] == [("wf-r1-fix", "active", "")]


def test_open_work_of_the_main_checkout_is_neither_carried_over_nor_touched(plain: World) -> None:
    plain.sh("cd \"$R\"; echo open >> src/app.py; echo new > new")
    path = made(plain)
    assert (plain.git("status", "--porcelain"), plain.git("status", "--porcelain", cwd=path)) == (" M src/app.py\n?? new", "")


ODD = [("a-b", "c"), ("a", "b-c"), ("a/b", "c"), ("a+b", "c"), ("größe", "日本"), ("1", "x.lock"), ("a..b", "c"), ("-x", "--y"),
       ("a b", "'"), ("r", "T."), ("r", "T=2e"), ("a-b-c", "d"), ("a", "b-c-d")]


def test_no_two_tasks_share_a_folder_whatever_their_names_are(plain: World) -> None:
    made_now = [done(plain, "lane", "prepare", *of(*names)) for names in ODD]
    assert len({row["path"] for row in made_now}) == len({row["branch"] for row in made_now}) == len(ODD)
    assert made_now[0]["name"] == "wf-a-b-c"
    assert [(row["run"], row["task"], row["path"], row["status"]) for row in rows(plain)] == [
        (run, task, made["path"], "active") for (run, task), made in zip(ODD, made_now, strict=True)]
    hint = refused(plain, "lane", "prepare", *of("-x", "--y"))["hint"]
    assert "--run=-x --task=--y" in hint, "as the command takes them"
    for names in ODD:
        assert dispose(plain, *of(*names))["branch_deleted"] is True
    assert listed(plain) == [str(plain.R)]


def test_a_name_stays_the_task_s_own_when_its_lane_is_gone(plain: World) -> None:
    done(plain, "lane", "prepare", *of("a-b", "c"))
    dispose(plain, *of("a-b", "c"))
    assert done(plain, "lane", "prepare", *of("a", "b-c"))["name"] != "wf-a-b-c"
    assert done(plain, "lane", "prepare", *of("a-b", "c"))["name"] == "wf-a-b-c"


def test_it_starts_from_what_the_caller_s_checkout_has(world: World) -> None:
    data = done(world, "lane", "prepare", *of(), cwd=world.W)
    assert (data["base"], data["base_commit"]) == ("wt/x", tip(world, cwd=world.W))
    world.git("checkout", "-q", "--detach", cwd=world.W)
    data = done(world, "lane", "prepare", *of("r", "2"), cwd=world.W)
    assert (data["base"], data["base_commit"]) == (tip(world, cwd=world.W),) * 2
    data = done(world, "lane", "prepare", *of("r", "3"), "--base", "main", cwd=world.W)
    assert (data["base"], data["base_commit"]) == ("main", tip(world))


def test_the_worktree_of_a_bare_repository_has_lanes_too(plain: World) -> None:
    plain.sh('git clone -q --bare "$R" bare.git; git -C bare.git worktree add -q "$OUT/w" main')
    data = done(plain, "lane", "prepare", *of(), cwd=plain.OUT / "w")
    assert plain.git("status", "--porcelain", cwd=Path(data["path"])) == ""
    assert plain.git("status", "--porcelain", cwd=plain.OUT / "w") == ""


def test_it_gets_what_every_new_worktree_gets(plain: World) -> None:
    plain.sh("""cd "$R"; echo .env > .gitignore; git add -A; git commit -qm ignore; echo secret > .env
        echo '{"sync": {"copy_files": [".env"]}, "ports": {"range": "41000-41009"}, "setup": "echo $WT_PORT > ../port"}' \\
            > .worktree-guard.json""")
    done(plain, "trust", "--accept")
    data = done(plain, "lane", "prepare", *of())
    assert (Path(data["path"]) / ".env").read_text() == "secret\n"
    assert (plain.R / ".worktrees/port").read_text() == f"{data['port']}\n"
    assert data["setup"]["state"] == "done"
    assert dispose(plain)["status"] == "disposed", "what came from the main checkout is no work of the task"


def test_a_lane_whose_setup_fails_is_taken_back(plain: World) -> None:
    plain.sh("""cd "$R"; echo '{"setup": "echo x > left; exit 3"}' > .worktree-guard.json""")
    done(plain, "trust", "--accept")
    refusal = json.loads(wt(plain, "lane", "prepare", *of(), "--session", ONE).stderr)
    assert (refusal["code"], rows(plain), listed(plain)) == ("setup-failed", [], [str(plain.R)])
    assert "wt lane prepare --run r --task t" in refusal["hint"]
    assert (plain.git("branch", "--format=%(refname:short)"), len(in_trash(plain))) == ("main", 1)
    assert not (plain.state / f"sessions/{ONE}.json").exists()
    (plain.R / ".worktree-guard.json").unlink()
    assert made(plain).is_dir()


def killed_in_its_setup(world: World) -> None:
    """As SIGKILL leaves it there."""
    for file in (world.state / "lanes.json", world.state / "worktrees/wf-r-t.json"):
        text = json.loads(file.read_text())
        one = text["lanes"][0] if "lanes" in text else text
        one |= {"status": "preparing", "maker": {"pid": 0}} if "lanes" in text else {"making": {"pid": 0}}
        file.write_text(json.dumps(text))


@pytest.mark.parametrize(("setup", "states"), [("echo ran > ran", ["active"]), ("exit 3", [])])
def test_a_setup_that_was_killed_runs_again(plain: World, setup: str, states: list[str]) -> None:
    path = made(plain)
    (plain.R / ".worktree-guard.json").write_text(json.dumps({"setup": setup}))
    done(plain, "trust", "--accept")
    killed_in_its_setup(plain)
    assert [(row["status"], "killed" in row["note"]) for row in rows(plain)] == [("preparing", True)]
    ran = wt(plain, "lane", "prepare", *of())
    assert ((path / "ran").exists(), ran.returncode) == (bool(states), 0 if states else 1)
    assert [row["status"] for row in rows(plain)] == states


def test_a_lane_that_was_never_handed_out_can_be_disposed_of(plain: World) -> None:
    path = made(plain)
    killed_in_its_setup(plain)
    assert (dispose(plain)["status"], path.exists()) == ("disposed", False)


REFUSED = [
    ("not-root", '', "src", of()),
    ("no-checkout", 'git clone -q --bare "$R" ../bare.git', "../bare.git", of()),
    ("not-root", '', ".git", of()),
    ("no-commit", "git init -q ../unborn", "../unborn", of()),
    ("no-repository", '', "../out", of()),
    ("no-base", '', ".", (*of(), "--base", "nowhere")),
    ("no-base", '', ".", (*of(), "--base=-x")),
    ("bad-name", '', ".", of(" ", "t")),
    ("bad-name", '', ".", of("r", "a\nb")),
    ("bad-name", '', ".", of("r", "x" * 250)),
    ("usage", '', ".", ("--run", "r")),
    ("folder-exists", "mkdir -p .worktrees/wf-r-t; echo 1 > .worktrees/wf-r-t/f", ".", of()),
    ("folder-exists", "git worktree add -q .worktrees/wf-r-t -b other", ".", of()),
    ("folder-exists", 'mkdir .worktrees; ln -s "$OUT" .worktrees/wf-r-t', ".", of()),
    ("bad-name", "git branch wt", ".", of()),
]


@pytest.mark.parametrize(("code", "script", "folder", "words"), REFUSED)
def test_what_makes_no_lane(plain: World, code: str, script: str, folder: str, words: tuple[str, ...]) -> None:
    """Never the main checkout instead: it is untouched, and there is no lane."""
    plain.sh(script, cwd=plain.R)
    refusal = refused(plain, "lane", "prepare", *words, cwd=plain.R / folder)
    assert (refusal["code"], "path" in refusal["details"]) == (code, False)
    assert any(word in refusal["hint"] for word in ("wt ", "git ", "cd ")), refusal["hint"]
    assert rows(plain) == []


def test_a_task_has_one_lane_until_it_is_disposed_of(plain: World) -> None:
    path = made(plain)
    (path / "f").write_text("1")
    for state in ("active", "retained-dirty"):
        refusal = refused(plain, "lane", "prepare", *of())
        assert (refusal["code"], refusal["details"]["path"], refusal["details"]["status"]) == ("lane-exists", str(path), state)
        assert str(path) in refusal["error"]
        dispose(plain)
    (path / "f").unlink()
    plain.sh(COMMIT, cwd=path)
    dispose(plain)
    data = done(plain, "lane", "prepare", *of())
    assert (data["path"], data["branch"], data["base_commit"]) == (str(path), "wt/wf-r-t-2", tip(plain)), "the old branch stays"
    dispose(plain)
    assert done(plain, "lane", "prepare", *of())["branch"] == "wt/wf-r-t-2", "that one had no commits of its own"


def test_a_session_is_bound_to_its_lane_until_the_lane_ends(plain: World) -> None:
    path = made(plain, "--session", ONE)
    bound = json.loads((plain.state / f"sessions/{ONE}.json").read_text())
    assert (bound["path"], bound["branch"], bound["base"]) == (str(path), "wt/wf-r-t", "main")
    assert (dispose(plain)["session"], list((plain.state / "sessions").glob("*"))) == (ONE, [])


# --- dispose ---------------------------------------------------------------------------------------------------------

def test_a_lane_without_commits_goes_with_its_branch(plain: World) -> None:
    path = made(plain)
    data = dispose(plain)
    assert (data["status"], data["branch_deleted"], data["hand_over"]["commits"], data["hand_over"]["files"]) == ("disposed", True, [], 0)
    assert (path.exists(), listed(plain), plain.git("branch", "--format=%(refname:short)")) == (False, [str(plain.R)], "main")
    assert (status(plain), plain.git("status", "--porcelain")) == ("disposed", "")


def test_what_a_clean_lane_hands_over(plain: World) -> None:
    path = made(plain)
    plain.sh(COMMIT, cwd=path)
    plain.sh("git config i18n.logOutputEncoding ISO-8859-1; git mv own other; git commit -qm 'café'", cwd=path)
    plain.sh("echo > x; git add x; git -c i18n.commitEncoding=none commit -qm $'caf\\xe9'", cwd=path)
    head, second, first = (tip(plain, name, cwd=path) for name in ("HEAD", "HEAD~1", "HEAD~2"))
    data = dispose(plain)
    assert data["hand_over"] == {"branch": "wt/wf-r-t", "base": "main", "base_commit": tip(plain), "head": head, "files": 3,
                                 "commits": [{"id": head, "subject": "caf\N{REPLACEMENT CHARACTER}"}, {"id": second, "subject": "café"},
                                             {"id": first, "subject": "own work"}]}
    assert (data["branch_deleted"], tip(plain, "wt/wf-r-t"), path.exists()) == (False, head, False)
    assert data["back"].startswith("wt restore ")


def test_commits_of_a_base_that_is_gone_keep_the_branch(plain: World) -> None:
    plain.sh("git checkout -qb side; echo s > s; git add .; git commit -qm side", cwd=plain.R)
    side = tip(plain)
    made(plain)
    plain.sh("git checkout -q main; git branch -qD side", cwd=plain.R)
    assert (dispose(plain)["branch_deleted"], tip(plain, "wt/wf-r-t")) == (False, side)


@pytest.mark.parametrize("script", ["", COMMIT, "echo open > f"])
def test_disposed_of_twice_is_the_same_as_once(plain: World, script: str) -> None:
    path = made(plain)
    plain.sh(script, cwd=path)
    first = dispose(plain)
    lanes_then = rows(plain)
    assert dispose(plain) == dispose(plain, str(path)) == dispose(plain, ".worktrees/wf-r-t") == first
    assert rows(plain) == lanes_then


OPEN = {
    "a new file whose name is no UTF-8": ("open-changes", "touch $'bad\\xff'"),
    "a branch whose name is no UTF-8": ("other-branch", f"{COMMIT}; git checkout -qb $'caf\\xe9' main"),
    "a changed file": ("open-changes", "echo 2 > src/app.py"),
    "a staged file": ("open-changes", "echo 2 > src/app.py; git add ."),
    "a new file": ("open-changes", "echo 2 > new"),
    "a change that the index hides": ("open-changes", "git update-index --skip-worktree src/app.py; echo 2 > src/app.py"),
    "a merge": ("operation", f"git switch -qc two; {COMMIT}; git switch -q wt/wf-r-t; git merge -q --no-ff --no-commit two"),
    "commits that are not checked out": ("other-branch", f"{COMMIT}; git checkout -q --detach main"),
    "a detached commit": ("unreferenced-commits", f"git checkout -q --detach; {COMMIT}"),
}


@pytest.mark.parametrize("what", OPEN)
def test_what_would_go_with_it_keeps_a_lane(plain: World, what: str) -> None:
    code, script = OPEN[what]
    path = made(plain)
    plain.sh(script, cwd=path)
    seen = "(find . -type f | sort | xargs md5sum; git status --porcelain --ignored; git rev-parse HEAD) | cat -v"
    before = plain.sh(seen, cwd=path)
    data = dispose(plain)
    assert (data["status"], data["hand_over"], data["back"]) == ("retained-dirty", None, None)
    assert code in [one["code"] for one in data["open"]]
    assert all(one["said"] and ("git " in one["cure"] or "wt " in one["cure"]) for one in data["open"])
    assert plain.sh(seen, cwd=path) == before
    assert [row["open"] for row in rows(plain)] == [data["open"]]


def test_ignored_files_do_not_keep_a_lane_and_wait_in_the_trash(plain: World) -> None:
    path = made(plain)
    plain.sh("echo '*.log' >> $(git rev-parse --git-common-dir)/info/exclude; echo 1 > a.log", cwd=path)
    data = dispose(plain)
    assert data["status"] == "disposed"
    done(plain, *data["back"].split()[1:])
    assert (path / "a.log").read_text() == "1\n"


def test_a_retained_lane_goes_once_its_work_is_committed(plain: World) -> None:
    path = made(plain)
    (path / "f").write_text("1")
    cure = dispose(plain)["open"][0]["cure"]
    plain.sh(f"{cure.partition(' keeps')[0]} -q")
    data = dispose(plain)
    assert (data["status"], [one["subject"] for one in data["hand_over"]["commits"]]) == ("disposed", ["what it is"])


@pytest.mark.parametrize("script", ["git switch -qc two", "git checkout -q --detach", "git branch -qm two"])
def test_commits_are_handed_over_from_wherever_they_are_checked_out(plain: World, script: str) -> None:
    path = made(plain)
    plain.sh(f"{COMMIT}; {script}", cwd=path)
    data = dispose(plain)
    assert [one["subject"] for one in data["hand_over"]["commits"]] == ["own work"]
    assert data["hand_over"]["branch"] == ("two" if "two" in script else "")
    assert plain.git("log", "-1", "--format=%s", "two" if "two" in script else "wt/wf-r-t") == "own work"


NEEDED = {"bound": ("leave", "{path}", "--session", TWO), "locked": ("git", "worktree", "unlock", "{path}")}


@pytest.mark.parametrize("code", NEEDED)
def test_a_lane_that_somebody_still_needs_stays(plain: World, code: str) -> None:
    path = made(plain, "--session", ONE)
    if code == "bound":
        done(plain, "enter", str(path), "--session", TWO)
    else:
        plain.git("worktree", "lock", "--reason", "mine", str(path))
    refusal = refused(plain, "lane", "dispose", *of())
    assert (refusal["code"], refusal["hint"].endswith("wt lane dispose --run r --task t"), status(plain)) == (code, True, "active")
    words = [word.format(path=path) for word in NEEDED[code]]
    plain.git(*words[1:]) if words[0] == "git" else done(plain, *words)
    assert dispose(plain)["status"] == "disposed"


def test_a_lane_that_a_process_stands_in_stays(plain: World) -> None:
    path = made(plain)
    with subprocess.Popen(["cat"], cwd=path, stdin=subprocess.PIPE) as inside:
        assert refused(plain, "lane", "dispose", *of())["code"] == "in-use"
        assert inside.stdin
        inside.stdin.close()
    assert refused(plain, "lane", "dispose", *of(), cwd=path)["code"] == "inside"
    assert dispose(plain)["status"] == "disposed"


def test_teardown_runs_in_a_lane_that_goes_and_in_no_other(plain: World) -> None:
    (plain.R / ".worktree-guard.json").write_text(json.dumps(
        {"teardown": 'echo $WT_BRANCH_NAME >> "$WT_SOURCE_PATH/../ran"; echo x > left'}))
    path = made(plain)
    assert "not run" in dispose(plain)["warnings"][0], "nobody has accepted the commands"
    done(plain, "trust", "--accept")
    made(plain)
    (path / "f").write_text("1")
    assert (dispose(plain)["status"], (plain.root / "ran").exists()) == ("retained-dirty", False)
    (path / "f").unlink()
    assert (dispose(plain)["status"], (plain.root / "ran").read_text()) == ("disposed", "wt/wf-r-t\n")


def test_a_teardown_that_fails_keeps_the_lane(plain: World) -> None:
    (plain.R / ".worktree-guard.json").write_text(json.dumps({"teardown": "exit 3"}))
    done(plain, "trust", "--accept")
    made(plain)
    refusal = refused(plain, "lane", "dispose", *of(), status=1)
    assert (refusal["code"], status(plain)) == ("teardown-failed", "active")
    way = refusal["hint"].partition("or wt ")[2].split()
    assert done(plain, *way)["status"] == "disposed"


@pytest.mark.parametrize("words", [of("r", "other"), (*of(), "{R}"), (*of("r", "2"), "{R}/.worktrees/wf-r-t"), ("nowhere",), ("{R}",),
                                   ("{R}/.worktrees/x",)])
def test_what_is_no_lane_is_not_disposed_of(plain: World, words: tuple[str, ...]) -> None:
    made(plain)
    done(plain, "new", "x")
    refusal = refused(plain, "lane", "dispose", *[plain.fill(word) for word in words])
    assert (refusal["code"], "wt lane list" in refusal["hint"]) == ("no-lane", True)


@pytest.mark.parametrize("words", [(), ("--run", "r"), ("--task", "t")])
def test_which_lane_has_to_be_said(plain: World, words: tuple[str, ...]) -> None:
    assert refused(plain, "lane", "dispose", *words)["code"] == "usage"


# --- list: what git and the disk have --------------------------------------------------------------------------------

def test_no_lanes_are_no_state(plain: World) -> None:
    assert (rows(plain), plain.state.exists()) == ([], False)


def test_a_disposed_lane_that_is_restored_is_a_lane_again(plain: World) -> None:
    path = made(plain)
    plain.sh(COMMIT, cwd=path)
    first = dispose(plain)
    done(plain, "lane", "prepare", *of())
    dispose(plain)
    done(plain, *first["back"].split()[1:])
    assert [(row["status"], row["branch"], row["hand_over"]) for row in rows(plain)] == [("active", "wt/wf-r-t", None)]
    again = dispose(plain)
    assert (again["hand_over"], path.exists()) == (first["hand_over"], False)


PRUNED = "rm -rf .worktrees/wf-r-t; git worktree prune"
LOST = {
    "its folder was deleted": ("rm -rf .worktrees/wf-r-t", "wt enter", "disposed"),
    "and git has forgotten it": (PRUNED, "neither git nor the disk", "disposed"),
    "with its branch": (f"{PRUNED}; git branch -qD wt/wf-r-t", "neither git nor the disk", "disposed"),
    "git has forgotten it": ("rm -r .git/worktrees/wf-r-t", "git knows no such worktree", "lane-lost"),
    "it was moved": ('git worktree move .worktrees/wf-r-t "$OUT/moved"', "its branch wt/wf-r-t is there", "disposed"),
}


@pytest.mark.parametrize("how", LOST)
def test_a_lane_that_is_lost_is_told_and_never_dropped(plain: World, how: str) -> None:
    script, said, then = LOST[how]
    path = made(plain, "--session", ONE)
    plain.sh(COMMIT, cwd=path)
    head = tip(plain, cwd=path)
    plain.sh(script, cwd=plain.R)
    for _ in range(2):
        assert [(row["status"], said in row["note"]) for row in rows(plain)] == [("lost", True)], rows(plain)
    if then == "lane-lost":
        assert refused(plain, "lane", "dispose", *of())["code"] == then
        shutil.move(path, plain.OUT)
    data = dispose(plain)
    assert (data["status"], data["hand_over"]["head"] or head) == ("disposed", head)
    assert dispose(plain) == data
    assert made(plain).is_dir()


def test_a_lost_lane_is_found_again(plain: World) -> None:
    path = made(plain)
    shutil.move(path, plain.OUT / "away")
    assert status(plain) == "lost"
    refusal = refused(plain, "lane", "prepare", *of())
    assert (refusal["code"], f"wt enter {path}" in refusal["hint"]) == ("lane-lost", True)
    shutil.move(plain.OUT / "away", path)
    assert (rows(plain)[0]["status"], rows(plain)[0]["note"]) == ("active", "")


def test_a_lost_lane_can_be_prepared_again(plain: World) -> None:
    plain.sh(COMMIT, cwd=made(plain))
    plain.sh(PRUNED, cwd=plain.R)
    assert made(plain).is_dir()
    assert plain.git("log", "--format=%s", "main..wt/wf-r-t") == "own work", "its branch stays"


def test_another_worktree_at_the_place_of_a_lane_is_not_the_lane(plain: World) -> None:
    path = made(plain)
    plain.sh(PRUNED, cwd=plain.R)
    done(plain, "new", "wf-r-t", "--reuse")
    assert status(plain) == "lost"
    assert refused(plain, "lane", "dispose", *of())["code"] == "lane-lost"
    assert path.is_dir()


@pytest.mark.parametrize("text", ["", "{", '{"version": 1, "lanes": [{"run": 1}]}'])
def test_a_spoilt_manifest_is_made_again_from_the_worktrees(plain: World, text: str) -> None:
    path = made(plain)
    (plain.state / "lanes.json").write_text(text)
    assert [(row["run"], row["task"], row["path"], row["status"]) for row in rows(plain)] == [("r", "t", str(path), "active")]
    assert refused(plain, "lane", "prepare", *of())["code"] == "lane-exists"
    assert dispose(plain)["status"] == "disposed"


def test_a_manifest_that_missed_the_removal_says_the_same(plain: World) -> None:
    plain.sh(COMMIT, cwd=made(plain))
    before = (plain.state / "lanes.json").read_text()
    data = dispose(plain)
    (plain.state / "lanes.json").write_text(before)
    assert (status(plain), dispose(plain)) == ("disposed", data)


def test_the_answer_of_a_disposed_lane_is_kept_for_a_month(plain: World) -> None:
    made(plain)
    dispose(plain)
    done(plain, "lane", "prepare", *of("r", "2"))
    file = plain.state / "lanes.json"
    manifest = json.loads(file.read_text())
    manifest["lanes"][0]["changed_at"] = "2020-01-01T00:00:00Z"
    file.write_text(json.dumps(manifest))
    done(plain, "lane", "prepare", *of("r", "3"))
    assert [row["task"] for row in rows(plain)] == ["2", "3"]


def test_who_may_only_read_is_told_how_things_stand(plain: World) -> None:
    path = made(plain)
    shutil.rmtree(path)
    lock = plain.state / "lock"
    lock.unlink()
    lock.mkdir()  # a lock that nobody can take
    assert status(plain) == "lost"


def test_what_people_read(plain: World) -> None:
    prepared = plain.wt("lane", "prepare", *of(), "--session", ONE).stdout
    assert f"Prepared wf-r-t.\n  path    {plain.R}/.worktrees/wf-r-t\n  branch  wt/wf-r-t\n" in prepared
    (plain.R / ".worktrees/wf-r-t/f").write_text("1")
    assert "(retained-dirty):\n  1 open file(s): f\n" in plain.wt("lane", "dispose", *of()).stdout
    assert "RUN  TASK  STATUS          FOLDER" in plain.wt("lane", "list").stdout
    plain.sh("git add .; git commit -qm $'one\\ttwo'", cwd=plain.R / ".worktrees/wf-r-t")
    told = plain.wt("lane", "dispose", *of()).stdout
    assert "  commits 1, 1 file(s) changed\n" in told
    assert "one\\ttwo" in told
    assert plain.wt("lane").returncode == 2


# --- for programs ----------------------------------------------------------------------------------------------------

@pytest.fixture
def library(plain: World, monkeypatch: pytest.MonkeyPatch) -> World:
    for name, value in plain.env.items():
        monkeypatch.setenv(name, value)
    return plain


def test_a_program_gets_typed_results(library: World) -> None:
    lane = lanes.prepare(library.R, run="r", task="t", session=ONE)
    assert (lane.path, lane.branch, lane.status, lane.session) == (str(library.R / ".worktrees/wf-r-t"), "wt/wf-r-t", "active", ONE)
    (lane.place / "f").write_text("1")
    kept = lanes.dispose(str(library.R), run="r", task="t")
    assert (kept.status, [one.code for one in kept.open], kept.hand_over) == ("retained-dirty", ["open-changes"], None)
    (lane.place / "f").unlink()
    library.sh(COMMIT, cwd=lane.place)
    end = lanes.dispose(library.R, path=lane.path)
    assert end.hand_over
    assert (end.status, [one.subject for one in end.hand_over.commits]) == ("disposed", ["own work"])
    assert [one.status for one in lanes.listed(library.R)] == ["disposed"]
    with pytest.raises(AttributeError):
        end.status = "active"  # type: ignore[misc]


def test_a_program_is_refused_with_a_code(library: World, monkeypatch: pytest.MonkeyPatch) -> None:
    lanes.prepare(library.R, run="r", task="t")
    with pytest.raises(UsageError) as refusal:
        lanes.prepare(library.R, run="r", task="t")
    assert (refusal.value.code, refusal.value.hint != "") == ("lane-exists", True)
    with pytest.raises(WtError) as missing:
        lanes.prepare(library.R / "nowhere", run="r", task="t")
    assert missing.value.code == "folder-gone"
    monkeypatch.chdir(library.R)
    (library.R / ".worktrees").rename(library.OUT / "w")
    (library.R / ".worktrees").write_text("no folder")
    with pytest.raises(WtError):  # an OSError below
        lanes.prepare(".", run="r", task="2")
    assert [lane.task for lane in lanes.listed(".")] == ["t"]


def test_a_program_with_threads(library: World) -> None:
    with ThreadPoolExecutor(8) as pool:
        made_now = list(pool.map(lambda n: lanes.prepare(library.R, run="r", task=str(n)), range(8)))
        assert len({lane.path for lane in made_now}) == 8
        ends = list(pool.map(lambda n: lanes.dispose(library.R, run="r", task=str(n)), range(8)))
    assert {end.status for end in ends} == {lane.status for lane in lanes.listed(library.R)} == {"disposed"}


def test_an_interrupt_leaves_no_lane(library: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_args: Any, **_more: Any) -> dict[str, Any]:
        raise KeyboardInterrupt
    with monkeypatch.context() as patch:
        patch.setattr(completing, "done", interrupted)
        with pytest.raises(KeyboardInterrupt):
            lanes.prepare(library.R, run="r", task="t", session=ONE)
    assert (lanes.listed(library.R), listed(library)) == ([], [str(library.R)])
    assert lanes.prepare(library.R, run="r", task="t").branch == "wt/wf-r-t"


# --- many at once ----------------------------------------------------------------------------------------------------

def test_eight_tasks_of_one_run_at_once(plain: World) -> None:
    answers = ended([start(plain, "lane", "prepare", *of("r", str(n)), "--session", f"s{n}") for n in range(8)])
    assert len({answer["data"]["path"] for answer in answers}) == 8
    assert sorted((row["task"], row["status"], row["session"]) for row in rows(plain)) == [(str(n), "active", f"s{n}") for n in range(8)]
    answers = ended([start(plain, "lane", "dispose", *of("r", str(n))) for n in range(8)])
    assert {row["status"] for row in rows(plain)} == {answer["data"]["status"] for answer in answers} == {"disposed"}
    assert plain.git("status", "--porcelain") == ""


def test_eight_of_one_task_at_once(plain: World) -> None:
    answers = ended([start(plain, "lane", "prepare", *of()) for _ in range(8)], (0, 2))
    assert sorted(answer.get("code", "made") for answer in answers) == ["lane-exists"] * 7 + ["made"]
    (path,) = {answer["details"]["path"] if "details" in answer else answer["data"]["path"] for answer in answers}
    plain.sh(COMMIT, cwd=Path(path))
    answers = ended([start(plain, "lane", "dispose", *of()) for _ in range(8)])
    first = answers[0]["data"]
    assert first["status"] == "disposed"
    assert all(answer["data"] == first for answer in answers), "all hear the same"


# --- killed ----------------------------------------------------------------------------------------------------------

def to_prepare(root: Path) -> World:
    world = small(root)
    prepare(world)
    world.sh("""cd "$R"; rm -rf .git/hooks; echo .env > .gitignore; echo '*.py filter=stop' > .gitattributes
        git add -A; git commit -qm more; echo secret > .env; echo '{"sync": {"copy_files": [".env"]}}' > .worktree-guard.json""")
    return world


def to_dispose(root: Path) -> World:
    world = to_prepare(root)
    world.sh(COMMIT, cwd=made(world, "--session", ONE))
    return world


AGREE = {"active": True, "preparing": True, "disposed": False, "lost": False}  # does git list its worktree?


@pytest.mark.parametrize(("words", "build"), [(("prepare", *of(), "--session", ONE), to_prepare), (("dispose", *of()), to_dispose)],
                         ids=["prepare", "dispose"])
def test_killed_anywhere_the_list_agrees_with_git_and_the_same_goes_on(worlds: Worlds, killer: Killer, words: tuple[str, ...],
                                                                     build: Any) -> None:
    name = f"lane to {words[0]}"
    world = worlds.fresh(name, build)
    path = world.R / ".worktrees/wf-r-t"
    points = killer.run(world, "lane", *words).points
    assert sum(point.kind != "in git" for point in points) >= 9
    whole = dispose(world) if words[0] == "dispose" else {}
    for point in points:
        world = worlds.fresh(name, build)
        assert killer.run(world, "lane", *words, stop=point).status == -signal.SIGKILL
        for lane in rows(world):
            assert AGREE[lane["status"]] == (str(path) in listed(world)), (point, lane)
            assert lane["note"] or lane["status"] in ("active", "disposed"), (point, lane)
        assert world.git("status", "--porcelain") == "?? .worktree-guard.json", point
        if words[0] == "dispose":
            assert dispose(world) | {"back": ""} == whole | {"back": ""}, point
        elif [lane["status"] for lane in rows(world)] == ["active"]:
            assert refused(world, "lane", *words)["details"]["path"] == str(path), point
        else:
            ran = wt(world, "lane", *words)
            if ran.returncode:  # a lock of a ref that a killed git leaves is a person's to delete
                assert json.loads(ran.stderr)["code"] == "locked-by-git", (point, ran)
                world.sh("find .git/refs -name '*.lock' -delete", cwd=world.R)
                ran = wt(world, "lane", *words)
            assert json.loads(ran.stdout)["data"]["path"] == str(path), (point, ran)
            assert world.git("branch", "--format=%(refname:short)").split() == ["main", "wt/wf-r-t"], point
        if words[0] == "prepare":
            assert (path / ".env").exists(), point
            assert json.loads((world.state / f"sessions/{ONE}.json").read_text())["path"] == str(path), point


# --- what cannot be -------------------------------------------------------------------------------------------------

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"run": 1}, "usage"), ({"task": None}, "usage"), ({"base": 5}, "usage"), ({"session": 5}, "usage"), ({"base": "a\0b"}, "bad-name"),
    ({"base": "\ud800"}, "bad-name"), ({"session": "\ud800"}, "bad-name"), ({"task": "\ud800"}, "bad-name"), ({"run": "a\0b"}, "bad-name"),
    ({"path": "a\0b"}, "bad-name"), ({"path": b"a"}, "usage"),
]


@pytest.mark.parametrize(("given", "code"), WRONG, ids=[repr(given) for given, _ in WRONG])
def test_wrong_arguments_of_a_program_are_refused(plain: World, given: dict[str, Any], code: str) -> None:
    made(plain)
    before = (plain.state / "lanes.json").read_bytes()
    calls = [lanes.dispose] if "path" in given else [lanes.prepare] if "base" in given else [lanes.prepare, lanes.dispose]
    for call in calls:
        with pytest.raises(UsageError) as caught:
            call(plain.R, **{"run": "r", "task": "bad", **given})  # type: ignore[operator]
        assert (caught.value.code, bool(caught.value.hint)) == (code, True)
    assert (plain.state / "lanes.json").read_bytes() == before


@pytest.mark.parametrize("folder", [5, "a\0b", "\ud800"])
def test_a_folder_that_is_no_path_is_refused(folder: Any) -> None:
    with pytest.raises(UsageError):
        lanes.listed(folder)


def test_in_a_lane_the_way_out_is_the_lane_s_own(plain: World) -> None:
    path = made(plain)
    for words in (("lane", "dispose", *of()), ("remove", str(path))):
        (inside,) = [one for one in refused(plain, *words, cwd=path)["details"] if one["code"] == "inside"]
        assert inside["cure"] == f"cd {plain.R} && wt lane dispose --run r --task t"
    plain.sh(inside["cure"].replace(" && wt ", f" && {ROOT / 'scripts/wt'} "))
    assert status(plain) == "disposed"


@pytest.mark.parametrize("words", [("--task", "other"), ("--run", "other"), ("--run", "r", "--task", "other")])
def test_a_path_and_a_task_that_do_not_fit(plain: World, words: tuple[str, ...]) -> None:
    path = made(plain)
    refusal = refused(plain, "lane", "dispose", str(path), *words)
    assert (refusal["code"], "wt lane dispose --run r --task t" in refusal["hint"], status(plain)) == ("no-lane", True, "active")
    assert dispose(plain, str(path), "--task", "t")["status"] == "disposed"

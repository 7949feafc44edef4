"""`wt` killed by SIGKILL at every point at which the disk has changed: nothing is lost, and the next command goes on or says how.

`tests/wt/killing.py` finds the points in a run of the command itself and ends it at each of them.
"""
from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from guard.wt import trash
from guard.wt.causes import cause
from tests.conftest import Worlds
from tests.worlds import ROOT, World, run_hook
from tests.wt.killing import Killer, prepare
from tests.wt.test_enter import done, refused, small, wt
from tests.wt.test_remove import ALL, far, listed
from tests.wt.test_restore import targets_of_links, there

OPEN = """echo 2 > src/app.py; git add .; echo 3 > src/app.py; echo new > 'a file'; echo secret > .env; mkdir -p cache; echo c > cache/c
          ln -s "$OUT" out; ln -s src in"""
COMMITS = "echo own > own; git add own; git commit -qm own"
MERGED = 'cd "$R"; git merge -q wt/x'
AUTHORISED = ("authorize-main", "--reason", "r")
SETTINGS = """cd "$R"; echo secret > .env; mkdir -p cache; echo c > cache/c
    echo '{"sync": {"copy_files": [".env"], "symlink_dirs": ["cache"]}, "setup": "echo ran > ran"}' > .worktree-guard.json"""
EDIT = {"file_path": "{R}/src/app.py", "old_string": "value = 1", "new_string": "value = 2"}


@dataclass(frozen=True)
class Row:
    """A command, and what holds once it is done. `least`: its points outside of git. `recipe`: `wt` commands, and scripts, which run in
    the worktree x where there is one. `far`: the trash is on another disk."""

    name: str
    words: tuple[str, ...]
    reached: Callable[[World], bool]
    least: int
    recipe: tuple[tuple[str, ...] | str, ...] = ()
    far: bool = False

    @property
    def makes(self) -> bool:
        return self.words[0] in ("new", "enter")


def place(world: World) -> Path:
    return world.R / ".worktrees/x"


def is_there(world: World) -> bool:
    row = next((row for row in done(world, "status")["worktrees"] if row["path"] == str(place(world))), None)
    return row is not None and row["owned"] and (row["stale"], row["locked"]) == (None, None) and (place(world) / "src/app.py").exists()


def is_bound(world: World) -> bool:
    own = done(world, "status")["binding"]
    return is_there(world) and own is not None and (own["path"], own["condition"]) == (str(place(world)), "there")


def is_set_up(world: World) -> bool:
    return is_there(world) and all((place(world) / name).exists() for name in (".env", "cache/c", "ran"))


def is_merged(world: World) -> bool:
    """And the main checkout is whole."""
    return (world.git("rev-list", "--count", "main..wt/x"), world.git("status", "--porcelain")) == ("0", "")


def is_gone(world: World) -> bool:
    told = done(world, "status")
    return not (place(world).exists() or str(place(world)) in listed(world) or told["binding"] or told["sessions"])


def lane(world: World) -> Path:
    return world.R / ".worktrees/wf-r-t"


def lane_is_there(world: World) -> bool:
    """The only one, and the task's; git has it, and the main checkout does not show it."""
    states = [(one["status"], one["path"], one["branch"]) for one in done(world, "lane", "list")["lanes"]]
    return (states == [("active", str(lane(world)), "wt/wf-r-t")] and str(lane(world)) in listed(world)
            and world.git("status", "--porcelain", cwd=lane(world)) == world.git("status", "--porcelain") == "")


def lane_is_handed_over(world: World) -> bool:
    (one,) = done(world, "lane", "list")["lanes"]
    subjects = [commit["subject"] for commit in one["hand_over"]["commits"]]
    return (one["status"], subjects, lane(world).exists(), str(lane(world)) in listed(world)) == ("disposed", ["own"], False, False) \
        and world.git("rev-parse", "wt/wf-r-t") == one["hand_over"]["head"]


def lane_is_gone(world: World) -> bool:
    """With its branch, or saying that it is there: a killed git may have left a lock of it."""
    (one,) = done(world, "lane", "list")["lanes"]
    return (one["status"], lane(world).exists(), one["branch_deleted"]) == ("disposed", False, not world.git("branch", "--list", "wt/*"))


def lane_is_kept(world: World) -> bool:
    (one,) = done(world, "lane", "list")["lanes"]
    return (one["status"], [found["code"] for found in one["open"]], (lane(world) / "own").exists()) == (
        "retained-dirty", ["open-changes"], True)


PREPARED, DISPOSED = (("lane", word, "--run", "r", "--task", "t") for word in ("prepare", "dispose"))
NEW, ENTERED, REMOVED = ("new", "x"), ("enter", "x"), ("remove", "x", *ALL)
ROWS = (  # the longest first
    Row("merge and remove", ("merge", "x", "--squash", "--remove"), is_gone, 20, (NEW, COMMITS, AUTHORISED)),
    Row("remove to another disk", REMOVED, is_gone, 40, (NEW, OPEN), far=True),
    Row("restore from another disk", ("restore", "x"), is_there, 40, (NEW, OPEN, REMOVED), far=True),
    Row("new with copies and setup commands", NEW, is_set_up, 9, (SETTINGS, ("trust", "--accept"))),
    Row("merge, both have gone on", ("merge", "x"), is_merged, 3, (NEW, COMMITS, 'cd "$R"; echo m > m; git add m; git commit -qm m',
                                                                       AUTHORISED)),
    Row("leave and remove, every binding", ("leave", "--all", "--remove", *ALL), is_gone, 20,
        ((*ENTERED, "--session", "s1"), ENTERED, OPEN)),
    Row("leave and remove", ("leave", "--remove", "--session", "s1", *ALL), is_gone, 20, ((*ENTERED, "--session", "s1"), OPEN)),
    Row("restore", ("restore", "x"), is_there, 16, (NEW, OPEN, REMOVED)),
    Row("new", NEW, is_there, 9),
    Row("prepare a lane", PREPARED, lane_is_there, 9),
    Row("dispose of a lane with commits", DISPOSED, lane_is_handed_over, 16, (PREPARED, f"cd .worktrees/wf-r-t; {COMMITS}")),
    Row("dispose of a lane without commits", DISPOSED, lane_is_gone, 16, (PREPARED,)),
    Row("dispose of a lane that stays", DISPOSED, lane_is_kept, 2, (PREPARED, "cd .worktrees/wf-r-t; echo own > own")),
    Row("new on a branch that is there", ("new", "x", "--branch", "old"), is_there, 9, ("git branch old",)),
    Row("enter a new one", ENTERED, is_bound, 9),
    Row("enter one in a session", (*ENTERED, "--session", "s1"), is_there, 3, (ENTERED,)),
    Row("enter one whose folder is gone", ENTERED, is_bound, 7, (ENTERED, "echo s > s; git add s; rm -rf ../x")),
    Row("remove open files, ignored ones and links", REMOVED, is_gone, 20, (NEW, OPEN)),
    Row("remove what is merged, with its branch", ("remove", "x"), is_gone, 17, (ENTERED, COMMITS, MERGED)),
    Row("remove commits of a detached HEAD", REMOVED, is_gone, 17,
        (NEW, f"git checkout -q --detach; {COMMITS}; git commit -q --amend -m other")),
    Row("clean", ("clean", "--apply"), is_gone, 15, (NEW, COMMITS, MERGED)),
    Row("setup", ("setup", "x"), is_set_up, 3, (NEW, SETTINGS, ("trust", "--accept"))),
    Row("merge by fast-forward", ("merge", "x"), is_merged, 3, (NEW, COMMITS, AUTHORISED)),
)


def built(row: Row) -> Callable[[Path], World]:
    def build(root: Path) -> World:
        world = small(root)
        prepare(world)
        world.sh("""cd "$R"; rm -rf .git/hooks; printf '.env\\ncache/\\n' > .gitignore; echo '*.py filter=stop' > .gitattributes
                 echo 'b = 1' > src/b.py; git add -A; git commit -qm more""")
        for step in row.recipe:
            if isinstance(step, tuple):
                done(world, *step)
            else:
                world.sh(step, cwd=place(world) if place(world).is_dir() else world.R)
        return world
    return build


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_killed_at_any_point_nothing_is_lost_and_the_next_command_goes_on(worlds: Worlds, killer: Killer, monkeypatch: pytest.MonkeyPatch,
                                                                          row: Row) -> None:
    world = worlds.fresh(row.name, built(row))
    held = there(world, "--exclude=refs/worktree-guard/*")
    whole = killer.run(world, *row.words, far=row.far)
    assert (whole.status, row.reached(world)) == (0, True), whole.stderr
    assert sum(point.kind != "in git" for point in whole.points) >= row.least, "fewer than there were: does the harness still see them?"
    if row.far:
        far(monkeypatch, world)
    wrong = {}
    for point in whole.points:
        worlds.fresh(row.name, built(row))
        ended = killer.run(world, *row.words, stop=point, far=row.far)
        assert ended.status == -signal.SIGKILL, (point, ended)
        try:
            judge(world, row, held)
        except AssertionError as fault:
            wrong[point] = fault
    assert not wrong, f"{len(wrong)} of {len(whole.points)}\n" + "\n\n".join(f"{point}\n{fault}" for point, fault in wrong.items())


def test_a_kill_inside_of_git_leaves_what_git_had_begun(worlds: Worlds, killer: Killer) -> None:
    row = next(row for row in ROWS if row.words == NEW)
    world = worlds.fresh(row.name, built(row))
    points = killer.run(world, *row.words).points
    assert {point.kind for point in points} == {"before", "opened", "in git"}
    worlds.fresh(row.name, built(row))
    killer.run(world, *row.words, stop=next(point for point in points if point.said == "reference-transaction prepared"))
    assert (world.R / ".git/refs/heads/wt/x.lock").exists()


# --- what the harness cannot stop at: between two writes of git itself ------------------------------------------------

@pytest.mark.parametrize("path", ["/r/.git/refs/heads/wt/x.lock", "/r/it's mine, and old/.git/HEAD.lock"])
def test_the_way_past_a_lock_file_is_a_command_with_its_path(path: str) -> None:
    found = cause(f"fatal: cannot lock ref 'HEAD': Unable to create '{path}': File exists.\n\nAnother git process seems to be running")
    assert found
    assert (found[1], f"rm {shlex.quote(path)} and then" in found[2]) == ("locked-by-git", True)


def test_half_written_files_of_ours_go_and_those_of_the_hook_stay(tmp_path: Path) -> None:
    """The hook takes no lock, so it may be writing its own just now."""
    world = small(Path(os.path.realpath(tmp_path)))
    done(world, "new", "x")
    names = [f"{folder}x.json.{end}" for folder in ("", "worktrees/", "sessions/", "trash/y/") for end in ("wt-a1b2c3d4.new", "4711.new")]
    for name in names:
        (world.state / name).parent.mkdir(parents=True, exist_ok=True)
        (world.state / name).write_text("{")
    done(world, "status")
    assert all((world.state / name).exists() for name in names), "who only looks changes nothing"
    done(world, "enter", "x")
    assert [name for name in names if (world.state / name).exists()] == [name for name in names if name.endswith(".4711.new")]


def test_refs_that_cannot_be_deleted_now_go_with_the_next_sweep(tmp_path: Path) -> None:
    world = small(Path(os.path.realpath(tmp_path)))
    world.git("config", "core.packedRefsTimeout", "1")
    done(world, "new", "x")
    data = done(world, "remove", "x")
    (world.R / ".git/packed-refs.lock").touch()
    done(world, "restore", "x")
    assert world.git("for-each-ref", "--format=%(refname)", trash.REFS) == data["ref"]
    assert is_there(world)
    (world.R / ".git/packed-refs.lock").unlink()
    again = done(world, "remove", "x")
    assert world.git("for-each-ref", "--format=%(refname)", trash.REFS) == again["ref"]
    assert [path.name for path in (world.state / "trash").iterdir()] == [Path(again["trash"]).name]


@pytest.fixture
def unfinished(tmp_path: Path) -> World:
    """x, as git leaves it that was killed while it wrote files: locked by git itself, with lock files that nobody has open."""
    world = small(Path(os.path.realpath(tmp_path)))
    world.sh("echo 'long = 123' > src/long.py; ln -s app.py src/link; git add .; git commit -qm more", cwd=world.R)
    done(world, "new", "x")
    world.git("worktree", "lock", "--reason", "initializing", str(place(world)))
    world.sh("cd .git/worktrees/x; touch index.lock HEAD.lock ORIG_HEAD.lock", cwd=world.R)
    return world


def finished(world: World) -> None:
    assert "its making had been interrupted" in done(world, "enter", "x")["revived"]
    assert is_bound(world)
    assert leftovers(world) == []
    assert world.git("symbolic-ref", "HEAD", cwd=place(world)) == "refs/heads/wt/x"


@pytest.mark.parametrize("script", ["printf 'long' > src/long.py", ": > src/long.py; rm src/app.py", "rm -r src", "rm src/link"])
def test_a_file_that_was_cut_short_is_written_again(unfinished: World, script: str) -> None:
    unfinished.sh(script, cwd=place(unfinished))
    finished(unfinished)
    assert unfinished.git("status", "--porcelain", cwd=place(unfinished)) == ""


@pytest.mark.parametrize("said", ["long = 124\n", "long = 123\nmore = 1\n", "?"])
def test_a_file_that_somebody_has_written_stays(unfinished: World, said: str) -> None:
    (place(unfinished) / "src/long.py").write_text(said)
    finished(unfinished)
    assert (place(unfinished) / "src/long.py").read_text() == said


def test_a_head_that_git_had_not_written_yet(unfinished: World) -> None:
    unfinished.sh("rm -r src; rm $(git rev-parse --git-dir)/index; echo $(printf '0%.0s' $(seq 40)) > $(git rev-parse --git-dir)/HEAD",
                  cwd=place(unfinished))
    assert "HEAD " + "0" * 40 in unfinished.git("worktree", "list", "--porcelain")
    finished(unfinished)
    assert unfinished.git("status", "--porcelain", cwd=place(unfinished)) == ""


def test_a_git_that_outlives_its_wt_is_waited_for(tmp_path: Path) -> None:
    """Killed alone, as by a client or for want of memory: git goes on, and nobody writes beside it. (2.39 then takes its worktree back.)"""
    world = small(Path(os.path.realpath(tmp_path)))
    world.sh("""mkfifo "$OUT/go"; git config --global filter.slow.smudge 'touch "$OUT/at-work"; cat "$OUT/go"; cat'
             cd "$R"; echo '*.py filter=slow' > .gitattributes; git add .; git commit -qm slow""")
    running = subprocess.Popen([str(ROOT / "scripts/wt"), "new", "x"], cwd=world.R, env={**world.env, **world.paths},
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with running:
        until((world.OUT / "at-work").exists)
        running.kill()
    assert refused(world, "enter", "x")["code"] == "busy"
    (world.OUT / "go").write_text("")
    until(lambda: "locked" not in world.git("worktree", "list", "--porcelain"))
    done(world, "enter", "x", "--reuse")
    assert is_bound(world)


def until(reached: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not reached():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.02)


def judge(world: World, row: Row, held: set[bytes]) -> None:
    """What holds after any kill, and after what the person does next."""
    assert not lost(world, held), "by the kill"
    assert {path for path in named(world, "state.json", "sessions/*.json") if row.makes} <= set(listed(world))
    hook_answers(world)
    assert wt(world, "status").returncode == 0
    ran = wt(world, *row.words)
    if ran.returncode == 0:
        assert row.reached(world), f"done, it says, and it is not: {ran.stdout}"
    else:
        ways_out(world, row, json.loads(ran.stderr))
        assert is_there(world) or (is_gone(world) and not row.makes), f"neither there nor gone: {ran.stderr}"
    assert not lost(world, held), "by the next command"
    assert named(world, "state.json", "sessions/*.json", "worktrees/*.json") <= set(listed(world)), "a record of what is not there"
    assert leftovers(world) == []


def lost(world: World, held: set[bytes]) -> set[bytes]:
    unborn = [file.parent.name for file in world.R.glob(".git/worktrees/*/HEAD") if not file.read_text().strip("0\n")]
    return held - there(world, *(f"--exclude=worktrees/{name}/HEAD" for name in unborn)) - targets_of_links(world)


def ways_out(world: World, row: Row, refusal: dict[str, str]) -> None:
    """Every command that the refusal names works from there; what the first one leaves is looked at."""
    commands = commands_in(refusal["hint"])
    assert set(commands) - {"wt status"}, f"no way out: {refusal}"
    kept = world.root.with_name("kept")
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(world.root, kept, symlinks=True)
    for command in reversed(commands):
        shutil.rmtree(world.root)
        shutil.copytree(kept, world.root, symlinks=True)
        gone_on(world, row, command, refusal)


def gone_on(world: World, row: Row, command: str, refusal: dict[str, str]) -> None:
    """What is not of `wt` mends something, and then the same goes again. git tells of one lock at a time, and a killed one leaves two."""
    words = shlex.split(command)
    if words[0] != "wt":
        world.sh(command)
    ran = wt(world, *words[1:]) if words[0] == "wt" else wt(world, *row.words)
    if ran.returncode and words[0] == "rm":
        refusal = json.loads(ran.stderr)
        command, last = next(one for one in commands_in(refusal["hint"]) if one != "wt status"), command
        assert command.startswith("rm ") and command != last, refusal
        return gone_on(world, row, command, refusal)
    assert ran.returncode == 0, (refusal, command, ran.stderr)


def commands_in(hint: str) -> list[str]:
    """`wt restore a brings it back; wt remove b ends it` -> two commands."""
    parts = [part.strip() for part in re.split(r";|,| or | and ", hint)]
    return [re.split(r" (?:alone|brings|ends|goes|shows|lists|makes|to|again|if|then)\b", part)[0] for part in parts
            if re.match(r"(wt [a-z]|rm |git )", part)]


def hook_answers(world: World) -> None:
    answer = run_hook(json.dumps(world.document("Edit", EDIT)).encode(), world.env, world.R)
    assert (answer.kind in ("allow", "deny"), answer.stderr) == (True, "")


def named(world: World, *patterns: str) -> set[str]:
    """The worktrees that records and living bindings name."""
    records = [json.loads(file.read_text()) for pattern in patterns for file in world.state.glob(pattern)]
    return {record["path"] for record in records if record.get("active", True)}


def leftovers(world: World) -> list[str]:
    """Half-written files, locks of a worktree, entries of the trash that nobody can see: once it is over, all of it is gone.

    A lock of a ref that a killed git leaves is git's own: whoever meets it is told its name.
    """
    found = [path for pattern in ("*.new", "*.partial", ".git/worktrees/*/*.lock") for path in world.R.rglob(pattern)]
    found += [path for path in world.state.glob("trash/*") if not (path / "entry.json").exists()]
    return [str(path.relative_to(world.R)) for path in found]

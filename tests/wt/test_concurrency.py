"""Many at once on one repository: 32 real hook processes, 8 real `wt`, and readers of the state files."""
from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.worlds import ROOT, Answer, World
from tests.wt.test_enter import done, small

SECONDS = 6.0  # after which no further round begins
SESSIONS = [f"5e55{n:04d}-0000-4000-8000-000000000000" for n in range(8)]
EDIT = {"file_path": "{R}/src/app.py", "old_string": "value = 1", "new_string": "value = 2"}


def start(world: World, *words: str, **env: str) -> subprocess.Popen[str]:
    return subprocess.Popen([str(ROOT / "scripts/wt"), *words, "--json"], cwd=world.R, env={**world.env, **env}, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(running: list[subprocess.Popen[str]], statuses: tuple[int, ...] = (0,)) -> list[dict[str, Any]]:
    """What each said, on the one stream that its status calls for."""
    found = []
    for one in running:
        said, complained = one.communicate(timeout=60)
        assert one.returncode in statuses, complained
        assert (said == "", complained == "") == (one.returncode != 0, one.returncode == 0)
        found.append(json.loads(said or complained))
    return found


def sessions(world: World) -> dict[str, str]:
    """Which worktree each session is bound to, by its file."""
    found = {}
    for path in (world.state / "sessions").glob("*.json"):
        record = json.loads(path.read_text())
        assert path.stem == record["session"]
        found[record["session"]] = record["path"]
    return found


@contextmanager
def watched(folder: Path) -> Iterator[list[str]]:
    """Reads all state, over and over. Yields what was no whole document."""
    broken: list[str] = []
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            for path in [folder / "state.json", *folder.glob("sessions/*.json"), *folder.glob("worktrees/*.json")]:
                try:
                    text = path.read_text()
                except FileNotFoundError:
                    continue
                try:
                    json.loads(text)
                except ValueError:
                    broken.append(f"{path}: {text!r}")
            time.sleep(0.002)
    reader = threading.Thread(target=read)
    reader.start()
    try:
        yield broken
    finally:
        stop.set()
        reader.join()


def hooks(world: World, pool: ThreadPoolExecutor, calls: int = 32) -> list[Answer]:
    """Calls of all sessions in turn. `hook` itself holds to exit status 0 and to nothing or one document on stdout."""
    return list(pool.map(lambda n: world.hook("Edit", EDIT, session_id=SESSIONS[n % 8], tool_use_id=f"call-{n}"), range(calls)))


def test_hooks_and_wt_at_once(world: World) -> None:
    begun, rounds = time.monotonic(), 0
    with ThreadPoolExecutor(32) as pool, watched(world.state) as broken:
        while rounds == 0 or time.monotonic() - begun < SECONDS:
            rounds += 1
            entering = [start(world, "enter", "y" if n % 2 else "x", CLAUDE_CODE_SESSION_ID=session) for n, session in enumerate(SESSIONS)]
            answers = hooks(world, pool)
            ended(entering)
            assert sessions(world) == dict(zip(SESSIONS, [str(world.W), str(world.W2)] * 4, strict=True)), "none is lost"
            assert {answer.stderr for answer in answers} == {""}
            assert {answer.kind for answer in answers} <= {"allow", "deny"}, "bound or not yet"
            for n, answer in enumerate(hooks(world, pool, 8)):
                assert (answer.kind, str(world.W2 if n % 2 else world.W) in answer.reason, answer.stderr) == ("deny", True, "")
            mixed = [start(world, "leave", CLAUDE_CODE_SESSION_ID=session) for session in SESSIONS[:4]]
            mixed += [start(world, "enter", "x", CLAUDE_CODE_SESSION_ID=session) for session in SESSIONS[4:]]
            answers = hooks(world, pool)
            ended(mixed)
            assert sessions(world) == {session: str(world.W) for session in SESSIONS[4:]}
            assert {answer.stderr for answer in answers} == {""}
            ended([start(world, "leave", "--all")])
            assert sessions(world) == {}
        assert broken == []
    assert not list(world.state.rglob("*.corrupt"))
    assert not list(world.state.rglob("*.new"))


def test_eight_leave_the_same_binding_at_once(world: World) -> None:
    done(world, "enter", "x")
    answers = ended([start(world, "leave") for _ in range(8)], (0, 2))
    assert sorted(answer["ok"] is True for answer in answers) == [False] * 7 + [True], "one ends it, the others hear that nobody is bound"


@pytest.mark.parametrize("words", [["task-{n}"], [], ["same", "--unique"]], ids=["each its own name", "no name", "one name, counted up"])
def test_eight_new_at_once_all_succeed(tmp_path: Path, words: list[str]) -> None:
    world = small(tmp_path.resolve())
    with watched(world.state) as broken:
        answers = ended([start(world, "new", *(word.replace("{n}", str(n)) for word in words)) for n in range(8)])
    made = [answer["data"] for answer in answers]
    assert len({data["path"] for data in made}) == len({data["branch"] for data in made}) == 8
    rows = [row for row in done(world, "status")["worktrees"] if not row["main"]]
    assert [(row["owned"], any(row["dirty"].values()), row["locked"]) for row in rows] == [(True, False, None)] * 8
    assert (world.R / ".git/info/exclude").read_text().splitlines().count(".worktrees/") == 1
    assert broken == []


def test_eight_enter_one_new_name_at_once_and_share_it(tmp_path: Path) -> None:
    world = small(tmp_path.resolve())
    answers = ended([start(world, "enter", "one", CLAUDE_CODE_SESSION_ID=session) for session in SESSIONS])
    assert sorted(answer["data"]["created"] for answer in answers) == [False] * 7 + [True]
    assert sessions(world) == dict.fromkeys(SESSIONS, str(world.R / ".worktrees/one"))


def test_wt_beside_plain_git_worktree_add(tmp_path: Path) -> None:
    """Somebody else's `git worktree add` takes no lock of ours."""
    world = small(tmp_path.resolve())
    theirs = [subprocess.Popen(["git", "worktree", "add", "-q", "-b", f"theirs-{n}", str(world.OUT / str(n))], cwd=world.R, env=world.env,
                               stderr=subprocess.DEVNULL) for n in range(4)]
    ours = [start(world, "new", f"ours-{n}") for n in range(4)]
    ended(ours)
    assert [one.wait(60) for one in theirs] == [0] * 4
    assert len(done(world, "status")["worktrees"]) == 9

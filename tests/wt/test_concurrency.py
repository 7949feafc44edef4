"""Many at once on one repository: real hooks, eight `wt` and more, plain git, and readers of the state files."""
from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.worlds import ROOT, Answer, World
from tests.wt.surroundings import a_git_that
from tests.wt.test_enter import done, small

SECONDS = 4.0  # after which no further round begins
ROUNDS = 20
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


# A process that has loaded `wt` and runs a command for each line it is given: what a start costs would keep eight of them apart.
READY = """import contextlib, io, json, sys
from guard.edge import disk
from guard.wt import cli, create, making, removal, commands
from guard.wt.commands import enter, leave, new, remove, restore
for line in sys.stdin:
    said, complained = io.StringIO(), io.StringIO()
    disk.forget()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained):
        status = cli.main(json.loads(line))
    print(json.dumps([status, said.getvalue(), complained.getvalue()]), flush=True)
"""


class Hand:
    """One such process; `session` is the agent that it works for."""

    def __init__(self, world: World, session: str = "") -> None:
        env = {**world.env, "PYTHONPATH": str(ROOT), "CLAUDE_CODE_SESSION_ID": session}
        self.running = subprocess.Popen([sys.executable, "-c", READY], cwd=world.R, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)

    def begins(self, *words: str) -> None:
        assert self.running.stdin is not None
        self.running.stdin.write(json.dumps([words[0], "--json", *words[1:]]) + "\n")
        self.running.stdin.flush()

    def data(self) -> dict[str, Any]:
        """Of the command it has begun, which must succeed."""
        assert self.running.stdout is not None
        status, said, complained = json.loads(self.running.stdout.readline())
        assert (status, complained) == (0, "")
        data: dict[str, Any] = json.loads(said)["data"]
        return data


@contextmanager
def crew(world: World, for_sessions: list[str]) -> Iterator[list[Hand]]:
    """One for each session. None of them is waited for longer than two minutes."""
    with ExitStack() as stack:
        hands = [Hand(world, session) for session in for_sessions]
        for hand in hands:
            stack.enter_context(hand.running)
            stack.callback(hand.running.kill)
        limit = threading.Timer(120, lambda: [hand.running.kill() for hand in hands])
        limit.start()
        stack.callback(limit.cancel)
        yield hands


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


def test_twenty_times_eight_creations_beside_removals_and_hooks(world: World) -> None:
    """In each round eight are made, two of the round before are removed, and the hook answers as if nothing were going on."""
    world.bind()
    with crew(world, [*SESSIONS, "", ""]) as hands, watched(world.state) as broken, ThreadPoolExecutor(1) as pool:
        for number in range(ROUNDS):
            asked = pool.submit(world.hook, "Edit", EDIT)
            makers, removers = hands[:8], hands[8:] if number else []
            for n, hand in enumerate(makers):
                hand.begins("new", f"{number}-{n}")
            for n, hand in enumerate(removers):
                hand.begins("remove", f"{number - 1}-{n}")
            made, gone = [hand.data() for hand in makers], [hand.data() for hand in removers]
            assert [one["branch"] for one in made] == [f"wt/{number}-{n}" for n in range(8)]
            assert all(Path(one["path"], "src/app.py").is_file() for one in made)
            assert [(one["branch_deleted"], Path(one["path"]).exists()) for one in gone] == [(True, False)] * len(gone)
            answer = asked.result()
            assert (answer.kind, str(world.W) in answer.reason, answer.stderr) == ("deny", True, "")
        assert broken == []
    data = done(world, "status")
    assert (len(data["worktrees"]), data["trash"]["count"]) == (3 + ROUNDS * 8 - (ROUNDS - 1) * 2, (ROUNDS - 1) * 2)
    assert {(row["stale"], row["locked"], row["making"]) for row in data["worktrees"]} == {(None, None, None)}


def test_entering_making_and_leaving_at_once(world: World) -> None:
    """Each session has one worktree, makes another, enters it, and leaves: none ever gets what is another's."""
    with crew(world, SESSIONS) as hands, watched(world.state) as broken, ThreadPoolExecutor(8) as pool:
        for number in range(3):
            for n, hand in enumerate(hands):
                hand.begins("enter", f"{number}-{n}")
            paths = [hand.data()["path"] for hand in hands]
            assert sessions(world) == dict(zip(SESSIONS, paths, strict=True))
            for n, hand in enumerate(hands):
                hand.begins(*(("leave",) if n % 2 else ("enter", f"{number}-{(n + 2) % 8}")))
            answers = hooks(world, pool, 8)
            assert {(answer.kind, answer.stderr) for answer in answers} <= {("deny", ""), ("allow", "")}
            for hand in hands:
                hand.data()
            assert sessions(world) == {SESSIONS[n]: paths[(n + 2) % 8] for n in range(0, 8, 2)}
        assert broken == []
    assert not list(world.state.rglob("*.corrupt"))


def test_wt_beside_plain_git_worktree_add(tmp_path: Path) -> None:
    """Somebody else's `git worktree add` takes no lock of ours. One after another: two of them at once stop each other now and then."""
    world = small(tmp_path.resolve())
    with crew(world, SESSIONS[:4]) as hands:
        for n, hand in enumerate(hands):
            hand.begins("new", f"ours-{n}")
        theirs = [by_hand(world, f"theirs-{n}") for n in range(4)]
        ours = [hand.data()["path"] for hand in hands]
    assert {row["path"] for row in done(world, "status")["worktrees"]} == {str(world.R), *theirs, *ours}


def by_hand(world: World, name: str) -> str:
    """Plain git; once more where it stops at a worktree that is just being made, whoever makes it (1 of 300 with git 2.39)."""
    words = ["git", "worktree", "add", "-q", "-B", name, str(world.OUT / name)]
    for _ in range(3):
        ran = subprocess.run(words, cwd=world.R, env=world.env, capture_output=True, text=True, timeout=60, check=False)
        if "commondir" not in ran.stderr:
            break
    assert (ran.returncode, ran.stderr) == (0, "")
    return str(world.OUT / name)


STOPS = """case " $* " in *" {command} "*) mkdir "$HOME/stopped" 2>&- && {{ {first}
    echo "fatal: failed to read .git/worktrees/n/commondir: Success" >&2; exit 128; }} ;; esac"""


@pytest.mark.parametrize(("command", "first"), [("worktree list", ""), ("worktree add", ""), ("worktree add", "git branch -q wt/n main;")],
                         ids=["while it looks", "before the branch", "behind the branch"])
def test_a_git_that_stops_at_a_worktree_which_another_git_is_making(tmp_path: Path, command: str, first: str) -> None:
    """As 2.39 does, now and then, when two are at it: once more, and it succeeds."""
    world = small(tmp_path.resolve())
    data = done(world, "new", "n", PATH=a_git_that(world, STOPS.format(command=command, first=first)))
    assert ((world.root / "home/stopped").exists(), data["branch"]) == (True, "wt/n")
    assert world.git("worktree", "list", "--porcelain").count("worktree ") == 2

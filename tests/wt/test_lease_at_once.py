"""Leases under load: many at once, many in turn, and killed at any point."""
from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from guard.wt import acquiring, pool, returning, settling
from guard.wt.repository import open_repository
from guard.wt.sessions import Caller
from guard.wt.store import LOCK_SECONDS
from tests.conftest import Worlds
from tests.worlds import ROOT, World
from tests.wt.killing import Killer, prepare
from tests.wt.leasing import RECEIPT, acquire, give_back, receipt, rows
from tests.wt.test_concurrency import Hand, crew
from tests.wt.test_enter import small, wt
from tests.wt.test_kills import until
from tests.wt.test_remove import listed

ROUNDS, SIZE = 20, 6
OWN = (".git", ".worktrees", "out")  # no files of a checkout
CYCLES = int(os.environ.get("WORKTREE_GUARD_LEASE_CYCLES", "200"))  # 10,000 take a quarter of an hour


@pytest.fixture
def plain(tmp_path: Path) -> World:
    return small(Path(os.path.realpath(tmp_path)))


# --- many at once ----------------------------------------------------------------------------------------------------

def answer(hand: Hand) -> dict[str, Any]:
    """The one document that the command has printed; a refusal has exit status 2."""
    assert hand.running.stdout is not None
    status, said, complained = json.loads(hand.running.stdout.readline())
    assert (status, bool(said), bool(complained)) in ((0, True, False), (2, False, True)), complained
    document: dict[str, Any] = json.loads(said or complained)
    return document


def test_eight_acquire_and_return_at_once_and_no_workspace_has_two_holders(plain: World) -> None:
    """In each round every hand without a lease acquires, and half of those with one return it."""
    (plain.R / ".worktree-guard.json").write_text(json.dumps({"pool": {"size": SIZE}}))
    holds: dict[int, dict[str, Any]] = {}
    refused = 0
    with crew(plain, [""] * 8) as hands:
        for number in range(ROUNDS):
            if number % 3 == 0:
                plain.sh(f"echo 'value = {number}' > src/app.py; git commit -qam {number}", cwd=plain.R)
            back = [n for n in holds if (n + number) % 2]
            begun = time.monotonic()
            for n, hand in enumerate(hands):
                if n in back:
                    hand.begins("lease", "write", "return", "--workspace", holds[n]["path"])
                elif n not in holds:
                    hand.begins("lease", "write", "acquire", "--holder", f"hand-{n}")
            for n, hand in enumerate(hands):
                if n in back:
                    told = answer(hand)
                    assert told["ok"] and told["data"]["lease_id"] == holds.pop(n)["lease_id"]
                elif n not in holds:
                    told = answer(hand)
                    if told["ok"]:
                        holds[n] = told["data"]
                    else:
                        refused += 1
                        assert (told["code"], len(told["details"]["leases"])) == ("none-free", SIZE)
                        assert {one["lease_holder"] for one in told["details"]["leases"]} <= {f"hand-{n}" for n in range(8)}
            assert time.monotonic() - begun < LOCK_SECONDS
            assert len({data["path"] for data in holds.values()}) == len(holds) <= SIZE
            assert {(data["path"], data["lease_id"], data["lease_holder"]) for data in holds.values()} == {
                (one["path"], one["lease_id"], one["lease_holder"]) for one in rows(plain) if one["status"] == "leased"}
            assert all(receipt(data["path"])["lease_id"] == data["lease_id"] for data in holds.values())
            assert all(plain.git("rev-parse", "HEAD", cwd=Path(data["path"])) == data["prepared_head"] for data in holds.values())
    assert refused, "eight never wanted more than there are?"
    for data in holds.values():
        give_back(plain, data["path"])
    assert [one["status"] for one in rows(plain)] == ["available"] * SIZE
    assert not list(plain.state.rglob("*.corrupt"))


# --- many in turn ----------------------------------------------------------------------------------------------------

def left_by(world: World) -> dict[str, Any]:
    """Everything that could pile up: refs, registrations, the names of all files but git's objects."""
    files = {str(path) for path in world.R.rglob("*") if ".git/objects" not in path.as_posix()}
    return {"refs": world.git("for-each-ref", "--format=%(refname)"), "worktrees": world.git("worktree", "list"), "files": files,
            "exclude": (world.R / ".git/info/exclude").read_text(), "open": len(os.listdir("/proc/self/fd"))  # noqa: PTH208
            if Path("/proc/self/fd").is_dir() else 0}


def test_cycles_leave_nothing_behind(plain: World) -> None:
    plain.sh("echo 'value = 2' > src/app.py; git commit -qam two", cwd=plain.R)
    repository, before = open_repository(plain.R), None
    for number in range(CYCLES):
        plain.git("checkout", "-q", "--detach", f"main~{number % 2}")
        data = acquiring.acquired(repository, Caller(None), "h")
        assert returning.returned(repository, data["path"], preserved=False)["receipt_removed"] is True
        if number == 1:  # both commits have been there
            (plain.state / "audit.jsonl.1").touch()  # the log has two files at most, and the second comes after some thousand lines
            before = left_by(plain)
    assert left_by(plain) == before
    assert [one.path for one in pool.stored(repository).workspaces] == [data["path"]]


# --- interrupted -----------------------------------------------------------------------------------------------------

def slow(world: World) -> World:
    """Checking out a file waits for somebody to write into a pipe."""
    world.sh("""mkfifo "$OUT/go"; git config --global filter.slow.smudge 'touch "$OUT/at-work"; cat "$OUT/go"; cat'
             cd "$R"; echo '*.py filter=slow' > .gitattributes; git add .; git commit -qm slow""")
    world.extra.update(world.paths)
    return world


ACQUIRE = ("lease", "write", "acquire", "--holder", "killed")


@contextmanager
def at_work(world: World) -> Iterator[subprocess.Popen[str]]:
    """An acquire in the middle of its checkout, in a process group of its own."""
    with subprocess.Popen([str(ROOT / "scripts/wt"), *ACQUIRE], cwd=world.R, env=world.env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True) as running:
        until((world.OUT / "at-work").exists)
        yield running


def test_interrupted_it_gives_back_what_it_had_begun(plain: World) -> None:
    with at_work(slow(plain)) as running:
        os.killpg(running.pid, signal.SIGINT)
        assert (running.communicate(timeout=60)[0], running.returncode) == ("", 130)
    assert (rows(plain), listed(plain), list((plain.R / ".worktrees").iterdir())) == ([], [str(plain.R)], [])


def test_a_git_that_outlives_its_acquire_is_left_alone_until_it_is_done(plain: World) -> None:
    """Killed alone, as by a client or for want of memory."""
    with at_work(slow(plain)) as running:
        (told,) = rows(plain)
        assert (told["status"], told["lease_holder"], told["note"]) == ("leased", "killed", "a command is acquiring it right now")
        running.kill()
        running.wait()
        assert [one["status"] for one in rows(plain)] == ["locked"]
        repository = open_repository(plain.R)
        with repository.store.locked():
            assert [one.lease and one.lease.step for one in settling.settled(repository)[0].workspaces] == ["acquiring"]
        (plain.OUT / "go").write_text("")
    until(lambda: "locked" not in plain.git("worktree", "list", "--porcelain"))
    assert [one["status"] for one in rows(plain)] in ([], ["available"]), "git 2.39 takes back what nobody waits for"
    plain.sh("git config --global filter.slow.smudge cat")
    assert Path(acquire(plain)["path"]).name == "pool-1"


def test_status_waits_for_nobody(plain: World) -> None:
    data = acquire(plain)
    with open_repository(plain.R).store.locked():
        assert [(one["path"], one["status"]) for one in rows(plain)] == [(data["path"], "leased")]


# --- killed ----------------------------------------------------------------------------------------------------------

def with_work(root: Path) -> World:
    """A leased workspace with commits, staged and new files, and one that only its own open .gitignore hides."""
    world = small(root)
    prepare(world)
    world.sh("""cd "$R"; rm -rf .git/hooks; echo cache/ > .gitignore; echo '*.py filter=stop' > .gitattributes
             echo 'b = 1' > src/b.py; git add -A; git commit -qm more""")
    world.sh("""git commit -q --allow-empty -m own; echo 'b = 3' > src/b.py; git add .; echo new > new; echo .new >> .gitignore
             echo hidden > .new; mkdir cache; echo c > cache/c""", cwd=Path(acquire(world)["path"]))
    return world


def test_a_return_killed_at_any_point_loses_no_work_and_the_next_goes_on(worlds: Worlds, killer: Killer) -> None:
    world = worlds.fresh("lease with work", with_work)
    words = ("lease", "write", "return", "--workspace", str(world.R / ".worktrees/pool-1"), "--confirm-preserved")
    held = kept(world, "--exclude=refs/worktree-guard/*")
    whole = killer.run(world, *words)
    assert whole.status == 0, whole.stderr
    assert sum(point.kind != "in git" for point in whole.points) >= 12, "fewer than there were: does the harness still see them?"
    wrong = {}
    for point in whole.points:
        worlds.fresh("lease with work", with_work)
        assert killer.run(world, *words, stop=point).status == -signal.SIGKILL
        try:
            judge(world, words, held)
        except AssertionError as fault:
            wrong[point] = fault
    assert not wrong, f"{len(wrong)} of {len(whole.points)}\n" + "\n\n".join(f"{point}\n{fault}" for point, fault in wrong.items())


def kept(world: World, *but: str) -> set[str]:
    """Every object that git is held to keep, and every file of a worktree by the name git would give it; but for the receipt."""
    unborn = [file.parent.name for file in world.R.glob(".git/worktrees/*/HEAD") if not file.read_text().strip("0\n")]
    but = (*but, *(f"--exclude=worktrees/{name}/HEAD" for name in unborn))
    found = set(world.git("rev-list", "--objects", "--no-object-names", *but, "--all", "--reflog", "--indexed-objects").split())
    for root in map(Path, listed(world)):
        files = [path for path in root.rglob("*") if path.is_file() and path.relative_to(root).parts[0] not in OWN]
        found |= {hashlib.sha1(b"blob %d\0" % len(body) + body).hexdigest() for body in (path.read_bytes() for path in files)}
    return found


def judge(world: World, words: tuple[str, ...], held: set[str]) -> None:
    """All is there; the same again is done, or was done; and the workspace goes to the next holder."""
    assert not held - kept(world), "lost by the kill"
    ran = wt(world, *words)
    again = json.loads(ran.stdout or ran.stderr)
    assert ran.returncode == 0 or again["code"] in ("no-receipt", "not-leased"), again
    (told,) = rows(world)
    assert (told["status"], (Path(told["path"]) / RECEIPT).exists()) == ("available", False)
    assert not held - kept(world), "lost by the return"
    assert acquire(world)["path"] == told["path"]
    assert not held - kept(world), "lost by the next holder"
    assert not list(world.R.glob(".git/worktrees/*/*.lock"))

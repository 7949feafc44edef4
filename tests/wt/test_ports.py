"""One port a worktree: from the repository's script, its range, or the system; never one that another worktree has."""
from __future__ import annotations

import os
import random
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from guard.wt import ports, steps, worktrees
from guard.wt.errors import WtError
from guard.wt.models import WorktreeRecord
from guard.wt.repository import Repository
from tests.worlds import World
from tests.wt.test_enter import done, record, refused, small, wt
from tests.wt.test_setup import accepted, write

SERVER = """import socket, sys, time
s = socket.socket(); s.bind(("127.0.0.1", int(sys.argv[1]))); s.listen(); print(flush=True); time.sleep(100)"""


@pytest.fixture
def plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """R with worktrees x and y; this process has its environment."""
    world = small(Path(os.path.realpath(tmp_path)))
    for name, value in world.env.items():
        monkeypatch.setenv(name, value)
    for name in "xy":
        done(world, "new", name)
    return World(world.root, world.R, world.R / ".worktrees/x", world.R / ".worktrees/y", world.OUT)


@contextmanager
def held(port: int = 0) -> Iterator[int]:
    """A port that this process listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", port))
        one.listen()
        yield one.getsockname()[1]


@contextmanager
def server(port: int, cwd: Path) -> Iterator[None]:
    """Another process that listens, and stands in `cwd`."""
    with subprocess.Popen([sys.executable, "-c", SERVER, str(port)], cwd=cwd, stdout=subprocess.PIPE) as one:
        assert one.stdout and one.stdout.readline()
        yield
        one.kill()


def free_block(length: int) -> range:
    """Ports below those that the system gives away, all free now."""
    while True:
        start = random.randrange(11000, 30000)
        block = range(start, start + length)
        if all(ports.port_state(port) == "free" for port in block):
            return block


def text(block: range) -> str:
    return f"{block[0]}-{block[-1]}"


def recorded(repository: Repository, path: Path, port: int | None) -> WorktreeRecord:
    found = worktrees.record_of(repository, path)
    assert found
    repository.store.save(worktrees.record_path(repository, path), replace(found, port=port))
    return replace(found, port=port)


# --- is one wanted ----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("settings", [None, {}, {"setup": "true"}, {"ports": 3}])
def test_nobody_asks_for_one(plain: World, settings: object) -> None:
    assert ports.assign(write(plain, settings), plain.W) is None
    assert record(plain, "x")["port"] is None


@pytest.mark.parametrize(("settings", "paseo"), [
    ({"ports": {}}, None), ({"ports": {"range": "no"}}, None), (None, {"worktree": {"servicePorts": {}}}),
    ({"ports": {}}, {"worktree": {"servicePorts": {"range": "4000-4000"}}}),
])
def test_the_system_chooses_where_nothing_else_is_said(plain: World, settings: object, paseo: object) -> None:
    repository = write(plain, settings, paseo)
    one, two = ports.assign(repository, plain.W), ports.assign(repository, plain.W2)
    assert one and two and one != two and 4000 not in (one, two)
    assert (record(plain, "x")["port"], record(plain, "y")["port"]) == (one, two)
    assert ports.taken_ports(repository) == {one, two} and ports.taken_ports(repository, plain.W) == {two}


@pytest.mark.parametrize("paseo", [False, True])
def test_a_range_without_what_is_taken(plain: World, paseo: bool) -> None:
    """Of three, one is a foreign socket's, one the other worktree's; then there is none."""
    block = free_block(3)
    wish = {"range": text(block)}
    repository = write(plain, None, {"worktree": {"servicePorts": wish}}) if paseo else write(plain, {"ports": wish})
    with held(block[1]):
        recorded(repository, plain.W2, block[0])
        assert ports.assign(repository, plain.W) == block[2]
        plain.sh("git worktree add -q .worktrees/z", cwd=plain.R)
        with pytest.raises(WtError, match=f"from {block[0]} to {block[2]}") as caught:
            ports.assign(repository, plain.R / ".worktrees/z")
    assert (caught.value.code, "wt remove" in caught.value.hint) == ("no-port", True)
    assert ports.assign(repository, plain.R / ".worktrees/z") == block[1]


def test_a_removed_worktree_gives_its_port_back(plain: World) -> None:
    block = free_block(1)
    repository = write(plain, {"ports": {"range": text(block)}})
    assert ports.assign(repository, plain.W) == block[0]
    done(plain, "remove", "x")
    assert ports.assign(repository, plain.W2) == block[0]
    done(plain, "restore", "x")
    with pytest.raises(WtError, match="no port is free"):  # rather than two with one port
        ports.assign(repository, plain.W)


@given(st.integers(1, 60000), st.integers(0, 40), st.sets(st.integers(0, 40)))
def test_what_the_range_gives_is_in_it_and_nobody_s(low: int, more: int, others: set[int]) -> None:
    numbers, taken = range(low, low + more + 1), {low + n for n in others}
    try:
        port = ports.in_range(numbers, taken)
    except WtError:
        assert not [n for n in numbers if n not in taken and ports.port_state(n) == "free"]
    else:
        assert port in numbers and port not in taken


def test_eight_at_once_get_eight_ports(plain: World) -> None:
    names = "abcdef"
    for name in names:
        done(plain, "new", name)
    repository = write(plain, {"ports": {"range": text(free_block(8))}})
    paths = [plain.W, plain.W2, *(plain.R / f".worktrees/{name}" for name in names)]
    with ThreadPoolExecutor(8) as pool:
        given_ = list(pool.map(lambda path: ports.assign(repository, path), paths))
    assert len(set(given_)) == 8
    assert given_ == [record(plain, path.name)["port"] for path in paths]


def test_a_worktree_of_somebody_else_gets_one_and_stays_theirs(plain: World) -> None:
    plain.git("worktree", "add", "-q", "-b", "theirs", str(plain.OUT / "theirs"))
    repository = write(plain, {"ports": {}})
    port = ports.assign(repository, plain.OUT / "theirs")
    made = record(plain, "theirs")
    assert (made["port"], made["owned"], made["source"], made["branch"], made["base"]) == (port, False, "adopted", "theirs", "main")
    assert refused(plain, "remove", "theirs")["code"] == "foreign"


# --- a script ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("said", "port"), [
    (b"4000", 4000), (b"4000\n", 4000), (b"4000\r\n", 4000), (b" 1 \n", 1), (b"65535", 65535),
    (b"", None), (b"\n", None), (b"0", None), (b"65536", None), (b"-1", None), (b"4000 4001", None), (b"4000\n4001\n", None),
    (b"4000\n\n", None), (b"port 4000", None), (b"4000x", None), (b"4e3", None), (b"\xd9\xa4", None), (b"123456", None),
])
def test_one_line_with_one_port(said: bytes, port: int | None) -> None:
    assert ports.answered(said) == port


def test_a_script_goes_before_the_range_and_knows_its_worktree(plain: World) -> None:
    script = 'echo a complaint >&2; test "$WT_WORKTREE_PATH" = "$PWD" && test -z "$WT_PORT" && cat "$OUT/port"'
    repository = accepted(plain, {"ports": {"script": script.replace("$OUT", str(plain.OUT)), "range": text(free_block(5))}})
    (plain.OUT / "port").write_text("4000\n")
    assert ports.assign(repository, plain.W) == 4000
    (plain.OUT / "port").write_text("4001\n")
    assert (ports.assign(repository, plain.W), ports.assign(repository, plain.W2)) == (4000, 4001), "a recorded one is used again"


@pytest.mark.parametrize(("script", "why"), [
    ("echo 4000; exit 3", "ended with status 3"), ("echo nothing", "not one port"), ("echo 4000; echo 4001", "not one port"),
    ("head -c 2000 /dev/zero", "more than 1024 bytes"), ("yes", "more than 1024 bytes"), ("echo 4001", "another worktree has"),
    ("no-such-program", "ended with status 127"), ("true", "not one port"),
])
def test_a_script_that_does_not_answer(plain: World, script: str, why: str) -> None:
    repository = accepted(plain, {"ports": {"script": script, "range": text(free_block(5))}})
    recorded(repository, plain.W2, 4001)
    with pytest.raises(WtError, match=why) as caught:
        ports.assign(repository, plain.W)
    assert (caught.value.code, "wt setup" in caught.value.hint, record(plain, "x")["port"]) == ("bad-port", True, None)


def test_a_script_that_hangs_is_ended_with_all_it_started(plain: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "SCRIPT_SECONDS", 0.5)
    repository = accepted(plain, {"ports": {"script": f"sleep 100 & echo $! > {plain.OUT}/pid; wait"}})
    with pytest.raises(WtError, match="took longer than") as caught:
        ports.assign(repository, plain.W)
    assert caught.value.code == "timeout"
    with pytest.raises(ProcessLookupError):
        os.kill(int((plain.OUT / "pid").read_text()), signal.SIGKILL)


def test_a_script_that_nobody_accepted_does_not_run_and_nothing_stands_in_for_it(plain: World) -> None:
    repository = write(plain, {"ports": {"script": "touch asked; echo 4000", "range": text(free_block(5))}})
    assert (ports.assign(repository, plain.W), (plain.W / "asked").exists(), record(plain, "x")["port"]) == (None, False, None)


# --- a port that it has ------------------------------------------------------------------------------------------------

def test_free_or_in_use() -> None:
    with held() as port:
        assert ports.port_state(port) == "in use"
    assert ports.port_state(port) == "free"


def test_old_connections_of_a_port_do_not_keep_it() -> None:
    """The side that ends a connection holds the address for a minute; a server that says so is given it all the same."""
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        port = listening.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as other:
            near, _ = listening.accept()
            near.close()
            assert other.recv(1) == b""
    assert ports.port_state(port) == "free"


def test_a_recorded_port_is_kept_while_it_is_free_or_its_own(plain: World) -> None:
    block = free_block(1)
    repository = write(plain, {"ports": {"range": "1-1"}})
    own = recorded(repository, plain.W, block[0])
    assert ports.port_for(repository, plain.W, own) == block[0]
    with server(block[0], plain.W / "src"):
        assert ports.port_for(repository, plain.W, own) == block[0], "its own server runs"
    with server(block[0], plain.R), pytest.raises(WtError) as caught:
        ports.port_for(repository, plain.W, own)
    assert (caught.value.code, caught.value.details) == ("port-taken", {"port": block[0]})
    assert f"wt setup {plain.W} --new-port" in caught.value.hint and "(" in caught.value.said


def test_the_way_out_of_a_taken_port(plain: World) -> None:
    repository = accepted(plain, {"ports": {}, "setup": "echo $WT_PORT > port"})
    old = ports.assign(repository, plain.W)
    assert old
    with held(old):
        assert refused(plain, "setup", "x", status=1)["code"] == "port-taken"
        assert not (plain.W / "port").exists()
        assert wt(plain, "setup", "x", "--new-port").returncode == 0
    port = record(plain, "x")["port"]
    assert port != old and (plain.W / "port").read_text() == f"{port}\n"


def test_two_records_with_one_port_become_two_ports(plain: World) -> None:
    """As a restore leaves them."""
    block = free_block(3)
    repository = write(plain, {"ports": {"range": text(block)}})
    for path in (plain.W, plain.W2):
        recorded(repository, path, block[0])
    assert ports.assign(repository, plain.W) in block[1:]
    assert ports.assign(repository, plain.W2) == block[0]


def test_the_port_reaches_setup_and_teardown(plain: World) -> None:
    repository = accepted(plain, {"ports": {}, "setup": "echo $WT_PORT", "teardown": "echo $PASEO_WORKTREE_PORT"})
    port = ports.assign(repository, plain.W)
    for run in (steps.set_up, steps.tear_down):
        heard: list[str] = []
        run(repository, plain.W, worktrees.record_of(repository, plain.W), heard.append)
        assert heard[1:] == [str(port)]
        assert shlex.quote(heard[1]) == heard[1]

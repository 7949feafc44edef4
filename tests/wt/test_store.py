"""State on disk: replaced in one step, kept aside when spoilt, written under one lock."""
from __future__ import annotations

import json
import os
import stat
import subprocess
import threading
import time
from pathlib import Path
from typing import Any, NoReturn

import pytest
from msgspec import to_builtins

from guard.edge import disk, records
from guard.wt import store as store_module
from guard.wt.errors import WtError
from guard.wt.lane_manifest import Lane, Manifest
from guard.wt.models import Binding, Permit, Permits, Strict, WorktreeRecord
from guard.wt.pool import Pool, Workspace
from guard.wt.store import Store
from tests.worlds import ROOT, World
from tests.wt.test_enter import ONE, bound_to, done, wt

NASTY = ["../../etc/passwd", "a/b", "a\\b", "..", ".", "a" * 300, "a" * 301, "ü" * 100, "ü" * 101, "a\0b", "con", "a:b", "a%2fb", "lock",
         " ", "\n"]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path)
    made.folder.mkdir()
    return made


def leftovers(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.rglob("*") if p.suffix not in (".json", ".corrupt") and p.is_file() and p.name != "lock")


# --- replaced in one step --------------------------------------------------------------------------------------------

def test_what_is_saved_is_loaded(store: Store) -> None:
    saved = Binding(path="/w é \ud7ff", session=None, protected=[], client_pid=7)
    store.save(store.path("state.json"), saved)
    assert store.load(store.path("state.json"), Binding) == saved
    assert (store.spoilt, leftovers(store.folder)) == ([], [])


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_files_are_for_the_owner_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        store = Store(tmp_path)
        with store.locked():
            store.save(store.session_path("s"), Binding(path="/w"))
    finally:
        os.umask(before)
    modes = [stat.S_IMODE(p.stat().st_mode) for p in (store.folder, store.folder / "sessions", store.session_path("s"))]
    assert modes == [0o700, 0o700, 0o600]


@pytest.mark.parametrize("step", ["fsync", "write", "replace"])
def test_a_write_that_fails_leaves_the_old_file_whole(store: Store, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> NoReturn:
        raise OSError(28, "No space left on device")
    path = store.path("state.json")
    store.save(path, Binding(path="/old"))
    before = path.read_bytes()
    with monkeypatch.context() as patch:
        if step == "fsync":
            patch.setattr("os.fsync", full)
        elif step == "write":
            patch.setattr("msgspec.json.encode", full)
        else:
            patch.setattr(Path, "replace", full)
        with pytest.raises(OSError, match="No space"):
            store.save(path, Binding(path="/new"))
    assert (path.read_bytes(), leftovers(store.folder)) == (before, [])


def test_a_reader_never_sees_half_a_file(store: Store) -> None:
    path = store.path("state.json")
    short, long = Binding(path="/s"), Binding(path="/" + "l" * 100_000)
    store.save(path, short)
    stop, seen, broken = threading.Event(), 0, []

    def read() -> None:
        nonlocal seen
        while not stop.is_set():
            try:
                seen += json.loads(path.read_bytes())["path"] in (short.path, long.path)
            except (OSError, ValueError) as fault:
                broken.append(fault)
    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for n in range(60):
        store.save(path, long if n % 2 else short)
    stop.set()
    for reader in readers:
        reader.join()
    assert broken == []
    assert seen > 60


def test_the_hook_reads_what_wt_writes(store: Store) -> None:
    saved = Binding(path="/w é", session=ONE, client_pid=7, client_started="8", entered_at="2026-01-01T00:00:00Z", ended_at=None)
    path = store.session_path(ONE)
    store.save(path, saved)
    heard: list[str] = []
    disk.forget()
    assert records.binding(disk, str(path), heard) == to_builtins(saved)
    assert heard == []


# --- names -----------------------------------------------------------------------------------------------------------

def test_every_session_has_a_file_of_its_own_inside_the_folder(store: Store) -> None:
    paths = [store.session_path(session) for session in NASTY]
    assert len({str(path).lower() for path in paths}) == len(NASTY)
    for path, session in zip(paths, NASTY, strict=True):
        assert path.parent == store.folder / "sessions"
        assert len(path.name.encode()) <= 100
        if records.is_text(session):
            store.save(path, Binding(path="/w", session=session))
    assert len(list((store.folder / "sessions").iterdir())) == sum(map(records.is_text, NASTY))


# --- spoilt ----------------------------------------------------------------------------------------------------------

SPOILT = [
    b"", b"{", b"null", b"[]", b"7", b"[" * 100_000, b'\xff\xfe{"path": "/w"}', b'{"path": "/w"} {"path": "/w"}', b"{}", b'{"path": 7}',
    b'{"version": 2, "path": "/w"}', b'{"version": true, "path": "/w"}', b'{"path": "/w", "active": "yes"}',
    b'{"path": "/w", "protected": [1]}', b'{"path": "/w", "client_pid": 1.5}',
    b'{"path": "/a\\u0000b"}', b'{"path": "/w", "protected": ["\\u0000"]}',
]


@pytest.mark.parametrize("content", SPOILT, ids=[repr(content[:28]) for content in SPOILT])
def test_a_spoilt_file_counts_as_absent_and_is_kept_aside_by_the_next_write(store: Store, content: bytes) -> None:
    path = store.path("state.json")
    path.write_bytes(content)
    assert store.load(path, Binding) is None
    assert store.spoilt == [path]
    heard: list[str] = []
    disk.forget()
    assert records.binding(disk, str(path), heard) is None, "the hook says the same"
    assert len(heard) == 1
    store.save(path, Binding(path="/new"))
    assert path.with_name("state.json.corrupt").read_bytes() == content
    assert store.load(path, Binding) == Binding(path="/new")


UNREADABLE: list[Strict] = [  # a struct looks at no types when it is made
    Binding(path="/w", client_pid="x"),  # type: ignore[arg-type]
    Manifest(lanes=[Lane(run="r", task="t", path="/w", branch="b", session=5)]),  # type: ignore[arg-type]
    Pool(workspaces=[Workspace(name=1, path="/w")]),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("record", UNREADABLE, ids=lambda record: type(record).__name__)
def test_what_could_not_be_read_back_is_not_written(store: Store, record: Strict) -> None:
    path = store.path("record.json")
    with pytest.raises(ValueError, match="Expected"):
        store.save(path, record)
    assert not path.exists()


RECORDS: list[tuple[str, type[Strict], dict[str, Any]]] = [
    ("a worktree", WorktreeRecord, {"path": "/w"}), ("a workspace", Workspace, {"name": "pool-1", "path": "/w"}),
    ("a lane", Lane, {"run": "r", "task": "t", "path": "/w", "branch": "b"}),
]
ODD = [{"path": "w"}, {"path": ""}, {"path": "/w\0"}, {"branch": "\0"}, {"base": "a\0b"}, {"name": "\0"}]
NO_PLACES = [(f"{what} {odd}", model, {**given, **odd}) for what, model, given in RECORDS for odd in ODD
             if set(odd) <= set(model.__struct_fields__)]


@pytest.mark.parametrize(("model", "given"), [row[1:] for row in NO_PLACES], ids=[row[0] for row in NO_PLACES])
def test_a_nul_or_a_path_that_is_not_in_full_is_spoilt(store: Store, model: type[Strict], given: dict[str, Any]) -> None:
    path = store.path("record.json")
    path.write_text(json.dumps(given))
    assert store.load(path, model) is None
    assert store.spoilt == [path]


def test_a_good_file_is_not_kept_aside(store: Store) -> None:
    for path in ("/one", "/two"):
        store.save(store.path("state.json"), Binding(path=path))
    assert [p.name for p in store.folder.iterdir()] == ["state.json"]


def test_fields_of_a_later_version_do_no_harm(store: Store) -> None:
    store.path("state.json").write_text('{"path": "/w", "colour": "blue"}')
    assert store.load(store.path("state.json"), Binding) == Binding(path="/w")


def test_a_folder_in_a_files_place_is_spoilt_and_kept_aside(store: Store) -> None:
    store.path("allow.json").mkdir()
    assert store.load(store.path("allow.json"), Permits) is None
    store.save(store.path("allow.json"), Permits(entries=[Permit(path="/p")]))
    assert store.path("allow.json.corrupt").is_dir()
    assert store.load(store.path("allow.json"), Permits) == Permits(entries=[Permit(path="/p")])


def test_bindings_are_the_repositorys_then_the_sessions_without_the_spoilt(store: Store) -> None:
    assert store.bindings() == []
    for session in ("b", "a"):
        store.save(store.session_path(session), Binding(path="/w", session=session))
    store.save(store.path("state.json"), Binding(path="/r"))
    store.session_path("c").write_text("{")
    store.session_path("d").with_suffix(".json.x.new").write_text("{")
    assert [b.session for b in store.bindings()] == [None, "a", "b"]
    assert store.spoilt == [store.session_path("c")]


def test_after_a_spoilt_file_wt_goes_on_and_the_hook_has_said_so(world: World) -> None:
    done(world, "enter", "x")
    (world.state / "state.json").write_text('{"path": "/w"')
    answer = world.hook("Edit", {"file_path": "{R}/src/app.py", "old_string": "1", "new_string": "2"})
    assert (answer.kind, "state.json" in answer.stderr) == ("allow", True), "a fault of ours locks nobody out, and is heard"
    done(world, "enter", "y")
    assert bound_to(world) == str(world.W2)
    assert done(world, "status")["spoilt"] == [str(world.state / "state.json.corrupt")]


# --- the lock --------------------------------------------------------------------------------------------------------

def test_who_waits_too_long_is_told(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "LOCK_SECONDS", 0.1)
    with store.locked(), pytest.raises(WtError) as caught, Store(store.folder.parent).locked():
        pass
    assert (caught.value.code, caught.value.status, "wt status" in caught.value.hint) == ("locked", 1, True)
    with store.locked():
        pass


def test_a_fault_inside_frees_the_lock(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "LOCK_SECONDS", 0.1)
    with pytest.raises(KeyboardInterrupt), store.locked():
        raise KeyboardInterrupt
    with store.locked():
        pass


def test_wt_waits_for_another_wt_and_status_does_not(world: World) -> None:
    with Store(world.R / ".git").locked():
        waiting = subprocess.Popen([str(ROOT / "scripts/wt"), "enter", "x"], cwd=world.R, env=world.env, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL)
        assert wt(world, "status").returncode == 0
        time.sleep(0.8)
        waited = waiting.poll() is None and bound_to(world) is None
    assert waiting.wait(30) == 0
    assert waited
    assert bound_to(world) == str(world.W)

"""State in `<common dir>/worktree-guard`: read whole, replaced whole, under one lock. Readers never see half a file."""
from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec
from filelock import FileLock, Timeout

from guard.edge import audit, disk, wire
from guard.edge.records import file_of_session
from guard.wt.causes import of_system
from guard.wt.errors import WtError
from guard.wt.models import Binding, Strict, now

LOCK_SECONDS = 180.0  # longer than the longest git command (guard/wt/git.py, SLOW)
FRESH = ".wt-"  # in the name of a file that we are writing. The hook takes no lock, and puts its process id there (guard/edge/disk.py)
FOLDERS = ("", "sessions/", "worktrees/", "trash/*/")
M = TypeVar("M", bound=Strict)


class Store:
    """The records of one repository. `spoilt` names the files that did not parse."""

    def __init__(self, common: Path) -> None:
        self.folder = common / "worktree-guard"
        self.spoilt: list[Path] = []

    @contextmanager
    def locked(self, seconds: float | None = None) -> Iterator[None]:
        """All that changes state or worktrees happens inside. WtError when somebody holds it for three minutes."""
        try:
            self.folder.mkdir(mode=0o700, exist_ok=True)
            lock = FileLock(self.folder / "lock", timeout=LOCK_SECONDS if seconds is None else seconds, mode=0o600)
            lock.acquire()
        except Timeout:
            raise WtError("another wt has been busy here for three minutes", code="locked",
                          hint="wt status shows what is going on") from None
        except OSError as fault:
            other = WtError(f"state cannot be written: {fault}", code="read-only", hint=f"mend {self.folder}; wt status")
            raise (of_system(fault, "state cannot be written") or other) from None
        try:
            self._swept()
            yield
        finally:
            lock.release()

    def _swept(self) -> None:
        """Deletes what a killed `wt` was writing: inside the lock, nobody else writes such a file."""
        for folder in FOLDERS:
            for left in self.folder.glob(f"{folder}*{FRESH}*.new"):
                with contextlib.suppress(OSError):
                    left.unlink()

    def path(self, name: str) -> Path:
        return self.folder / name

    def session_path(self, session: str) -> Path:
        return self.folder / "sessions" / file_of_session(session)

    def load(self, path: Path, model: type[M]) -> M | None:
        """A record; None when it is absent or spoilt (then it is also in `spoilt`)."""
        try:
            return msgspec.convert(wire.loads(path.read_bytes()), model)  # the hook's reader, so that both see the same
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (ValueError, OSError):
            self.spoilt.append(path)
            return None

    def save(self, path: Path, record: Strict) -> None:
        """Replaces the file in one step, on the disk before it returns. A spoilt one is kept beside as `.corrupt`. Inside the lock.

        ValueError, and nothing written, for what could not be read back: a struct looks at no types when it is made.
        """
        msgspec.convert(msgspec.to_builtins(record), type(record))
        if self.load(path, type(record)) is None and path.exists():
            path.replace(path.with_name(path.name + ".corrupt"))
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = path.with_name(f"{path.name}{FRESH}{os.getpid()}.new")
        fresh.unlink(missing_ok=True)
        try:
            handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n")
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(path)
        except BaseException as fault:
            fresh.unlink(missing_ok=True)
            if isinstance(fault, OSError):
                fault.filename = str(path)  # a write that fails names no file
            raise
        _sync_folder(path.parent)

    def note(self, event: str, **fields: str) -> None:
        """A line in the audit for what a person did; secrets masked. A full disk does not undo it."""
        line = {"at": now(), "event": event, **{name: audit.masked(value) for name, value in fields.items()}}
        with contextlib.suppress(OSError):
            disk.append(str(self.path("audit.jsonl")), json.dumps(line).encode() + b"\n", audit.MOST)

    def bindings(self) -> list[Binding]:
        """The repository's active binding first, then those of sessions, by file name."""
        found = [self.load(self.path("state.json"), Binding)]
        found += [self.load(path, Binding) for path in sorted((self.folder / "sessions").glob("*.json"))]
        return [record for record in found if record is not None]


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)

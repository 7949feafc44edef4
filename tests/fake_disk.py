"""A disk in memory, in any flavour: shows what the hook answers on systems that the tests do not run on. No links."""
from __future__ import annotations

from guard.core.paths import WINDOWS, Flavour, absolute, key, parent


class FakeDisk:
    """`files`: path -> text. Folders are those above a file. Case folds as the flavour says."""

    def __init__(self, flavour: Flavour, files: dict[str, str], home: str = "", variables: dict[str, str] | None = None) -> None:
        self.FLAVOUR = flavour
        self._home = home
        self._variables = variables or {}
        self.files = {key(self._form(path), flavour): text for path, text in files.items()}
        self.folders = set()
        for path in files:
            at = self._form(path)
            while parent(at, flavour) != at:
                at = parent(at, flavour)
                self.folders.add(key(at, flavour))
        self.lines: list[str] = []

    def _form(self, path: str) -> str:
        return absolute(path, "C:\\" if self.FLAVOUR is WINDOWS else "/", "", self.FLAVOUR)

    def kind(self, path: str) -> str | None:
        at = key(path, self.FLAVOUR)
        return "file" if at in self.files else "folder" if at in self.folders else None

    def gone(self, path: str) -> bool:
        return self.kind(path) is None

    def same(self, one: str, two: str) -> bool:
        return key(one, self.FLAVOUR) == key(two, self.FLAVOUR)

    def real(self, path: str) -> str:
        return path

    def existing(self, path: str) -> str:
        while self.kind(path) is None and parent(path, self.FLAVOUR) != path:
            path = parent(path, self.FLAVOUR)
        return path

    def content_or(self, path: str, unreadable: str) -> str | None:
        return self.read(path)

    def read(self, path: str, most: int = 0) -> str | None:
        return self.files.get(key(path, self.FLAVOUR))

    def variable(self, name: str) -> str:
        return self._variables.get(name, "")

    def home(self) -> str:
        return self._home

    def names(self, path: str) -> list[str]:
        start = key(path, self.FLAVOUR) + self.FLAVOUR.sep
        return [file[len(start):] for file in self.files if file.startswith(start) and self.FLAVOUR.sep not in file[len(start):]]

    def now(self) -> str:
        return "2026-01-01T00:00:00Z"

    def started(self, pid: int) -> str | None:
        return None

    def status_of(self, program: list[str], seconds: float, without: frozenset[str]) -> int | None:
        return None

    def make_folder(self, path: str) -> None:
        pass

    def append(self, path: str, line: bytes, most: int) -> None:
        self.lines.append(line.decode())

    def say(self, text: str) -> None:
        self.lines.append(text)

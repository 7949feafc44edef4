"""What the shell reader would hand to git, instead of what git would change. Shared by the tests of the reader."""
from __future__ import annotations

import re
from dataclasses import dataclass, field
from unittest import mock

from hypothesis import HealthCheck, settings

from guard.core.paths import POSIX, Flavour
from guard.core.programs import git
from guard.core.shell import HOLE, WRITTEN, Unreadable
from guard.core.shell.run import Command, Shell, finished

HERE = "/r"  # where a command stands in the made-up world

settings.register_profile("shell", deadline=None, derandomize=True, database=None, print_blob=False,
                          suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
SHELL = settings.get_profile("shell")


@dataclass
class MadeUpWorld:
    """What only the disk knows, told by the test. Has what guard.edge.commands.Surroundings has."""

    folders: tuple[str, ...] = ("/", HERE, "/r/a", "/r/a/b", "/r/s p", "/w", "/tmp", "/home/t")
    files: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=lambda: {"HOME": "/home/t"})
    flavour: Flavour = field(default_factory=lambda: POSIX)

    def variable(self, name: str) -> str:
        return self.variables.get(name, "")

    def is_folder(self, path: str) -> bool:
        return path in self.folders

    def names(self, folder: str) -> list[str]:
        start = folder.rstrip("/") + "/"
        below = [path[len(start):] for path in (*self.folders, *self.files) if path.startswith(start)]
        return [name for name in below if name and "/" not in name]

    def is_there(self, path: str) -> bool:
        return path in self.folders or path in self.files

    def branch(self, folder: str, name: str) -> str:
        return ""

    def remote_head(self, folder: str) -> str:
        return ""

    def content(self, path: str) -> str | None:
        return self.files.get(path)

    def alias(self, folder: str, verb: str) -> str:
        return ""

    def head(self, folder: str) -> str:
        return "main"

    def top(self, folder: str) -> str:
        return HERE


@dataclass(frozen=True)
class Started:
    """One git that would run: what stands behind its global options, and the folders it may run in."""

    argv: tuple[str, ...]
    folders: tuple[str, ...]


@dataclass
class Followed:
    """A text, followed to its end."""

    started: list[Started]
    unread: list[str]
    shell: Shell

    @property
    def argvs(self) -> list[list[str]]:
        return [list(one.argv) for one in self.started]

    @property
    def pairs(self) -> set[tuple[str, tuple[str, ...]]]:
        return {(folder, one.argv) for one in self.started for folder in one.folders}


def follow(text: str, world: object | None = None, folder: str = HERE, given: list[str] | None = None) -> Followed:
    """Follows a text as core/shell/run.py does for a call, and notes each git instead of reading it."""
    started: list[Started] = []

    def noted(command: Command, deep: int = 0) -> str:
        call = git.Git(command)
        words = git.global_options(call, command.argv[1:])
        started.append(Started(tuple([word.translate(WRITTEN) for word in words]), tuple(call.folders)))
        return HOLE

    shell = Shell(world or MadeUpWorld(), folder, [0, 0])
    with mock.patch.object(git, "run", noted):
        try:
            finished(shell, text, given or [])
        except Unreadable as fault:
            shell.unread.append(str(fault))
    return Followed(started, shell.unread, shell)


def fits(predicted: tuple[str, ...], real: tuple[str, ...]) -> bool:
    """A hole stands for anything, also for several arguments or none: unquoted values are split."""
    if HOLE not in "".join(predicted):
        return predicted == real
    pattern = ""
    for word in predicted:
        pattern += "(?:.*\x1f)?" if word == HOLE else ".*".join([re.escape(piece) for piece in word.split(HOLE)]) + "\x1f"
    return re.fullmatch(pattern, "".join([word + "\x1f" for word in real]), re.DOTALL) is not None


def foreseen(followed: Followed, folder: str, argv: tuple[str, ...]) -> bool:
    """Did the reader see that this git can run in this folder?"""
    return any(fits(one.argv, argv) and any(fits((place,), (folder,)) for place in one.folders) for one in followed.started)

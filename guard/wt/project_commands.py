"""The commands that a repository wants to be run, and the ports it asks for: from our settings, else from paseo.json. Nothing runs here."""
from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from guard.edge import wire
from guard.edge.records import is_text
from guard.wt.repository import Repository
from guard.wt.settings import Loaded

Field = tuple[str, Any, str]  # setup, teardown or ports; what is said of it; in which file
KINDS = ("setup", "teardown")
SCRIPT = "ports.script"
PLATFORMS = {"darwin": ("macos", "darwin"), "win32": ("windows", "win32")}  # sys.platform -> its names in the files; else linux


@dataclass(frozen=True)
class Step:
    """One command. `kind`: setup, teardown or ports.script; `file` names it."""

    kind: str
    command: str
    file: str


@dataclass(frozen=True)
class PortWish:
    """Where a port comes from: what the script prints, else one of `numbers`, else the system's choice."""

    numbers: range = range(0)
    script: str = ""


@dataclass(frozen=True)
class Project:
    """All that a repository asks for on this platform. `ports` is None where it wants none."""

    steps: tuple[Step, ...] = ()
    ports: PortWish | None = None
    warnings: tuple[str, ...] = ()

    def commands(self, kind: str) -> list[str]:
        return [step.command for step in self.steps if step.kind == kind]


def project(repository: Repository, platform: str = sys.platform) -> Project:
    """What the main checkout's files ask for. Never fails: what is wrong in them falls back alone, with a warning."""
    other, warnings = in_paseo(repository.home / "paseo.json")
    steps: list[Step] = []
    ports = None
    for name, value, file in preferred(in_settings(repository.loaded), other):
        complaints: list[str] = []
        if name == "ports":
            ports = port_wish(value, complaints)
            steps += [Step(SCRIPT, ports.script, file)] if ports and ports.script else []
        else:
            steps += [Step(name, command, file) for command in commands(name, value, platform, complaints)]
        warnings += [f"{file}: {said}" for said in complaints]
    return Project(tuple(steps), ports, tuple(warnings))


def preferred(own: list[Field], other: list[Field]) -> list[Field]:
    """Our own file goes first: paseo.json counts for commands where ours names none, and for ports where ours names none."""
    groups = (KINDS, ("ports",))
    return [field for group in groups for field in ([f for f in own if f[0] in group] or [f for f in other if f[0] in group])]


def in_settings(loaded: Loaded) -> list[Field]:
    return [(name, to_builtins(getattr(loaded.settings, name)), str(loaded.file)) for name in (*KINDS, "ports") if name in loaded.given]


def in_paseo(path: Path) -> tuple[list[Field], list[str]]:
    """(what its `worktree` says, what is wrong with the file). Its own names for ports become ours."""
    try:
        given = wire.loads(path.read_bytes())
        worktree = given.get("worktree", {}) if isinstance(given, dict) else None
    except (FileNotFoundError, NotADirectoryError):
        return [], []
    except (OSError, ValueError) as fault:
        return [], [f"{path}: {fault}; it is ignored"]
    if not isinstance(worktree, dict):
        return [], [f"{path}: {'worktree: ' if isinstance(given, dict) else ''}not an object; it is ignored"]
    found = {name: worktree[name] for name in KINDS if name in worktree}
    ports = worktree.get("servicePorts", worktree.get("ports"))
    if isinstance(ports, dict):
        ports = {"range": ports.get("range", ""), "script": ports.get("portScript", ports.get("script", ""))}
    if ports is not None or found:  # there, each worktree has a port
        found["ports"] = {} if ports is None else ports
    return [(name, value, str(path)) for name, value in found.items()], []


def commands(name: str, value: Any, platform: str, complaints: list[str]) -> list[str]:
    """The commands of a text, a list of texts, or an object with one of these a platform; none where it is neither."""
    if isinstance(value, dict):
        value = next((value[key] for key in PLATFORMS.get(platform, ("linux",)) if key in value), [])
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(runnable(item) for item in listed):
        complaints.append(f"{name}: neither a command nor a list of commands; nothing of it will run")
        return []
    return [item for item in listed if item.strip()]


def port_wish(value: Any, complaints: list[str]) -> PortWish | None:
    """None where it is no object. A bad range falls back alone, and so does a bad script."""
    if not isinstance(value, dict):
        complaints.append("ports: not an object; no port is given")
        return None
    numbers, script = value.get("range", ""), value.get("script", "")
    if not runnable(script):
        complaints.append("ports.script: not a command; it is left out")
        script = ""
    chosen = port_range(numbers)
    if chosen is None:
        complaints.append(f"ports.range: {numbers!r} is no range such as 3000-3999; it is left out")
    return PortWish(chosen or range(0), script.strip())


def port_range(value: Any) -> range | None:
    """The numbers from 1 to 65535 that a text such as 3000-3999 means, none for ""; None for anything else."""
    if value == "":
        return range(0)
    fits = re.fullmatch(r"\s*([0-9]{1,5})-([0-9]{1,5})\s*", value) if isinstance(value, str) else None
    low, high = (int(fits[1]), int(fits[2])) if fits else (0, 0)
    return range(low, high + 1) if 1 <= low <= high <= 65535 else None


def runnable(value: Any) -> bool:
    """A text that a program can be handed."""
    return isinstance(value, str) and is_text(value) and "\0" not in value

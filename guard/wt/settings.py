"""The owner's settings as `wt` reads them: the same leniency as the hook's, with file, line and field of every complaint."""
from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from msgspec import convert
from msgspec.structs import replace

from guard.core.globs import EVERYTHING
from guard.core.model import SETTINGS_FILES
from guard.edge import wire
from guard.wt.models import PerPlatform, PoolSize, Ports, Settings, Strict, Sync

GROUPS: dict[str, type[Strict]] = {"sync": Sync, "ports": Ports, "pool": PoolSize}  # settings that are objects of settings
OBJECTS: dict[str, type[Strict]] = {**GROUPS, "setup": PerPlatform, "teardown": PerPlatform}
NEW, OLD = "main_write_allow", "main_write_whitelist"  # its name in zcode-worktree-guard
M = TypeVar("M", bound=Strict)


@dataclass(frozen=True)
class Loaded:
    """Settings, the file they came from (None: defaults), what was wrong in it, and which fields it gives."""

    settings: Settings
    file: Path | None
    warnings: tuple[str, ...] = ()
    given: frozenset[str] = frozenset()


def load(folder: Path) -> Loaded:
    """The settings of the main checkout at `folder`. Never fails: a bad field falls back alone."""
    for name in SETTINGS_FILES:
        path = folder / name
        try:
            return _parsed(path.read_bytes(), path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as fault:
            return Loaded(Settings(), path, (f"{path}: {fault}; defaults are used",))
    return Loaded(Settings(), None)


def _parsed(data: bytes, path: Path) -> Loaded:
    try:
        given = wire.loads(data)  # as the hook does, so that both read the same
    except ValueError as fault:
        return Loaded(Settings(), path, (f"{path}: {fault}; defaults are used",))
    text = data.decode()
    settings, complaints = from_document(given)
    if bad_parent(settings.worktree_parent):
        complaints.append(("worktree_parent", f"{settings.worktree_parent!r} can be no folder for worktrees; its default is used"))
        settings = replace(settings, worktree_parent=Settings().worktree_parent)
    if bad_prefix(settings.branch_prefix):
        complaints.append(("branch_prefix", f"{settings.branch_prefix!r} can begin no branch's name; its default is used"))
        settings = replace(settings, branch_prefix=Settings().branch_prefix)
    warnings = [f"{path}:{line_of(text, field)}: {field}: {said}" for field, said in complaints]
    fields = frozenset(given if isinstance(given, dict) else ()) - {field for field, _ in complaints}
    return Loaded(settings, path, tuple(warnings), fields)


def from_document(given: Any) -> tuple[Settings, list[tuple[str, str]]]:
    """Settings from one document, and (field, complaint) for what was left out."""
    if not isinstance(given, dict):
        return Settings(), [("", "settings are not an object; defaults are used")]
    complaints = strangers(given)
    name = OLD if OLD in given and NEW not in given else NEW
    settings = fitted(Settings, given | {NEW: given[OLD]} if name == OLD else given, complaints)
    for pattern in settings.main_write_allow:
        if pattern.strip().removeprefix("!") in EVERYTHING:
            complaints.append((NEW, f"{pattern!r} would open the whole main checkout and is dropped; use mode"))
    return settings, [(name if field == NEW else field, said) for field, said in complaints]


def strangers(given: dict[str, Any]) -> list[tuple[str, str]]:
    known = {"$schema", OLD, *Settings.__struct_fields__}
    nested = {f"{group}.{field}": f'write it as {{"{group}": {{"{field}": …}}}}' for group, model in OBJECTS.items()
              for field in model.__struct_fields__}
    inner = [f"{group}.{field}" for group, model in OBJECTS.items() if isinstance(given.get(group), dict)
             for field in given[group] if field not in model.__struct_fields__]
    return [*((str(field), nested.get(field, "no setting of that name")) for field in given if field not in known),
            *((field, "no setting of that name") for field in inner)]


def fitted(model: type[M], given: dict[str, Any], complaints: list[tuple[str, str]]) -> M:
    """What fits of an object of settings. The rest is left out, each field alone."""
    kept: dict[str, Any] = {}
    for name in [name for name in model.__struct_fields__ if name in given]:
        value = given[name]
        try:
            inner = name in GROUPS and isinstance(value, dict)
            kept[name] = fitted(GROUPS[name], value, complaints) if inner else getattr(convert({name: value}, model), name)
        except ValueError as fault:
            complaints.append((name, f"{fault}; its default is used"))
    return model(**kept)


def bad_parent(folder: str) -> bool:
    """No folder for worktrees: no path at all, somebody's home who is not there, or inside git's own folder."""
    try:
        return "\0" in folder or not folder.strip() or ".git" in Path(folder).expanduser().parts
    except RuntimeError:
        return True


def bad_prefix(prefix: str) -> bool:
    """What git refuses at the beginning of a branch's name (git-check-ref-format(1))."""
    odd = any(char in " ~^:?*[\\" or ord(char) < 32 or ord(char) == 127 for char in prefix)
    return odd or prefix.startswith(("-", "/", ".")) or any(pair in prefix for pair in ("..", "//", "/.", "@{", ".lock/"))


def line_of(text: str, field: str) -> int:
    """The line a field stands on, 1 when it cannot be told."""
    at = next((at for name in (field, field.rpartition(".")[2]) if (at := text.find(json.dumps(name))) >= 0), -1)
    return text.count("\n", 0, at) + 1 if at >= 0 else 1

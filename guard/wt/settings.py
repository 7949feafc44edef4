"""The owner's settings as `wt` reads them: the same leniency as the hook's, with file, line and field of every complaint."""
from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from guard.core.globs import EVERYTHING
from guard.core.model import SETTINGS_FILES
from guard.edge import wire
from guard.wt.models import PoolSize, Ports, Settings, Sync

GROUPS: dict[str, type[BaseModel]] = {"sync": Sync, "ports": Ports, "pool": PoolSize}  # settings that are objects of settings


@dataclass(frozen=True)
class Loaded:
    """Settings, the file they came from (None: defaults), and what was wrong in it."""

    settings: Settings
    file: Path | None
    warnings: tuple[str, ...] = ()


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
        settings = settings.model_copy(update={"worktree_parent": Settings().worktree_parent})
    if bad_prefix(settings.branch_prefix):
        complaints.append(("branch_prefix", f"{settings.branch_prefix!r} can begin no branch's name; its default is used"))
        settings = settings.model_copy(update={"branch_prefix": Settings().branch_prefix})
    warnings = [f"{path}:{line_of(text, field)}: {field}: {said}" for field, said in complaints]
    return Loaded(settings, path, tuple(warnings))


def from_document(given: Any) -> tuple[Settings, list[tuple[str, str]]]:
    """Settings from one document, and (field, complaint) for what was left out."""
    if not isinstance(given, dict):
        return Settings(), [("", "settings are not an object; defaults are used")]
    complaints: list[tuple[str, str]] = []
    known = {"$schema", "main_write_whitelist", *Settings.model_fields}
    nested = {f"{group}.{field}": f'write it as {{"{group}": {{"{field}": …}}}}' for group, model in GROUPS.items()
              for field in model.model_fields}
    complaints += [(str(field), nested.get(field, "no setting of that name")) for field in given if field not in known]
    kept: dict[str, Any] = {field: dict(value) if isinstance(value, dict) else value for field, value in given.items()}
    while True:
        try:
            settings = Settings.model_validate(kept)
            break
        except ValidationError as fault:
            for error in fault.errors():  # several for one field, where it may be of several types
                field = left_out(kept, error["loc"])
                if field not in (other for other, _ in complaints):
                    complaints.append((field, f"{error['msg']}; its default is used"))
    for pattern in settings.main_write_allow:
        if pattern.strip().removeprefix("!") in EVERYTHING:
            complaints.append(("main_write_allow", f"{pattern!r} would open the whole main checkout and is dropped; use mode"))
    return settings, complaints


def left_out(kept: dict[str, Any], at: tuple[int | str, ...]) -> str:
    """Takes the bad field out of the document, alone also where it is one of a group. -> its name"""
    field, inner = str(at[0]), str(at[1]) if len(at) > 1 else ""
    group = kept.get(field)
    if field in GROUPS and isinstance(group, dict) and inner in GROUPS[field].model_fields:
        group.pop(inner, None)
        return inner
    kept.pop(field, None)
    if field == "main_write_allow":  # nor its old name instead: the hook looks at one of the two
        kept.pop("main_write_whitelist", None)
    return field


def bad_parent(folder: str) -> bool:
    """No folder for worktrees: no path at all, somebody's home who is not there, or inside git's own folder."""
    try:
        return "\0" in folder or not folder.strip() or ".git" in Path(folder).expanduser().parts
    except RuntimeError:
        return True


def bad_prefix(prefix: str) -> bool:
    """What git refuses at the beginning of a branch's name (git-check-ref-format(1))."""
    odd = any(char in " ~^:?*[\\" or ord(char) < 32 or ord(char) == 127 for char in prefix)
    return odd or prefix.startswith(("-", "/", ".")) or any(pair in prefix for pair in ("..", "//", "/.", "@{"))


def line_of(text: str, field: str) -> int:
    """The line a field stands on, 1 when it cannot be told."""
    at = text.find(json.dumps(field))
    return text.count("\n", 0, at) + 1 if at >= 0 else 1

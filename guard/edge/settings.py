"""The owner's settings, read from the main checkout: lenient, a bad field falls back alone."""
from guard.core.model import CHOICES, SETTINGS_FILES, Fault, Settings
from guard.core.paths import join
from guard.edge import wire
from guard.edge.records import is_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OLD_NAMES = {"main_write_whitelist": "main_write_allow"}  # as zcode-worktree-guard calls it
NESTED = {"symlink_dirs": "sync"}
_MISSING = object()


def load(disk: "Any", folder: str, heard: "list[str]") -> Settings:
    """Settings of the repository whose main checkout is `folder`; faults go to `heard`."""
    for name in SETTINGS_FILES:
        path = join(folder, name.replace("/", disk.FLAVOUR.sep), disk.FLAVOUR)
        try:
            text = disk.read(path)
            if text is None:
                continue
            given = wire.loads(text.encode("utf-8", "surrogateescape"))
        except (OSError, ValueError) as fault:
            heard.append(f"{path}: {fault}; defaults are used")
            break
        return from_document(given, heard)
    return Settings()


def from_document(given: "Any", heard: "list[str]") -> Settings:
    """One settings document to Settings. Never fails."""
    if not isinstance(given, dict):
        heard.append("settings are not an object; defaults are used")
        return Settings()
    chosen = {}
    for name, default in Settings.DEFAULTS.items():
        try:
            value = _given(given, name)
            if value is not _MISSING:
                chosen[name] = _checked(name, value, default)
        except Fault as fault:
            heard.append(f"setting {name}: {fault}; its default is used")
    return Settings(**chosen)


def _given(given: "dict[str, Any]", name: str) -> "Any":
    group = given.get(NESTED[name], {}) if name in NESTED else given
    if not isinstance(group, dict):
        raise Fault(f"{NESTED[name]} is not an object")
    for old, new in OLD_NAMES.items():
        if new == name and name not in group and old in group:
            return group[old]
    return group.get(name, _MISSING)


def _checked(name: str, value: "Any", default: "Any") -> "Any":
    if name in CHOICES:
        if value not in CHOICES[name] or not isinstance(value, str):
            raise Fault(f"one of {', '.join(CHOICES[name])}")
        return value
    if isinstance(default, tuple):
        if not isinstance(value, list) or not all(isinstance(item, str) and is_text(item) for item in value):
            raise Fault("a list of texts")
        return tuple(value)
    if type(value) is not type(default) or (isinstance(value, str) and not is_text(value)):
        raise Fault("true or false" if isinstance(default, bool) else "a text")
    return value

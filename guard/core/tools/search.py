"""Searches: a folder that may be left out (then the call's own), and a Glob pattern that may itself be absolute."""
from guard.core.model import Effect
from guard.core.tools import path_field, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.model import Call

ROOT_FIELDS = ("path", "dir_path")
WILDCARDS = "*?[{"


def effects(call: "Call", row: "tuple[str, str, bool]") -> "list[Effect]":
    found = []
    pattern = text(call.input.get("pattern"), "pattern") if call.tool == "Glob" else ""
    absolute = pattern[:1] in ("/", "~", "\\") or pattern[1:2] == ":"
    if absolute:
        base, tail = split_pattern(pattern)
        found.append(Effect(kind=row[1], path=base, at=("pattern",), tail=tail, said=call.tool))
    name, path = path_field(call.input, ROOT_FIELDS)
    if path:
        found.append(Effect(kind=row[1], path=path, at=(name,), said=call.tool))
    elif not absolute:
        found.append(Effect(kind=row[1], path=call.cwd, at=(name or "path",), said=call.tool))
    return found


def split_pattern(pattern: str) -> "tuple[str, str]":
    """A pattern's folder before the first wildcard, and the rest with its separator: /r/src/**/*.py -> /r/src, /**/*.py"""
    wild = min([at for at in map(pattern.find, WILDCARDS) if at >= 0], default=-1)
    if wild < 0:
        return pattern, ""
    cut = max(pattern.rfind("/", 0, wild), pattern.rfind("\\", 0, wild))
    return (pattern[:cut] or pattern[:1], pattern[cut:] if cut else pattern[1:]) if cut >= 0 else ("", pattern)

"""Tools with one path in one field: Read, Write, Edit, NotebookEdit."""
from guard.core.model import Effect, Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from guard.core.model import Call

# Clients that borrow each other's hooks send each other's spellings (Copilot runs Claude Code's with `path`).
PATH_FIELDS = ("file_path", "notebook_path", "path", "filePath", "dir_path")


def text(value: "Any", said: str) -> str:
    """A path given as text. "" when there is none; Fault for another type, which the client would refuse as well."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Fault(f"{said} is not a text")
    return value


def path_field(given: "dict[str, Any]", names: "tuple[str, ...]" = PATH_FIELDS) -> "tuple[str, str]":
    """The first field that is there, and its path: ("", "") when none is."""
    for name in names:
        if name in given:
            return name, text(given[name], name)
    return "", ""


def effects(call: "Call", row: "tuple[str, str, bool]") -> "list[Effect]":
    name, path = path_field(call.input)
    if not path:
        return []
    return [Effect(kind=row[1], path=path, at=(name,), makes=row[2], said=call.tool)]

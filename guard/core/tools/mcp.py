"""Tools of MCP servers, known only by their arguments: which of them are paths, and does the tool's name say that it writes?"""
from guard.core.model import SERVER, WRITE, Effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from guard.core.model import Call

WRITES = frozenset(("write", "edit", "create", "replace", "insert", "delete", "move", "rename", "save", "update", "append",
                    "remove", "patch", "apply", "copy", "add", "put", "set", "mkdir", "touch"))
OF_GIT = frozenset(("commit", "reset", "checkout", "switch", "restore", "merge", "rebase", "revert", "stash", "pull"))  # git_commit
PATH_NAMES = frozenset(("path", "paths", "file", "files", "filename", "filepath", "file_path", "relative_path", "absolute_path",
                        "source", "destination", "src", "dst", "target", "target_file", "directory", "dir", "folder",
                        "source_path", "destination_path", "target_path", "output_path", "notebook_path", "old_path", "new_path"))
TEXT_NAMES = frozenset(("content", "contents", "text", "body", "data", "code", "query", "prompt", "message", "old_string",
                        "new_string", "old_text", "new_text", "oldtext", "newtext", "description", "title", "url"))
DEEPEST = 6


def effects(call: "Call", row: "tuple[str, str, bool]") -> "list[Effect]":
    name = words(call.tool.split("__", 2)[-1])
    if not WRITES.intersection(name) and not (name[:1] == ["git"] and OF_GIT.intersection(name)):
        return []
    found = [Effect(kind=WRITE if absolute else SERVER, path=path, at=at, makes=True, said=call.tool)
             for path, at, absolute in paths(call.input, (), "", 0)]
    return found or [Effect(kind=SERVER, said=call.tool)]


def words(name: str) -> "list[str]":
    """write_file, writeFile, write-file -> write, file"""
    apart = "".join("_" + c.lower() if c.isupper() else c if c.isalnum() else "_" for c in name)
    return apart.split("_")


def paths(value: "Any", at: "tuple[Any, ...]", name: str, depth: int) -> "list[tuple[str, tuple[Any, ...], bool]]":
    """(path, where it stands, is it absolute) for each argument that can only be a path."""
    if isinstance(value, str):
        if not value or "\n" in value or "\0" in value or len(value) > 4096 or name in TEXT_NAMES:
            return []
        absolute = value.startswith(("/", "~/")) or value[1:3] in (":\\", ":/")
        if absolute or (name in PATH_NAMES and "://" not in value):
            return [(value, at, absolute)]
        return []
    if depth < DEEPEST:
        if isinstance(value, dict):
            return [p for k, v in value.items() for p in paths(v, (*at, k), str(k).lower(), depth + 1)]
        if isinstance(value, list):
            return [p for i, v in enumerate(value) for p in paths(v, (*at, i), name, depth + 1)]
    return []

"""The tools a guard cares about, by the client's usual name: the shape of their input, and what they do with a path.

A tool that is not here passes. A new tool is a row; a new shape of input is a module in this folder with `effects(call, row)`.
The commonest shape, one path in one field, is here: a module less to load.
"""
from guard.core.model import READ, RUN, SEARCH, UNREAD, WRITE, Effect, Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from guard.core.model import Call

FIELD, SHELL = "", "shell"
# tool: (shape, kind of effect, does it make a file where there is none)
TOOLS: "dict[str, tuple[str, str, bool]]" = {
    "Read": (FIELD, READ, False),
    "Write": (FIELD, WRITE, True),
    "Edit": (FIELD, WRITE, False),
    "MultiEdit": (FIELD, WRITE, False),
    "NotebookEdit": (FIELD, WRITE, False),
    "ApplyPatch": ("operation", WRITE, False),
    "Glob": ("search", SEARCH, False),
    "Grep": ("search", SEARCH, False),
    "LS": ("search", SEARCH, False),
    "Agent": ("subagent", READ, False),
    "EnterWorktree": ("enter_worktree", READ, False),
    "Bash": (SHELL, RUN, False),
    "Monitor": (SHELL, RUN, False),
    "PowerShell": (SHELL, RUN, False),
}
MCP = ("mcp", WRITE, True)  # mcp__SERVER__TOOL, judged by its arguments

# Clients that borrow each other's hooks send each other's spellings (Copilot runs Claude Code's with `path`).
PATH_FIELDS = ("file_path", "notebook_path", "path", "filePath", "dir_path")


def effects(call: "Call", world: "Any" = None) -> "list[Effect]":
    """What this call would do. Fault where a field is not of the type its tool takes. `world()` answers while a command is read."""
    row = MCP if call.tool.startswith("mcp__") else TOOLS.get(call.tool)
    if row is None:
        return []
    if row[0] == FIELD:
        name, path = path_field(call.input)
        return [Effect(kind=row[1], path=path, at=(name,), makes=row[2], said=call.tool)] if path else []
    if row[0] == SHELL:
        from guard.core import shell
        command = text(call.input.get("command"), "command")
        if call.tool == "PowerShell":  # read as far as it is like bash; what it is not passes
            command = command.replace("`\r\n", " ").replace("`\n", " ").replace("\\", "/")
            return [effect for effect in shell.effects(call, command, world()) if effect.kind != UNREAD]
        return list(shell.effects(call, command, world())) if command else []
    shape = __import__(f"guard.core.tools.{row[0]}", fromlist=["effects"])
    return list(shape.effects(call, row))


def path_field(given: "dict[str, Any]", names: "tuple[str, ...]" = PATH_FIELDS) -> "tuple[str, str]":
    """The first field that says something, and its path: ("", "") when none does."""
    for name in names:
        path = text(given.get(name), name)
        if path:
            return name, path
    return "", ""


def text(value: "Any", said: str) -> str:
    """A path given as text. "" when there is none; Fault for another type, which the client would refuse as well."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Fault(f"{said} is not a text")
    return value

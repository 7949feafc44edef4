"""The tools a guard cares about, by the client's usual name: the shape of their input, and what they do with a path.

A tool that is not here passes. A new tool is a row; a new shape of input is a module in this folder with `effects(call, row)`.
Shell tools have no row yet: their commands pass.
"""
from guard.core.model import READ, SEARCH, WRITE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.model import Call, Effect

# tool: (shape, kind of effect, does it make a file where there is none)
TOOLS: "dict[str, tuple[str, str, bool]]" = {
    "Read": ("field", READ, False),
    "NotebookRead": ("field", READ, False),
    "Write": ("field", WRITE, True),
    "Edit": ("field", WRITE, False),
    "MultiEdit": ("field", WRITE, False),
    "NotebookEdit": ("field", WRITE, False),
    "ApplyPatch": ("operation", WRITE, False),
    "Glob": ("search", SEARCH, False),
    "Grep": ("search", SEARCH, False),
    "LS": ("search", SEARCH, False),
    "Agent": ("subagent", READ, False),
    "EnterWorktree": ("enter_worktree", READ, False),
}
MCP = ("mcp", WRITE, True)  # mcp__SERVER__TOOL, judged by its arguments


def effects(call: "Call") -> "list[Effect]":
    """What this call would do to files. Fault where a field is not of the type its tool takes."""
    row = MCP if call.tool.startswith("mcp__") else TOOLS.get(call.tool)
    if row is None:
        return []
    shape = __import__(f"guard.core.tools.{row[0]}", fromlist=["effects"])
    return list(shape.effects(call, row))

"""Claude Code's own EnterWorktree: {"path"} of a registered worktree, or {"name"} of a new one in .claude/worktrees."""
from guard.core.model import ENTER, Effect
from guard.core.tools import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.model import Call


def effects(call: "Call", row: "tuple[str, str, bool]") -> "list[Effect]":
    path = text(call.input.get("path"), "path")
    name = text(call.input.get("name"), "name")
    if path:
        return [Effect(kind=ENTER, path=path, at=("path",), said=call.tool)]
    # feat/x lives in the folder feat+x, as the client makes it (2.1.332). Without a name it picks one: never the bound one.
    return [Effect(kind=ENTER, at=("name",), tail=name.replace("/", "+"), said=call.tool)]

"""SubagentStart: a helper does not see what the session was told at its start, so it is told where to work, in one line."""
from guard.core.model import LOST
from guard.edge.look import Look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from guard.core.model import Call


def answer(document: "dict[str, Any]", call: "Call", client: "ModuleType", disk: "Any") -> "dict[str, Any]":
    repository = Look(disk, call).of_path(call.cwd, writes=False).repository
    bound = repository.binding if repository else None
    if bound is None or bound.condition in LOST:
        return {}
    said = f"worktree-guard: work in {bound.path}; use paths below it, not the main checkout's."
    return dict(client.tell("SubagentStart", {"additionalContext": said}))

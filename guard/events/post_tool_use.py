"""PostToolUse of the client's own EnterWorktree and ExitWorktree: the session's binding follows.

Claude Code 2.1.332: tool_response has worktreePath and worktreeBranch for both.
"""
from guard.core.model import PROTECTED
from guard.edge import repo, sessions
from guard.edge.look import Look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from guard.core.model import Call

BY = "EnterWorktree"


def answer(document: "dict[str, Any]", call: "Call", client: "ModuleType", disk: "Any") -> "dict[str, Any]":
    response = document.get("tool_response")
    path = response.get("worktreePath") if isinstance(response, dict) else None
    tool = document.get("tool_name")
    if not isinstance(path, str) or not call.session or call.agent or tool not in ("EnterWorktree", "ExitWorktree"):
        return {}
    place = call.project if tool == "ExitWorktree" and disk.kind(path) is None else path
    repository = Look(disk, call).of_path(place, writes=False).repository
    if repository is None:
        return {}
    inside = repo.checkout_at(disk, disk.real(path))
    if tool == "EnterWorktree" and (inside is None or not inside.linked):
        return {}  # a binding to it would be stale at once, and keep the session from writing
    held = sessions.load(disk, repository.common, call.session)
    if tool == "EnterWorktree":
        if not (held and held["active"] and not held["ended_at"] and disk.same(held["path"], path)):
            sessions.save(disk, repository.common, entered(path, response, repository.main, call, disk))
    elif held and held["by"] == BY and held["active"]:
        sessions.save(disk, repository.common, {**held, "active": False, "ended_at": disk.now()})
    return {}


def entered(path: str, response: "Any", main: str, call: "Call", disk: "Any") -> "dict[str, Any]":
    """The record that `wt enter` would have written, as far as the client tells."""
    branch = response.get("worktreeBranch")
    pid, started = sessions.process_of(disk)
    return {"version": 1, "active": True, "path": path, "main": main, "branch": branch if isinstance(branch, str) else "", "base": "",
            "protected": list(PROTECTED), "session": call.session, "client": call.client, "client_pid": pid,
            "client_started": started,
            "entered_at": disk.now(), "by": BY, "ended_at": None}

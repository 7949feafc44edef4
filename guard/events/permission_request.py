"""PermissionRequest: gives the session the bound worktree as a working folder, when it lies outside and an agreed call needs it.

Nothing else is answered: only a Read, or a Write in acceptEdits, and only when the client itself suggests a folder or a read rule in
W. A person's ask rule suggests neither, so it stays a question. (permission_suggestions, Claude Code 2.1.332)
"""
from guard.core.paths import inside
from guard.edge.look import Look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from guard.core.model import Call


def answer(document: "dict[str, Any]", call: "Call", client: "ModuleType", disk: "Any") -> "dict[str, Any]":
    tool, given = document.get("tool_name"), document.get("tool_input")
    path = given.get("file_path") if isinstance(given, dict) else None
    wanted = tool == "Read" or (tool == "Write" and document.get("permission_mode") == "acceptEdits")
    if not wanted or not isinstance(path, str):
        return {}
    repository = Look(disk, call).of_path(call.cwd, writes=False).repository
    bound = repository.binding if repository else None
    if bound is None or bound.condition != "there" or not inside(disk.real(path), disk.real(bound.path), disk.FLAVOUR):
        return {}
    if not any(inside(folder, bound.path, disk.FLAVOUR) for folder in suggested(document.get("permission_suggestions"))):
        return {}
    granted = [{"type": "addDirectories", "directories": [bound.path], "destination": "session"}]
    return dict(client.tell("PermissionRequest", {"decision": {"behavior": "allow", "updatedPermissions": granted}}))


def suggested(suggestions: "Any") -> "list[str]":
    """The folders that the client offers to open: of addDirectories, and of read rules such as //repo/wt/**."""
    found: "list[str]" = []
    for one in suggestions if isinstance(suggestions, list) else []:
        if not isinstance(one, dict):
            continue
        if one.get("type") == "addDirectories" and isinstance(one.get("directories"), list):
            found += [folder for folder in one["directories"] if isinstance(folder, str)]
        if one.get("type") == "addRules" and one.get("behavior") == "allow" and isinstance(one.get("rules"), list):
            contents = [rule.get("ruleContent") for rule in one["rules"] if isinstance(rule, dict) and rule.get("toolName") == "Read"]
            found += [text[1:].rstrip("*").rstrip("/") for text in contents if isinstance(text, str) and text.startswith("//")]
    return found

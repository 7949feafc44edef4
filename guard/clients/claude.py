"""Claude Code: nested answers, notes to the model, and rewrites that its own checks spoil for edits.

https://code.claude.com/docs/en/hooks. Measured on 2.1.332: a rewrite without a decision keeps the person's permission prompt;
the client looks at the model's path before the hook and at the new one after it, so Edit must be told the path instead.
"""
from guard.core.model import ASK, DENY, Abilities, Call, Fault, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

NAME = "claude-code"
ABILITIES = Abilities(notes=True, steered=("Edit", "MultiEdit", "NotebookEdit"), steered_if_there=("Write",))
TOOLS = {"Task": "Agent"}  # names that are not the usual ones
PROJECT = "CLAUDE_PROJECT_DIR"  # the folder the session was started in


def read(document: "Any", env: "Callable[[str], str]", name: str = NAME) -> Call:
    """One PreToolUse document to a call. Fault where a field has another type than the client sends."""
    if not isinstance(document, dict):
        raise Fault("the call is not an object")
    tool = text(document, "tool_name")
    handed = document.get("tool_input")
    if not tool:
        raise Fault("the call names no tool")
    if not isinstance(handed, dict):
        raise Fault("tool_input is not an object")
    return place(document, env, name).but(tool=TOOLS.get(tool, tool), input=handed)  # type: ignore[no-any-return]


def place(document: "Any", env: "Callable[[str], str]", name: str = NAME) -> Call:
    """Who and where, of any event's document: a call without a tool."""
    if not isinstance(document, dict):
        raise Fault("the document is not an object")
    return Call(client=name, tool="", input={}, cwd=text(document, "cwd"),
                session=text(document, "session_id") or text(document, "sessionId"), agent=text(document, "agent_id"),
                call_id=text(document, "tool_use_id") or text(document, "toolUseId") or text(document, "toolCallId"),
                project=env(PROJECT))


def text(document: "dict[str, Any]", key: str) -> str:
    value = document.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Fault(f"{key} is not a text")
    return value


def write(verdict: Verdict) -> "dict[str, Any]":
    """A verdict as `hookSpecificOutput`; {} for no opinion."""
    said: "dict[str, Any]" = {}
    if verdict.kind in (DENY, ASK):
        said = {"permissionDecision": verdict.kind, "permissionDecisionReason": verdict.reason}
    if verdict.input is not None:
        said["updatedInput"] = verdict.input
    if verdict.note:
        said["additionalContext"] = verdict.note
    return tell("PreToolUse", said)


def tell(event: str, said: "dict[str, Any]") -> "dict[str, Any]":
    """What to say at an event; {} when there is nothing to say."""
    return {"hookSpecificOutput": {"hookEventName": event, **said}} if said else {}

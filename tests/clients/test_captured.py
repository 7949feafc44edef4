"""Documents of the real clients, read as they came: every capture becomes a call, and every answer has the client's shape."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from guard import clients
from guard.clients import claude, zcode
from guard.core.model import ALLOW, ASK, DENY, REWRITE, Fault, Verdict

CAPTURES: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent.parent / "fixtures/claude-code-2.1.332.json").read_text())


def env(name: str) -> str:
    return {"CLAUDE_PROJECT_DIR": "/repo"}.get(name, "")


@pytest.mark.parametrize("name", CAPTURES)
def test_a_captured_document_becomes_a_call(name: str) -> None:
    document = CAPTURES[name]
    call = claude.read(document, env)
    assert (call.tool, call.input, call.cwd) == (document["tool_name"], document["tool_input"], document["cwd"])
    assert (call.session, call.call_id, call.agent) == (document["session_id"], document["tool_use_id"], document.get("agent_id", ""))
    assert (call.client, call.project) == ("claude-code", "/repo")
    assert clients.recognise(document) == "claude-code"


def test_zcode_sends_every_key_twice() -> None:
    document = {"sessionId": "sess_1", "session_id": "sess_1", "hookEventName": "PreToolUse", "hook_event_name": "PreToolUse",
                "toolName": "Write", "tool_name": "Write", "toolInput": {"file_path": "/a"}, "tool_input": {"file_path": "/a"}, "cwd": "/"}
    assert clients.recognise(document) == "zcode"
    assert zcode.read(document, env).tool == "Write"
    camel = {key: value for key, value in document.items() if "_" not in key}
    call = zcode.read(camel, env)
    assert (call.tool, call.input, call.session, call.client) == ("Write", {"file_path": "/a"}, "sess_1", "zcode")


def test_the_old_name_of_the_subagent_tool() -> None:
    assert claude.read({"tool_name": "Task", "tool_input": {}}, env).tool == "Agent"


@pytest.mark.parametrize("document", [
    None, [], "x", 5, {}, {"tool_name": 5, "tool_input": {}}, {"tool_name": "Write"}, {"tool_name": "Write", "tool_input": "x"},
    {"tool_name": "Write", "tool_input": None}, {"tool_name": "Write", "tool_input": {}, "cwd": 5},
    {"tool_name": "Write", "tool_input": {}, "session_id": ["x"]},
])
@pytest.mark.parametrize("name", clients.CLIENTS)
def test_another_shape_is_a_fault(name: str, document: Any) -> None:
    client = clients.load(name)
    assert client is not None
    with pytest.raises(Fault):
        client.read(document, env)


@pytest.mark.parametrize(("verdict", "expected"), [
    (Verdict(kind=ALLOW), {}),
    (Verdict(kind=ALLOW, note="n"), {"additionalContext": "n"}),
    (Verdict(kind=REWRITE, input={"a": 1}), {"updatedInput": {"a": 1}}),
    (Verdict(kind=REWRITE, input={"a": 1}, note="n"), {"updatedInput": {"a": 1}, "additionalContext": "n"}),
    (Verdict(kind=DENY, reason="r"), {"permissionDecision": "deny", "permissionDecisionReason": "r"}),
    (Verdict(kind=ASK, reason="r"), {"permissionDecision": "ask", "permissionDecisionReason": "r"}),
])
@pytest.mark.parametrize("name", clients.CLIENTS)
def test_an_answer_has_the_shape_the_client_honours(name: str, verdict: Verdict, expected: dict[str, Any]) -> None:
    client = clients.load(name)
    assert client is not None
    written = client.write(verdict)
    assert written == ({"hookSpecificOutput": {"hookEventName": "PreToolUse", **expected}} if expected else {})


def test_every_client_of_the_table_can_be_loaded() -> None:
    for name in clients.CLIENTS:
        client = clients.load(name)
        assert client is not None and name == client.NAME
        assert all(callable(getattr(client, part, None)) for part in ("read", "write", "place", "tell")), name
    assert clients.load("nobody") is None

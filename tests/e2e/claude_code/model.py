"""A model on 127.0.0.1 that says what a test wrote down: Anthropic's Messages API, as much as Claude Code asks of it.

Stateless: the turn is the number of assistant messages in the request, so a repeated request has the same answer. A script belongs
to the conversation whose first message contains its mark, so that helpers have scripts of their own.
"""
from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Turn = list[dict[str, Any]]  # blocks: {"tool": name, "input": {...}} or {"text": "..."}


@dataclass
class Model:
    """`scripts`: mark -> turns; the mark "" fits every conversation, and is tried last. `requests` keeps what was asked."""

    scripts: dict[str, list[Turn]]
    requests: list[dict[str, Any]] = field(default_factory=list)
    url: str = ""

    def reply(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        if not request.get("tools"):
            return [{"type": "text", "text": "ok"}]  # titles and the like
        first = text_of(next((m["content"] for m in request["messages"] if m["role"] == "user"), ""))
        mark = next((mark for mark in sorted(self.scripts, key=len, reverse=True) if mark in first), None)
        turn = sum(message["role"] == "assistant" for message in request["messages"])
        turns = self.scripts.get(mark or "", [])
        blocks = turns[turn] if turn < len(turns) else [{"text": "done"}]
        return [{"type": "tool_use", "id": f"toolu_{mark or 'main'}_{turn}_{n}", "name": block["tool"], "input": block["input"]}
                if "tool" in block else {"type": "text", "text": block["text"]} for n, block in enumerate(blocks)]

    def conversation(self, mark: str = "") -> list[dict[str, Any]]:
        """The messages of the last request that carried this mark."""
        others = [other for other in self.scripts if other and other != mark]
        for request in reversed(self.requests):
            first = text_of(next((m["content"] for m in request["messages"] if m["role"] == "user"), ""))
            if request.get("tools") and mark in first and not any(other in first for other in others):
                return list(request["messages"])
        return []


def text_of(content: Any) -> str:
    """All text in a message's content, results of tools included."""
    if isinstance(content, str):
        return content
    blocks = [block for block in content or [] if isinstance(block, dict)]
    return "\n".join(block.get("text", "") if block.get("type") == "text" else text_of(block.get("content")) for block in blocks)


def events(blocks: list[dict[str, Any]], model: str, number: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """A reply as the server-sent events of the streaming API. Two messages with one id would be one message to the client."""
    usage = {"input_tokens": 1, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    yield "message_start", {"message": {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": model, "content": [],
                                        "stop_reason": None, "stop_sequence": None, "usage": usage}}
    for n, block in enumerate(blocks):
        calls = block["type"] == "tool_use"
        yield "content_block_start", {"index": n, "content_block": {**block, "input": {}} if calls else {"type": "text", "text": ""}}
        said = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])} if calls else None
        delta = said or {"type": "text_delta", "text": block["text"]}
        yield "content_block_delta", {"index": n, "delta": delta}
        yield "content_block_stop", {"index": n}
    stop = "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
    yield "message_delta", {"delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 1}}
    yield "message_stop", {}


@contextmanager
def served(model: Model) -> Iterator[Model]:
    """The model on a free port of 127.0.0.1, for as long as the block runs."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_HEAD(self) -> None:
            self.send_response(200)
            self.end_headers()

        def do_GET(self) -> None:
            self.answer({"data": [], "has_more": False})

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
            if "count_tokens" in self.path or "messages" not in request:
                return self.answer({"input_tokens": 1})
            model.requests.append(request)
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            for kind, data in events(model.reply(request), request.get("model", "model"), len(model.requests)):
                self.wfile.write(f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode())
            return None

        def answer(self, document: dict[str, Any]) -> None:
            data = json.dumps(document).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    model.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

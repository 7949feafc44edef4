"""The events beside PreToolUse, a module each: `answer(document, call, client, disk)` -> what to print, {} for nothing.

They run like the hook: without the environment of `wt`, failing open. `call` is who and where, without a tool.
"""
from guard import clients
from guard.core.model import Fault
from guard.edge import disk as real_disk
from guard.main import placed, serve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EVENTS = ("session_start", "subagent_start", "session_end", "post_tool_use", "permission_request")


def main(arguments: "list[str]", disk: "Any" = real_disk) -> None:
    """`EVENT [--client NAME]`: reads one document from stdin, answers it, ends the process."""
    event = arguments[0] if arguments else ""

    def work(document: "Any", name: str, disk: "Any") -> "Any":
        client = clients.load(name)
        if client is None or event not in EVENTS:
            raise Fault(f"no event {event!r} of a client {name!r}")
        call = placed(client.place(document, disk.variable), disk)
        return __import__(f"guard.events.{event}", fromlist=["answer"]).answer(document, call, client, disk)

    serve(arguments, work, disk)

"""The clients the guard can answer, each a module of its wire shape. Loaded by name: the fifteenth costs a call nothing."""
TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

CLIENTS = {
    "claude-code": "claude",
    "zcode": "zcode",
}


def load(name: str) -> "ModuleType | None":
    """The module of a client: `NAME`, `ABILITIES`, `read(document, env) -> Call`, `write(verdict) -> document`, and for its other events
    `place(document, env) -> Call`, `tell(event, said) -> document`.
    """
    module = CLIENTS.get(name)
    found: "ModuleType | None" = __import__(f"guard.clients.{module}", fromlist=["read"]) if module else None
    return found


def recognise(document: "Any") -> str:
    """Which client sends this shape. ZCode sends each key twice, in camelCase and snake_case."""
    return "zcode" if isinstance(document, dict) and "hookEventName" in document and "hook_event_name" in document else "claude-code"

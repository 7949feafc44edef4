"""ZCode's ApplyPatch: {"callId", "operation": {"type": create_file | update_file | delete_file, "path", "diff"?}}."""
from guard.core.model import WRITE, Effect, Fault
from guard.core.tools import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.model import Call


def effects(call: "Call", row: "tuple[str, str, bool]") -> "list[Effect]":
    operation = call.input.get("operation")
    if not isinstance(operation, dict):
        raise Fault("ApplyPatch without an operation")
    path = text(operation.get("path"), "operation.path")
    if not path:
        raise Fault("ApplyPatch without a path")
    return [Effect(kind=WRITE, path=path, at=("operation", "path"), makes=operation.get("type") == "create_file", said=call.tool)]

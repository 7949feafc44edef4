"""Agent (Task): the prompt may carry paths of the main checkout to a helper that then works there."""
from guard.core.model import MENTION, Effect
from guard.core.tools import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.model import Call


def effects(call: "Call", row: "tuple[str, str, bool]") -> "list[Effect]":
    prompt = text(call.input.get("prompt"), "prompt")
    return [Effect(kind=MENTION, path=prompt, at=("prompt",), said=call.tool)] if prompt else []

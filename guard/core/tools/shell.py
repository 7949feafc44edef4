"""Shell tools: one command text to the effects of every program in it."""
from guard.core.model import UNREAD, Effect
from guard.core.shell.nodes import Unreadable
from guard.core.shell.run import Shell, finished

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from guard.core.model import Call


def effects(call: "Call", command: str, world: "Any") -> "list[Effect]":
    """In the order in which they would happen; what could not be read comes last."""
    shell = Shell(world, call.cwd, [0])
    try:
        finished(shell, command.replace("\0", ""), [])
    except Unreadable as fault:
        shell.unread.append(f"{fault}\n{command}")
    found: "list[Effect]" = shell.found
    for said in shell.unread[:1]:
        why, _, text = said.partition("\n")
        found.append(Effect(kind=UNREAD, path=call.cwd, said=why, refs=(text,)))
    return found

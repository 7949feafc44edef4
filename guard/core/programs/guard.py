"""Our own `wt`: which of its commands are a person's to give is decided in core/rules/persons_leave.py."""
from guard.core.model import PERSON, Effect
from guard.core.shell import HOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.shell.run import Command


def run(command: "Command") -> str:
    words = [word for word in command.argv[1:] if word[:1] != "-"]
    if "--help" not in command.argv and "-h" not in command.argv:
        for folder in command.folders:
            verb, refs = words[0] if words else "status", tuple(words[1:])
            command.shell.add(Effect(kind=PERSON, path=folder, verb=verb, refs=refs, said=command.said,
                                     words=tuple(command.argv[1:])))
    if words[:1] in (["enter"], ["new"]):
        command.shell.made = True
    if words[:1] == ["enter"] and len(words) > 1:
        command.shell.entered = words[1]
    return HOLE

"""sh, bash and their kin: `-c text`, a script file, or standard input. (bash(1), OPTIONS)"""
from guard.core.shell import HOLE
from guard.core.shell.builtins import as_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.shell.run import Command

WITH_VALUE = ("--rcfile", "--init-file")


def run(command: "Command") -> str:
    words, text_follows, from_input = command.argv[1:], False, False
    while words and words[0][:1] in ("-", "+") and words[0] not in ("-", "--"):
        option = words[0]
        takes = option in WITH_VALUE or (option[:2] != "--" and option[-1:] in ("o", "O"))
        words = words[2 if takes else 1:]
        if option in ("--version", "--help", "--command") or option[:2] == "--":
            if option == "--command":  # fish
                text_follows = True
            if option in ("--version", "--help"):
                return HOLE
        elif option[:1] == "-":
            if "n" in option:
                return ""  # only checks the grammar
            text_follows = text_follows or "c" in option
            from_input = from_input or "s" in option
    words = words[1:] if words[:1] in (["-"], ["--"]) else words
    inner = command.shell.copy()
    inner.functions = {name: body for name, body in inner.functions.items() if name in inner.exported}
    inner.aliases, inner.own, inner.in_function = {}, None, False
    inner.variables = {name: value for name, value in inner.variables.items() if name in inner.exported}
    inner.variables.update(command.environment)
    inner.exported = inner.exported | set(command.environment)
    inner.folders = command.folders
    inner.stdin = command.stdin
    if text_follows:
        if not words:
            return ""
        inner.zero = words[1] if len(words) > 1 else "bash"
        return printed(inner, as_code(words[0]), words[2:])
    if from_input or not words:
        if command.stdin is None or command.stdin == HOLE:
            return HOLE
        inner.stdin = None
        return printed(inner, command.stdin, words)
    if words[0].rpartition("/")[2] in ("wt", "worktree-guard"):
        from guard.core.programs import guard
        return guard.run(command.but(words))
    from guard.core.shell.streams import content_of
    inner.zero = words[0]
    content = content_of(inner, words[0])
    if content is None:
        return HOLE
    return printed(inner, content, words[1:])


def printed(inner: "object", text: str, given: "list[str]") -> str:
    from guard.core.shell.run import finished
    return finished(inner, text, given)  # type: ignore[arg-type]

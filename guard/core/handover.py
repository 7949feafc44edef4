"""The session's id for a shell that does not know it: put in front of a command that calls `wt`."""
TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.model import Call

PROGRAMS = ("wt", "worktree-guard")
VERBS = ("enter", "new", "leave", "remove", "restore", "snapshot", "status", "authorize-main", "revoke-main", "allow", "create", "exit",
         "clean", "merge", "setup", "trust", "lease", "lane", "doctor", "explain", "--json")


def handed_over(call: "Call", variable: str) -> "str | None":
    """`wt enter x` -> `export ZCODE_SESSION_ID=<id>; wt enter x`, once, and only for an id that needs no quoting. Else None."""
    command, session = call.input.get("command"), call.session
    if not isinstance(command, str) or not calls_wt(command) or command.startswith(f"export {variable}="):
        return None
    if not session or not all(c.isascii() and (c.isalnum() or c in "._-") for c in session):
        return None
    return f"export {variable}={session}; {command}"


def calls_wt(command: str) -> bool:
    """Our program stands in the command, by name or by path, with one of its verbs behind it."""
    for mark in ";|&()`\n\t\"'":
        command = command.replace(mark, " ")
    words = [word.replace("\\", "/").rpartition("/")[2] for word in command.split(" ") if word]
    return any(word in PROGRAMS and verb in VERBS for word, verb in zip(words, [*words[1:], ""]))

"""Commands that are the shell's own: those that change its state, and those whose output is known. (bash(1), SHELL BUILTIN COMMANDS)"""
from guard.core.shell import HOLE, as_written
from guard.core.shell.expand import MOST, bounded, is_number

NUL = "\5"  # in what a program prints: no argument and no variable can hold one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.shell.run import Command, Shell


def run(command: "Command") -> str:
    """Follows a builtin; gives what it prints."""
    found: str = BUILTINS.get(command.argv[0], nothing)(command.shell, command.argv[1:], command)
    return found


# --- places ----------------------------------------------------------------------------------------------------------

def cd(shell: "Shell", given: "list[str]", command: "Command") -> str:
    operands = [word for word in given if word == "-" or word[:1] != "-"]
    if len(operands) > 1:
        return ""  # bash: too many arguments
    if not operands:
        shell.go([shell.named("HOME") or HOLE])
    elif operands[0] == "-":
        old = shell.variables.get("OLDPWD", HOLE)
        shell.go(list(old) if isinstance(old, list) else [HOLE])
        return HOLE
    else:
        before = list(shell.folders)
        path = shell.value_of("CDPATH", "") if operands[0][:1] not in ("/", ".", HOLE) else ""
        starts = [shell.absolute(start or ".", folder) for start in (path or "").split(":") for folder in shell.folders] if path else []
        targets = [shell.absolute(operands[0], start) for start in starts]
        found = [target for target in targets if HOLE in target or shell.world.is_folder(target)][:1]
        shell.go(found or [shell.absolute(operands[0], folder) for folder in shell.folders])
        shell.variables["OLDPWD"] = before
    return ""


def pushd(shell: "Shell", given: "list[str]", command: "Command") -> str:
    operands = [word for word in given if word[:1] not in ("-", "+")]
    if operands:
        shell.visited = [*shell.visited, shell.folder()]
        cd(shell, operands, command)
    else:
        shell.go([HOLE])
    return ""


def popd(shell: "Shell", given: "list[str]", command: "Command") -> str:
    shell.go([shell.visited[-1] if shell.visited else HOLE], kept=True)
    shell.visited = shell.visited[:-1]
    return ""


def pwd(shell: "Shell", given: "list[str]", command: "Command") -> str:
    return shell.folder() + "\n"


# --- variables -------------------------------------------------------------------------------------------------------

def declare(shell: "Shell", given: "list[str]", command: "Command") -> str:
    """export, declare, typeset, local, readonly. In a function all but export are its own."""
    for word in given:
        name, sign, value = word.partition("=")
        if shell.own is not None and command.argv[0] in ("local", "declare", "typeset") and name not in shell.own:
            shell.own[name] = shell.variables.get(name, shell)
        if command.argv[0] == "export" or "-x" in given:
            shell.exported.add(name.rstrip("+"))
        if sign and name.rstrip("+").replace("_", "a").isalnum():
            shell.variables[name.rstrip("+")] = value if name[-1] != "+" else (shell.value_of(name[:-1], "") or "") + value
    return ""


def unset(shell: "Shell", given: "list[str]", command: "Command") -> str:
    for word in given:
        if word == "-f":
            shell.functions.clear()
        shell.variables[word] = None
    return ""


def read(shell: "Shell", given: "list[str]", command: "Command") -> str:
    """Takes a line off standard input."""
    names = [word for word in given if word[:1] != "-"] or ["REPLY"]
    line, _, rest = (command.stdin or HOLE).partition("\n")
    odd = "IFS" in command.environment or "IFS" in shell.variables
    plain = (HOLE not in line or len(names) == 1) and not (odd and len(names) > 1)
    words = line.split(None, len(names) - 1) if plain else [HOLE] * len(names)
    for n, name in enumerate(names):
        shell.variables[name] = words[n].strip() if n < len(words) else ""
    if command.stdin is not None:
        shell.stdin = rest
    return ""


def mapfile(shell: "Shell", given: "list[str]", command: "Command") -> str:
    """`-C text` is run for every so many lines."""
    if "-C" in given[:-1] and not any(word[:2] == "--" for word in given):
        shell.copy().follow(given[given.index("-C") + 1] + " 0 " + HOLE)
    if given and given[-1][:1] != "-":
        lines = command.stdin.splitlines() if command.stdin is not None and HOLE not in command.stdin else None
        shell.variables[given[-1]] = HOLE if lines is None or len(lines) > MOST else lines
    return ""


def let(shell: "Shell", given: "list[str]", command: "Command") -> str:
    for word in given:
        shell.variables[word.partition("=")[0].rstrip("+-*/%")] = HOLE
    return ""


def positions(shell: "Shell", given: "list[str]", command: "Command") -> str:
    """set -- a b"""
    if len(given) > MOST:
        shell.arguments = [HOLE]
    elif "--" in given:
        shell.arguments = given[given.index("--") + 1:]
    elif given and given[0][:1] not in ("-", "+"):
        shell.arguments = given[:]
    return ""


def shift(shell: "Shell", given: "list[str]", command: "Command") -> str:
    shell.arguments = shell.arguments[int(given[0]) if given and is_number(given[0]) else 1:]
    return ""


# --- texts that are run ----------------------------------------------------------------------------------------------

def evaluate(shell: "Shell", given: "list[str]", command: "Command") -> str:
    words = given[1:] if given[:1] == ["--"] else given
    return shell.follow(as_code(" ".join(words)))


def source(shell: "Shell", given: "list[str]", command: "Command") -> str:
    from guard.core.shell.streams import content_of
    content = content_of(shell, given[0]) if given else None
    if content is None:
        return HOLE
    called, ended, shell.in_function = shell.in_function, shell.ended, True
    printed = shell.call_text(content, given[1:])
    shell.in_function, shell.ended = called, ended
    return printed


def trap(shell: "Shell", given: "list[str]", command: "Command") -> str:
    given = given[1:] if given[:1] == ["--"] else given
    for signal in given[1:]:
        if given[0] == "-":
            shell.traps.pop(signal, None)
        elif given[0][:1] != "-":
            shell.traps[signal] = as_code(given[0])
    return ""


def alias(shell: "Shell", given: "list[str]", command: "Command") -> str:
    for word in given:
        name, sign, text = word.partition("=")
        if sign:
            shell.aliases[name] = text
    return ""


def execute(shell: "Shell", given: "list[str]", command: "Command") -> str:
    """exec [-cl] [-a name] program; without one only its redirections count."""
    while given and given[0][:1] == "-":
        given = given[2 if given[0] == "-a" else 1:]
    if not given:
        return ""
    from guard.core import programs
    printed = programs.start(command.but(given))
    shell.ended = True
    return printed


def by_name(shell: "Shell", given: "list[str]", command: "Command") -> str:
    """command [-p] program, builtin program; -v and -V only ask."""
    while given and given[0][:1] == "-":
        if given[0] != "--" and ("v" in given[0] or "V" in given[0]):
            return (given[1] if len(given) == 2 and given[0] == "-v" else HOLE) + "\n"
        given = given[1:]
    from guard.core import programs
    return programs.start(command.but(given)) if given else ""


# --- what is printed -------------------------------------------------------------------------------------------------

def echo(shell: "Shell", given: "list[str]", command: "Command") -> str:
    escapes, end = False, "\n"
    while given and given[0][:1] == "-" and given[0][1:] and not given[0][1:].strip("neE"):
        escapes = escapes or "e" in given[0]
        end = "" if "n" in given[0] else end
        given = given[1:]
    printed = as_code(" ".join(given)) + end
    return unescaped(printed) if escapes and "\\" in printed else printed


def printf(shell: "Shell", given: "list[str]", command: "Command") -> str:
    """Conversions %s, %b, %d and %%; any other makes the output unknown."""
    if given[:1] == ["-v"] and len(given) > 2:
        shell.variables[given[1]] = printf(shell, given[2:], command)
        return ""
    given = given[1:] if given[:1] == ["--"] else given
    if not given:
        return ""
    form, rest, printed = as_code(given[0]), [as_code(word) for word in given[1:]], []
    pieces = unescaped(form).replace("%%", "\x04").split("%")
    while True:
        printed.append(pieces[0])
        for piece in pieces[1:]:
            if piece[:1] not in ("s", "b", "d"):
                return HOLE
            word = rest.pop(0) if rest else ""
            printed.append((unescaped(word) if piece[0] == "b" else word) + piece[1:])
        if not rest or len(pieces) == 1:
            return bounded("".join(printed).replace("\x04", "%"))


def unescaped(written: str) -> str:
    """\\n and its kin, as echo -e and printf read them."""
    if "\\" not in written:
        return written
    from guard.core.shell.lex import Lexer
    given = Lexer("  " + written.replace("'", "\\'") + "'", [0])
    return given.ansi_quoted().replace("\0\0", NUL)


def nothing(shell: "Shell", given: "list[str]", command: "Command") -> str:
    return ""


def leave(shell: "Shell", given: "list[str]", command: "Command") -> str:
    shell.ended = shell.ended or command.argv[0] != "return" or shell.in_function
    return ""


def as_code(written: str) -> str:
    """An argument as text again: its patterns as they were written, its holes kept."""
    return as_written(written.replace(HOLE, "\x04")).replace("\x04", HOLE)


def shell_quoted(word: str) -> str:
    return "'" + as_code(word).replace("'", "'\\''") + "'"


BUILTINS = {
    "cd": cd, "chdir": cd, "pushd": pushd, "popd": popd, "pwd": pwd,
    "export": declare, "declare": declare, "typeset": declare, "local": declare, "readonly": declare, "unset": unset,
    "read": read, "mapfile": mapfile, "readarray": mapfile, "let": let, "set": positions, "shift": shift,
    "eval": evaluate, "source": source, ".": source, "trap": trap, "alias": alias, "exec": execute, "command": by_name, "builtin": by_name,
    "echo": echo, "printf": printf, "exit": leave, "return": leave, "logout": leave,
}

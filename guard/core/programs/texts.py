"""Programs whose output is known when their input is: `$(cat <<EOF ...)`, `$(dirname x)`, `cat <<EOF | sh`."""
from guard.core.shell import HOLE
from guard.core.shell.expand import bounded
from guard.core.shell.streams import content_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.shell.run import Command

FRESH = "XXXXXXXXXX"  # the part that mktemp makes up


def run(command: "Command") -> str:
    name = command.argv[0].rpartition("/")[2]
    operands = [word for word in command.argv[1:] if word[:1] != "-" or word == "-"]
    found: str = PRINTED.get(name, unknown)(command, operands)
    return found


def unknown(command: "Command", operands: "list[str]") -> str:
    return HOLE


def cat(command: "Command", operands: "list[str]") -> str:
    """Standard input, and files."""
    printed = ""
    for name in operands or ["-"]:
        known = command.stdin if name == "-" else content_of(command.shell, name)
        if known is None:
            return HOLE
        printed += known
    return bounded(printed)


def tee(command: "Command", operands: "list[str]") -> str:
    for name in operands:
        command.shell.write(name, command.said, (), command.folders)
        if name in command.shell.sinks:
            sink = command.shell.copy()
            sink.stdin = command.stdin
            sink.script(sink.sinks[name])
        elif command.stdin is not None and HOLE not in name:
            command.shell.files[command.shell.absolute(name, command.folders[0])] = command.stdin
    return command.stdin if command.stdin is not None else HOLE


def dirname(command: "Command", operands: "list[str]") -> str:
    path = operands[0] if operands else HOLE
    if path[-1:] == HOLE:
        return HOLE
    return (path.rstrip("/").rpartition("/")[0] or ("/" if path[:1] == "/" else ".")) + "\n"


def basename(command: "Command", operands: "list[str]") -> str:
    name = operands[0].rstrip("/").rpartition("/")[2] if operands else HOLE
    if len(operands) > 1 and name.endswith(operands[1]):
        name = name[:-len(operands[1])]
    return name + "\n"


def mktemp(command: "Command", operands: "list[str]") -> str:
    """A fresh path: below the folder for temporary files, or where the template says. No other can have its name."""
    template = operands[-1] if operands else ""
    if template and "t" not in "".join([word for word in command.argv[1:] if word[:1] == "-" and word[:2] != "--"]):
        path = template.rstrip("X") + FRESH
    else:
        path = (command.variable("TMPDIR").rstrip("/") or "/tmp") + "/tmp." + FRESH
    command.shell.has_made(path, command.folders)
    return path + "\n"


def which(command: "Command", operands: "list[str]") -> str:
    return operands[0] + "\n" if len(operands) == 1 else HOLE


def grep(command: "Command", operands: "list[str]") -> str:
    """grep -l, -rl: names of files at or below its operands."""
    options = [word for word in command.argv[1:] if word[:1] == "-"]
    lists = any(word.startswith("--files-with") or (word[:2] != "--" and any(c in word for c in "lL")) for word in options)
    starts = operands[1:]
    return "".join([f"{start.rstrip('/')}/{HOLE}\n" for start in starts]) if lists and starts else HOLE


def real(command: "Command", operands: "list[str]") -> str:
    """realpath, readlink -f: the path in full."""
    options = "".join([word for word in command.argv[1:] if word[:1] == "-"])
    follows = command.argv[0].rpartition("/")[2] == "realpath" or "f" in options or "m" in options
    return command.path(operands[-1], command.folders[0]) + "\n" if operands and follows else HOLE


def ls(command: "Command", operands: "list[str]") -> str:
    """Names of files as they are given; what is in a folder is not known."""
    world = command.shell.world
    plain = [word for word in operands if HOLE not in word and not world.is_folder(command.path(word, command.folders[0]))]
    return "".join([word + "\n" for word in plain]) if plain and len(plain) == len(operands) else HOLE


PRINTED = {"cat": cat, "tee": tee, "dirname": dirname, "basename": basename, "mktemp": mktemp, "which": which,
           "realpath": real, "readlink": real, "ls": ls,
           "grep": grep, "egrep": grep, "rg": grep}

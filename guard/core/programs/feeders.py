"""Programs that start others on their own terms: for each line, each file, at a time, on another machine's behalf."""
from guard.core import programs
from guard.core.shell import HOLE
from guard.core.shell.builtins import NUL, as_code
from guard.core.shell.expand import is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from guard.core.shell.run import Command

XARGS_VALUES = ("-a", "-d", "-E", "-I", "-L", "-n", "-P", "-s", "-R", "-S", "-J", "--arg-file", "--delimiter", "--max-lines", "--max-args",
                "--max-procs", "--max-chars", "--process-slot-var")
PARALLEL_VALUES = ("-j", "-n", "-N", "-I", "-a", "-S", "-d", "-C", "-L", "--jobs", "--colsep", "--arg-file", "--joblog", "--results",
                   "--delay", "--timeout", "--retries", "--max-args", "--max-procs", "--workdir", "--wd", "--delimiter")
MOST_LINES = 16


def run(command: "Command") -> str:
    name = programs.name_of(command.argv[0])
    printed = PROGRAMS[name](command, command.argv[1:])
    return printed or HOLE


def skipped(words: "list[str]", values: "tuple[str, ...]") -> "tuple[list[str], dict[str, str]]":
    """(what stands behind the options, the options given)."""
    given: "dict[str, str]" = {}
    while words and words[0][:1] == "-" and len(words[0]) > 1:
        word, words = words[0], words[1:]
        if word == "--":
            break
        option, sign, value = word.partition("=")
        if word[:2] != "--" and len(word) > 2:
            option, value, sign = word[:2], word[2:], "="
            if option not in values:  # a cluster: its last letter may take a value
                given.update({"-" + letter: "" for letter in word[1:-1]})
                option, value, sign = "-" + word[-1], "", ""
        if option in values and not sign:
            value, words = (words[0] if words else ""), words[1:]
        given[option] = value
    return words, given


def text(command: "Command", code: str) -> None:
    """Has a shell of its own read a text."""
    programs.start_program(command.but(["sh", "-c", code]))


# --- for each line ---------------------------------------------------------------------------------------------------

def xargs(command: "Command", words: "list[str]") -> None:
    words, given = skipped(words, XARGS_VALUES)
    words = words or ["echo"]
    known = command.stdin if command.stdin != HOLE else None
    if known is not None and not known.strip() and ("-r" in given or "--no-run-if-empty" in given):
        return
    mark = given.get("-I", given.get("-J", given.get("--replace", given.get("-i"))))
    mark = "{}" if mark == "" else mark
    inner = command.but([])
    inner.stdin = None
    inner.search = command.shell.searches.get(known or "", ())
    if mark:
        lines = some(known.splitlines()) if known is not None else [HOLE]
        for line in lines:
            started(inner, [word.replace(mark, line.strip()) for word in words])
        return
    operands = [HOLE] if known is None else fed(inner, known, given)
    most = given.get("-n", given.get("--max-args", ""))
    size = int(most) if is_number(most) and int(most) > 0 else max(len(operands), 1)
    for n in range(0, min(max(len(operands), 1), size * MOST_LINES), size):
        started(inner, words + operands[n:n + size])
    if len(operands) > size * MOST_LINES:
        started(inner, words + operands[size * MOST_LINES:])  # the rest at once


def some(lines: "list[str]") -> "list[str]":
    """Not every line of thousands: the first, and one of every folder."""
    folders = {line.rpartition("/")[0]: line for line in lines[MOST_LINES:]}
    return lines[:MOST_LINES] + list(folders.values())[:MOST_LINES]


def fed(command: "Command", known: str, given: "dict[str, str]") -> "list[str]":
    """The operands that xargs takes from its input: words with quotes, lines, or what NULs part."""
    if "-0" in given or "--null" in given:
        return [part.strip("\n") if HOLE in part else part for part in known.split(NUL) if part]
    if "-d" in given or "--delimiter" in given or "-L" in given:
        return [line for line in known.splitlines() if line]
    if "'" in known or '"' in known or "\\" in known:
        from guard.core.programs.wrappers import unquoted
        return [word for line in known.splitlines()[:MOST_LINES] for word in unquoted(command, line.replace("$", "\\$"))]
    return known.split()


def started(command: "Command", words: "list[str]") -> None:
    """Starts a program. What it is fed without our knowing is a file below the folder, if it is one that writes."""
    if words:
        if programs.name_of(words[0]) in programs.WRITERS:
            words = [words[0], *["./" + HOLE if word == HOLE else word for word in words[1:]]]
        inner = command.but(words)
        inner.fed = True
        programs.start_program(inner)


def parallel(command: "Command", words: "list[str]") -> None:
    words, _ = skipped(words, PARALLEL_VALUES)
    marks = [n for n, word in enumerate(words) if word in (":::", ":::+", "::::")]
    template = words[:marks[0]] if marks else words
    if marks:
        lines = words[marks[0] + 1:] if words[marks[0]] == ":::" else [HOLE]
    else:
        lines = command.stdin.splitlines() if command.stdin is not None else [HOLE]
    for line in lines[:MOST_LINES]:
        if line in (":::", "::::"):
            break
        joined = " ".join([as_code(word) for word in template])
        filled = joined.replace("{}", line) if "{}" in joined else f"{joined} {line}".strip()
        text(command, filled)
        if template[1:] and template[-1] in ("-c", "{}"):  # parallel joins its words: `bash -c` gets the line as it is
            started(command, [*[word for word in template if word != "{}"], line])
        elif "-c" in template:
            started(command, template)


def find(command: "Command", words: "list[str]") -> str:
    """-exec program ... ; or +; -delete; -fprint file. What it finds lies below where it starts."""
    at, starts = 0, []
    for word in words:
        if word[:1] in ("-", "(", "!") and word not in ("-H", "-L", "-P"):
            break
        starts += [word] if word[:1] != "-" else []
    starts = starts or ["."]
    while at < len(words):
        if words[at] in ("-exec", "-execdir", "-ok", "-okdir"):
            end = next((n for n in range(at + 1, len(words)) if words[n] in (";", "+")), 0)
            if not end:
                return HOLE  # find stops with an error
            inner = command.but([])
            inner.search = (str(at), *words)
            for start in starts[:MOST_LINES]:
                if words[at] in ("-execdir", "-okdir"):  # in the folder of each file
                    inner.folders = tuple([command.path(f"{start.rstrip('/')}/{HOLE}", folder) for folder in command.folders])
                started(inner, [word.replace("{}", f"{start.rstrip('/')}/{HOLE}") for word in words[at + 1:end]])
            at = end
        elif words[at] == "-delete":
            chosen = [word for word in words if word[:1] == "-" and word not in ("-delete", "-depth", "-mindepth", "-maxdepth", "-xdev")]
            for start in starts:
                search = (start, str(at), *words) if not any(c in start for c in "\1\2\3" + HOLE) else ()
                command.shell.write(start, command.said, ("remove", "below" if chosen else "tree"), command.folders, search)
        elif words[at] in ("-fprint", "-fprintf", "-fls", "-fprint0") and at + 1 < len(words):
            command.shell.write(words[at + 1], command.said, (), command.folders)
        at += 1
    printed = "".join([f"{start.rstrip('/')}/{HOLE}\n" for start in starts])
    command.shell.searches[printed] = ("", *words)
    return printed


# --- later, or elsewhere ---------------------------------------------------------------------------------------------

def watch(command: "Command", words: "list[str]") -> None:
    words, given = skipped(words, ("-n", "-q", "--interval", "--equexit"))
    if "-x" in given or "--exec" in given:
        started(command, words)
    elif words:
        text(command, " ".join([as_code(word) for word in words]))


def flock(command: "Command", words: "list[str]") -> None:
    words, _ = skipped(words, ("-w", "-E", "--timeout", "--wait", "--conflict-exit-code"))
    words = words[1:]
    if words[:1] in (["-c"], ["--command"]):
        text(command, as_code(" ".join(words[1:])))
    else:
        started(command, words)


def with_text(command: "Command", words: "list[str]") -> None:
    """su, runuser: -c text, or a script on standard input; script: -c text, or a program behind the file."""
    for n, word in enumerate(words[:-1]):
        if word == "--command" or (word[:1] == "-" and word[:2] != "--" and word[-1] == "c"):
            text(command, as_code(words[n + 1]))
            return
    for word in words:
        if word.startswith("--command="):
            text(command, as_code(word[10:]))
            return
    operands = [word for word in words if word[:1] != "-"]
    if programs.name_of(command.argv[0]) == "script":
        started(command, operands[1:])
    elif command.stdin is not None:
        text(command, command.stdin)


def entr(command: "Command", words: "list[str]") -> None:
    words, given = skipped(words, ())
    if "-s" in given:
        text(command, as_code(" ".join(words)))
    else:
        started(command, words)


def on_input(command: "Command", words: "list[str]") -> None:
    """at, batch: a script on standard input."""
    if command.stdin is not None:
        text(command, command.stdin)


def remote(command: "Command", words: "list[str]") -> None:
    """ssh and its kin run these options here; what runs on the other machine is not ours."""
    for n, word in enumerate(words):
        after = words[n + 1] if n + 1 < len(words) else ""
        value = ""
        if word[:2] == "--":
            value = word.partition("=")[2] if word.startswith("--rsh=") else after if word == "--rsh" else ""
        elif word[:1] == "-" and "o" in word:
            value = word.partition("o")[2] or after
        elif word[:1] == "-" and word[-1:] == "e":
            value = after
        key, sign, program = value.replace(" ", "=", 1).partition("=") if "=" not in value.partition(" ")[0] else value.partition("=")
        if sign and key.strip().lower() in ("proxycommand", "localcommand", "knownhostscommand"):
            text(command, as_code(program))
        elif value and (word[:2] == "--" or word[-1:] == "e"):
            text(command, as_code(value))


def socat(command: "Command", words: "list[str]") -> None:
    for word in words:
        kind, _, program = word.partition(":")
        if kind.upper() in ("EXEC", "SYSTEM"):
            text(command, as_code(program).partition(",")[0].replace('\\"', "'").replace('"', "'"))


PROGRAMS: "dict[str, Callable[[Command, list[str]], str | None]]" = {
    "xargs": xargs, "parallel": parallel, "find": find, "watch": watch, "entr": entr, "flock": flock,
            "script": with_text, "su": with_text, "runuser": with_text, "ssh": remote, "scp": remote, "sftp": remote, "rsync": remote,
            "socat": socat,
            "at": on_input,
            "batch": on_input}

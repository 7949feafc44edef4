"""python -c, node -e, ruby -e, perl -e, awk: where the text of the program is. `code_text` reads it, for `code_calls` and `code_writes`."""
from guard.core import programs
from guard.core.shell import HOLE
from guard.core.shell.builtins import as_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.programs.code_names import Names
    from guard.core.programs.code_text import Code
    from guard.core.shell.run import Command

CODE = {"python": "c", "pypy": "c", "node": "ep", "nodejs": "ep", "ruby": "e", "perl": "eE", "php": "r", "lua": "e", "bun": "e",
        "osascript": "e"}
LONG = ("--eval", "--print", "--run")
DEEPEST = 2  # texts in texts
AWKS = ("awk", "gawk", "mawk", "nawk")


def run(command: "Command") -> str:
    name = programs.name_of(command.argv[0])
    letters = [word.partition("e")[0] for word in command.argv[1:] if word[:1] == "-" and word[:2] != "--"]
    if name in ("perl", "ruby") and any("i" in word for word in letters):
        in_place(command, command.argv[1:])
    code = code_in(command, name)
    if code is None or code == HOLE:
        return programs.unknown(command, name) if name not in AWKS else HOLE
    follow(command, as_code(code), name)
    return HOLE


def follow(command: "Command", text: str, name: str, depth: int = 0) -> None:
    """What the text of a program writes and starts, and the texts in it that it runs as programs of its own."""
    from guard.core.programs import code_calls, code_names, code_text, code_writes
    code = code_text.Code(text, name)
    names = code_names.Names(code)
    if name in AWKS:
        awk_writes(command, code, names)
    else:
        command.shell.made = True
        programs.noted(command, name)
        command = standing_in(command, code_writes.folder_of(code, names))
        for path, flags in code_writes.written(code, names):
            command.shell.write(path, command.said, flags, command.folders)
    for folder, words in code_calls.started(code, names):
        programs.start_program(standing_in(command, folder).but(words if len(words) > 1 else ["sh", "-c", words[0]]))
    for inner in code_calls.evaluated(code, names) if depth < DEEPEST else ():
        follow(command, inner, name, depth + 1)


def code_in(command: "Command", name: str) -> "str | None":
    """The text that is run: on the command line, on standard input, or in a script that this text has written itself."""
    words = command.argv[1:]
    if name in AWKS:
        return awk_code(words)
    code, operands = code_of(name, words), [word for word in words if word[:1] != "-"]
    if code is None and not operands:
        return command.stdin
    if code is None and HOLE not in operands[0]:
        return command.shell.files.get(command.path(operands[0], command.folders[0]))
    return code


def standing_in(command: "Command", folder: str) -> "Command":
    """The same from another folder: os.chdir('folder'), cwd='folder'."""
    if not folder:
        return command
    other = command.but(command.argv)
    other.folders = tuple([command.path(folder, start) for start in command.folders])
    return other


def awk_writes(command: "Command", code: "Code", names: "Names") -> None:
    """print > "path" """
    from guard.core.programs.code_calls import places
    for at in places(code.bare, ">"):
        for path in names.literals(at + 1 + (code.bare[at + 1:at + 2] == ">"))[:1]:
            command.shell.write(path, command.said, (), command.folders)


def in_place(command: "Command", words: "list[str]") -> None:
    """perl -i, -pi, -i.bak: the files behind the text."""
    from guard.core.programs.writers import operands, written
    given = [word for word in words if word[:1] == "-" and word[:2] != "--" and word[-1] in "eE"]
    written(command, operands(words, given)[0 if given else 1:])


def code_of(name: str, words: "list[str]") -> "str | None":
    """The program text on the command line; None when there is none."""
    letters = CODE.get(name, "e")
    for n, word in enumerate(words):
        option, sign, value = word.partition("=")
        if option in LONG or (name in ("deno", "bun") and word == "eval"):
            return value if sign else words[n + 1] if n + 1 < len(words) else ""
        if word[:1] == "-" and word[:2] != "--":
            if word[-1] in letters and word[1:].isalpha():  # -c, -we, -pe
                return words[n + 1] if n + 1 < len(words) else ""
            at = next((m for m in range(1, len(word)) if word[m] in letters), 0)
            if at and (at == 1 or word[1:at].isalpha()):
                return word[at + 1:]
        elif word[:1] != "-" and name not in ("deno", "bun"):
            return None  # a script file
    return None


def awk_code(words: "list[str]") -> "str | None":
    n = 0
    while n < len(words) and words[n][:1] == "-" and words[n] != "--":
        if words[n][:2] == "-f" or words[n].startswith("--file"):
            return None
        n += 2 if words[n] in ("-F", "-v") else 1
    return words[n] if n < len(words) else None

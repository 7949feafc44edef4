"""python -c, node -e, ruby -e, perl -e, awk: the commands that their text hands to a shell as literals. Computed ones stay unseen."""
from guard.core import programs
from guard.core.shell import HOLE
from guard.core.shell.builtins import as_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.shell.run import Command

CODE = {"python": "c", "pypy": "c", "node": "ep", "nodejs": "ep", "ruby": "e", "perl": "eE", "php": "r", "lua": "e", "bun": "e",
        "osascript": "e"}
LONG = ("--eval", "--print", "--run")
AWKS = ("awk", "gawk", "mawk", "nawk")
# What hands a text, or a list of arguments, to a shell or a program.
CALLS = ("system", "popen", "Popen", "run", "call", "check_call", "check_output", "getoutput", "getstatusoutput", "exec", "execSync",
         "spawn", "spawnSync", "execFile", "execFileSync", "execv", "execvp", "execl", "execlp", "spawnlp", "shell_exec", "passthru",
         "proc_open", "execute", "capture2", "capture3", "qx", "sh", "shell script")
MOST, LONGEST = 40, 4096
WITH_ARGV0 = ("execv", "execvp", "execl", "execlp", "spawnlp")  # the program comes twice
CLOSING = {"(": ")", "{": "}", "[": "]", "<": ">", "!": "!", "/": "/", "|": "|"}


def run(command: "Command") -> str:
    name = programs.name_of(command.argv[0])
    letters = [word.partition("e")[0] for word in command.argv[1:] if word[:1] == "-" and word[:2] != "--"]
    if name in ("perl", "ruby") and any("i" in word for word in letters):
        in_place(command, command.argv[1:])
    code = code_in(command, name)
    if code is None or code == HOLE:
        return programs.unknown(command, name) if name not in AWKS else HOLE
    code = as_code(code)
    if name in AWKS:
        awk_writes(command, code)
    else:
        command.shell.made = True
        programs.noted(command, name)
        from guard.core.programs import code_writes
        command = standing_in(command, code_writes.folder_of(code))
        for path, flags in code_writes.written(code):
            command.shell.write(path, command.said, flags, command.folders)
    for words in calls(code, name):
        inside = words[0][4:] if words[0][:4] == "cwd=" else ""
        words = words[1:] if inside else words  # noqa: PLW2901
        programs.start_program(standing_in(command, inside).but(words if len(words) > 1 else ["sh", "-c", words[0]]))
    return HOLE


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


def awk_writes(command: "Command", code: str) -> None:
    """print > "path" """
    for at in places(code, ">"):
        for path in literals(code, at + 1 + (code[at + 1:at + 2] == ">"))[:1]:
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


def calls(code: str, name: str) -> "list[list[str]]":
    """[text] for a shell, or [program, argument, ...], for each call with literals."""
    found: "list[list[str]]" = []
    for call in CALLS:
        for at in places(code, call):
            after = code[at + len(call):at + len(call) + 1]
            if after in ("(", " ", '"', "'", "`") and after and not (code[at - 1:at].isalnum() or code[at - 1:at] == "_"):
                words = literals(code, at + len(call))
                if call in WITH_ARGV0 and len(words) > 1:
                    words = [words[0], *words[2:]]
                found += [[*folder_given(code, at), *words]] if words else []
    if name in ("ruby", "perl", "php"):
        found += [[text] for text in code.split("`")[1:MOST:2]]
        for mark in ("%x", "qx"):
            for at in places(code, mark):
                close = CLOSING.get(code[at + 2:at + 3], "")
                end = code.find(close, at + 3) if close else -1
                found += [[code[at + 3:end]]] if end > 0 else []
        for at in places(code, "open("):
            found += [[text.strip().strip("|")] for text in literals(code, code.find(",", at)) if text.strip().endswith("|")]
    if name in AWKS:
        for at in places(code, "|"):
            found += [[text] for text in [literal_before(code, at), *literals(code, at + 1)[:1]] if text]
    return found


def folder_given(code: str, at: int) -> "list[str]":
    """cwd='folder', cwd: "folder" among the arguments of a call."""
    near = code[at:at + 300].partition("\n\n")[0]
    for mark in ("cwd=", "cwd:"):
        found = near.find(mark)
        if found >= 0:
            words = literals(near, found + 4)
            return ["cwd=" + words[0]] if words else []
    return []


def places(code: str, mark: str) -> "list[int]":
    found: "list[int]" = []
    at = code.find(mark)
    while at >= 0 and len(found) < MOST:
        found.append(at)
        at = code.find(mark, at + 1)
    return found


def literals(code: str, at: int) -> "list[str]":
    """String literals from here on, past brackets and commas: one text, or a list of arguments."""
    found: "list[str]" = []
    code, at, listed = code[at:at + LONGEST], 0, False
    while at < len(code):
        c = code[at]
        if c in "'\"`":
            end, text = at + 1, []
            while end < len(code) and code[end] != c:
                if code[end] == "\\" and end + 1 < len(code):
                    end += 1
                text.append(code[end])
                end += 1
            found.append("".join(text))
            at = end + 1
            rest = code[at:at + 8].lstrip()
            if rest[:1] != "," or not (listed or rest[1:].lstrip()[:1] in ("[", "'", '"')):
                return found
        elif c in "[ (\n,rbf":
            listed = listed or c == "["
            at += 1
        else:
            return found
    return found


def literal_before(code: str, at: int) -> str:
    end = at
    while end > 0 and code[end - 1] in " \t":
        end -= 1
    if end < 2 or code[end - 1] != '"':
        return ""
    start = code.rfind('"', max(0, end - LONGEST), end - 1)
    return code[start + 1:end - 1] if start >= 0 else ""

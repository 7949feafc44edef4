"""The commands that a program in another language hands to a shell, or starts, as literals. Computed ones stay unseen."""
from guard.core.programs.code_names import word_at, word_before

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.programs.code_names import Names
    from guard.core.programs.code_text import Code

    Started = tuple[str, "list[str]"]  # the folder, "" if none is given; [text] for a shell, or [program, argument, ...]

# What hands a text, or a list of arguments, to a shell or a program.
CALLS = ("system", "popen", "Popen", "check_call", "check_output", "getoutput", "getstatusoutput", "execSync",
         "spawnSync", "execFile", "execFileSync", "execv", "execvp", "execl", "execlp", "spawnlp", "shell_exec", "passthru",
         "proc_open", "capture2", "capture3", "shell script")
LOOSE = ("run", "call", "exec", "spawn", "execute", "sh")  # names that many things have: these need to be somebody's who starts programs
COMPUTED = "{}"  # a folder of that name is not there: `cd {}` goes nowhere, where one that cannot be known would need a person's word
MOST, LONGEST = 40, 4096
WITH_ARGV0 = ("execv", "execvp", "execl", "execlp", "spawnlp")  # the program comes twice
STARTERS = ("os", "subprocess", "sp", "commands", "child_process", "childProcess", "cp", "Bun", "Deno", "Kernel", "Process", "IO", "Open3",
            "PTY", "CORE", "pty", "pexpect")
LOADERS = ("__import__", "import_module", "require")
BUILT_IN = {"ruby": ("exec", "spawn"), "perl": ("exec",), "php": ("exec",), "tclsh": ("exec",)}
EVALUATES = {"python": ("exec", "eval"), "node": ("eval",), "ruby": ("eval",), "perl": ("eval",), "php": ("eval",)}
DEFINED = ("def ", "function ", "sub ")
MODULES = ("child_process", "node:child_process")


def started(code: "Code", names: "Names") -> "list[Started]":
    found: "list[Started]" = []
    who = starters(code)
    for call in CALLS + LOOSE:
        for at in places(code.bare, call):
            behind = at + len(call)
            if code.bare[behind:behind + 1] in ("(", " ") or behind in code.strings:
                if call in LOOSE and not starts(code, call, at, who):
                    continue
                given, folders = names.arguments(behind, COMPUTED), folders_given(code, names, at)
                for n in range(max(len(given), len(folders))):  # one loop goes through both
                    words = given[min(n, len(given) - 1)]
                    if call in WITH_ARGV0 and len(words) > 1:
                        words = [words[0], *words[2:]]
                    found += [(folders[min(n, len(folders) - 1)], words)] if words else []
    found += [("", ["".join(parts[::2])]) for parts in code.commands[:MOST]]
    if code.language in ("ruby", "perl", "php"):
        found += [("", [text]) for at in places(code.bare, "open") for text in piped(names.literals(code.bare.find(",", at)))]
    return found + (awk_pipes(code, names) if code.language == "awk" else [])


def evaluated(code: "Code", names: "Names") -> "list[str]":
    """exec("..."), eval "...": literals that are run as a text of the same language."""
    found: "list[str]" = []
    for call in EVALUATES.get(code.language, ()):
        for at in places(code.bare, call):
            found += names.literals(at + len(call))[:1] if code.bare[at - 1:at] != "." or not at else []
    return found


def piped(words: "list[str]") -> "list[str]":
    """perl: open(F, "program |"), open(F, "-|", "program")."""
    if words[:1] in (["-|"], ["|-"]):
        return words[1:2]
    return [text.strip().strip("|") for text in words[:1] if text.strip()[-1:] == "|" or text.strip()[:1] == "|"]


def awk_pipes(code: "Code", names: "Names") -> "list[Started]":
    """"command" | getline, print | "command" """
    ends = {end: start for start, (end, _) in code.strings.items()}
    found: "list[Started]" = []
    for at in places(code.bare, "|"):
        end = at
        while end > 0 and code.bare[end - 1] in " \t" and at - end < LONGEST:
            end -= 1
        found += [("", [names.text(ends[end])])] if end in ends else []
        found += [("", [text]) for text in names.literals(at + 1)[:1]]
    return found


class Starters:
    """Who starts programs in this text: modules by the names they have here, functions that were imported from them."""

    def __init__(self) -> None:
        self.modules = set(STARTERS)
        self.functions: "set[str]" = set()
        self.loaded = False


def starters(code: "Code") -> "Starters":
    found, bare = Starters(), code.bare
    for mark in ("subprocess as ", "os as "):
        found.modules.update([word_at(bare, at + len(mark)) for at in places(bare, mark)])
    for mark in ("from subprocess import", "from os import"):
        for at in places(bare, mark):
            line = bare[at + len(mark):at + 600].lstrip()
            line = line.partition(")" if line[:1] == "(" else "\n")[0].partition(";")[0]
            found.functions.update([word.split()[0] for word in line.strip("( \n").split(",") if word.split()])
    for start, (_, parts) in code.strings.items():
        if len(parts) == 1 and parts[0] in MODULES:
            found.loaded = True
            head = bare[max(0, start - 200):start]
            head = head[max(head.rfind("\n"), head.rfind(";")) + 1:]
            found.modules.update(head.replace("(", " ").split())
    found.loaded = found.loaded or any(mark in bare for mark in ("subprocess", "os.system", "os.popen", "rake"))
    return found


def starts(code: "Code", call: str, at: int, given: "Starters") -> bool:
    """Does a call of this name start a program? `re.exec(...)`, `app.run(...)` and a `run` of one's own that loads nothing do not."""
    bare = code.bare
    if bare[at - 1:at] in (".", ":", ">") and at:
        end = at - (2 if bare[at - 2:at] in ("::", "->", "?.") else 1)
        if bare[end - 1:end] == ")":
            opened = bare.rfind("(", max(0, end - 80), end)
            return word_before(bare, opened) in LOADERS
        return word_before(bare, end) in given.modules
    if call in BUILT_IN.get(code.language, ()) or call in given.functions or "*" in given.functions:
        return True
    if code.language == "node" or not given.loaded:
        return given.loaded
    return any(mark + call in bare for mark in DEFINED) or (call + " = ") in bare or call == "sh"


def folders_given(code: "Code", names: "Names", at: int) -> "list[str]":
    """cwd='folder', cwd: "folder", chdir: 'folder' among the arguments of a call."""
    end = behind_call(code.bare, at)
    for mark in ("cwd=", "cwd:", "cwd =", "chdir:"):
        found = code.bare.find(mark, at, end)
        if found >= 0:
            return [(words or [""])[0] for words in names.arguments(found + len(mark), COMPUTED)]
    return [""]


def behind_call(bare: str, at: int) -> int:
    """Where the call that begins here ends."""
    end, depth = at, 0
    while end < len(bare) and end - at < LONGEST:
        depth += (bare[end] in "([{") - (bare[end] in ")]}")
        if (bare[end] in ")]}" and depth <= 0) or (bare[end] in "\n;" and not depth):
            return end
        end += 1
    return end


def places(bare: str, mark: str) -> "list[int]":
    """Where a word stands that is no part of a longer one in front."""
    found: "list[int]" = []
    at, word = bare.find(mark), mark[:1].isalpha()
    while at >= 0 and len(found) < MOST:
        if not word or not (bare[at - 1:at].isalnum() or bare[at - 1:at] == "_") or not at:
            found.append(at)
        at = bare.find(mark, at + 1)
    return found

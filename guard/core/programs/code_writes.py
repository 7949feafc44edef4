"""Literal paths that the text of python -c, node -e, ruby -e or perl -e writes: open('x', 'w'), writeFileSync('x', ...), unlink('x')."""
from guard.core.programs.code_calls import behind_call, places
from guard.core.programs.code_names import word_before

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.programs.code_names import Names
    from guard.core.programs.code_text import Code

# call: which of its literals is written, and how. "mode": the first, if the second says that it writes.
FIRST, SECOND, BOTH, MODE = "first", "second", "both", "mode"
CALLS = {
    "open": MODE, "File.open": MODE, "fopen": MODE, "File.write": FIRST, "IO.write": FIRST, "File.delete": FIRST, "File.rename": BOTH,
    "file_put_contents": FIRST, "FileUtils.rm_rf": FIRST, "FileUtils.rm_r": FIRST, "FileUtils.cp": SECOND, "FileUtils.mv": BOTH,
    "FileUtils.mkdir_p": FIRST, "writeFileSync": FIRST, "writeFile": FIRST, "appendFileSync": FIRST, "appendFile": FIRST,
    "createWriteStream": FIRST, "copyFileSync": SECOND, "renameSync": BOTH, "unlinkSync": FIRST, "rmSync": FIRST, "rmdirSync": FIRST,
    "mkdirSync": FIRST, "shutil.copy": SECOND, "shutil.copy2": SECOND, "shutil.copyfile": SECOND, "shutil.copytree": SECOND,
    "shutil.move": BOTH, "shutil.rmtree": FIRST, "os.rename": BOTH, "os.replace": BOTH, "os.remove": FIRST, "os.unlink": FIRST,
    "os.mkdir": FIRST, "os.makedirs": FIRST, "os.truncate": FIRST, "os.symlink": SECOND, "unlink": FIRST, "rmtree": FIRST,
    "copyfile": SECOND, "cpSync": SECOND, "fs.rm": FIRST, "truncateSync": FIRST}
TREES = ("shutil.rmtree", "rmtree", "fs.rm", "rmSync", "rmdirSync", "FileUtils.rm_rf", "FileUtils.rm_r", "shutil.move",
         "os.rename", "renameSync")
ON_PATH = (".write_text", ".write_bytes", ".unlink", ".touch", ".mkdir", ".rename", ".replace", ".rmdir", ".open")


def written(code: "Code", names: "Names") -> "list[tuple[str, tuple[str, ...]]]":
    """(path, flags) for each call with a path that is known."""
    found: "list[tuple[str, tuple[str, ...]]]" = []
    for call, which in CALLS.items():
        flags = ("remove", "tree") if call in TREES else ()
        for at in places(code.bare, call):
            behind = at + len(call)
            if code.bare[behind:behind + 1] not in ("(", " ") or (code.bare[at - 1:at] == "." and call in ("open", "unlink")):
                continue  # the second: a method of something else
            for words in names.arguments(behind):
                found += [(path, flags) for path in paths(moded(code, names, at, words, which), which)]
    found += [(path, ()) for path in by_path(code, names)]
    return [(path, flags) for path, flags in found if path and "\n" not in path]


def moded(code: "Code", names: "Names", at: int, words: "list[str]", which: str) -> "list[str]":
    """The words of `open`: its mode may have a name, or its first argument may be a file handle."""
    if which != MODE or len(words) > 1:
        return words
    if not words:
        return names.literals(code.bare.find(",", at))  # perl: open(F, ">x")
    mode = code.bare.find("mode=", at, behind_call(code.bare, at))
    return words + (names.literals(mode + 5)[:1] if mode >= 0 else [])


def by_path(code: "Code", names: "Names") -> "list[str]":
    """Path('x').write_text(...), (Path('x') / 'y').unlink(), and the same of a name that is a path."""
    found: "list[str]" = []
    for at in places(code.bare, "Path("):
        first = names.literals(at + 5)[:1]
        end = code.bare.find(")", at, at + 300)
        if first and end >= 0 and writes(code, names, end + 1):
            found += first
    for method in ON_PATH:
        for at in places(code.bare, method):
            given = names.at(word_before(code.bare, at), at)
            if given and given[2] == "path" and writes(code, names, at):
                found += given[1]
    return found


def writes(code: "Code", names: "Names", at: int) -> bool:
    """Is what stands here a method that writes its path?"""
    for method in ON_PATH:
        if code.bare.startswith(method + "(", at):
            mode = names.literals(at + len(method))[:1]
            return method != ".open" or bool(mode and mode[0][:1] in ("w", "a", "x"))
    return False


def paths(words: "list[str]", which: str) -> "list[str]":
    if which == MODE:
        if len(words) > 1 and any(c in words[1] for c in "wax+>") and len(words[1]) < 8:
            return words[:1]
        mode = words[0].strip() if words else ""
        if mode in (">", ">>", "+<", "+>"):  # perl: open(my $f, ">", "path")
            return words[1:2]
        return [mode.lstrip("+>").strip()] if mode[:1] == ">" else []
    return words[:1] if which == FIRST else words[1:2] if which == SECOND else words[:2]


def folder_of(code: "Code", names: "Names") -> str:
    """os.chdir('folder'), process.chdir("folder"): where the rest of the text works."""
    for call in ("os.chdir", "process.chdir", "Dir.chdir", "chdir"):
        for at in places(code.bare, call):
            words = names.literals(at + len(call))
            if words:
                return words[0]
    return ""

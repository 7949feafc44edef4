"""Literal paths that the text of python -c, node -e, ruby -e or perl -e writes: open('x', 'w'), writeFileSync('x', ...), unlink('x')."""
from guard.core.programs.interpreters import literals, places

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
ON_PATH = (".write_text", ".write_bytes", ".unlink", ".touch", ".mkdir", ".rename", ".replace", ".rmdir", ".open('w", '.open("w')


def written(code: str) -> "list[tuple[str, tuple[str, ...]]]":
    """(path, flags) for each call with a literal path."""
    found: "list[tuple[str, tuple[str, ...]]]" = []
    named = names(code)
    for call, which in CALLS.items():
        for at in places(code, call):
            before = code[at - 1:at]
            if code[at + len(call):at + len(call) + 1] not in ("(", " ") or before.isalnum() or before in ("_", "'", '"'):
                continue
            if before == "." and call in ("open", "unlink"):  # a method of something else
                continue
            words = by_name(code, at + len(call), named) or literals(code, at + len(call))
            if not words and which == MODE:
                words = literals(code, code.find(",", at))  # open(F, ">x")
            if which == MODE and len(words) == 1 and any(f"mode={q}{m}" in code[at:at + 300] for q in "'\"" for m in "wax"):
                words = [words[0], "w"]
            flags = ("remove", "tree") if call in TREES else ()
            found += [(path, flags) for path in paths(words, which) if path and "\n" not in path]
    for at in places(code, "Path("):
        words = literals(code, at + 4)
        after = code[code.find(")", at) + 1:][:12] if words else ""
        if words and any(after.startswith(name[:12]) for name in ON_PATH):
            found.append((words[0], ()))
    for name, path in named.items():
        if any(f"{name}{method}" in code for method in ON_PATH):
            found.append((path, ()))
    return found


def paths(words: "list[str]", which: str) -> "list[str]":
    if which == MODE:
        if len(words) > 1 and any(c in words[1] for c in "wax+>") and len(words[1]) < 8:
            return words[:1]
        mode = words[0].strip() if words else ""
        if mode in (">", ">>", "+<", "+>"):  # perl: open(my $f, ">", "path")
            return words[1:2]
        return [mode.lstrip("+>").strip()] if mode[:1] == ">" else []
    return words[:1] if which == FIRST else words[1:2] if which == SECOND else words[:2]


def names(code: str) -> "dict[str, str]":
    """`p = 'path'`, `p = Path('path')`, `const p = "path"`: the last literal that each name was given."""
    found: "dict[str, str]" = {}
    for line in code.splitlines()[:MOST_LINES]:
        name, sign, value = line.partition("=")
        name = name.strip().rpartition(" ")[2]
        value = value.strip()
        value = value[value.find("(") + 1:] if value.startswith(("Path(", "pathlib.Path(")) else value
        if sign and name.isidentifier() and value[:1] in ("'", '"'):
            words = literals(value, 0)
            if words:
                found[name] = words[0]
    return found


def by_name(code: str, at: int, named: "dict[str, str]") -> "list[str]":
    """The arguments of a call whose first is a name: open(p, 'w')."""
    inside = code[at + 1:at + 200].partition(")")[0]
    name, comma, rest = inside.partition(",")
    if name.strip() not in named:
        return []
    return [named[name.strip()], *(literals(rest, 0) if comma else [])]


def folder_of(code: str) -> str:
    """os.chdir('folder'), process.chdir("folder"): where the rest of the text works."""
    for call in ("os.chdir", "process.chdir", "Dir.chdir", "chdir"):
        for at in places(code, call):
            words = literals(code, at + len(call))
            if words:
                return words[0]
    return ""


MOST_LINES = 2_000  # of a text that are searched for names

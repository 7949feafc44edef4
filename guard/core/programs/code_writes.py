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
    "os.mkdir": FIRST, "os.makedirs": FIRST, "os.truncate": FIRST, "os.symlink": SECOND, "unlink": FIRST}
TREES = ("shutil.rmtree", "rmSync", "rmdirSync", "FileUtils.rm_rf", "FileUtils.rm_r", "shutil.move", "os.rename", "renameSync")
ON_PATH = (".write_text", ".write_bytes", ".unlink", ".touch", ".mkdir", ".rename", ".replace", ".rmdir", ".open('w", '.open("w')


def written(code: str) -> "list[tuple[str, tuple[str, ...]]]":
    """(path, flags) for each call with a literal path."""
    found: "list[tuple[str, tuple[str, ...]]]" = []
    for call, which in CALLS.items():
        for at in places(code, call):
            before = code[at - 1:at]
            if code[at + len(call):at + len(call) + 1] not in ("(", " ") or before.isalnum() or before in ("_", "'", '"'):
                continue
            if before == "." and call in ("open", "unlink"):  # a method of something else
                continue
            words = literals(code, at + len(call)) or (literals(code, code.find(",", at)) if which == MODE else [])  # open(F, ">x")
            if which == MODE and len(words) == 1 and any(f"mode={q}{m}" in code[at:at + 300] for q in "'\"" for m in "wax"):
                words = [words[0], "w"]
            flags = ("remove", "tree") if call in TREES else ()
            found += [(path, flags) for path in paths(words, which) if path and "\n" not in path]
    for at in places(code, "Path("):
        words = literals(code, at + 4)
        after = code[code.find(")", at) + 1:][:12] if words else ""
        if words and any(after.startswith(name[:12]) for name in ON_PATH):
            found.append((words[0], ()))
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

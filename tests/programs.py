"""Stand-ins for programs that a machine may lack, or that would talk to a server. Each writes where the real one would, and no more.

Run as `python3 programs.py NAME ARGUMENT...`; tests/git_worlds.py puts them on PATH.
"""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

PAGE = "a page\n"


def split(words: list[str], valued: tuple[str, ...]) -> tuple[dict[str, str], list[str]]:
    """(options, operands); those in `valued` take the next word, or what is glued to them. Letters may stand in a cluster."""
    options: dict[str, str] = {}
    operands: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return options, operands + rest
        if word[:1] != "-" or word == "-":
            operands.append(word)
        elif word[:2] == "--":
            name, sign, value = word.partition("=")
            options[name] = value if sign or name not in valued else rest.pop(0)
        else:
            at = next((n for n in range(1, len(word)) if "-" + word[n] in valued), len(word))
            options.update({"-" + letter: "" for letter in word[1:at]})
            if at < len(word):
                options["-" + word[at]] = word[at + 1:] or rest.pop(0)
    return options, operands


def chosen(options: dict[str, str], *names: str) -> str:
    return next((options[name] for name in names if name in options), "")


def page(target: Path | str) -> None:
    if str(target) in ("", "-"):
        sys.stdout.write(PAGE)
    else:
        Path(target).write_text(PAGE)


def curl(words: list[str]) -> None:
    options, urls = split(words, ("-o", "--output", "--output-dir", "-H", "-X", "-d", "-u"))
    folder = Path(chosen(options, "--output-dir"))
    if "--create-dirs" in options:
        folder.mkdir(parents=True, exist_ok=True)
    name = chosen(options, "-o", "--output")
    if {"-O", "--remote-name"} & options.keys():
        name = urls[0].rpartition("/")[2]
    page(folder / name if name not in ("", "-") else "")


def wget(words: list[str]) -> None:
    options, urls = split(words, ("-O", "--output-document", "-P", "--directory-prefix", "-o", "--output-file", "-a"))
    folder = Path(chosen(options, "-P", "--directory-prefix"))
    folder.mkdir(parents=True, exist_ok=True)
    page(chosen(options, "-O", "--output-document") or folder / urls[0].rpartition("/")[2])
    log = chosen(options, "-o", "--output-file")
    if log:
        Path(log).write_text("fetched\n")


def rsync(words: list[str]) -> None:
    options, places = split(words, ("-e", "--exclude", "--include", "--log-file"))
    if ":" in places[-1] or {"-n", "--dry-run"} & options.keys():
        return
    target = Path(places[-1])
    for source in places[:-1]:
        path = Path(source)
        if not path.is_dir():
            shutil.copy(path, target)
            continue
        into = target if source.endswith("/") else target / path.name
        if "--delete" in options and into.exists():
            shutil.rmtree(into)
        shutil.copytree(path, into, symlinks=True, dirs_exist_ok=True, ignore=shutil.ignore_patterns(chosen(options, "--exclude")))
    for source in places[:-1]:
        if "--remove-source-files" in options:
            Path(source).unlink()


def unzip(words: list[str]) -> None:
    options, operands = split(words, ("-d", "-x"))
    with zipfile.ZipFile(operands[0]) as archive:
        if "-p" in options:
            sys.stdout.writelines(archive.read(name).decode() for name in archive.namelist())
        elif not {"-l", "-t", "-Z"} & options.keys():
            archive.extractall(options.get("-d", "."), operands[1:] or None)


def patch(words: list[str]) -> None:
    """Applies a unified diff whose hunks fit as they stand; names in it that lead out of the folder are ignored, as GNU patch does."""
    options, operands = split(words, ("-d", "--directory", "-i", "--input", "-o", "--output", "-p", "--strip"))
    source = chosen(options, "-i", "--input") or (operands[1] if len(operands) > 1 else "")
    diff = Path(source).read_text() if source else sys.stdin.read()
    os.chdir(chosen(options, "-d", "--directory") or ".")
    strip = chosen(options, "-p", "--strip")
    for part in diff.split("\n--- ")[0 if diff.startswith("--- ") else 1:]:
        header, *lines = part.partition("\n+++ ")[2].splitlines()
        name = header.split("\t")[0].split("/", int(strip))[-1] if strip else header.rpartition("/")[2]
        if not operands and (name.startswith("/") or ".." in name.split("/")):
            continue
        target = Path(operands[0] if operands else name)
        text = target.read_text() if target.exists() else ""
        for hunk in re.split(r"^@@.*\n", "\n".join(lines) + "\n", flags=re.M)[1:]:
            old = "".join(line[1:] + "\n" for line in hunk.splitlines() if line[:1] in (" ", "-"))
            new = "".join(line[1:] + "\n" for line in hunk.splitlines() if line[:1] in (" ", "+"))
            text = text.replace(old, new, 1) if old else new
        if "--dry-run" not in options:
            Path(chosen(options, "-o", "--output") or target).write_text(text)


WRITES = re.compile(r"""(?:writeFileSync|appendFileSync|File\.write|IO\.write|File\.open|Deno\.writeTextFileSync)\(\s*(['"`])(.+?)\1""")
REMOVES = re.compile(r"""(?:unlinkSync|rmSync|File\.delete|FileUtils\.rm_rf)\(\s*(['"`])(.+?)\1""")
COPIES = re.compile(r"""(?:copyFileSync|FileUtils\.cp)\(\s*(['"`])(.+?)\1\s*,\s*(['"`])(.+?)\3""")


def script(words: list[str]) -> None:
    """node and ruby: what their text writes, copies and removes by literal paths. Reading alone does nothing."""
    options, operands = split(words, ("-e", "--eval", "-p", "-r"))
    code = chosen(options, "-e", "--eval", "-p")
    code = code or (Path(operands[0]).read_text() if operands and operands != ["-"] else sys.stdin.read())
    for found in WRITES.finditer(code):
        if not re.match(r"""\s*,\s*['"]r['"]|\s*\)""", code[found.end():]):
            Path(found[2]).write_text("from a script\n")
    for found in COPIES.finditer(code):
        shutil.copy(found[2], found[4])
    for found in REMOVES.finditer(code):
        Path(found[2]).unlink()


def apply_patch(words: list[str]) -> None:
    """The patch text of Codex: Add, Update and Delete File, Move to. A change is made somewhere in the file, that is enough here."""
    source = ""
    for line in (words[0] if words else sys.stdin.read()).splitlines():
        verb, _, name = line.removeprefix("*** ").partition(": ")
        if not line.startswith("*** "):
            continue
        if verb in ("Add File", "Update File"):
            source = name
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            with Path(name).open("a") as file:
                file.write("patched\n")
        elif verb == "Delete File":
            Path(name).unlink()
        elif verb == "Move to":
            Path(source).rename(name)


def ed(words: list[str]) -> None:
    """`,s/a/b/` and `w`; what it does to the text is enough as a change somewhere in it."""
    _, operands = split(words, ("-p", "--prompt"))
    for line in sys.stdin.read().splitlines():
        if line[:1] == "w":
            with Path(line[2:] or operands[0]).open("a") as file:
                file.write("edited\n")


def zstd(words: list[str]) -> None:
    options, operands = split(words, ("-o",))
    for name in operands:
        Path(chosen(options, "-o") or name + ".zst").write_bytes(Path(name).read_bytes())
        if "--rm" in options:
            Path(name).unlink()


def fd(words: list[str]) -> None:
    """fd [-e suffix] pattern folder -x program ..."""
    at = next((n for n, word in enumerate(words) if word in ("-x", "-X")), len(words))
    options, operands = split(words[:at], ("-e", "-t"))
    for path in sorted(Path(operands[1] if len(operands) > 1 else ".").rglob("*." + chosen(options, "-e"))):
        program = [word.replace("{}", str(path)) for word in words[at + 1:]] or ["echo", str(path)]
        subprocess.run(program if "{}" in words[at:] or at == len(words) else [*program, str(path)], check=False)


PROGRAMS: dict[str, Callable[[list[str]], None]] = {
    "curl": curl, "wget": wget, "rsync": rsync, "unzip": unzip, "patch": patch, "node": script, "ruby": script, "apply_patch": apply_patch,
    "ed": ed, "zstd": zstd, "fd": fd}

if __name__ == "__main__":
    PROGRAMS[sys.argv[1]](sys.argv[2:])

"""Programs that write the files they are told to: rm, cp, mv, ln, sed -i, tar, curl -o and their kin. Sources are only read.

WRITERS names the function of each; a program with nothing special is a row in PLAIN: its options with a value, operands before the files.
"""
from guard.core import programs
from guard.core.shell import HOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.shell.run import Command

# program: (options that take a value, operands that are no files)
PLAIN = {
    "touch": ("-t -d -r --date --reference", 0), "truncate": ("-s -r --size --reference", 0), "mkfifo": ("-m", 0),
    "chmod": ("--reference", 1), "chown": ("--reference --from", 1), "chgrp": ("--reference", 1),
    "gzip": ("-S --suffix", 0), "gunzip": ("-S --suffix", 0), "bzip2": ("", 0), "xz": ("", 0), "dos2unix": ("", 0), "unix2dos": ("", 0),
    "prettier": ("--config --parser", 0), "black": ("-l -t --line-length", 0)}
RSYNC_VALUES = ("-e --rsh --exclude --include --exclude-from --include-from --files-from --filter -f --port --backup-dir --chmod "
                "--chown --max-size --min-size --bwlimit --timeout --partial-dir --temp-dir -T")
PATCH_VALUES = "-p -i -d -o -B -F -r --strip --input --directory"
PRINTS = ("gzip", "gunzip", "bzip2", "xz", "black")
NEED = {"prettier": ("--write", "-w"), "black": ()}  # they write only when told to


def run(command: "Command") -> str:
    name = programs.name_of(command.argv[0])
    words = command.argv[1:]
    if "--help" in words or "--version" in words:
        return HOLE
    if name in WRITERS:
        WRITERS[name](command, words)
    elif name in PRINTS and (has(words, "clt" if name != "black" else "", "--stdout", "--list", "--test", "--check", "--diff")):
        return HOLE
    elif not NEED.get(name) or any(word in NEED[name] for word in words):
        values, skipped = PLAIN[name]
        if name == "chmod" and any(word[:1] == "-" and not word[1:].strip("rwxXst") for word in words):
            skipped = 0  # chmod -w file
        written(command, operands(words, values.split())[skipped if "--reference" not in " ".join(words) else 0:])
    return "" if name in ("rm", "cp", "mv", "touch", "mkdir") else HOLE


def operands(words: "list[str]", values: "list[str]") -> "list[str]":
    """What is no option and no option's value."""
    found: "list[str]" = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return found + rest
        if word[:1] != "-" or word == "-":
            found.append(word)
        elif rest and (word in values or ends_in_value(word, values)):
            rest.pop(0)
    return found


def ends_in_value(word: str, values: "list[str]") -> bool:
    """A cluster whose last letter takes the next word: -pt. In -tx the value is in it already."""
    return word[:2] != "--" and len(word) > 2 and "-" + word[-1] in values and not any("-" + c in values for c in word[1:-1])


def value_of(words: "list[str]", *names: str) -> str:
    """The value of an option: `-o x`, `-ox`, `--output x`, `--output=x`; "" when it is not given."""
    for n, word in enumerate(words):
        for name in names:
            if word == name:
                return words[n + 1] if n + 1 < len(words) else ""
            if name[:2] == "--" and word.startswith(name + "="):
                return word[len(name) + 1:]
            if name[:2] != "--" and len(name) == 2 and word[:1] == "-" and word[:2] != "--" and len(word) > 2:
                if word.startswith(name):
                    return word[2:]
                if word[-1] == name[1] and word[1:].isalpha():  # the end of a cluster
                    return words[n + 1] if n + 1 < len(words) else ""
    return ""


def has(words: "list[str]", letters: str, *longs: str, valued: str = "") -> bool:
    """A letter in a cluster, or a long option. Behind a letter of `valued` stands its value."""
    for word in words:
        if word in longs:
            return True
        for c in word[1:] if word[:1] == "-" and word[:2] != "--" else "":
            if c in letters:
                return True
            if c in valued:
                break
    return False


def written(command: "Command", paths: "list[str]", flags: "tuple[str, ...]" = ()) -> None:
    for path in paths:
        fed = ("fed",) if command.fed and HOLE in path else ()
        command.shell.write(path, command.said, (*flags, *fed), command.folders, searched(command, path) if "remove" in flags else ())


def searched(command: "Command", path: str) -> "tuple[str, ...]":
    """Where the find started and what it is, if this path is whatever it found. rmdir takes nothing that holds something."""
    start = path[:-2] if path[-2:] == "/" + HOLE else HOLE
    if not command.search or any(c in start for c in "\1\2\3" + HOLE) or programs.name_of(command.argv[0]) == "rmdir":
        return ()
    return (start or "/", *command.search)


# --- removing --------------------------------------------------------------------------------------------------------

def rm(command: "Command", words: "list[str]") -> None:
    tree = ("tree",) if has(words, "rR", "--recursive") else ()
    for path in operands(words, []):
        if path.rstrip("/").rpartition("/")[2] in ("", ".", "..") and "--no-preserve-root" not in words:
            continue  # rm refuses / and . and ..
        itself = () if path[-1:] == "/" else ("itself",)
        written(command, [path], ("remove", *tree, *itself))


def rmdir(command: "Command", words: "list[str]") -> None:
    written(command, operands(words, []), ("remove", "itself"))


def thrown(command: "Command", words: "list[str]") -> None:
    """rimraf, trash: files and whole folders, without being told so."""
    written(command, operands(words, []), ("remove", "tree", "itself"))


# --- copying and moving ----------------------------------------------------------------------------------------------

def copy(command: "Command", words: "list[str]") -> None:
    """cp, install: to the last operand or to -t; into it, where it is a folder."""
    name = programs.name_of(command.argv[0])
    values = ["-t", "--target-directory", "-S", "--suffix", "-m", "--mode", "-o", "-g", "--owner", "--group"]
    paths = operands(words, values)
    if name == "install" and has(words, "d", "--directory"):
        return written(command, paths)
    target = value_of(words, "-t", "--target-directory")
    return into(command, paths if target else paths[:-1], target or (paths[-1] if len(paths) > 1 else ""), bool(target))


def into(command: "Command", sources: "list[str]", target: str, is_folder: bool, flags: "tuple[str, ...]" = ()) -> None:
    if not target:
        return
    for folder in command.folders:
        path = command.path(target, folder)
        below = is_folder or len(sources) > 1 or target[-1:] == "/" or (HOLE not in path and path not in command.shell.removed
                                                                                     and command.shell.world.is_folder(path))
        for source in sources if below else [""]:
            name = source.rstrip("/").rpartition("/")[2]
            place = f"{target.rstrip('/')}/{name}" if below and name not in ("", ".", "..") else target
            command.shell.write(place, command.said, flags, (folder,))


def move(command: "Command", words: "list[str]") -> None:
    """mv changes both ends."""
    paths = operands(words, ["-t", "--target-directory", "-S", "--suffix"])
    target = value_of(words, "-t", "--target-directory")
    sources = paths if target else paths[:-1]
    last = target or (paths[-1] if paths else "")
    world, to = command.shell.world, command.path(last, command.folders[0])
    if len(sources) > 1 and HOLE not in to and not world.is_folder(to) and to not in command.shell.folders_made:
        return  # mv: the target is no folder
    at = {path: command.path(path, command.folders[0]).rstrip("/") for path in sources}
    sources = [path for path in sources  # neither into itself, nor to where it is
               if not (to + "/").startswith(at[path] + "/") and at[path].rpartition("/")[0] != to.rstrip("/")]
    written(command, [path.rstrip("/") or "/" for path in sources], ("remove", "tree", "itself"))
    into(command, sources, target or (paths[-1] if len(paths) > 1 else ""), bool(target))


def link(command: "Command", words: "list[str]") -> None:
    paths = operands(words, ["-t", "--target-directory", "-S", "--suffix"])
    target = value_of(words, "-t", "--target-directory")
    if len(paths) == 1 and not target:
        paths.append(paths[0].rpartition("/")[2])
    last = target or (paths[-1] if len(paths) > 1 else "")
    if has(words, "nT", "--no-dereference", "--no-target-directory") and len(paths) == 2:
        written(command, [last.rstrip("/")], ("itself",))
    else:
        into(command, paths if target else paths[:-1], last, bool(target), ("itself",))
    if has(words, "s", "--symbolic") and len(paths) == 2 and HOLE not in "".join(paths):
        shell = command.shell  # from here on a path through the link is one through its target
        for folder in command.folders:
            name = shell.absolute(paths[1], folder)
            shell.links[name] = shell.absolute(paths[0], name.rpartition("/")[0])
            shell.folders_made.add(shell.links[name])


def rsync(command: "Command", words: "list[str]") -> None:
    from guard.core.programs import feeders
    feeders.run(command)  # its remote shell
    if has(words, "n", "--dry-run", "--list-only"):
        return
    paths = operands(words, RSYNC_VALUES.split())
    if len(paths) > 1 and ":" not in paths[-1].partition("/")[0]:
        written(command, paths[-1:], ("below",) if any(word.startswith("--del") for word in words) else ())
    if "--remove-source-files" in words:
        written(command, paths[:-1], ("remove",))


def mkdir(command: "Command", words: "list[str]") -> None:
    """With -p a folder that is there stays as it is."""
    world, kept = command.shell.world, has(words, "p", "--parents", valued="m")
    for path in operands(words, ["-m", "--mode"]):
        places = [command.path(path, folder) for folder in command.folders]
        if not kept or any(HOLE in place or not world.is_folder(place) for place in places):
            written(command, [path], ("folder",))
        command.shell.has_made(path, command.folders)


def dd(command: "Command", words: "list[str]") -> None:
    written(command, [word[3:] for word in words if word.startswith("of=")])


# --- changing in place -----------------------------------------------------------------------------------------------

def sed(command: "Command", words: "list[str]") -> None:
    """-i, -i.bak, --in-place, -Ei; the first operand is the program unless -e or -f gives it."""
    letters = [word for word in words if word[:1] == "-" and word[:2] not in ("--", "-e", "-f")]
    if not any("i" in word for word in letters) and not any(word.startswith("--in-place") for word in words):
        if command.stdin is None:
            programs.noted(command, "sed")
        for word in words:  # its own w command: 'w path', 's/a/b/w path'
            path = word.rpartition("w ")[2] if "w /" in word or word.startswith("w ") else ""
            written(command, [path] if path else [])
        return
    paths = operands(words, ["-e", "-f", "-l", "--expression", "--file"])
    given = any(word[:2] in ("-e", "-f") or word.startswith(("--expression", "--file")) or
                (word[:1] == "-" and word[:2] != "--" and word[-1:] in "ef" and word[1:].isalpha()) for word in words)
    if "-i" in words and not given and paths[:1] == [""]:  # BSD: -i ''
        paths = paths[1:]
    written(command, paths if given else paths[1:])


def patch(command: "Command", words: "list[str]") -> None:
    """The files it names are in its text; where that is not known, the folder it works in."""
    if has(words, "", "--dry-run"):
        return
    folder, paths = value_of(words, "-d", "--directory"), operands(words, PATCH_VALUES.split())
    out = value_of(words, "-o", "--output")
    named = [line[4:].partition("\t")[0].strip() for line in (command.stdin or "").splitlines() if line[:4] == "+++ "]
    strip = value_of(words, "-p", "--strip")
    level = int(strip) if strip.isascii() and strip.isdigit() and len(strip) < 3 else 0
    named = ["/".join(path.split("/")[level:]) if level else path for path in named]
    if folder:
        named = [path if path[:1] == "/" else f"{folder}/{path}" for path in named]
    written(command, [out] if out else paths[:1] or [path for path in named if path != "/dev/null"] or [folder or "."])


def ed(command: "Command", words: "list[str]") -> None:
    """It writes where its script has a `w`: the file it was started with, or the one named there."""
    lines = [line.lstrip("0123456789,.$; ") for line in (command.stdin or "").splitlines()]
    saving = [line.partition(" ")[2].strip() for line in lines if line[:1] in ("w", "W")]
    unknown = command.stdin is None or HOLE in command.stdin
    written(command, operands(words, ["-p", "--prompt"]) if unknown or "" in saving else [])
    written(command, [name for name in saving if name and name[:1] != "!"])


# --- unpacking and fetching ------------------------------------------------------------------------------------------

def tar(command: "Command", words: "list[str]") -> None:
    first = words[0] if words else ""
    letters = first if first[:1] != "-" else "".join([word[1:] for word in words if word[:1] == "-" and word[:2] != "--"])
    folder, archive = value_of(words, "-C", "--directory"), value_of(words, "-f", "--file")
    if first[:1] not in ("-", "") and "f" in first and len(words) > 1:
        archive = words[1]
    if first[:1] not in ("-", "") and "C" in first:  # tar xCf folder archive: the values in the order of the letters
        values = dict(zip([c for c in first if c in "fCbTX"], words[1:]))
        folder, archive = values.get("C", folder), values.get("f", archive)
    if ("x" in letters and "O" in letters) or "--to-stdout" in words:
        return
    if "x" in letters or "--extract" in words:
        written(command, [folder or "."])
    elif ("c" in letters or "r" in letters or "--create" in words) and archive not in ("", "-") and ":" not in archive:
        written(command, [archive])


def zstd(command: "Command", words: "list[str]") -> None:
    """Beside each source, or to -o alone; the source goes only with --rm."""
    sources, out = operands(words, ["-o", "-D", "--output-dir-flat", "--output-dir-mirror"]), value_of(words, "-o")
    folder = value_of(words, "--output-dir-flat", "--output-dir-mirror")
    if not has(words, "cltb", "--stdout", "--list", "--test"):
        written(command, [out] if out else [folder] if folder else sources)
    if "--rm" in words:
        written(command, sources, ("remove",))


def unzip(command: "Command", words: "list[str]") -> None:
    if not has(words, "lptvZz", valued="dPx"):
        written(command, [value_of(words, "-d") or "."])


def zip_(command: "Command", words: "list[str]") -> None:
    written(command, [path for path in operands(words, ["-x", "-i"])[:1] if path != "-"])


def curl(command: "Command", words: "list[str]") -> None:
    out, folder = value_of(words, "-o", "--output"), value_of(words, "--output-dir")
    if out and out != "-":
        written(command, [f"{folder}/{out}" if folder and out[:1] != "/" else out])
    if has(words, "OJ", "--remote-name", "--remote-name-all", valued="XHudoAebFmTwxrEKcDQUyYzC") and not out:
        written(command, [folder or "."])


def wget(command: "Command", words: "list[str]") -> None:
    out, folder = value_of(words, "-O", "--output-document"), value_of(words, "-P", "--directory-prefix")
    if out != "-" and not has(words, "", "--spider"):
        written(command, [out or folder or "."])


def sort(command: "Command", words: "list[str]") -> None:
    out = value_of(words, "-o", "--output")
    written(command, [out] if out else [])


def uniq(command: "Command", words: "list[str]") -> None:
    written(command, operands(words, ["-f", "-s", "-w"])[1:2])


def split(command: "Command", words: "list[str]") -> None:
    written(command, (operands(words, ["-b", "-l", "-n", "-a", "-C", "--bytes", "--lines"])[1:2] or ["xaa"]))


def codex_patch(command: "Command", words: "list[str]") -> None:
    """apply_patch: `*** Update File: path` and its kin, on standard input or as the argument."""
    text = words[0] if words else command.stdin or ""
    for line in text.splitlines():
        for mark in ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "):
            if line.startswith(mark):
                written(command, [line[len(mark):].strip()])


WRITERS = {"rm": rm, "rmdir": rmdir, "unlink": rmdir, "shred": rmdir, "rimraf": thrown, "trash": thrown, "trash-put": thrown,
           "cp": copy, "install": copy, "mv": move, "ln": link, "rsync": rsync, "mkdir": mkdir,
           "dd": dd, "sed": sed, "gsed": sed, "ed": ed, "patch": patch, "zstd": zstd, "tar": tar, "bsdtar": tar, "gtar": tar,
           "unzip": unzip, "zip": zip_, "curl": curl, "wget": wget, "sort": sort, "uniq": uniq, "split": split,
           "apply_patch": codex_patch, "applypatch": codex_patch}

"""Paths as text, in three flavours. Nothing here looks at a disk; links are edge/disk's affair."""
from guard.core.model import Record


class Flavour(Record):
    """How a system writes paths: its separator, and whether names that differ only in letter case are one file."""

    __slots__ = ("folds", "name", "sep")
    name: str
    sep: str
    folds: bool


POSIX = Flavour(name="posix", sep="/", folds=False)
MACOS = Flavour(name="macos", sep="/", folds=True)  # the default volume; a case-sensitive one is told apart by inode
WINDOWS = Flavour(name="windows", sep="\\", folds=True)

# Characters that HFS+ leaves out when it compares names, from git's utf8.c (CVE-2014-9390).
_HFS_IGNORED = dict.fromkeys([*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF])


def is_absolute(path: str, flavour: Flavour) -> bool:
    if flavour is WINDOWS:
        return path[1:3] in (":\\", ":/") or path[:1] in ("/", "\\")
    return path.startswith("/")


def absolute(path: str, cwd: str, home: str, flavour: Flavour) -> str:
    """`path` from `cwd`, with `~`, `.`, `..` and doubled separators resolved as text. Letter case is kept.

    Windows also understands `/c/x` (Git for Windows) and `/cygdrive/c/x`; the drive letter comes back upper-case.
    """
    if home and (path == "~" or path[:2] in ("~/", "~" + flavour.sep)):
        path = home + path[1:]
    if flavour is WINDOWS:
        path = _drive_form(path)
        cwd = _drive_form(cwd)
        if path[:2] == "\\\\" and path[2:3] in ("", "\\"):
            path = "\\" + path.lstrip("\\")  # no server: one separator too many
        if path[:1] == "\\" and path[:2] != "\\\\":
            path = (cwd[:2] if cwd[1:2] == ":" else "C:") + path  # rooted, on the current drive
        elif path[1:2] == ":" and path[2:3] != "\\":  # from the folder of that drive, if it is the current one
            path = (cwd if cwd[:2] == path[:2] else path[:2]) + "\\" + path[2:]
    if not is_absolute(path, flavour):
        path = cwd + flavour.sep + path
    root, rest = _split_root(path, flavour)
    kept: "list[str]" = []
    for part in rest.split(flavour.sep):
        if part == "..":
            if kept:
                kept.pop()
        elif part not in ("", "."):
            kept.append(part)
    return root + flavour.sep.join(kept)


def _drive_form(path: str) -> str:
    """Any Windows spelling with backslashes and an upper-case drive letter."""
    if path[:4] in ("\\\\?\\", "//?/"):
        path = path[4:]
        if path[:4].upper() in ("UNC\\", "UNC/"):
            path = "\\\\" + path[4:]
    lower = path[:10].lower()
    if lower == "/cygdrive/" and path[11:12] in ("", "/"):
        path = path[10:11] + ":/" + path[12:]
    elif path[:1] == "/" and path[1:2].isalpha() and path[2:3] in ("", "/"):
        path = path[1] + ":/" + path[3:]
    path = path.replace("/", "\\")
    return path[:1].upper() + path[1:] if path[1:2] == ":" else path


def _split_root(path: str, flavour: Flavour) -> "tuple[str, str]":
    if flavour is not WINDOWS:
        return "/", path
    if path[:2] == "\\\\":  # \\server\share\rest
        server, _, rest = path[2:].partition("\\")
        share, _, rest = rest.lstrip("\\").partition("\\")
        return f"\\\\{server}\\{share}" + ("\\" if share else ""), rest
    return path[:2] + "\\", path[2:]


def key(path: str, flavour: Flavour) -> str:
    """Equal for two spellings of one path."""
    return path.casefold() if flavour.folds else path


def relative(path: str, root: str, flavour: Flavour) -> "str | None":
    """`path` below `root` in the letters of `path`: "" for the root itself, None outside it. Both are absolute."""
    bare = root[:-1] if root.endswith(flavour.sep) else root
    head, rest = path[:len(bare)], path[len(bare):]
    if key(head, flavour) != key(bare, flavour) or (rest and not rest.startswith(flavour.sep)):
        return None
    return rest[1:]


def inside(path: str, root: str, flavour: Flavour) -> bool:
    return relative(path, root, flavour) is not None


def join(root: str, rel: str, flavour: Flavour) -> str:
    if not rel:
        return root
    return root + rel if root.endswith(flavour.sep) else root + flavour.sep + rel


def parent(path: str, flavour: Flavour) -> str:
    """The folder above; the root is its own parent."""
    root, rest = _split_root(path, flavour)
    return root + rest.strip(flavour.sep).rpartition(flavour.sep)[0]


def is_git_name(name: str, flavour: Flavour) -> bool:
    """Does this part of a path open `.git` on that system? (git's own list of disguises: path.c, is_ntfs_dotgit)"""
    if flavour is WINDOWS:
        name = name.partition(":")[0].rstrip(" .").lower()
        return name in (".git", "git~1")
    if flavour is MACOS:
        return name.translate(_HFS_IGNORED).lower() == ".git"
    return name == ".git"


def has_git_part(path: str, flavour: Flavour) -> bool:
    return any(is_git_name(part, flavour) for part in path.split(flavour.sep))

"""File names that an unquoted pattern stands for, as bash would find them. (bash(1), Pathname Expansion)"""
from guard.core.shell import HOLE, WRITTEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.shell.run import Shell

MOST = 64  # names: more of them count as a pattern, of which only the folder is known


def expanded(shell: "Shell", word: str) -> "list[str]":
    """The names that are there, the word itself where none is, and the pattern kept where that cannot be told."""
    if HOLE in word or len(shell.folders) != 1 or HOLE in shell.folders[0]:
        return [word]
    found = [""]
    for n, part in enumerate(word.split("/")):
        if not any(mark in part for mark in "\1\2\3"):
            found = [f"{start}{'/' if n else ''}{part}" for start in found]
            continue
        below = []
        for start in found:
            folder = shell.absolute(start or ("/" if n else "."), shell.folders[0])
            names = [name for name in shell.world.names(folder) if fits(part, name)] if HOLE not in folder else [HOLE]
            below += [f"{start}{'/' if n else ''}{name}" for name in sorted(names)]
        found = below
        if len(found) > MOST:
            return [word]
    there = [name for name in found if shell.world.is_there(shell.absolute(name, shell.folders[0]))]
    return there or [word if shell.made else word.translate(WRITTEN)]


def fits(pattern: str, name: str) -> bool:
    """One part of a path against a pattern with our marks for * ? [. A dot at the front must be named."""
    if name[:1] == "." and pattern[:1] != ".":
        return False
    return matches(pattern, name)


def matches(pattern: str, name: str) -> bool:
    at, spot, star, back = 0, 0, -1, 0  # the usual two fingers: linear but for the last star
    while spot < len(name):
        width = part_width(pattern, at)
        if at < len(pattern) and pattern[at] == "\1":
            star, back, at = at, spot, at + 1
        elif at < len(pattern) and one(pattern[at:at + width], name[spot]):
            at, spot = at + width, spot + 1
        elif star >= 0:
            back += 1
            at, spot = star + 1, back
        else:
            return False
    return not pattern[at:].strip("\1")


def part_width(pattern: str, at: int) -> int:
    end = pattern.find("]", at + 2) if pattern[at:at + 1] == "\3" else -1
    return end + 1 - at if end > 0 else 1


def one(part: str, c: str) -> bool:
    """One character against `?`, a bracket or itself."""
    if part == "\2":
        return True
    if part[:1] != "\3" or len(part) < 3:
        return part.translate(WRITTEN) == c
    inside = part[1:-1]
    negated = inside[:1] in ("!", "^")
    inside = inside[1:] if negated else inside
    hit = c in inside.replace("-", "") or any(inside[n - 1] <= c <= inside[n + 1] for n in range(1, len(inside) - 1) if inside[n] == "-")
    return hit != negated

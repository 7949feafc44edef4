"""find's expressions: is an action reached for a path? Each test is true, false, or MAYBE where only the disk knows. (find(1))"""
from guard.core.shell import HOLE, as_written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

NO, MAYBE, YES = 0, 1, 2
NUMBERS = ("-maxdepth", "-mindepth")
PLAIN = ("-depth", "-d", "-xdev", "-mount", "-x", "-X", "-s", "-E", "-noleaf", "-ignore_readdir_race", "-follow", "-daystart", "-warn",
         "-nowarn", "-true", "-readable", "-writable", "-print", "-print0", "-ls", "-prune", "-delete")
OFTEN = ("-user", "-group", "-uid", "-gid", "-links", "-fprint", "-fprint0", "-fls", "-printf", "-regextype", "-fstype", *NUMBERS)
UNSURE_ALONE = ("-empty", "-executable", "-nouser", "-nogroup", "-quit", "-false")
PROGRAMS = ("-exec", "-execdir", "-ok", "-okdir")
PRINTS = ("-print", "-print0", "-printf", "-ls")


class Path:
    """One path that find comes by: as it prints it, how deep below its start, a folder or a file."""

    __slots__ = ("depth", "folder", "shown")

    def __init__(self, start: str, parts: "list[str]", folder: bool) -> None:
        self.shown = "/".join([start.rstrip("/"), *parts]) if parts else start
        self.depth, self.folder = len(parts), folder

    @property
    def name(self) -> str:
        return self.shown.rstrip("/").rpartition("/")[2] or self.shown


class Search:
    """An expression, and where in it the action stands that is asked for."""

    __slots__ = ("action", "at", "depth_first", "least", "most", "prints", "pruned", "reached", "words")

    def __init__(self, action: str, words: "list[str]") -> None:
        self.words, self.at = words, 0
        self.action = int(action) if action else -1
        self.prints = not action
        self.depth_first = "-delete" in words or "-depth" in words or "-d" in words  # then -prune does nothing
        self.most, self.least = self.number("-maxdepth", 1000), self.number("-mindepth", 0)
        self.reached = self.pruned = NO

    def number(self, option: str, otherwise: int) -> int:
        after = self.words[self.words.index(option) + 1:] if option in self.words else []
        return int(after[0]) if after and after[0].isdigit() else otherwise

    def reaches(self, path: Path) -> int:
        """Would the action be done to that path?"""
        self.at, self.reached, self.pruned = 0, NO, NO
        while self.at < len(self.words) and not begins(self.words[self.at]):
            self.at += 1
        within = self.least <= path.depth <= self.most
        found = self.one_of(path, YES if within else NO)
        if self.prints and not any(word in PRINTS + PROGRAMS + ("-delete",) for word in self.words):
            self.reached = found if within else NO  # the print that is not written down
        return self.reached

    def one_of(self, path: Path, live: int) -> int:
        """a -o b, a , b"""
        found = self.all_of(path, live)
        while self.at < len(self.words) and self.words[self.at] in ("-o", "-or", ","):
            comma = self.words[self.at] == ","
            self.at += 1
            other = self.all_of(path, live if comma else min(live, YES - found))
            found = other if comma else max(found, other)
        return found

    def all_of(self, path: Path, live: int) -> int:
        """a b, a -a b"""
        found = YES
        while self.at < len(self.words) and self.words[self.at] not in ("-o", "-or", ",", ")"):
            if self.words[self.at] in ("-a", "-and"):
                self.at += 1
            else:
                found = min(found, self.single(path, min(live, found)))
        return found

    def single(self, path: Path, live: int) -> int:
        here, word = self.at, self.words[self.at]
        self.at += 1
        if word in ("!", "-not"):
            return YES - self.single(path, live) if self.at < len(self.words) else NO
        if word == "(":
            found = self.one_of(path, live)
            self.at += 1
            return found
        if here == self.action or (self.prints and word in PRINTS):
            self.reached = max(self.reached, live)
        if word == "-prune" and not self.depth_first:
            self.pruned = max(self.pruned, live)
        if word in PROGRAMS:
            while self.at < len(self.words) and self.words[self.at] not in (";", "+"):
                self.at += 1
            self.at += 1
            return YES if self.words[self.at - 1:self.at] == ["+"] else MAYBE
        if word in PLAIN:
            return YES
        if word in UNSURE_ALONE:
            return NO if word == "-false" or (word == "-empty" and path.folder) else MAYBE
        value = self.words[self.at] if self.at < len(self.words) else ""
        self.at += 2 if word == "-fprintf" else 1
        if word in TESTS:
            return TESTS[word](path, value)
        return YES if word in OFTEN else MAYBE


def begins(word: str) -> bool:
    return word[:1] in ("-", "(", "!") and word not in ("-H", "-L", "-P")


def fits(pattern: str, text: str) -> int:
    """`*` is any text here, slashes and a dot at the front as well."""
    from guard.core.globs import segment
    return MAYBE if HOLE in pattern or HOLE in text else YES * segment(as_written(pattern), text)


TESTS: "dict[str, Callable[[Path, str], int]]" = {
    "-name": lambda path, value: fits(value, path.name),
    "-iname": lambda path, value: fits(value.lower(), path.name.lower()),
    **dict.fromkeys(("-path", "-wholename"), lambda path, value: fits(value, path.shown)),
    **dict.fromkeys(("-ipath", "-iwholename"), lambda path, value: fits(value.lower(), path.shown.lower())),
    **dict.fromkeys(("-type", "-xtype"), lambda path, value: MAYBE if HOLE in value else YES * (("d" if path.folder else "f") in value)),
    "-regex": lambda path, value: YES if value in (".*", ".+") else MAYBE}

"""Options as git reads them: long ones by any unambiguous beginning, short ones in clusters, operands in between. (gitcli(7))"""
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Options:
    """`flags`: long name (or letter) -> value, "" for none; `--no-x` takes x away. `operands`; `paths`: what stands behind `--`, or None."""

    __slots__ = ("flags", "operands", "paths")

    def __init__(self) -> None:
        self.flags: "dict[str, str]" = {}
        self.operands: "list[str]" = []
        self.paths: "list[str] | None" = None

    def has(self, *names: str) -> bool:
        return any([name in self.flags for name in names])


def parsed(words: "Iterable[str]", known: str) -> Options:
    """`known`: "f/force b= c/create=": a letter, a long name, or both; = for those that take a value, ? if only behind a `=`."""
    letters: "dict[str, str]" = {}
    valued: "set[str]" = set()
    longs = []
    for one in known.split():
        name = one.rstrip("=?")
        letter, slash, long = name.partition("/") if len(name) > 1 else (name, "", "")
        if not slash and len(name) > 1:
            letter, long = "", name
        long = long or letter
        if letter:
            letters[letter] = long
        if one[-1] == "=":
            valued.add(long)
        longs.append(long)
    found, rest = Options(), list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            found.paths = rest
            return found
        if word[:2] == "--":
            long_option(found, word[2:], rest, longs, valued)
        elif word[:1] == "-" and len(word) > 1:
            cluster(found, word[1:], rest, letters, valued)
        else:
            found.operands.append(word)
    return found


def long_option(found: Options, word: str, rest: "list[str]", longs: "list[str]", valued: "set[str]") -> None:
    name, sign, value = word.partition("=")
    negated = name.startswith("no-") and name not in longs
    if negated:
        name = name[3:]
    fits = [long for long in longs if long == name] or [long for long in longs if len(long) > 1 and long.startswith(name)]
    name = fits[0] if fits else name
    if negated:
        found.flags.pop(name, None)
        return
    if name in valued and not sign:
        value = rest.pop(0) if rest else ""
    found.flags[name] = value


def cluster(found: Options, word: str, rest: "list[str]", letters: "dict[str, str]", valued: "set[str]") -> None:
    for n, letter in enumerate(word):
        name = letters.get(letter, letter)
        if name in valued:
            found.flags[name] = word[n + 1:] or (rest.pop(0) if rest else "")
            return
        found.flags[name] = ""

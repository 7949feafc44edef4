"""What stands among the arguments of a call in another language: strings, and names that were given one before.

`p = 'a'; open(p, 'w'); p = 'b'` writes a: of several texts a name was given, the last before the call counts.
"""
from guard.core.shell import HOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.programs.code_text import Code

    Given = tuple[int, "list[str]", str]  # from where on, the texts (of a loop: each of them), "text", "path" or "list"

LONGEST, MOST, WIDEST = 4096, 2000, 20  # of the arguments of one call; names; texts of a loop
PATHS = ("Path(", "pathlib.Path(", "pathlib.PurePath(")
HEADS = ("if", "elif", "else", "for", "while", "with", "try", "except", "def", "lambda", "case")  # what a colon ends, no annotation


class Names:
    """Which texts the names of a program stand for, place by place."""

    def __init__(self, code: "Code") -> None:
        self.code, self.widest = code, 1  # the most texts that one of the names just read stands for
        self.given: "dict[str, list[Given]]" = {}
        found = [(at, name, start) for at, name, start in (*assigned(code.bare), *looped(code.bare))]
        for at, name, start in sorted(found):
            self.given.setdefault(name, []).append(self.value(at, start, code.bare[at] != "="))

    def value(self, at: int, start: int, loop: bool) -> "Given":
        """What a name is given by the text from `start` on; nothing that is known, too, ends what it was before."""
        bare, kind = self.code.bare, "text"
        while bare[start:start + 1] in (" ", "\t"):
            start += 1
        for mark in PATHS:
            if bare.startswith(mark, start):
                start, kind = start + len(mark), "path"
        if bare[start:start + 1] in ("[", "("):
            words = self.literals(start)
            return (at, words, "text" if loop else "list")
        if start in self.code.strings:
            return (at, self.literals(start)[:1], kind)
        word = word_at(bare, start)
        behind = bare[start + len(word):start + len(word) + 8].lstrip(" \t")[:1]
        other = self.at(word, start) if behind in ("\n", ";", ",", ")", ":", "") else None
        return (at, other[1], kind if loop or kind != "text" else other[2]) if other else (at, [], kind)

    def at(self, name: str, place: int) -> "Given | None":
        """What the name stands for there."""
        low, high = 0, len(self.given.get(name, ()))
        while low < high:
            middle = (low + high) // 2
            if self.given[name][middle][0] < place:
                low = middle + 1
            else:
                high = middle
        return self.given[name][low - 1] if low and self.given[name][low - 1][1] else None

    def text(self, start: int, pick: int = 0, hole: str = HOLE) -> str:
        """A string, with what is put into it as far as it is a known name; `hole` stands for the rest."""
        parts = list(self.code.strings[start][1])
        for n in range(1, len(parts), 2):
            given = self.at(parts[n], start)
            parts[n] = self.picked(given, pick)[0] if given and given[2] != "list" else hole
        return "".join(parts)

    def literals(self, at: int, pick: int = 0, hole: str = HOLE) -> "list[str]":
        """The texts from here on, past brackets and commas: one, or a list of arguments."""
        bare, strings, found, end = self.code.bare, self.code.strings, [], at + LONGEST
        listed = False
        while at < min(end, len(bare)):
            word = "" if at in strings else word_at(bare, at)
            if at in strings:
                found.append(self.text(at, pick, hole))
                at = strings[at][0]
            elif word:
                given = self.at(word, at)
                if not given or bare[at + len(word):at + len(word) + 8].lstrip()[:1] not in (",", ")", "]", ";", "}", ""):
                    return found
                found += self.picked(given, pick)
                at += len(word)
            elif bare[at] in " \t\n([,":
                listed = listed or bare[at] == "["
                at += 1
                continue
            else:
                return found
            if bare[at:at + 8].lstrip()[:1] != ",":
                return found
        return found

    def picked(self, given: "Given", pick: int) -> "list[str]":
        if given[2] == "list":
            return given[1]
        self.widest = max(self.widest, min(len(given[1]), WIDEST))
        return [given[1][pick % len(given[1])]]

    def arguments(self, at: int, hole: str = HOLE) -> "list[list[str]]":
        """The arguments of one call, for each of the texts that a name of a loop stands for."""
        self.widest = 1
        found = [self.literals(at, 0, hole)]
        return found + [self.literals(at, pick, hole) for pick in range(1, self.widest)]


def word_at(bare: str, at: int) -> str:
    """An identifier that begins here; perl's and php's with their $."""
    end = at + (bare[at:at + 1] == "$")
    while end < len(bare) and (bare[end].isalnum() or bare[end] == "_") and end - at < 80:
        end += 1
    return bare[at:end]


def word_before(bare: str, at: int) -> str:
    """An identifier that ends here."""
    start = at
    while start > 0 and (bare[start - 1].isalnum() or bare[start - 1] in "_$") and at - start < 80:
        start -= 1
    return bare[start:at]


def assigned(bare: str) -> "list[tuple[int, str, int]]":
    """(where, name, where its value begins) of `p = ...`, `const p = ...`, `p: str = ...`; an argument `p=...` is none."""
    found: "list[tuple[int, str, int]]" = []
    at = bare.find("=")
    while at >= 0 and len(found) < MOST:
        if bare[at + 1:at + 2] not in ("=", ">", "~") and bare[at - 1:at] not in tuple("=!<>+-*/%&|^~.@"):
            line = bare[max(0, at - 120):at]
            head = line[max([line.rfind(c) for c in "\n;({,"]) + 1:]
            words = head.partition(":")[0] if head.split()[:1] and head.split()[0].rstrip(":") not in HEADS else head
            name = word_before(words, len(words.rstrip(" \t")))
            before = line[:len(line) - len(head)].rstrip()[-1:]
            if name and (before not in ("(", ",", "{") or " " in head.strip() or bare[at - 1:at] == ":"):
                found.append((at, name, at + 1))
        at = bare.find("=", at + (2 if bare[at + 1:at + 2] == "=" else 1))
    return found


def looped(bare: str) -> "list[tuple[int, str, int]]":
    """The same of `for p in [...]` and `for (const p of [...])`."""
    found: "list[tuple[int, str, int]]" = []
    at = bare.find("for ")
    while at >= 0 and len(found) < MOST:
        head = bare[at + 4:at + 120].partition("\n")[0]
        for mark in (" in ", " of "):
            name, sign, _ = head.partition(mark)
            if sign and word_before(name, len(name)):
                found.append((at, word_before(name, len(name)), at + 4 + len(name) + 4))
                break
        at = bare.find("for ", at + 4)
    return found

"""Characters to words: quotes, escapes, expansions, here-documents. (bash(1), QUOTING, EXPANSION, Here Documents)

Linear: it moves by str.find and slices, and each look-ahead remembers where it has been. The methods that hold others are
generators, which parse.py runs on a stack of its own, so that no nesting can exhaust Python's.
"""
from guard.core.shell import HOLE, MATH, OUTPUT, PROCESS, QUOTED, TEXT, VALUE, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Any

    from guard.core.shell import Part
    Reading = Generator[Any, Any, Any]

MOST_STEPS = 2_500  # about 2 microseconds each: what a call may cost (see scripts/bench_hook.py)
BEFORE_COMMENT = ("", " ", "\t", "\n", ";", "&", "|", "(", ")")
ENDS = frozenset(" \t\n|&;()<>")  # what ends a word outside quotes
PLAIN = "".join(chr(c) for c in range(33, 127) if chr(c) not in "|&;()<>'\"\\$`") + HOLE
NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
SPECIAL = "@*#?-$!0123456789"
# end of a stretch of text -> the characters to stop at
MARKS = {'"': '"$`\\', "}": "}'\"$`\\", "))": "()'\"$`\\", "]": "[]'\"$`\\", "": "$`\\"}


class Lexer:
    """A cursor over one text. `steps` is shared by all cursors of a call: [how many loop steps were taken]."""

    def __init__(self, text: str, steps: "list[int]") -> None:
        self.text, self.at, self.end, self.steps = text, 0, len(text), steps
        self.ahead: "dict[str, int]" = {}     # character -> where it comes next
        self.in_body = False  # of a here-document, where single quotes mean nothing
        self.waiting: "list[tuple[Any, str, bool, bool]]" = []  # here-documents whose bodies follow the line

    def script(self, ends: "tuple[str, ...]", closing: str) -> "Reading":
        raise NotImplementedError  # the grammar, in parse.py

    def nested(self, text: str) -> "Lexer":
        return type(self)(text, self.steps)

    def step(self, many: int = 1) -> None:
        self.steps[0] += many
        if self.steps[0] > MOST_STEPS:
            self.steps[0] = MOST_STEPS + 1
            raise Unreadable("it is too long")

    def next(self, mark: str) -> int:
        """Where `mark` comes next, the end of the text if nowhere."""
        found = self.ahead.get(mark, -1)
        if found < self.at:
            found = self.text.find(mark, self.at)
            if found < 0:
                found = self.end
            self.ahead[mark] = found
        return found

    def back_to(self, at: int) -> None:
        self.at = at
        self.ahead.clear()

    def char(self, ahead: int = 0) -> str:
        """The character here, "" behind the end."""
        return self.text[self.at + ahead:self.at + ahead + 1]

    def run_of(self, allowed: str) -> str:
        """Moves over the characters here that are among `allowed`, and gives them."""
        start, size = self.at, 64
        while True:
            chunk = self.text[self.at:self.at + size]
            rest = len(chunk.lstrip(allowed))
            self.at += len(chunk) - rest
            if rest or not chunk:
                return self.text[start:self.at]
            size *= 4

    def plain(self) -> str:
        """Moves over characters that mean nothing to a shell."""
        start = self.at
        while True:
            self.run_of(PLAIN)
            before = self.at
            while self.char() > "\x7f":
                self.at += 1
            if self.at == before:
                return self.text[start:self.at]

    def blanks(self) -> None:
        """Moves over blanks, line continuations, and a comment behind them."""
        while True:
            self.run_of(" \t")
            c = self.char()
            if c == "#" and self.text[self.at - 1:self.at] in BEFORE_COMMENT:
                self.at = self.next("\n")
                return
            if c != "\\" or self.char(1) != "\n":
                return
            self.step()
            self.at += 2

    # --- words ----------------------------------------------------------------------------------------------------

    def word(self) -> "Reading":
        """The parts of the word here. The commonest, plain text up to a blank, is met in parse.py before this."""
        parts: "list[Part]" = []
        while self.at < self.end:
            self.step()
            plain = self.plain()
            if plain:
                parts.append((TEXT, plain))
            c = self.char()
            if c in "<>" and c and self.char(1) == "(":
                self.at += 2
                parts.append((PROCESS, (yield self.script((), ")")), c))
                self.at += 1
            elif c == "(" and plain and plain[-1] in "@?*+!":  # an extended pattern
                self.at += 1
                yield self.stretch("))", False)
                parts.append((TEXT, "*"))
            elif not c or c in ENDS:
                break
            elif c == "'":
                parts.append((QUOTED, self.single_quoted()))
            elif c == '"':
                self.at += 1
                close = self.next('"')
                if close < min(self.next("$"), self.next("`"), self.next("\\")):  # nothing in it to expand
                    parts.append((QUOTED, self.text[self.at:close]))
                    self.at = close + 1
                else:
                    parts += quoted((yield self.stretch('"', True)))
            elif c == "\\":
                if self.char(1) != "\n":
                    parts.append((QUOTED, self.char(1) or "\\"))
                self.at += 2
            else:
                parts += (yield self.expansion(False))
        return tuple(parts)

    def single_quoted(self) -> str:
        self.at += 1
        close = self.next("'")
        if close == self.end:
            raise Unreadable("a quote is not closed")
        inside = self.text[self.at:close]
        self.at = close + 1
        return inside

    def stretch(self, end: str, in_quotes: bool) -> "Reading":
        """Parts up to `end`, which is consumed: '"', "}", "))" (one or two, by what was opened), "]", or "" for the whole text."""
        parts: "list[Part]" = []
        marks, level = MARKS[end], 0
        while True:
            self.step()
            stop = min([self.next(mark) for mark in marks])
            if stop > self.at:
                parts.append((QUOTED if end in ('"', "") or in_quotes else TEXT, self.text[self.at:stop]))
            self.at = stop
            c = self.char()
            if not c:
                if end:
                    raise Unreadable("a quote or a bracket is not closed")
                return parts
            if c in "([":
                level += 1
                self.at += 1
            elif c == end or (c == ")" and end == "))") or (c == "]" and end == "]"):
                self.at += 1
                if not level:
                    return parts
                level -= 1
            elif c == "\\":
                parts += self.escaped(end, in_quotes)
            elif c == "'":
                if in_quotes and end == "}" and not self.in_body:  # "${x:-'}'}": a pair is kept as it is
                    parts.append((QUOTED, "'" + self.single_quoted() + "'"))
                elif in_quotes:
                    parts.append((QUOTED, "'"))
                    self.at += 1
                else:
                    parts.append((QUOTED, self.single_quoted()))
            elif c == '"':
                self.at += 1
                parts += quoted((yield self.stretch('"', True)))
            else:
                parts += (yield self.expansion(in_quotes))

    def escaped(self, end: str, in_quotes: bool) -> "list[Part]":
        """A backslash. Inside double quotes and here-documents it only takes away the meaning of $ ` \\ (and of the quote)."""
        after = self.char(1)
        self.at += 2
        if after == "\n":
            return []
        only = end in ("", '"') or in_quotes
        if only and after not in ("$", "`", "\\", "}" if end == "}" else '"' if end else "$"):
            return [(QUOTED, "\\" + after)]
        return [(QUOTED, after)]

    # --- expansions -----------------------------------------------------------------------------------------------

    def expansion(self, in_quotes: bool) -> "Reading":
        """What stands at a `$` or a backquote."""
        if self.char() == "`":
            script = yield self.backquoted(in_quotes)
            return [(OUTPUT, script, in_quotes)]
        after = self.char(1)
        if after == "(":
            return (yield self.in_brackets(in_quotes))
        if after == "{":
            return [(yield self.parameter(in_quotes))]
        if after == "[":
            self.at += 2
            return [(MATH, (yield self.stretch("]", True)))]
        if after == "'" and not in_quotes:
            return [(QUOTED, self.ansi_quoted().partition("\0\0")[0])]
        if after == '"' and not in_quotes:
            self.at += 2
            return quoted((yield self.stretch('"', True)))
        self.at += 1
        if after and after in SPECIAL:
            self.at += 1
            return [(VALUE, after, "", (), in_quotes)]
        name = self.run_of(NAME)
        return [(VALUE, name, "", (), in_quotes) if name else (QUOTED if in_quotes else TEXT, "$")]

    def in_brackets(self, in_quotes: bool) -> "Reading":
        """`$((` arithmetic `))`, else `$(` commands `)`."""
        start = self.at
        if self.char(2) == "(":
            self.at += 3
            parts = yield self.arithmetic()
            if parts is not None:
                return [(MATH, parts)]
            self.back_to(start)
        self.at += 2
        script = yield self.script((), ")")
        self.at += 1
        return [(OUTPUT, script, in_quotes)]

    def arithmetic(self) -> "Reading":
        """Parts up to the `))` that closes it; None where a single bracket does: then it was a subshell."""
        parts = yield self.stretch("))", True)
        if self.char() != ")":
            return None
        self.at += 1
        return parts

    def parameter(self, in_quotes: bool) -> "Reading":
        """`${...}`: (VALUE, name, operator, argument, quoted). An index belongs to the name: `a[@]`."""
        self.at += 2
        prefix, inner = "", []
        if self.char() in ("!", "#") and self.char(1) not in ("}", ":", "-", "=", "+", "?", "%", "/"):
            prefix = self.char()
            self.at += 1
        name = self.run_of(NAME)
        if not name and self.char() and self.char() in SPECIAL:
            name = self.char()
            self.at += 1
        if self.char() == "[":
            self.at += 1
            start = self.at
            index = yield self.stretch("]", True)
            name += "[" + self.text[start:self.at]
            if any(part[0] not in (QUOTED, TEXT) for part in index):
                name = name.partition("[")[0] + "[?]"
                inner = [(MATH, index)]
        operator = self.run_of(":-=+?#%/^,@")
        if operator[:1] == ":" and operator[1:2] not in ("-", "=", "+", "?"):  # ${x:1:2}
            self.at -= len(operator) - 1
            operator = ":"
        elif operator[:1] == ":":
            self.at -= len(operator) - 2
            operator = operator[:2]
        elif operator[:1] and operator[:1] in "-=+?%#/":
            size = 2 if operator[:2] in ("%%", "##", "//", "/#", "/%") else 1
            self.at -= len(operator) - size
            operator = operator[:size]
        argument = yield self.stretch("}", in_quotes)
        return (VALUE, name, "length" if prefix == "#" else prefix + operator, tuple(inner + argument), in_quotes)

    def backquoted(self, in_quotes: bool) -> "Reading":
        self.at += 1
        text: "list[str]" = []
        while True:
            self.step()
            stop = min(self.next("`"), self.next("\\"))
            text.append(self.text[self.at:stop])
            self.at = stop + 2
            if stop == self.end:
                raise Unreadable("a backquote is not closed")
            if self.text[stop] == "`":
                self.at = stop + 1
                inner = self.nested("".join(text))
                return (yield inner.script((), ""))
            after = self.text[stop + 1:stop + 2]
            text.append(after if after in ("$", "`", "\\", '"' if in_quotes else "$") else "\\" + after)

    def ansi_quoted(self) -> str:
        """`$'...'`"""
        self.at += 2
        text: "list[str]" = []
        while True:
            self.step()
            stop = min(self.next("'"), self.next("\\"))
            text.append(self.text[self.at:stop])
            self.at = stop + 1
            if stop == self.end:
                raise Unreadable("a quote is not closed")
            if self.text[stop] == "'":
                return "".join(text)
            self.at += 1
            text.append(self.ansi_escape(self.text[stop + 1:stop + 2]))

    def ansi_escape(self, c: str) -> str:
        if c in "01234567" and c:
            self.at -= 1
            digits = self.digits("01234567", 3)
            return safe(int(digits, 8) & 255)
        if c in ("x", "u", "U"):
            digits = self.digits("0123456789abcdefABCDEF", {"x": 2, "u": 4, "U": 8}[c])
            code = int(digits, 16) if digits else -1
            return "\\" + c if code < 0 else safe(code)
        if c == "c":
            self.at += 1
            return safe(ord(self.text[self.at - 1:self.at] or "@") & 31)
        return {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v",
                "\\": "\\", "'": "'", '"': '"', "?": "?"}.get(c, "\\" + c)

    def digits(self, allowed: str, most: int) -> str:
        start = self.at
        while self.at - start < most and self.char() and self.char() in allowed:
            self.at += 1
        return self.text[start:self.at]

    # --- here-documents -------------------------------------------------------------------------------------------

    def bodies(self) -> "Reading":
        """Reads the here-documents that wait for the end of this line; the cursor stands behind it."""
        waiting, self.waiting = self.waiting, []
        for redirect, delimiter, literal, tabs in waiting:
            body = self.body(delimiter, tabs)
            if literal:
                redirect.word = ((QUOTED, body),)
            else:
                inner = self.nested(body)
                inner.in_body = True
                redirect.word = tuple((yield inner.stretch("", True)))

    def body(self, delimiter: str, tabs: bool) -> str:
        """The lines up to the one that is the delimiter; up to the end where there is none, as bash does with a warning."""
        start, at = self.at, self.at
        while True:
            self.step()
            at = self.text.find(delimiter, at) if delimiter else self.text.find("\n", at)
            if at < 0:
                inside, self.at = self.text[start:], self.end
                break
            after = at + len(delimiter)
            line = at
            while tabs and line > start and self.text[line - 1] == "\t":
                line -= 1
            if self.text[after:after + 1] in ("", "\n") and (line == start or self.text[line - 1] == "\n"):
                inside, self.at = self.text[start:line], min(after + 1, self.end)
                break
            at = after if delimiter else at + 1
        return inside if not tabs else "".join([line.lstrip("\t") for line in inside.splitlines(True)])


def safe(code: int) -> str:
    """A character by its number. A NUL ends the text; the next few are marks of ours, and no name that matters has them."""
    return "\0\0" if not code else "?" if code < 6 else chr(code) if code < 0x110000 else ""


def quoted(parts: "list[Part]") -> "list[Part]":
    """Parts from between double quotes; an empty pair still makes a word."""
    return parts or [(QUOTED, "")]

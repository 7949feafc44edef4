"""The text of a program in another language, read once: where its strings and comments stand, and what the strings say.

What a call is named is looked for in `bare`, the same text with all of them blanked: `s = "os.system('x')"` starts nothing.
"""
LANGUAGES = {"pypy": "python", "nodejs": "node", "deno": "node", "bun": "node", "gawk": "awk", "mawk": "awk", "nawk": "awk"}
COMMENTS = {"node": ("//", "/*"), "php": ("//", "/*", "#"), "lua": ("--[[", "--"), "osascript": ("--",)}  # any other: #
CLOSES = {"/*": "*/", "--[[": "]]"}
QUOTES = {"python": "'\"", "lua": "'\"", "node": "'\"`", "ruby": "'\"`", "perl": "'\"`", "php": "'\"`"}  # any other: "
ON_ONE_LINE = ("python", "node", "lua", "awk")
PUT_IN = {("node", "`"): "${", ("ruby", '"'): "#{", ("ruby", "`"): "#{"}
RICH = ("ruby", "perl", "node", "php", "awk")  # patterns, quotes by letter, here-documents: code_quotes
STRING, DEEPEST = "\x1f", 20  # what blanks a string; interpolations in interpolations


class Code:
    """`strings`: where one starts -> (where it ends, its parts: a text, the code that is put in, a text, ...). `commands`: of `...`."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.language = text, LANGUAGES.get(name, name)
        self.strings: "dict[int, tuple[int, list[str]]]" = {}
        self.commands: "list[list[str]]" = []
        self.bodies: "dict[int, int]" = {}      # of here-documents: the end of the line above -> their end
        self.covered: "list[str]" = []
        self.reached = self.depth = self.tried = self.failed = 0
        self.quotes, self.comments = QUOTES.get(self.language, '"'), COMMENTS.get(self.language, ("#",))
        rich = "/%<\nqmsty" if self.language in RICH else ""
        self.marks = frozenset(self.quotes + "{}[" + rich + "".join([mark[0] for mark in self.comments]))
        self.read(self.mark(-1, "\n") if rich else 0, len(text), False)
        self.bare = "".join(self.covered) + text[self.reached:]

    def cover(self, start: int, end: int, blank: str = STRING) -> int:
        """Blanks a span; spans come in their order."""
        start = max(start, self.reached)
        if end > start:
            self.covered += [self.text[self.reached:start], blank * (end - start)]
            self.reached = end
        return end

    def read(self, at: int, end: int, inside: bool) -> int:
        """Code from here on: to `end`, or behind the } that ends what is put into a string."""
        text, marks, braces = self.text, self.marks, 0
        while at < end:
            c = text[at]
            if c not in marks:
                at += 1
            elif c in "{}":
                braces += 1 if c == "{" else -1
                at += 1
                if inside and braces < 0:
                    return at
            else:
                at = self.mark(at, c)
        return min(at, len(text))

    def mark(self, at: int, c: str) -> int:
        """Behind whatever begins here, if anything does."""
        text = self.text
        if self.language in ("perl", "ruby") and text[at - 1:at] == "$" and c != "{":  # $' and its kin are variables
            return at + 1
        for opener in self.comments if self.language != "python" or not self.depth else ():  # f"{n:#x}"
            if text.startswith(opener, at):
                close = CLOSES.get(opener, "\n")
                end = text.find(close, at)
                return self.cover(at, len(text) if end < 0 else end + (len(close) if close != "\n" else 0), " ")
        if c in self.quotes:
            return self.quoted(at, c)
        if c == "[" and self.language == "lua" and text[at + 1:at + 2] == "[":
            return self.plain(at, at + 2, text.find("]]", at), 2, True)
        if self.language in RICH:
            from guard.core.programs import code_quotes
            return code_quotes.begun(self, at, c)
        return at + 1

    def quoted(self, at: int, quote: str) -> int:
        """A string between quotes; `at` is the first of them."""
        text, language, start, opener = self.text, self.language, at, PUT_IN.get((self.language, quote), "")
        raw = quote == "'" and language in ("perl", "ruby", "php")
        if language == "python":
            letters = prefix(text, at)
            start, raw, opener = at - len(letters), "r" in letters, "{" if "f" in letters else ""
            quote = quote * 3 if text[at:at + 3] == quote * 3 else quote
        if opener and self.depth < DEEPEST:
            return self.filled(start, at + len(quote), quote, opener, raw)
        end = closing(text, at + len(quote), quote)
        if len(quote) == 1 and quote != "`" and language in ON_ONE_LINE and end > 0:
            line = unescaped_newline(text, at + 1, end)
            if line >= 0:  # no string at all, or no program
                return self.cover(start, line)
        return self.plain(start, at + len(quote), end, len(quote), raw, quote == "`" and language != "node")

    def plain(self, start: int, inner: int, end: int, width: int, raw: bool, runs: bool = False) -> int:
        """One whose text is all there is to it; without an end it goes to the end of all."""
        end = len(self.text) if end < 0 else end
        return self.keep(start, end + width, [said(self.text[inner:end], raw)], runs)

    def keep(self, start: int, end: int, parts: "list[str]", runs: bool) -> int:
        end = min(end, len(self.text))
        if runs:
            self.commands.append(parts)
        else:
            self.strings[start] = (end, parts)
        return self.cover(start, end)

    def filled(self, start: int, at: int, close: str, opener: str, raw: bool) -> int:
        """One into which values are put: what computes them is code."""
        text, parts, since = self.text, [""], at
        self.depth += 1
        while at < len(text) and not text.startswith(close, at):
            if text[at] == "\\" or text.startswith("{{", at) or text.startswith("}}", at):
                at += 2
            elif text.startswith(opener, at):
                parts[-1] = said(text[since:at], raw)
                inner = self.cover(start if len(parts) == 1 else since, at + len(opener))
                at = since = self.read(inner, len(text), True)
                parts += [text[inner:at - 1].strip(), ""]
            else:
                at += 1
        self.depth -= 1
        parts[-1] = said(text[since:at], raw)
        end = min(at + len(close), len(text))
        self.cover(since if len(parts) > 1 else start, end)
        return self.keep(start, end, parts, close == "`" and self.language == "ruby")


def closing(text: str, at: int, quote: str) -> int:
    """Where the next of these quotes stands that no backslash is before; -1 if none does."""
    end = text.find(quote, at)
    while end >= 0:
        slash = text.find("\\", at, end)
        if slash < 0:
            return end
        at = slash + 2
        if at > end:
            end = text.find(quote, at)
    return -1


def unescaped_newline(text: str, at: int, end: int) -> int:
    line = text.find("\n", at, end)
    while line > 0 and text[line - 1] == "\\":
        line = text.find("\n", line + 1, end)
    return line


def prefix(text: str, at: int) -> str:
    """r, b, f, u before a quote of Python's, in small letters."""
    start = at
    while start > 0 and at - start < 2 and text[start - 1] in "rRbBfFuU":
        start -= 1
    return "" if start > 0 and (text[start - 1].isalnum() or text[start - 1] == "_") else text[start:at].lower()


def said(written: str, raw: bool) -> str:
    """What a literal stands for; \\x41 and its kin stay as they are."""
    if raw or "\\" not in written:
        return written
    pieces = written.replace("\\\\", "\x1e").replace("\\\n", "").replace("\\n", "\n").replace("\\t", "\t").replace("\\", "")
    return pieces.replace("\x1e", "\\")

"""What perl, ruby, node, php and awk have beside quotes: s/x/y/, q(), %q(), here-documents, documentation in the text."""
from guard.core.programs.code_patterns import behind_flags, operand_before, pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.programs.code_text import Code

PAIRS = {"(": ")", "{": "}", "[": "]", "<": ">"}
PERL = {"q": 1, "qq": 1, "qw": 1, "qx": 1, "qr": 1, "m": 1, "s": 2, "tr": 2, "y": 2}  # how many parts
DELIMITERS = "/{([|!#~@'\"^%:+<"
LONGEST_LINE, MOST_TRIED = 2000, 20


def begun(code: "Code", at: int, c: str) -> int:
    """Behind what begins at this character, or the next character."""
    if c == "\n":
        return line_begins(code, at)
    if c == "/":
        return pattern(code, at)
    if c == "<" and code.language in ("perl", "ruby", "php") and code.tried < MOST_TRIED:
        return here_document(code, at)
    if code.language == "ruby" and c == "%":
        return percent(code, at)
    if code.language == "perl" and c in "qmsty":
        return quote_like(code, at)
    return at + 1


def line_begins(code: "Code", at: int) -> int:
    """Bodies of here-documents, =pod ... =cut, and what stands behind __END__."""
    text = code.text
    if at in code.bodies:
        return code.cover(at, code.bodies[at])
    if code.language not in ("perl", "ruby"):
        return at + 1
    if text.startswith(("__END__\n", "__DATA__\n"), at + 1):
        return code.cover(at + 1, len(text), " ")
    ends = "\n=end" if code.language == "ruby" else "\n=cut"
    if text[at + 1:at + 2] == "=" and text[at + 2:at + 3].isalpha() and (ends == "\n=cut" or text.startswith("=begin", at + 1)):
        end = text.find(ends, at + 1)
        return code.cover(at + 1, len(text) if end < 0 else end + len(ends), " ")
    return at + 1


def delimited(code: "Code", at: int) -> int:
    """Behind the delimiter that closes the one at `at`; the end of all if none does."""
    text, opener = code.text, code.text[at]
    close, depth, at = PAIRS.get(opener, opener), 1, at + 1
    while at < len(text):
        c = text[at]
        if c == "\\":
            at += 1
        elif c == close:
            depth -= 1
            if not depth:
                return at + 1
        elif c == opener:
            depth += 1
        at += 1
    return len(text)


def quote_like(code: "Code", at: int) -> int:
    """q(), qw(), m//, s///, tr///, and qx(), which runs what it says."""
    text, end = code.text, at
    while end < len(text) and (text[end].isalnum() or text[end] == "_") and end - at < 80:
        end += 1
    word, start = text[at:end], at
    parts = PERL.get(word, 0)
    if text[at - 1:at].isalnum() or text[at - 1:at] in ("_", "$", "@", "%", "&", ">", "-") or not parts:
        return max(end, at + 1)
    while text[end:end + 1] == " ":
        end += 1
    delimiter = text[end:end + 1]
    allowed = "/{([" if text[end - 1] == " " else DELIMITERS + "," if word in ("m", "s") else DELIMITERS
    if not delimiter or delimiter not in allowed:
        return end
    inner, end = end + 1, delimited(code, end)
    if word in ("q", "qq", "qx"):
        from guard.core.programs.code_text import said
        return code.keep(start, end, [said(text[inner:end - 1], word == "q")], word == "qx")
    if parts == 1:
        return code.cover(start, behind_flags(text, end) if word != "qw" else end)
    return replacement(code, start, end, delimiter)


def replacement(code: "Code", start: int, end: int, delimiter: str) -> int:
    """The second part of s/x/y/: with the letter e it is code."""
    text, second = code.text, end
    if delimiter in PAIRS:
        while text[second:second + 1].isspace():
            second += 1
        second += 1
    if second >= len(text):
        return code.cover(start, len(text))
    behind = delimited(code, second - 1) if delimiter in PAIRS else closing_same(code, second, delimiter)
    flags = behind_flags(text, behind)
    code.cover(start, second)
    if "e" in text[behind:flags]:
        code.read(second, behind - 1, False)
        start = behind - 1
    return code.cover(start, flags)


def closing_same(code: "Code", at: int, delimiter: str) -> int:
    from guard.core.programs.code_text import closing
    end = closing(code.text, at, delimiter)
    return len(code.text) if end < 0 else end + 1


def percent(code: "Code", at: int) -> int:
    """%q(), %w[], %(), and %x(), which runs what it says."""
    text = code.text
    letter = text[at + 1:at + 2] if text[at + 1:at + 2] in ("q", "Q", "w", "W", "i", "I", "r", "x") else ""
    opener = at + 1 + len(letter)
    if text[opener:opener + 1] not in (("(", "{", "[", "<", "|", "!", "/") if letter else ("(", "{", "[")) or \
            operand_before(text, at, code.language):
        return at + 1
    end = delimited(code, opener)
    if letter in ("", "q", "Q", "x"):
        return code.keep(at, end, [text[opener + 1:end - 1]], letter == "x")
    return code.cover(at, end)


def here_document(code: "Code", at: int) -> int:
    """<<~NAME, <<"NAME", <<<NAME: the lines below, up to that name."""
    text = code.text
    line = text.find("\n", at, at + LONGEST_LINE)
    mark = "<<<" if code.language == "php" else "<<"
    if not text.startswith(mark, at) or line < 0:
        return at + 1
    start = at + len(mark)
    free = text[start:start + 1] in ("~", "-")
    start += free or (code.language == "php" and text[start:start + 1] == " ")
    quote = text[start:start + 1] if text[start:start + 1] in ("'", '"') else ""
    end = start = start + len(quote)
    while text[end:end + 1].isalnum() or text[end:end + 1] == "_" or (quote and text[end:end + 1] == " "):
        end += 1
    name = text[start:end].strip()
    code.tried += 1
    if not name or not (quote or name[0].isupper() or name[0] == "_"):
        return at + 2
    begin = below = code.bodies.get(line, line)
    while below >= 0:
        nextline = text.find("\n", below + 1)
        if text[below + 1:nextline if nextline >= 0 else len(text)].strip(" \t;)") == name:
            code.bodies[line] = nextline if nextline >= 0 else len(text)
            return code.keep(at, end + len(quote), [text[begin + 1:below + 1]], False)
        below = nextline
    return at + 2

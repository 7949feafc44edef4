"""/patterns/ of perl, ruby, node, php and awk, and when a / divides."""
TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.programs.code_text import Code

# A / behind one of these starts a pattern; behind any other word it divides.
BEFORE_PATTERN = ("return", "split", "grep", "if", "unless", "and", "or", "not", "while", "until", "when", "print", "puts", "typeof",
                  "case", "in", "of", "elsif", "then", "join", "map", "say")
LONGEST_PATTERN, LONGEST_GAP, MOST_FAILED = 1000, 2000, 200


def operand_before(text: str, at: int, language: str) -> bool:
    """Does a value end here, so that / divides and % is modulo? Where it cannot be told it does: what follows stays code."""
    end = at
    while end > 0 and text[end - 1] in " \t" and at - end < LONGEST_GAP:
        end -= 1
    last = text[end - 1:end]
    if not (last.isalnum() or last in ("_", ")", "]", "'", '"', "`") or (last == "}" and language != "awk")):
        return False
    start = end
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] == "_") and end - start < 80:
        start -= 1
    word, sigil = text[start:end], text[start - 1:start]
    if word in BEFORE_PATTERN and sigil not in ("$", "@", ".", "%"):
        return False
    if language not in ("ruby", "perl") or sigil in ("$", "@", "%") or not word[:1].isalpha():
        return True
    return end == at or text[at + 1:at + 2] in (" ", "=", "")  # `gsub /x/`: a space before and none behind


def pattern(code: "Code", at: int) -> int:
    text = code.text
    if code.failed > MOST_FAILED or operand_before(text, at, code.language):
        return at + 1 + (text[at + 1:at + 2] == "/")  # perl's $x // 1
    end, in_class = at + 1, False
    while end < len(text) and end - at < LONGEST_PATTERN and text[end] != "\n":
        if text[end] == "\\":
            end += 1
        elif text[end] in "[]" and code.language != "perl":
            in_class = text[end] == "["
        elif text[end] == "/" and not in_class:
            return code.cover(at, behind_flags(text, end + 1))
        end += 1
    code.failed += 1
    return at + 1


def behind_flags(text: str, at: int) -> int:
    while text[at:at + 1].isalpha():
        at += 1
    return at

"""Compound commands: groups, conditions, loops, functions. (bash(1), Compound Commands)

Each reads one, the cursor on its first word; parse.py loads this when it meets one.
"""
from guard.core.shell import Block, Script, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from guard.core.shell.lex import Reading
    from guard.core.shell.parse import Parser


def expect(p: "Parser", word: str) -> None:
    if not p.text.startswith(word, p.at) or p.keyword() != word:
        raise Unreadable(f"{word!r} is missing")
    p.at += len(word)


def bracket(p: "Parser", word: str) -> "Reading":
    """`(( arithmetic ))`, else `( commands )`."""
    start = p.at
    if p.char(1) == "(":
        p.at += 2
        parts = yield p.arithmetic()
        if parts is not None:
            return Block("math", [], words=[tuple(parts)])
        p.back_to(start)
    p.at += 1
    body = yield filled(p, (), ")")
    p.at += 1
    return Block("subshell", [body])


def filled(p: "Parser", ends: "tuple[str, ...]", closing: str) -> "Reading":
    """Commands, at least one."""
    found = yield p.script(ends, closing)
    if not found.lists:
        raise Unreadable("a command is missing")
    return found


def group(p: "Parser", word: str) -> "Reading":
    p.at += 1
    body = yield filled(p, ("}",), "")
    p.at += 1
    return Block("group", [body])


def condition(p: "Parser", word: str) -> "Reading":
    bodies = []
    while word in ("if", "elif"):
        p.at += len(word)
        bodies.append((yield filled(p, ("then",), "")))
        p.at += 4
        bodies.append((yield filled(p, ("elif", "else", "fi"), "")))
        word = p.keyword()
    if word == "else":
        p.at += 4
        bodies.append((yield filled(p, ("fi",), "")))
    expect(p, "fi")
    return Block("if", bodies)


def loop(p: "Parser", word: str) -> "Reading":
    p.at += len(word)
    condition = yield filled(p, ("do",), "")
    return Block("loop", [condition, (yield do(p))])


def do(p: "Parser") -> "Reading":
    yield p.gap()
    brace = p.char() == "{"
    expect(p, "{" if brace else "do")
    body = yield filled(p, ("}" if brace else "done",), "")
    expect(p, "}" if brace else "done")
    return body


def iteration(p: "Parser", word: str) -> "Reading":
    """for NAME [in words], for ((...)), select."""
    p.at += len(word)
    p.blanks()
    if p.text.startswith("((", p.at):
        p.at += 2
        parts = yield p.arithmetic()
        if parts is None:
            raise Unreadable("for (( is not closed")
        p.blanks()
        if p.char() == ";":
            p.at += 1
        return Block("loop", [Script(), (yield do(p))], words=[tuple(parts)])
    name = p.plain()
    yield p.gap()
    words = None
    if p.keyword() == "in":
        p.at += 2
        words = []
        while True:
            p.blanks()
            found = yield p.word()
            if not found:
                break
            words.append(found)
    if p.char() == ";":
        p.at += 1
    return Block("for", [(yield do(p))], name, words)


def choice(p: "Parser", word: str) -> "Reading":
    """case WORD in [(] PATTERN [| PATTERN] ) commands ;; esac"""
    p.at += 4
    p.blanks()
    words = [(yield p.word())]
    bodies: "list[Script]" = []
    yield p.gap()
    expect(p, "in")
    while True:
        yield p.gap()
        if p.keyword() == "esac":
            p.at += 4
            return Block("case", bodies, words=words)
        if p.char() == "(":
            p.at += 1
        while p.char() != ")":
            p.step()
            p.blanks()
            words.append((yield p.word()))
            p.blanks()
            if p.char() not in ("|", ")") or not p.char() or not words[-1]:
                raise Unreadable("a pattern of case is not closed")
            if p.char() == "|":
                p.at += 1
                p.blanks()
                if p.char() == ")":
                    raise Unreadable("a pattern of case is missing")
        if not words[1:]:
            raise Unreadable("a pattern of case is missing")
        p.at += 1
        bodies.append((yield p.script((";;", "esac"), "")))
        for mark in (";;&", ";;", ";&"):
            if p.text.startswith(mark, p.at):
                p.at += len(mark)
                break


def function(p: "Parser", word: str) -> "Reading":
    p.at += 8
    p.blanks()
    name = p.plain()
    p.blanks()
    if p.text.startswith("(", p.at):
        p.at = p.next(")") + 1
    return (yield p.body_of(name))


def test(p: "Parser", word: str) -> "Reading":
    """[[ ... ]]: its words may hold substitutions; its operators mean nothing to us."""
    p.at += 2
    words: "list[Any]" = []
    while True:
        p.step()
        yield p.gap()
        if p.keyword() == "]]":
            p.at += 2
            return Block("test", [], words=words)
        if not p.char():
            raise Unreadable("[[ is not closed")
        found = yield p.word()
        if found:
            words.append(found)
        else:
            p.at += 1


def coprocess(p: "Parser", word: str) -> "Reading":
    """coproc [NAME] command"""
    p.at += 6
    p.blanks()
    from guard.core.shell.parse import FIRST_OF_A_BLOCK
    name = p.keyword()
    after = p.text[p.at + len(name):p.at + len(name) + 64].lstrip(" \t")[:1] if name else ""
    if name and name not in FIRST_OF_A_BLOCK and after in ("{", "("):
        p.at += len(name)
        p.blanks()
    script = Script()
    script.lists.append(([("", (yield p.command(p.keyword())))], [False]))
    return Block("coproc", [script])

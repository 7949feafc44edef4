"""Words to commands: the grammar of bash(1), SHELL GRAMMAR. `read(text)` never raises.

Each method that may hold other commands is a generator that yields the parts it needs; `run` keeps them on a stack of its own.
"""
from guard.core.shell.lex import ENDS, Lexer, literal
from guard.core.shell import QUOTED, TEXT, Block, Pipeline, Redirect, Script, Simple, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from guard.core.shell.lex import Reading

DEEPEST = 200  # generators on the stack; a command in `$(` takes about five
REDIRECTIONS = ("&>>", "<<<", "<<-", "&>", "<<", ">>", ">|", ">&", "<&", "<>", "<", ">")
FIRST_OF_A_BLOCK = {
    "{": "group", "if": "condition", "while": "loop", "until": "loop", "for": "iteration", "select": "iteration", "case": "choice",
    "function": "function", "[[": "test", "coproc": "coprocess"}
OUT_OF_PLACE = frozenset(("then", "do", "done", "fi", "else", "elif", "esac", "}", "in"))


def read(text: str, steps: "list[int] | None" = None) -> "tuple[Script, str]":
    """(commands, why the rest cannot be read or ""). What stands complete before a fault counts: bash runs it."""
    parser = Parser(text.replace("\r\n", "\n"), [0] if steps is None else steps)
    try:
        run(parser.whole())
    except Unreadable as fault:
        return parser.outermost, str(fault)
    return parser.outermost, ""


def run(reading: "Reading") -> "Any":
    """Runs generators that yield generators, on a list instead of Python's stack."""
    stack, value = [reading], None
    while True:
        try:
            inner = stack[-1].send(value)
        except StopIteration as done:
            stack.pop()
            value = done.value
            if not stack:
                return value
            continue
        if len(stack) >= DEEPEST:
            raise Unreadable("it is nested too deeply")
        stack.append(inner)
        value = None


class Parser(Lexer):
    """The grammar, on top of the lexer."""

    def __init__(self, text: str, steps: "list[int]") -> None:
        super().__init__(text, steps)
        self.outermost = Script()

    def whole(self) -> "Reading":
        yield self.script((), "", self.outermost)
        if self.at < self.end:
            raise Unreadable(f"{self.char()!r} does not belong there")

    # --- lists ----------------------------------------------------------------------------------------------------

    def gap(self) -> "Reading":
        """Moves over blanks, line ends (with the here-documents that wait for them) and comments."""
        while True:
            self.blanks()
            c = self.char()
            if c == "\n":
                self.step()
                self.at += 1
                if self.waiting:
                    yield self.bodies()
            elif c == "#":
                self.at = self.next("\n")
            else:
                return

    def keyword(self) -> str:
        """The plain word here, not consumed, if it could be a reserved one."""
        start = self.at
        word = self.text[start:start + 10]
        for n, c in enumerate(word):
            if c in ENDS:
                return word[:n]
        return word if len(word) < 10 else ""

    def script(self, ends: "tuple[str, ...]", closing: str, into: "Script | None" = None) -> "Reading":
        """Commands up to one of the reserved words `ends`, the character `closing`, or the end of the text: not consumed."""
        found = into or Script()
        while True:
            self.step()
            yield self.gap()
            c = self.char()
            if not c:
                if ends or closing:
                    raise Unreadable("it ends too early")
                if self.waiting:
                    yield self.bodies()
                return found
            if c == closing or (ends and (self.keyword() in ends or (";;" in ends and self.text.startswith((";;", ";&"), self.at)))):
                return found
            background = [False]
            chain: "list[tuple[str, Any]]" = []
            found.lists.append((chain, background))
            yield self.chain(chain)
            c = self.char()
            if c == "&":
                background[0] = True
                self.at += 1
            elif c == ";" and self.char(1) not in (";", "&"):
                self.at += 1
            elif c not in ("", "\n", ";", closing):
                raise Unreadable(f"{c!r} does not belong there")

    def chain(self, chain: "list[tuple[str, Any]]") -> "Reading":
        """Pipelines joined by && and ||."""
        operator = ""
        while True:
            chain.append((operator, (yield self.pipeline())))
            operator = self.text[self.at:self.at + 2]
            if operator not in ("&&", "||"):
                return
            self.at += 2
            yield self.gap()

    def pipeline(self) -> "Reading":
        stages = []
        while True:
            self.step()
            word, prefixed = self.keyword(), False
            while word in ("!", "time"):
                prefixed = True
                self.at += len(word)
                self.blanks()
                if word == "time" and self.keyword() in ("-p", "--"):
                    self.at += 2
                    self.blanks()
                word = self.keyword()
            if prefixed and not word and self.char() in ("", "\n", ";", "&"):
                stages.append(Simple())  # `!` or `time` alone
            else:
                stages.append((yield self.command(word)))
            self.blanks()
            if self.char() != "|" or self.char(1) == "|":
                return stages[0] if len(stages) == 1 else Pipeline(stages)
            self.at += 2 if self.char(1) == "&" else 1
            yield self.gap()

    # --- simple commands ------------------------------------------------------------------------------------------

    def command(self, word: str) -> "Reading":
        if self.char() == "(":
            return (yield self.after((yield self.bracket())))
        name = FIRST_OF_A_BLOCK.get(word)
        if name:
            return (yield self.after((yield getattr(self, name)(word))))
        if word in OUT_OF_PLACE and word != "in":
            raise Unreadable(f"{word!r} does not belong there")
        return (yield self.simple())

    def after(self, block: "Block") -> "Reading":
        """Redirections behind a compound command."""
        while block.kind != "function":
            self.blanks()
            start = self.at
            fd = self.run_of("0123456789")
            redirect = yield self.redirect(fd)
            if redirect is None:
                self.at = start
                break
            block.redirects.append(redirect)
        return block

    def simple(self) -> "Reading":
        command, start, last = Simple(), self.at, self.at
        while True:
            self.step()
            before = self.at
            plain = self.plain()
            c = self.char()
            if plain and (not c or c in ENDS) and not (c in ("<", ">", "(") and c):
                word: "Any" = ((TEXT, plain),)  # the commonest word costs no generator
            else:
                if c in ("<", ">") and (not plain or plain.isdigit() or (plain[0] == "{" and plain[-1] == "}")) and self.char(1) != "(":
                    command.redirects.append((yield self.redirect(plain)))
                    last = self.at
                    self.blanks()
                    continue
                if c == "&" and self.char(1) == ">" and not plain:
                    command.redirects.append((yield self.redirect("")))
                    last = self.at
                    self.blanks()
                    continue
                if c == "(" and plain and not command.words and not command.assigns and plain[-1] not in "@?*+!=":
                    return (yield self.definition(plain))
                if c == "(" and plain[-1:] == "=" and "=" not in plain[:-1] and not command.words:
                    word = ((TEXT, plain),)
                else:
                    self.back_to(before)
                    word = yield self.word()
            if not word:
                break
            if not command.words and word[0][0] == TEXT and assignment(word[0][1]):
                command.assigns.append((yield self.assigned(word)))
            elif self.char() == "(" and command.words and word[-1][0] == TEXT and word[-1][1][-1:] == "=":
                command.assigns.append((yield self.assigned(word)))  # declare -a x=(...)
            else:
                command.words.append(word)
            last = self.at
            self.blanks()
        if last == start:
            raise Unreadable(f"{self.char()!r} does not belong there" if self.char() else "it ends too early")
        command.said = self.text[start:last]
        return command

    def assigned(self, word: "Any") -> "Reading":
        """`x=word`, `x+=word`, `x[i]=word`, `x=(words)`."""
        name, _, rest = word[0][1].partition("=")
        operator = "+=" if name.endswith("+") else "="
        name = name.rstrip("+")
        if not rest and len(word) == 1 and self.char() == "(":
            self.at += 1
            words = []
            while True:
                yield self.gap()
                if self.char() == ")":
                    self.at += 1
                    return (name, operator, words)
                element = yield self.word()
                if not element:
                    raise Unreadable("an array is not closed")
                words.append(element)
        return (name, operator, (((TEXT, rest),) if rest else ()) + word[1:])

    def redirect(self, fd: str) -> "Reading":
        """The redirection here, or None."""
        operator = next((o for o in REDIRECTIONS if self.text.startswith(o, self.at)), "")
        if not operator or (operator in ("<", ">") and self.char(1) == "("):
            return None
        self.at += len(operator)
        self.blanks()
        word = yield self.word()
        if not word:
            raise Unreadable("a redirection leads nowhere")
        found = Redirect(fd, operator, word)
        if operator in ("<<", "<<-"):
            delimiter = "".join([part[1] if part[0] in (TEXT, QUOTED) else "$" for part in word])
            self.waiting.append((found, delimiter, any([part[0] == QUOTED for part in word]), operator == "<<-"))
            found.word = ()
        return found

    def definition(self, name: str) -> "Reading":
        """`name()` and its body."""
        self.at += 1
        self.blanks()
        if self.char() != ")":
            raise Unreadable("'(' does not belong there")
        self.at += 1
        return (yield self.body_of(name))

    def body_of(self, name: str) -> "Reading":
        yield self.gap()
        script = Script()
        script.lists.append(([("", (yield self.command(self.keyword())))], [False]))
        return Block("function", [script], name)

    # --- compound commands ----------------------------------------------------------------------------------------

    def expect(self, word: str) -> None:
        if not self.text.startswith(word, self.at) or self.keyword() != word:
            raise Unreadable(f"{word!r} is missing")
        self.at += len(word)

    def bracket(self) -> "Reading":
        """`(( arithmetic ))`, else `( commands )`."""
        start = self.at
        if self.char(1) == "(":
            self.at += 2
            parts = yield self.arithmetic()
            if parts is not None:
                return Block("math", [], words=[tuple(parts)])
            self.back_to(start)
        self.at += 1
        body = yield self.script((), ")")
        self.at += 1
        return Block("subshell", [body])

    def group(self, word: str) -> "Reading":
        self.at += 1
        body = yield self.script(("}",), "")
        self.at += 1
        return Block("group", [body])

    def condition(self, word: str) -> "Reading":
        bodies = []
        while word in ("if", "elif"):
            self.at += len(word)
            bodies.append((yield self.script(("then",), "")))
            self.at += 4
            bodies.append((yield self.script(("elif", "else", "fi"), "")))
            word = self.keyword()
        if word == "else":
            self.at += 4
            bodies.append((yield self.script(("fi",), "")))
        self.expect("fi")
        return Block("if", bodies)

    def loop(self, word: str) -> "Reading":
        self.at += len(word)
        condition = yield self.script(("do",), "")
        return Block("loop", [condition, (yield self.do())])

    def do(self) -> "Reading":
        yield self.gap()
        brace = self.char() == "{"
        self.expect("{" if brace else "do")
        body = yield self.script(("}" if brace else "done",), "")
        self.expect("}" if brace else "done")
        return body

    def iteration(self, word: str) -> "Reading":
        """for NAME [in words], for ((...)), select."""
        self.at += len(word)
        self.blanks()
        if self.text.startswith("((", self.at):
            self.at += 2
            parts = yield self.arithmetic()
            if parts is None:
                raise Unreadable("for (( is not closed")
            self.blanks()
            if self.char() == ";":
                self.at += 1
            return Block("loop", [Script(), (yield self.do())], words=[tuple(parts)])
        name = self.plain()
        yield self.gap()
        words = None
        if self.keyword() == "in":
            self.at += 2
            words = []
            while True:
                self.blanks()
                found = yield self.word()
                if not found:
                    break
                words.append(found)
        if self.char() == ";":
            self.at += 1
        return Block("for", [(yield self.do())], name, words)

    def choice(self, word: str) -> "Reading":
        """case WORD in [(] PATTERN [| PATTERN] ) commands ;; esac"""
        self.at += 4
        self.blanks()
        words, bodies = [(yield self.word())], []
        yield self.gap()
        self.expect("in")
        while True:
            yield self.gap()
            if self.keyword() == "esac":
                self.at += 4
                return Block("case", bodies, words=words)
            if self.char() == "(":
                self.at += 1
            while self.char() != ")":
                self.step()
                self.blanks()
                words.append((yield self.word()))
                self.blanks()
                if self.char() not in ("|", ")") or not self.char():
                    raise Unreadable("a pattern of case is not closed")
                if self.char() == "|":
                    self.at += 1
            self.at += 1
            bodies.append((yield self.script((";;", "esac"), "")))
            for mark in (";;&", ";;", ";&"):
                if self.text.startswith(mark, self.at):
                    self.at += len(mark)
                    break

    def function(self, word: str) -> "Reading":
        self.at += 8
        self.blanks()
        name = self.plain()
        self.blanks()
        if self.text.startswith("(", self.at):
            self.at = self.next(")") + 1
        return (yield self.body_of(name))

    def test(self, word: str) -> "Reading":
        """[[ ... ]]: its words may hold substitutions; its operators mean nothing to us."""
        self.at += 2
        words = []
        while True:
            self.step()
            yield self.gap()
            if self.keyword() == "]]":
                self.at += 2
                return Block("test", [], words=words)
            if not self.char():
                raise Unreadable("[[ is not closed")
            found = yield self.word()
            if found:
                words.append(found)
            else:
                self.at += 1

    def coprocess(self, word: str) -> "Reading":
        """coproc [NAME] command"""
        self.at += 6
        self.blanks()
        name = self.keyword()
        after = self.text[self.at + len(name):].lstrip(" \t")[:1] if name else ""
        if name and name not in FIRST_OF_A_BLOCK and after in ("{", "("):
            self.at += len(name)
            self.blanks()
        script = Script()
        script.lists.append(([("", (yield self.command(self.keyword())))], [False]))
        return Block("coproc", [script])


def assignment(word: str) -> bool:
    """`NAME=...`, `NAME+=...`, `NAME[...]=...`"""
    name, sign, _ = word.partition("=")
    name = name.partition("[")[0].rstrip("+")
    return bool(sign) and name.replace("_", "a").isalnum() and not name[0].isdigit() and name.isascii()


__all__ = ["Parser", "literal", "read"]

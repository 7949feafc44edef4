"""Words to commands: the grammar of bash(1), SHELL GRAMMAR. `read(text)` never raises.

Each method that may hold other commands is a generator that yields the parts it needs; `run` keeps them on a stack of its own.
"""
from guard.core.shell import QUOTED, TEXT, Block, Pipeline, Redirect, Script, Simple, Unreadable
from guard.core.shell.lex import ENDS, PLAIN, Lexer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from guard.core.shell import Node
    from guard.core.shell.lex import Reading

PLAIN_OR_BLANK = PLAIN + " \t"
OPENS = PLAIN + "<>&("  # what may stand before a redirection or the brackets of a definition
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
            elif c not in ("", "\n", ";", closing) and not (ends and self.keyword() in ends):  # `( a ) }` needs no separator
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
        stages: "list[Node]" = []
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
        name = "bracket" if self.char() == "(" else FIRST_OF_A_BLOCK.get(word)
        if name:
            from guard.core.shell import compound  # most texts have none
            return (yield self.after((yield getattr(compound, name)(self, word))))
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
            if self.plain_words(command):
                last = self.at
                self.blanks()
                if self.char() == "(" and len(command.words) == 1 and isinstance(command.words[0], str) and not command.assigns:
                    return (yield self.definition(command.words[0]))
            before = self.at
            if self.char() in OPENS and self.char():  # most commands end here
                plain = self.plain()
                redirect = yield self.redirect_behind(plain)
                if redirect is None and self.char() == "(" and is_name(plain, command):
                    return (yield self.definition(plain))
                if redirect is None:
                    self.at = before
                    if not (yield self.other_word(command)):
                        break
                else:
                    command.redirects.append(redirect)
            elif not (yield self.other_word(command)):
                break
            last = self.at
            self.blanks()
        if last == start:
            raise Unreadable(f"{self.char()!r} does not belong there" if self.char() else "it ends too early")
        command.said = self.text[start:last]
        return command

    def plain_words(self, command: "Simple") -> bool:
        """Takes all words up to the next character that means something, in one stride: a thousand file names cost what one does."""
        start = self.at
        stretch = self.run_of(PLAIN_OR_BLANK)
        c = self.char()
        if "#" in stretch:  # a comment begins a word
            before = [n + 1 for n in (stretch.find(" #"), stretch.find("\t#")) if n >= 0]
            at = 0 if stretch[0] == "#" else min(before, default=-1)
            if at >= 0:
                stretch, c = stretch[:at], ""
                self.at = start + at
        if c and stretch and stretch[-1] not in " \t" and (c not in ENDS or c in "<>("):
            rest = len(stretch) - len(stretch.rstrip(PLAIN))
            self.at -= rest  # the last word goes on behind it
            stretch = stretch[:len(stretch) - rest]
        if not stretch:
            return False
        words = stretch.split()
        self.step(1 + (len(words) >> 4))
        while words and not command.words and "=" in words[0] and assignment(words[0]):
            name, operator, value = split_assignment(words.pop(0))
            command.assigns.append((name, operator, ((TEXT, value),) if value else ()))
        if has_magic(stretch):
            command.words += [((TEXT, word),) if has_magic(word) else word for word in words]
        else:
            command.words += words
        self.at = start + len(stretch.rstrip(" \t"))
        return True

    def redirect_behind(self, plain: str) -> "Reading":
        """The redirection here, if what stands before it can be its descriptor: `2>`, `{fd}>`, `&>`."""
        c = self.char()
        if c in ("<", ">") and (not plain or plain.isdigit() or (plain[0] == "{" and plain[-1] == "}")):
            return (yield self.redirect(plain))
        if c == "&" and self.char(1) == ">" and not plain:
            return (yield self.redirect(""))
        return None

    def other_word(self, command: "Simple") -> "Reading":
        """A word with quotes, expansions or brackets in it: an argument or an assignment. False where there is none."""
        word = yield self.word()
        if not word:
            return False
        written = word[0][1] if word[0][0] == TEXT else ""
        if not command.words and written and assignment(written):
            if "=" in written:
                command.assigns.append((yield self.assigned(word)))
            elif any(part[0] == TEXT and part[1].startswith(("]=", "]+=")) for part in word[1:]):
                command.assigns.append((written.partition("[")[0] + "[", "=", word))
            else:
                command.words.append(word)
        elif self.char() == "(" and command.words and written and word[-1][0] == TEXT and word[-1][1][-1:] == "=":
            command.assigns.append((yield self.assigned(word)))  # declare -a x=(...)
        else:
            command.words.append(word)
        return True

    def assigned(self, word: "Any") -> "Reading":
        """`x=word`, `x+=word`, `x[i]=word`, `x=(words)`."""
        name, operator, rest = split_assignment(word[0][1])
        if not rest and len(word) == 1 and self.char() == "(":
            self.at += 1
            words: "list[Any]" = []
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
            self.waiting.append((found, delimiter, any(part[0] == QUOTED for part in word), operator == "<<-"))
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
        body = yield self.command(self.keyword())
        if isinstance(body, Simple):
            raise Unreadable("a function has no body")
        script = Script()
        script.lists.append(([("", body)], [False]))
        return Block("function", [script], name)


def assignment(word: str) -> bool:
    """`NAME=...`, `NAME+=...`, `NAME[...]=...`, also where the index goes on behind an expansion."""
    name, sign, _ = word.partition("=")
    open_index = not sign and "[" in word and "]" not in word
    name = name.partition("[")[0].rstrip("+")
    return (bool(sign) or open_index) and name.replace("_", "a").isalnum() and not name[0].isdigit() and name.isascii()


def split_assignment(word: str) -> "tuple[str, str, str]":
    name, _, value = word.partition("=")
    return name.rstrip("+"), "+=" if name.endswith("+") else "=", value


def is_name(plain: str, command: "Simple") -> bool:
    """Before `(`: the name of a function that is defined here."""
    return bool(plain) and not command.words and not command.assigns and plain[-1] not in "@?*+!="


def has_magic(text: str) -> bool:
    """Something in it is expanded even outside quotes and without a dollar: ~ { * ? ["""
    return "*" in text or "{" in text or "?" in text or "[" in text or "~" in text

"""The shell reader: command text to the programs it would start, and where. This file: what a text consists of.

lex.py reads characters to words, parse.py words to commands, expand.py words to arguments, run.py follows the commands, and
builtins.py knows the shell's own. No library fits: see ARCHITECTURE.md.
"""
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Union

    Part = tuple[Any, ...]
    Word = Union[str, tuple[Part, ...]]  # a plain text where nothing in it is expanded

# Parts of a word: (kind, ...). `quoted` parts are neither split nor matched against file names.
TEXT = "text"        # (TEXT, text)                            as written, outside quotes
QUOTED = "quoted"    # (QUOTED, text)
VALUE = "value"      # (VALUE, name, operator, argument, quoted)    $x ${x:-argument}
OUTPUT = "output"    # (OUTPUT, script, quoted)                $(...) and `...`
MATH = "math"        # (MATH, parts)                           $((...))
PROCESS = "process"  # (PROCESS, script, "<" or ">")           <(...) >(...)

HOLE = "\0"  # stands in a text for what cannot be known; no argument of a program can hold a NUL
# An unquoted * ? [ that bash matches against file names; `as_written` gives the text back.
PATTERNS = {ord("*"): "\1", ord("?"): "\2", ord("["): "\3"}
WRITTEN = {1: "*", 2: "?", 3: "["}


def as_written(text: str) -> str:
    """A text with its patterns, and "..." where something is not known: for messages, and for programs that match themselves."""
    return text.translate(WRITTEN).replace(HOLE, "...")


class Unreadable(Exception):
    """The text is broken, or beyond the bounds of the reader. Caught inside the reader."""


class Script:
    """Lists of commands: [chain, background], a chain being [(operator, node)] with the operators "", "&&" and "||"."""

    __slots__ = ("lists",)

    def __init__(self) -> None:
        self.lists: "list[tuple[list[tuple[str, Node]], list[bool]]]" = []


class Redirect:
    """`fd` is "" for the default, digits, or "{name}"; `word` the target, the here-string, or the body of a here-document."""

    __slots__ = ("fd", "operator", "word")

    def __init__(self, fd: str, operator: str, word: "Word") -> None:
        self.fd, self.operator, self.word = fd, operator, word


class Simple:
    """A simple command: assignments [(name, operator, word or a tuple of words)], words, redirections, and its text."""

    __slots__ = ("assigns", "redirects", "said", "words")

    def __init__(self) -> None:
        self.assigns: "list[tuple[str, str, Any]]" = []
        self.words: "list[Word]" = []
        self.redirects: "list[Redirect]" = []
        self.said = ""


class Pipeline:
    """Two or more commands joined by pipes."""

    __slots__ = ("stages",)

    def __init__(self, stages: "list[Node]") -> None:
        self.stages = stages


class Block:
    """A compound command. `kind`: subshell, group, if, loop, for, case, function, test, math, coproc.

    `bodies`: if: condition, then, condition, then, ..., perhaps else; loop: condition, body; case: one a branch; others: one.
    """

    __slots__ = ("bodies", "kind", "name", "redirects", "words")

    def __init__(self, kind: str, bodies: "list[Script]", name: str = "", words: "list[Word] | None" = None) -> None:
        self.kind, self.bodies, self.name, self.words = kind, bodies, name, words
        self.redirects: "list[Redirect]" = []


if TYPE_CHECKING:
    Node = Union[Simple, Pipeline, Block]


SURE = frozenset(("cd", "pushd", "popd", "mkdir", "echo", "printf", "export", "declare", "local", "readonly", "unset", "set", "true", ":",
                  "shift", "umask", "touch", "wt", "alias", "trap"))  # what follows one of these behind && is taken to run


def can_fail(node: "Node") -> bool:
    """May this end with a status other than 0, so that what stands behind && does not run?"""
    if isinstance(node, Simple):
        return bool(node.words) and node.words[0] not in SURE
    return True


def effects(call: "Any", command: str, world: "Any") -> "list[Any]":
    """A shell tool's command to the effects of every program in it, in their order; what could not be read comes last."""
    from guard.core.model import UNREAD, Effect
    from guard.core.shell.run import Shell, finished
    shell = Shell(world, call.cwd, [0, 0])
    try:
        finished(shell, command.replace("\0", ""), [])
    except Unreadable as fault:
        shell.unread.append(f"{fault}\n{command}")
    for said in shell.unread[:1]:
        why, _, unread = said.partition("\n")
        shell.found.append(Effect(kind=UNREAD, path=call.cwd, said=why, refs=(unread,)))
    return shell.found

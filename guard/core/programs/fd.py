"""fd: `fd [options] [pattern] [folder ...] -x program ...`; it starts the program for what it finds below the folders. (fd(1))"""
from guard.core.programs import feeders
from guard.core.programs.writers import operands
from guard.core.shell import HOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.shell.run import Command

VALUES = ["-e", "--extension", "-t", "--type", "-E", "--exclude", "-d", "--max-depth", "--min-depth", "--exact-depth", "-S", "--size",
          "--changed-within", "--changed-before", "-o", "--owner", "-c", "--color", "-j", "--threads", "--format", "--max-results", "--and",
          "--ignore-file", "--batch-size", "--path-separator", "--max-buffer-time"]
FOLDERS = ("--search-path",)
STANDS_IN = ("-C", "--base-directory")
FLAGS = "HIusigFLlpaq0"  # letters that may stand before the x of a cluster
PLACES = ("{}", "{/}", "{//}", "{.}", "{/.}")


def run(command: "Command") -> str:
    words = command.argv[1:]
    at = next((n for n, word in enumerate(words) if starts_program(word)), len(words))
    options, program = words[:at], words[at + 1:]
    program = program[:program.index(";")] if ";" in program else program
    given = operands(options, [*VALUES, *FOLDERS, *STANDS_IN])
    starts = values(options, FOLDERS) or given[1:] or ["."]
    inner = command.but([])
    for folder in values(options, STANDS_IN)[-1:]:
        inner.folders = tuple([command.path(folder, at) for at in command.folders])
    if program and not any(place in word for word in program for place in PLACES):
        program = [*program, "{}"]
    for start in starts[:feeders.MOST_LINES]:
        found = f"{start.rstrip('/')}/{HOLE}"
        feeders.started(inner, [filled(word, found) for word in program])
    return HOLE if program else "".join([f"{start.rstrip('/')}/{HOLE}\n" for start in starts])


def starts_program(word: str) -> bool:
    """-x, -X, --exec, --exec-batch; -Hx."""
    cluster = word[:1] == "-" and word[-1:] in ("x", "X") and all(c in FLAGS for c in word[1:-1])
    return cluster or word in ("--exec", "--exec-batch")


def filled(word: str, found: str) -> str:
    """What fd puts in for its marks: the path, or a part of it that is as little known."""
    for place in PLACES:
        word = word.replace(place, found)
    return word


def values(words: "list[str]", names: "tuple[str, ...]") -> "list[str]":
    """Every value of an option."""
    found = [word.partition("=")[2] for word in words if word[:2] == "--" and "=" in word and word.partition("=")[0] in names]
    return found + [words[n + 1] for n, word in enumerate(words[:-1]) if word in names]

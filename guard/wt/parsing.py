"""The words of a command line, by argparse, with the help of `wt`."""
from __future__ import annotations

import argparse
from collections.abc import Iterable
from difflib import get_close_matches
from types import ModuleType
from typing import NoReturn

import guard
from guard.edge.records import is_text
from guard.wt.errors import UsageError

EPILOG = """exit status: 0 done, 1 failed, 2 wrong words or an unmet precondition, 3 a fault of wt itself (a report is named),
127 git or a needed program is missing, 130 interrupted"""


def text(given: str) -> str:
    """An argument that a record is to hold."""
    if not is_text(given):
        raise argparse.ArgumentTypeError("it is not UTF-8")
    return given


class Parser(argparse.ArgumentParser):
    """argparse whose complaints go through the same envelope as every other refusal."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, hint=f"{self.prog} --help")


def no_command(word: str, commands: Iterable[str]) -> UsageError:
    near = get_close_matches(word, commands, 1)
    said = f"did you mean {near[0]}?" if near else f"there are {', '.join(commands)}"
    return UsageError(f"{word} is no command: {said}", hint="wt --help says what each of them does")


def parser(commands: dict[str, str], verb: str = "", module: ModuleType | None = None) -> Parser:
    """`commands`: each with its line of help. `module` has the arguments of `verb`; those of the others cost 20 ms."""
    top = Parser(prog="wt", description="Worktrees for coding agents: made, entered and left without losing work.", epilog=EPILOG,
                 formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    top.add_argument("--version", action="version", version=f"worktree-guard {guard.VERSION}")
    verbs = top.add_subparsers(dest="verb", metavar="COMMAND", parser_class=Parser)
    for name, said in commands.items():
        one = verbs.add_parser(name, help=said, description=said[0].upper() + said[1:] + ".", allow_abbrev=False)
        if name == verb and module is not None:
            one.add_argument("--json", action="store_true", help="the answer as one JSON document")
            module.arguments(one)
    return top

"""What a new worktree shall get beside git's files: the rules of the settings and of `.worktreeinclude`, and what is wrong in them."""
from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from guard.edge.records import is_text
from guard.wt.models import Sync

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

FILE = ".worktreeinclude"
VERB = re.compile(r"(copy|symlink)[ \t]+(?=\S)(.*)")
ELSEWHERE = re.compile(r"~[^/]*/|[A-Za-z]:[\\/]|\\\\")  # a home, a drive, a server: never below the main checkout

State = Literal["copied", "linked", "kept", "skipped"]
Reason = Literal["", "conflict", "invalid", "missing", "source_changed", "unsafe", "tracked", "failed"]


@dataclass(frozen=True)
class Rule:
    """`line` as written, and the gitignore pattern in it."""

    line: str
    pattern: str
    link: bool = False

    @property
    def takes_back(self) -> bool:
        return self.pattern.startswith("!")


@dataclass(frozen=True)
class Outcome:
    """What became of one file or folder (`name`, "" for a line that is about none), by the rule that named it.

    `state` linked: it is a link, or behind one, now or since before; kept: a copy is there since before.
    """

    line: str
    name: str
    state: State
    reason: Reason
    said: str


def skipped(line: str, name: str, reason: Reason, said: str) -> Outcome:
    return Outcome(line, name, "skipped", reason, said)


def copied(outcomes: list[Outcome]) -> set[str]:
    """The names of the copies that a worktree has, for its record; without those that are no UTF-8, which it cannot hold."""
    return {one.name for one in outcomes if one.state in ("copied", "kept") and is_text(one.name)}


def rules(main: Path, sync: Sync) -> tuple[list[Rule], list[Outcome]]:
    """All rules of a main checkout that can be followed, and why the others cannot."""
    text, unread = "", []
    try:
        text = os.fsdecode((main / FILE).read_bytes())
    except FileNotFoundError:
        pass
    except OSError as fault:
        unread = [skipped(FILE, "", "failed", f"cannot be read: {fault}")]
    written = [Rule(line, line) for line in sync.copy_files]
    written += [Rule(folder, "/" + literally(folder.strip("/")), link=True) for folder in sync.symlink_dirs]
    written += in_text(text)
    written = list(dict.fromkeys(reversed(written)))[::-1]  # of equal lines the last one decides
    faults = {rule: said for rule in written if (said := fault_of(rule))}
    return [rule for rule in written if rule not in faults], unread + [skipped(r.line, "", "invalid", said) for r, said in faults.items()]


def in_text(text: str) -> list[Rule]:
    """The rules of a `.worktreeinclude`.

    .env               a pattern as in .gitignore: copied
    copy .env          the same
    symlink /models    linked, so that all worktrees share it
    /copy of it.txt    a name that begins with one of these words: behind a / or a backslash
    """
    found = []
    for line in text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"):
        if line.strip() and not line.startswith("#"):
            verb = VERB.fullmatch(line)
            found.append(Rule(line, verb[2], verb[1] == "symlink") if verb else Rule(line, line))
    return found


def literally(name: str) -> str:
    """The pattern that fits this name alone. A line break, which no pattern can hold, becomes "any one character"."""
    return re.sub(r"([\\*?\[ ])", r"\\\1", name).replace("\n", "?")


def fault_of(rule: Rule) -> str:
    """What is wrong in a rule, "" for nothing."""
    pattern = rule.pattern.removeprefix("!")
    parts = [part.replace("\\", "").casefold() for part in pattern.strip().split("/")]
    if any(char in pattern for char in "\0\n\r"):
        return "holds a NUL or a line break"
    if not pattern.strip(" \t/") or pattern.startswith("#"):
        return "names nothing"
    if ".." in parts or ELSEWHERE.match(pattern):
        return "leads out of the main checkout; patterns begin there"
    if "." in parts:
        return "fits nothing, as in .gitignore; write it without the ./"
    if ".git" in parts:
        return "git's own folder is never copied"
    return "" if compiled([rule]) else "no pattern that can be followed"


def compiled(given: list[Rule]) -> GitIgnoreSpec | None:
    """The rules as pathspec reads them, None where it cannot."""
    import pathspec  # 20 ms, which only those who have rules pay

    try:
        return pathspec.GitIgnoreSpec.from_lines(in_bytes(rule.pattern) for rule in given)
    except (ValueError, re.error):
        return None


def in_bytes(text: str) -> str:
    """A pattern or a name with one character for each byte: to git a ? is one byte, to pathspec one character."""
    return os.fsencode(text).decode("latin-1")

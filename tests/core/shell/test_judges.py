"""Three judges of the shell reader: bash's own parser, shfmt's, and bash at work."""
from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from guard.core.shell import HOLE, MATH, OUTPUT, PROCESS, QUOTED, TEXT, VALUE, Block, Pipeline, Redirect, Script, Simple
from guard.core.shell.parse import read
from tests.core.shell.forms import EVERY
from tests.worlds import ROOT

SUITES = Path(os.environ.get("WORKTREE_GUARD_ACCEPTANCE") or ROOT.parent / "shared/accept") / "suites"
SHFMT = Path(sys.executable).parent / "shfmt"  # the package shfmt-py brings it


def commands_of(suite: Path) -> list[str]:
    return [json.loads(line)["command"] for line in suite.read_text(encoding="utf-8").splitlines() if line.strip()]


# --- bash -n ---------------------------------------------------------------------------------------------------------

# Where we differ from `bash -n` on purpose: text -> why.
TAKEN_ALTHOUGH_BASH_REFUSES = {
    "case x in @(a|b)) git a;; esac": "extglob is off in a fresh bash; the text may be for a shell that has it on",
    "for ((i=0; i<3)); do git a; done": "the three parts are not counted: nothing depends on them",
}
REFUSED_ALTHOUGH_BASH_TAKES = {
    "git a `b 'c`": "bash reads what stands in backquotes only when it gets there, and fails then",
    "[[ ]] ]]": "bash takes the first ]] for a word; nobody writes that",
}


def bash_takes(text: str) -> bool:
    """CRLF is taken off as the reader does it: files from Windows reach other shells so."""
    done = subprocess.run(["bash", "-n"], input=text.replace("\r\n", "\n").encode(), capture_output=True, check=False, timeout=10)
    return done.returncode == 0


def difference_from_bash(text: str) -> str:
    takes, why = bash_takes(text), read(text)[1]
    if takes and why and text not in REFUSED_ALTHOUGH_BASH_TAKES:
        return f"bash takes it, we say {why}: {text!r}"
    if not takes and not why and text not in TAKEN_ALTHOUGH_BASH_REFUSES:
        return f"bash refuses it, we take it: {text!r}"
    return ""


@pytest.mark.parametrize("text", EVERY, ids=[repr(text) for text in EVERY])
def test_bash_takes_what_we_take(text: str) -> None:
    assert not difference_from_bash(text)


# --- shfmt -----------------------------------------------------------------------------------------------------------

# A command in a form that both readers can be brought to: names of what is assigned, and each word with its quotes taken
# off and a hole for every expansion.
Plain = tuple[tuple[str, ...], tuple[str, ...]]

# What shfmt cannot read, or reads otherwise than bash does: text -> why.
NOT_FOR_SHFMT = {
    "time -- git a": "shfmt takes -- for the program; bash runs git",
    "echo `echo \\`echo \\\\\\`git a\\\\\\`\\``": "shfmt unescapes the innermost backquotes once too seldom; bash runs git",
}


def ours(text: str) -> Counter[Plain]:
    """Every simple command of a text, as our reader found it."""
    found: Counter[Plain] = Counter()
    waiting: list[Any] = [read(text)[0]]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Script):
            waiting += [node for chain, _ in one.lists for _, node in chain]
        elif isinstance(one, Pipeline):
            waiting += one.stages
        elif isinstance(one, Block):
            waiting += [*one.bodies, *one.redirects, *(one.words or [])]
        elif isinstance(one, Redirect):
            waiting.append(one.word)
        elif isinstance(one, Simple):
            waiting += [*one.words, *one.redirects, *[word for _, _, word in one.assigns]]
            count(found, [name for name, _, _ in one.assigns], [our_word(word) for word in one.words])
        elif isinstance(one, list):
            waiting += one
        elif not isinstance(one, str):
            waiting += [inner for part in one for inner in held_by(part)]
    return found


def held_by(part: Any) -> list[Any]:
    """What a part of a word holds: scripts, or words."""
    if part[0] in (OUTPUT, PROCESS):
        return [part[1]]
    return [part[3]] if part[0] == VALUE else [tuple(part[1])] if part[0] == MATH else []


def our_word(word: Any) -> str:
    """A word is its parts, or one text where it is nothing else."""
    return word if isinstance(word, str) else "".join([part[1] if part[0] in (TEXT, QUOTED) else HOLE for part in word])


def count(found: Counter[Plain], names: list[str], words: list[str]) -> None:
    """`let` is arithmetic to shfmt and a command to us; an index of an assignment is no matter of commands."""
    names = [name.partition("[")[0] for name in names]
    if (names or words) and words[:1] != ["let"]:
        found[tuple(sorted(names)), tuple(words)] += 1


def parsed_by_shfmt(text: str) -> Any:
    done = subprocess.run([SHFMT, "--to-json", "-ln", "bash"], input=text.encode(), capture_output=True, check=False, timeout=10)
    return json.loads(done.stdout) if done.returncode == 0 else None


def theirs(tree: Any) -> Counter[Plain]:
    """Every simple command of shfmt's tree; `export`, `local` and their kin are commands too."""
    found: Counter[Plain] = Counter()
    waiting = [tree]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting += one
        elif isinstance(one, dict):
            waiting += one.values()
            if one.get("Type") == "CallExpr":
                count(found, [given["Name"]["Value"] for given in one.get("Assigns", [])],
                [their_word(word) for word in one.get("Args", [])])
            elif one.get("Type") == "DeclClause":
                arrays = [given["Name"]["Value"] for given in one.get("Args", []) if "Array" in given]
                count(found, arrays, [one["Variant"]["Value"], *[declared(given) for given in one.get("Args", []) if "Array" not in given]])
    return found


def declared(given: Any) -> str:
    """`x`, `-x` or `x=1` behind `export`."""
    name = str(given.get("Name", {}).get("Value", ""))
    value = their_word(given["Value"]) if "Value" in given else ""
    return name + ("" if given.get("Naked") else "+=" if given.get("Append") else "=") + value


def their_word(word: Any) -> str:
    return "".join([their_part(part) for part in word.get("Parts", [])])


def their_part(part: Any) -> str:
    kind = part["Type"]
    if kind == "Lit":
        return re.sub(r"\\(.|\n|$)", lambda hit: "" if hit[1] == "\n" else hit[1] or "\\", part["Value"])
    if kind == "SglQuoted":
        return ansi(part["Value"]) if part.get("Dollar") else str(part.get("Value", ""))
    if kind == "DblQuoted":
        return "".join([re.sub(r'\\([$`"\\\n])', lambda hit: hit[1].strip("\n"), inner["Value"]) if inner["Type"] == "Lit" else HOLE
                        for inner in part.get("Parts", [])])
    if kind == "ExtGlob":
        return f"{part['Op'][0]}*"
    return HOLE


def ansi(written: str) -> str:
    """`$'...'`, for the escapes that the forms use; Python's own are the same ones."""
    return written.replace("\\'", "'").encode("ascii", "backslashreplace").decode("unicode_escape")


def difference_from_shfmt(text: str) -> str:
    """shfmt judges texts that it and bash both take."""
    tree = parsed_by_shfmt(text)
    if tree is None or not bash_takes(text):
        return ""
    mine, other = ours(text), theirs(tree)
    return f"{text!r}\n  ours alone: {dict(mine - other)}\n  shfmt's alone: {dict(other - mine)}" if mine != other else ""


@pytest.mark.parametrize("text", EVERY, ids=[repr(text) for text in EVERY])
def test_shfmt_finds_the_commands_we_find(text: str) -> None:
    if text not in NOT_FOR_SHFMT:
        assert not difference_from_shfmt(text)


# --- both, over the published command tables of other guards; there is no such test where they are not --------------

if SUITES.is_dir():
    @pytest.mark.acceptance
    @pytest.mark.parametrize("suite", sorted(SUITES.glob("*.jsonl")), ids=lambda path: path.stem)
    @pytest.mark.parametrize("difference", [difference_from_bash, difference_from_shfmt])
    def test_the_suites_are_read_alike(suite: Path, difference: Any) -> None:
        with ThreadPoolExecutor(4) as pool:
            found = [one for one in pool.map(difference, sorted(set(commands_of(suite)))) if one]
        assert not found, "\n".join(found)

"""Patterns against the disk: the names we find are those that bash finds."""
from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as laws
from hypothesis import strategies as st

from guard.core.shell import PATTERNS
from guard.core.shell.expand import arguments
from guard.core.shell.names import matches
from guard.core.shell.parse import read
from guard.core.shell.run import Shell
from guard.edge import disk
from guard.edge.commands import Surroundings
from tests.core.shell.recording import SHELL

FILES = ("a", "ab", "abc", "b.txt", "c.txt", ".hidden", ".git/config", "sub/a.py", "sub/b.py", "sub/.dot", "sub/deep/x",
         "other/a.py", "w[1]", "w1")
pieces = st.sampled_from(["*", "?", "a", "b", ".", "sub", "[ab]", "[!a]", "[a-c]", "/", ".txt", "[", "]", "**", ".*", "w", "1"])
patterns = st.lists(pieces, min_size=1, max_size=5).map("".join).filter(lambda p: not p.startswith("/") and "//" not in p)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    base = Path(os.path.realpath(tmp_path_factory.mktemp("names")))
    for name in FILES:
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_text("")
    yield base


@laws(SHELL, max_examples=300)
@given(pattern=patterns)
def test_the_names_are_bash_s(folder: Path, pattern: str) -> None:
    disk.forget()
    said = subprocess.run(["bash", "--norc", "-c", f"printf '%s\\0' x {pattern}"], cwd=folder, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"},
                          capture_output=True, text=True, check=True).stdout.split("\0")[1:-1]
    script, why = read(f"x {pattern}")
    shell = Shell(Surroundings(disk), str(folder), [0, 0])
    node = script.lists[0][0][0][1]
    assert why == ""
    ours = arguments(shell, node.words)[1:]  # type: ignore[union-attr]
    assert sorted(one.translate({1: "*", 2: "?", 3: "["}) for one in ours) == sorted(said)


@pytest.mark.parametrize(("pattern", "name", "fits"), [
    ("*", "", True), ("*", "abc", True), ("a*c", "abc", True), ("a*c", "ab", False), ("*b*", "abc", True), ("?", "a", True),
    ("?", "", False),
    ("[a-c]x", "bx", True), ("[a-c]x", "dx", False), ("[!a]", "b", True), ("[^a]", "a", False), ("a" + "*a" * 30 + "b", "a" * 60, False)])
def test_one_part_against_one_name(pattern: str, name: str, fits: bool) -> None:
    assert matches(pattern.translate(PATTERNS), name) == fits

"""Questions to other programs that cannot be put."""
from __future__ import annotations

import pytest

from guard.edge import disk, processes

WORDS = [("a NUL in a word", ["git", "branch", "-D", "wt/\0"], None), ("no such program", ["no-such-program-here"], None),
         ("an answer", ["git", "--version"], 0)]


@pytest.mark.parametrize(("program", "status"), [row[1:] for row in WORDS], ids=[row[0] for row in WORDS])
def test_what_cannot_be_asked_is_not_known(program: list[str], status: int | None) -> None:
    assert processes.status_of(program, 2.0, frozenset()) == status
    assert disk.output_of(program, 2.0, frozenset())[0] == status

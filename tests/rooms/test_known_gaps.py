"""What the guard cannot see is written down as data, shown in the docs, and still true: each of these commands passes today."""
from __future__ import annotations

import json
import os

import pytest

from tests.worlds import ROOT, World

ROWS = [json.loads(line) for line in (ROOT / "tests/cases/known_gaps.jsonl").read_text().splitlines()]
PAGE = ROOT / "docs/what-it-cannot-see.md"
HEAD = """# What it cannot see

worktree-guard reads commands; it does not run them, and it does not watch what programs do. These pass without a word, and why.
Each is tried on every change, so that this page stays true. Protect your main branch on the server as well.
"""


def page() -> str:
    groups: dict[str, list[dict[str, str]]] = {}
    for row in ROWS:
        groups.setdefault(row["group"], []).append(row)
    parts = [HEAD]
    for group, rows in groups.items():
        parts.append(f"\n## {group}\n\n| command | what it may do | why it is not seen |\n|---|---|---|\n")
        parts += [f"| `{row['command'].replace('|', chr(92) + '|')}` | {row['does']} | {row['why']} |\n" for row in rows]
    return "".join(parts)


def test_the_page_is_made_from_the_rows() -> None:
    """WORKTREE_GUARD_UPDATE_GOLDEN=1 writes it anew."""
    if os.environ.get("WORKTREE_GUARD_UPDATE_GOLDEN"):
        PAGE.write_text(page())
    assert PAGE.read_text() == page()


@pytest.mark.parametrize("command", [row["command"] for row in ROWS])
def test_a_known_gap_is_still_one(bound: World, command: str) -> None:
    """When one is closed, its row goes."""
    assert bound.hook("Bash", {"command": command}, "{W}").kind == "allow"

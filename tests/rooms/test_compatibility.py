"""docs/compatibility.md names a test for everything it says; each of them is there, and so is every command, setting and page it names."""
from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from guard.wt.cli import COMMANDS
from guard.wt.models import Settings
from tests.worlds import ROOT

PAGE = ROOT / "docs/compatibility.md"
TEXT = PAGE.read_text(encoding="utf-8")
HEAD = ["behaviour", "here", "test"]
TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
VERB = re.compile(r"`wt ([a-z][a-z-]*)")
LINK = re.compile(r"\]\(([^)#]+)")
SETTING = re.compile(r'`(?:sync\.)?([a-z]+_[a-z_]+|mode|stale)`|`"([a-z_]+)": ')
THEIRS = {"main_write_whitelist", "confirm_remove", "delete_branch", "dry_run", "link_scan",
          "worktree_lanes", "post_create", "pre_destroy"}  # words of the other tools, not ours


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().removeprefix("|").removesuffix("|"))]


def tables(text: str) -> list[list[str]]:
    """Every table of a page, as its lines."""
    return [block.splitlines() for block in re.findall(r"(?:^\|.*\n?)+", text, re.M)]


@cache
def functions(file: str) -> frozenset[str]:
    """The test functions at the top of a file; none where there is no such file."""
    path = ROOT / file
    body = ast.parse(path.read_text(encoding="utf-8")).body if path.is_file() else []
    return frozenset(one.name for one in body if isinstance(one, ast.FunctionDef))


def faults_of_row(line: str) -> list[str]:
    """What is wrong in one row: cells that are missing or empty, tests that are not there, too many of them."""
    row = cells(line)
    if len(row) != len(HEAD) or not all(row):
        return [f"not three full cells: {line}"]
    named = TEST.findall(row[2])
    if not 1 <= len(named) <= 2 or ", ".join(f"`{file}::{name}`" for file, name in named) != row[2]:
        return [f"not one test or two: {row[2]}"]
    return [f"no such test: {file}::{name}" for file, name in named if name not in functions(file)]


def faults(text: str) -> list[str]:
    """What is wrong in a page."""
    found = []
    for head, rule, *rows in tables(text):
        found += [] if cells(head) == HEAD and set(rule) <= set("|-") else [f"another head: {head}"]
        found += [said for row in rows for said in faults_of_row(row)] or ([] if rows else [f"no rows: {head}"])
    found += [f"no such command: wt {verb}" for verb in VERB.findall(text) if verb not in COMMANDS]
    found += [f"no such page: {link}" for link in LINK.findall(text) if "://" not in link and not (PAGE.parent / link).exists()]
    ours = {*Settings.__struct_fields__, *type(Settings().sync).__struct_fields__, *type(Settings().pool).__struct_fields__, *THEIRS}
    return found + [f"no such setting: {name}" for pair in SETTING.findall(text) for name in pair if name and name not in ours]


def test_all_that_the_page_names_is_there() -> None:
    assert faults(TEXT) == []


@pytest.mark.parametrize(("system", "least"), [("zcode-worktree-guard", 40), ("Paseo", 40), ("Treehouse", 40), ("dsh", 20)])
def test_each_system_has_tables_and_a_list_of_what_is_left_out(system: str, least: int) -> None:
    section = TEXT.split(f"\n## From {system}")[1].split("\n## ")[0]
    assert sum(len(table) - 2 for table in tables(section)) >= least
    assert len(re.findall(r"^- \*\*.+\*\*.*: .+", section.split("### Left out, and why")[1], re.M)) >= 6


GOOD = "`tests/rooms/test_compatibility.py::test_a_good_page_has_no_fault`"
PAGES = {
    "a missing cell": ("| it does | " + GOOD + " |", "not three full cells"),
    "an empty cell": ("| it does | | " + GOOD + " |", "not three full cells"),
    "a cell too many": ("| it does | so | or so | " + GOOD + " |", "not three full cells"),
    "no test": ("| it does | so | see the tests |", "not one test or two"),
    "three tests": (f"| it does | so | {GOOD}, {GOOD}, {GOOD} |", "not one test or two"),
    "a word beside the test": (f"| it does | so | mostly {GOOD} |", "not one test or two"),
    "a test that is not there": ("| it does | so | `tests/rooms/test_compatibility.py::test_of_nothing` |", "no such test"),
    "a file that is not there": ("| it does | so | `tests/rooms/test_nothing.py::test_of_nothing` |", "no such test"),
    "a helper for a test": ("| it does | so | `tests/rooms/test_docs.py::test_table` |", "no such test"),
    "a command that is not there": (f"| it does | `wt archive x` | {GOOD} |", "no such command: wt archive"),
    "a page that is not there": (f"| it does | [so](nowhere.md) | {GOOD} |", "no such page: nowhere.md"),
    "a setting that is not there": (f"| it does | `copy_everything` | {GOOD} |", "no such setting: copy_everything"),
}


def page(*rows: str) -> str:
    return "\n".join(["words", "", "| behaviour | here | test |", "|---|---|---|", *rows, "", "- words"])


def test_a_good_page_has_no_fault() -> None:
    assert faults(page(f"| it does \\| does not | `wt enter x`, [README](../README.md), `sync.copy_files` | {GOOD} |")) == []


@pytest.mark.parametrize(("row", "said"), PAGES.values(), ids=PAGES)
def test_a_seeded_fault_is_found(row: str, said: str) -> None:
    (found,) = faults(page(f"| it does | so | {GOOD} |", row))
    assert said in found


def test_a_table_without_rows_or_with_another_head_is_found() -> None:
    assert faults(page()) == ["no rows: | behaviour | here | test |"]
    assert "another head" in faults(page(f"| it does | so | {GOOD} |").replace("| here |", "| there |"))[0]

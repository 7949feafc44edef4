"""The table of `wt status`, its words for times, and when there is colour: laws and rows, without a repository."""
from __future__ import annotations

import io
import os
import re
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.wt import colour, spans, status_words, table

AT = datetime(2026, 1, 2, 12, 0, 0, tzinfo=timezone.utc)
TEXTS = st.text(st.sampled_from("abc 日本e\u0301\x1b\n…é-/😀"), max_size=80) | st.text(max_size=80)
GOLDEN = Path(__file__).parent / "golden/status"
FLOORS = list(status_words.COLUMNS.values())


@given(st.lists(st.tuples(*[TEXTS] * len(FLOORS)), max_size=6))
def test_a_table_of_anything_fits_100_columns_and_has_no_trailing_blank(rows: list[tuple[str, ...]]) -> None:
    said = table.table(list(status_words.COLUMNS), FLOORS, rows)
    assert len(said) == len(rows) + 1
    for line in said:
        assert table.width(line) <= table.WIDTH
        assert line == line.rstrip(" ")
        assert line.isprintable()


@given(TEXTS, st.integers(1, 90))
def test_a_text_is_shortened_no_more_than_it_must_be(text: str, most: int) -> None:
    short = table.shortened(text, most)
    assert table.width(short) <= most
    if table.width(text) <= most:
        assert short == text
    else:
        assert "…" in short
        assert table.width(short) >= most - 2, "a wide character on each side may not fit"


SHORTENED = [("short", 10, "short"), ("exactly-10", 10, "exactly-10"), ("feature/long-name", 9, "feat…name"), ("日本語の名前", 6, "日…前"),
             ("abc", 1, "…")]


@pytest.mark.parametrize(("text", "most", "said"), SHORTENED)
def test_the_middle_goes(text: str, most: int, said: str) -> None:
    assert table.shortened(text, most) == said


def test_empty_columns_are_left_out_and_wide_names_stay_in_line() -> None:
    said = table.table(["", "NAME", "PORT", "NOTES"], [1, 5, 4, 5], [["", "日本", "", "one"], ["", "ab", "", "two"]])
    assert said == ["NAME  NOTES", "日本  one", "ab    two"]


def test_what_would_move_the_cursor_is_spelt_out() -> None:
    assert table.table(["NAME"], [5], [["a\x1b[2Jb\nc"]]) == ["NAME", "a\\x1b[2Jb\\nc"]


AGES = [("2026-01-02T11:59:30Z", "now", "just now"), ("2026-01-02T11:55:00Z", "5 min", "5 min ago"),
        ("2026-01-02T09:59:00Z", "2 h", "2 h ago"),
        ("2025-12-31T13:00:00Z", "47 h", "47 h ago"), ("2025-12-30T12:00:00Z", "3 d", "3 d ago"),
        ("2026-01-03T12:00:00Z", "now", "just now"), ("", "", ""), (None, "", ""), ("yesterday", "", "")]


@pytest.mark.parametrize(("moment", "age", "ago"), AGES)
def test_ages_in_words(moment: str | None, age: str, ago: str) -> None:
    assert (spans.age(moment, AT), spans.ago(moment, AT)) == (age, ago)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


COLOURS = [("a terminal", Terminal(), {"TERM": "xterm"}, True), ("a pipe", io.StringIO(), {"TERM": "xterm"}, False),
           ("NO_COLOR", Terminal(), {"TERM": "xterm", "NO_COLOR": "1"}, False),
           ("an empty NO_COLOR", Terminal(), {"TERM": "x", "NO_COLOR": ""}, True),
           ("a dumb one", Terminal(), {"TERM": "dumb"}, False), ("FORCE_COLOR in a pipe", io.StringIO(), {"FORCE_COLOR": "1"}, True),
           ("FORCE_COLOR=0", io.StringIO(), {"FORCE_COLOR": "0"}, False),
           ("both", io.StringIO(), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)]


@pytest.mark.parametrize(("stream", "variables", "wanted"), [one[1:] for one in COLOURS], ids=[one[0] for one in COLOURS])
def test_colour_is_for_terminals(stream: io.StringIO, variables: dict[str, str], wanted: bool) -> None:
    assert colour.wanted(stream, variables) is wanted


# --- golden tables ---------------------------------------------------------------------------------------------------

def row(name: str, **more: Any) -> dict[str, Any]:
    """A worktree as survey.py tells it, clean and even with its base."""
    return {"name": name, "path": f"/home/me/app/.worktrees/{name}", "branch": f"wt/{name}", "head": "1a2b3c4d5e", "base": "main",
            "ahead": 0, "behind": 0, "dirty": {"modified": 0, "untracked": 0, "conflicted": 0}, "main": False, "owned": True,
            "bound_by": [], "lease": None, "lane": None, "locked": None, "stale": None, "created_at": "2026-01-02T11:20:00Z", "port": None,
            "source": "new-branch", "title": None, "making": None, "strayed": None, **more}


def whole(*rows: dict[str, Any], **more: Any) -> dict[str, Any]:
    main = row("app", main=True, owned=False, path="/home/me/app", branch="main", base=None, ahead=None, behind=None, created_at=None)
    return {"worktrees": [main, *rows], "mode": "open", "binding": None, "sessions": [], "authorisations": [], "allowed": [],
            "settings": {"warnings": []}, "trash": {"count": 0, "days_left": None, "half_way": []}, "reconciled": [], "faults": [],
            "spoilt": [], **more}


BOUND = {"path": "/home/me/app/.worktrees/fix-login", "name": "fix-login", "branch": "wt/fix-login", "session": None, "condition": "there",
         "entered_at": "2026-01-02T10:00:00Z"}
NOT_KNOWN: dict[str, Any] = {"dirty": None, "ahead": None, "behind": None}
LONG = "a-name-that-somebody-has-written-in-full-since-there-was-time-for-it"
TABLES = {
    "nothing": whole(),
    "everyday": whole(
        row("fix-login", ahead=3, behind=1, dirty={"modified": 2, "untracked": 1, "conflicted": 0}, bound_by=["repository"], port=3001),
        row("docs", base="origin/main", bound_by=["0f0f0f0f-0000-4000-8000-000000000001"], created_at="2025-12-29T12:00:00Z"),
        row("theirs", branch="their-branch", owned=False, created_at=None, behind=12, locked="an agent (pid 4711)"),
        row("look", branch="", created_at="2026-01-02T02:00:00Z"),
        row("new", making="running", created_at="2026-01-02T11:59:50Z"),
        binding=BOUND,
        authorisations=[{"only": "push", "session": None, "once": False, "minutes_left": 12, "reason": "a hot fix"},
                        {"only": None, "session": "0f0f0f0f-0000-4000-8000-000000000001", "once": True, "minutes_left": 180,
                         "reason": "r"}],
        allowed=[{"path": "/home/me/app/docs", "minutes_left": 59, "reason": "the change log"}],
        trash={"count": 3, "days_left": 2, "half_way": []}),
    "trouble": whole(
        row("fix-login", branch="main", bound_by=["repository"],
            strayed={"branch": "wt/fix-login", "on": "main", "missing": True, "commit": "8c977fb9c5ffbdea385790b9dbe4bafd74cd0cff",
                     "back": "git -C /home/me/app/.worktrees/fix-login switch -c wt/fix-login 8c977fb9c5ffbdea385790b9dbe4bafd74cd0cff"}),
        row("usb", stale="locked, missing", locked="on a usb stick", **NOT_KNOWN),
        row("gone", stale="missing", **NOT_KNOWN),
        row("broken", stale="damaged", **NOT_KNOWN),
        row("away", stale="unreadable", bound_by=["repository"], **NOT_KNOWN),
        row("half", making="unfinished", dirty=None, ahead=None, behind=None),
        row("fight", ahead=1, behind=1, dirty={"modified": 1, "untracked": 0, "conflicted": 2}),
        binding={**BOUND, "condition": "protected"}, mode="protect",
        sessions=[{"session": "11111111-0000-4000-8000-000000000001", "path": "/home/me/app/.worktrees/gone", "enforced": False,
                   "entered_at": "2025-12-31T00:00:00Z"}],
        trash={"count": 1, "days_left": 0, "half_way": [{"id": "old-20260102T115900Z", "path": "/home/me/app/.worktrees/old"}]},
        settings={"warnings": ["/home/me/app/.worktree-guard.json:2: mod is no setting"]},
        spoilt=["/home/me/app/.git/worktree-guard/allow.json"],
        reconciled=[{"name": "dead", "path": "/home/me/app/.worktrees/dead", "dropped": True, "why": "nothing needs it any more"}],
        faults=[{"at": "2026-01-02T11:00:00Z", "fault": "a fault"}, {"at": "2026-01-02T11:30:00Z", "fault": "a fault"}]),
    "long and wide": whole(
        row(LONG, ahead=1234, behind=5678, dirty={"modified": 12345, "untracked": 12345, "conflicted": 123}, base="origin/" + LONG,
            bound_by=["repository", "0f0f0f0f-0000-4000-8000-000000000001"], port=65535, locked="a reason as long as a reason can be"),
        row("日本語の名前", ahead=1), row("two\nlines \x1b[31m")),
}


@pytest.mark.parametrize("name", TABLES)
def test_what_people_read_is_as_agreed(name: str) -> None:
    """WORKTREE_GUARD_UPDATE_GOLDEN=1 writes the files anew."""
    said = "\n".join(status_words.told(TABLES[name], AT)) + "\n"
    file = GOLDEN / f"{name.replace(' ', '-')}.txt"
    if os.environ.get("WORKTREE_GUARD_UPDATE_GOLDEN") == "1":
        GOLDEN.mkdir(exist_ok=True)
        file.write_text(said, encoding="utf-8")
    assert said == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", TABLES)
def test_colour_changes_no_character_and_no_place(name: str) -> None:
    plain = status_words.told(TABLES[name], AT)
    painted = status_words.told(TABLES[name], AT, colour=True)
    assert "\x1b[" in painted[0]
    assert [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in painted] == plain

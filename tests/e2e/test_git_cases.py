"""The rows of tests/cases against the guard: what it answers to commands in a shell, and by which rule."""
from __future__ import annotations

from collections import Counter

import pytest

from guard.edge import disk
from guard.main import judged
from tests.git_worlds import FILES, WORLDS, GitWorlds, Row, rows
from tests.worlds import Answer, World

SAMPLE = [row for n, row in enumerate(rows()) if n % (len(rows()) // 20) == 3]  # a real process costs 40 ms, most of it Python's start


def in_process(world: World, row: Row, monkeypatch: pytest.MonkeyPatch) -> Answer:
    """The decision without a process of its own. The guard reads its surroundings from `posix.environ`, which os.environ is a copy of."""
    monkeypatch.setattr(disk.system, "environ", {name.encode(): value.encode() for name, value in world.env.items()})
    disk.forget()
    document = world.document("Bash", {"command": row.command}, row.cwd)
    return Answer(judged(document, "claude-code", disk) or {}, "")


def outcome(answer: Answer) -> tuple[str, str]:
    return (answer.kind, answer.rule.partition(")")[0])  # a line may follow that says why nobody is asked


@pytest.mark.parametrize("row", rows(), ids=[row.id for row in rows()])
def test_the_answer_to_a_command(git_worlds: GitWorlds, row: Row, monkeypatch: pytest.MonkeyPatch,
                                 capfd: pytest.CaptureFixture[str]) -> None:
    answer = in_process(git_worlds.world(row.world, row.prep), row, monkeypatch)
    if row.world == "fresh":
        git_worlds.spoilt()  # the guard's own log lies there now
    assert outcome(answer) == (row.expect, row.rule), f"{row.command}\n{row.why}\n{answer.reason}{answer.note}"
    assert capfd.readouterr().err == "", "a fault was heard"


@pytest.mark.parametrize("row", SAMPLE, ids=[row.id for row in SAMPLE])
def test_the_real_hook_answers_the_same(git_worlds: GitWorlds, row: Row) -> None:
    answer = git_worlds.world(row.world, row.prep).hook("Bash", {"command": row.command}, row.cwd)
    assert outcome(answer) == (row.expect, row.rule), f"{row.command}\n{row.why}"
    assert answer.stderr == ""


def test_a_question_is_no_use_of_wt(git_worlds: GitWorlds) -> None:
    """In a repository that never used `wt` a push to main asks, the second time as well."""
    git_worlds.spoilt()
    world = git_worlds.world("fresh")
    git_worlds.spoilt()
    asked = [outcome(world.hook("Bash", {"command": "git push origin HEAD:main"}, "{R}")) for _ in range(2)]
    assert asked == [("ask", "push-to-protected")] * 2


def test_the_rows_are_complete() -> None:
    assert max(Counter(row.id for row in rows()).values()) == 1
    assert len({(row.world, row.cwd, row.command, row.prep) for row in rows()}) == len(rows())
    assert {row.world for row in rows()} == set(WORLDS)
    for row in rows():
        assert row.expect in ("allow", "note", "ask", "deny"), row.id
        assert row.refused == bool(row.rule), row.id
        assert row.why, row.id
        assert row.refused or not row.harm, row.id
        assert not (row.refused and row.loses), row.id


@pytest.mark.parametrize(("file", "fewest"), [("git", 350), ("writes", 220), ("discards", 140)])
def test_as_many_rows_pass_as_are_refused(file: str, fewest: int) -> None:
    assert file in FILES
    refused = [row.refused for row in rows() if row.file == file]
    assert len(refused) >= fewest
    assert len(refused) - sum(refused) >= sum(refused)

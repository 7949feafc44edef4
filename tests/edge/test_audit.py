"""The audit: one line for what was not a plain pass, secrets masked, private, bounded."""
from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from guard.edge import disk
from guard.edge.audit import LONGEST, MOST, masked
from tests.worlds import World

MASKED = [
    ("git push https://me:s3cret@host/x.git", "git push https://***@host/x.git"),
    ("https://ghp_abc@github.com/a and https://u:p@b/c", "https://***@github.com/a and https://***@b/c"),
    ("API_KEY=abc make", "API_KEY=*** make"),
    ("export GITHUB_TOKEN='a b c' && run", "export GITHUB_TOKEN=***   && run"),
    ("curl --token=abc", "curl --token=***"),
    ("DB_PASSWORD=\"x\" psql", "DB_PASSWORD=*** psql"),
]
KEPT = ["/home/me/app/src/a.py", "https://example.org/@scope/pkg", "CI=1 make", "git log --format=%H",
        "x=1", "user@host:repo.git", "a = b", "="]


@pytest.mark.parametrize("text", KEPT)
def test_what_holds_no_secret_stays(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize(("text", "expected"), MASKED)
def test_secrets_are_masked(text: str, expected: str) -> None:
    assert masked(text) == expected


def test_a_long_text_is_cut() -> None:
    assert len(masked("a" * 10_000)) == LONGEST


def lines(world: World, name: str = "audit.jsonl") -> list[dict[str, object]]:
    path = world.state / name
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_a_plain_pass_leaves_no_line(bound: World) -> None:
    before = lines(bound)
    bound.hook("Write", {"file_path": "{W}/a.py", "content": "x"})
    bound.hook("WebFetch", {"url": "x"})
    assert lines(bound) == before


def test_a_moved_and_a_refused_call_leave_one_line_each_without_contents(bound: World) -> None:
    bound.hook("Write", {"file_path": "{R}/new.py", "content": "CONTENT-OF-THE-FILE"})
    bound.hook("Write", {"file_path": "{W2}/a.py", "content": "CONTENT-OF-THE-FILE"})
    moved, refused = lines(bound)[-2:]
    assert (moved["verdict"], moved["rule"], moved["paths"]) == ("rewrite", "use-worktree-path", [f"{bound.R}/new.py"])
    assert (refused["verdict"], refused["rule"], refused["paths"]) == ("deny", "other-worktree", [f"{bound.W2}/a.py"])
    assert refused["session"] == bound.session and refused["client"] == "claude-code" and refused["tool"] == "Write"
    assert "CONTENT" not in (bound.state / "audit.jsonl").read_text()


def test_the_files_are_private(bound: World) -> None:
    bound.hook("Write", {"file_path": "{W2}/a.py", "content": "x"})
    bound.hook("Write", {"file_path": 5})
    for name in ("audit.jsonl", "faults.jsonl"):
        assert stat.S_IMODE((bound.state / name).stat().st_mode) == 0o600


def test_the_audit_is_bounded_by_two_files(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    for _ in range(60):
        disk.append(str(path), b"x" * (MOST // 20), MOST)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["audit.jsonl", "audit.jsonl.1"]
    assert path.stat().st_size <= MOST * 1.1
    assert (tmp_path / "audit.jsonl.1").stat().st_size <= MOST * 1.1


def test_a_fault_is_heard_in_both_places(bound: World) -> None:
    answer = bound.hook("Write", {"file_path": 5})
    assert answer.document == {}
    assert answer.stderr.startswith("worktree-guard: ")
    (fault,) = lines(bound, "faults.jsonl")
    assert fault["tool"] == "Write" and "file_path" in str(fault["fault"])
    assert "file_path" in bound.wt("status").stdout


def test_a_fault_becomes_a_question_where_the_owner_wants_one(bound: World) -> None:
    settings = bound.R / ".worktree-guard.json"
    settings.write_text('{"on_fault": "ask"}')
    for client in ("claude-code", "zcode"):
        answer = bound.hook("Write", {"file_path": 5}, client=client)
        assert (answer.kind, answer.rule) == ("ask", "fault")
        assert answer.stderr.startswith("worktree-guard: ")
    assert bound.hook("Write", {"file_path": "{W}/a", "content": ""}).kind == "allow"
    settings.write_text('{"on_fault": "pass"}')
    assert bound.hook("Write", {"file_path": 5}).document == {}

"""`wt authorize-main`, `wt revoke-main` and `wt allow`: a person's leave to write, and its end."""
from __future__ import annotations

import json
import os
import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from guard.wt.errors import UsageError
from guard.wt.leaves import end_of
from tests.worlds import ROOT, World
from tests.wt.test_enter import ONE, TWO, done, small, wt

EDIT = {"file_path": "{R}/src/app.py", "old_string": "1", "new_string": "2"}
FORMAT = "%Y-%m-%dT%H:%M:%SZ"


@pytest.fixture
def plain(tmp_path: Path) -> World:
    return small(Path(os.path.realpath(tmp_path)))


def refused(world: World, *words: str, **more: Any) -> dict[str, Any]:
    """The refusal of a command that must leave state as it was."""
    files = ("override.json", "allow.json")
    before = [(world.state / name).read_bytes() for name in files if (world.state / name).exists()]
    ran = wt(world, *words, **more)
    assert (ran.returncode, ran.stdout) == (2, ""), ran.stderr
    assert [(world.state / name).read_bytes() for name in files if (world.state / name).exists()] == before
    document: dict[str, Any] = json.loads(ran.stderr)
    return document


def authorisations(world: World) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((world.state / "override.json").read_text())["authorisations"]
    return found


def permits(world: World) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((world.state / "allow.json").read_text())["entries"]
    return found


def seconds_left(end: str) -> float:
    return (datetime.strptime(end, FORMAT).replace(tzinfo=timezone.utc) - datetime.now(timezone.utc)).total_seconds()


# --- for how long ----------------------------------------------------------------------------------------------------

LENGTHS = [("1s", 1), ("90s", 90), ("15m", 900), ("2h", 7200), ("24h", 86400), ("1440m", 86400), ("86400s", 86400), ("007m", 420)]
NO_LENGTHS = ["", "0s", "0h", "-5m", "15", "m", "1d", "25h", "1441m", "86401s", "999999h", "99999999s", "1.5h", "1h30m", "15 m", " 15m",
              "15m\n", "15M", "forever", "1e3s"]


@pytest.mark.parametrize(("ttl", "seconds"), LENGTHS)
def test_a_length_of_time(ttl: str, seconds: int) -> None:
    assert seconds - 3 < seconds_left(end_of(ttl)) <= seconds


@pytest.mark.parametrize("ttl", NO_LENGTHS)
def test_no_length_of_time(ttl: str) -> None:
    with pytest.raises(UsageError) as caught:
        end_of(ttl)
    assert (caught.value.code, "15m" in caught.value.hint) == ("bad-ttl", True)


# --- authorize-main, revoke-main -------------------------------------------------------------------------------------

def test_main_may_be_written_until_it_is_revoked(bound: World) -> None:
    assert bound.hook("Edit", EDIT).kind == "deny"
    data = done(bound, "authorize-main", "--reason", "hot  fix\n now")
    assert 880 < seconds_left(data["expires_at"]) <= 900, "15 minutes, when nothing else is asked for"
    assert (data["reason"], data["once"], data["branch"], data["only"], data["session"]) == ("hot fix now", False, None, None, None)
    assert authorisations(bound) == [data]
    assert bound.hook("Edit", EDIT).kind == "allow"
    assert done(bound, "revoke-main") == {"ended": 1}
    assert authorisations(bound) == []
    assert bound.hook("Edit", EDIT).kind == "deny"
    assert done(bound, "revoke-main") == {"ended": 0}


def test_it_ends_by_itself(bound: World) -> None:
    data = done(bound, "authorize-main", "--reason", "r", "--ttl", "1h")
    ended = {**data, "expires_at": (datetime.now(timezone.utc) - timedelta(seconds=1)).strftime(FORMAT)}
    (bound.state / "override.json").write_text(json.dumps({"version": 1, "authorisations": [ended]}))
    assert bound.hook("Edit", EDIT).kind == "deny"
    assert done(bound, "revoke-main") == {"ended": 0}


def test_without_a_session_it_holds_for_everybody_even_from_an_agents_shell(bound: World) -> None:
    assert done(bound, "authorize-main", "--reason", "r", CLAUDE_CODE_SESSION_ID=ONE)["session"] is None
    assert [bound.hook("Edit", EDIT, session_id=session).kind for session in (ONE, TWO)] == ["allow", "allow"]


def test_for_one_session_it_holds_for_that_one_alone(bound: World) -> None:
    done(bound, "authorize-main", "--reason", "r", "--session", ONE)
    assert [bound.hook("Edit", EDIT, session_id=session).kind for session in (ONE, TWO)] == ["allow", "deny"]


def test_once_is_once(bound: World) -> None:
    done(bound, "authorize-main", "--reason", "r", "--once")
    kinds = [bound.hook("Edit", EDIT, tool_use_id=call).kind for call in ("a", "a", "b")]
    assert kinds == ["allow", "allow", "deny"], "the same call may ask again"
    assert done(bound, "status")["authorisations"] == []
    assert done(bound, "revoke-main") == {"ended": 0}


@pytest.mark.parametrize(("only", "kind"), [("write", "allow"), ("push", "deny"), ("merge", "deny")])
def test_only_is_kept_to(bound: World, only: str, kind: str) -> None:
    done(bound, "authorize-main", "--reason", "r", "--only", only)
    assert bound.hook("Edit", EDIT).kind == kind


@pytest.mark.parametrize(("branch", "kind"), [("main", "allow"), ("release", "deny")])
def test_branch_is_the_main_checkouts(bound: World, branch: str, kind: str) -> None:
    done(bound, "authorize-main", "--reason", "r", "--branch", branch)
    assert bound.hook("Edit", EDIT).kind == kind


def test_gits_own_folder_stays_shut(bound: World) -> None:
    done(bound, "authorize-main", "--reason", "r")
    assert bound.hook("Write", {"file_path": "{R}/.git/hooks/pre-commit", "content": ""}).rule == "git-folder"


def test_several_are_kept_side_by_side_and_ended_ones_dropped(plain: World) -> None:
    first = done(plain, "authorize-main", "--reason", "one")
    old = {**first, "id": "old", "expires_at": "2020-01-01T00:00:00Z"}
    (plain.state / "override.json").write_text(json.dumps({"version": 1, "authorisations": [first, old]}))
    done(plain, "authorize-main", "--reason", "two", "--session", ONE)
    assert [a["reason"] for a in authorisations(plain)] == ["one", "two"]
    assert len({a["id"] for a in authorisations(plain)}) == 2


def test_the_reason_is_kept_in_the_audit_as_its_help_says(plain: World) -> None:
    done(plain, "authorize-main", "--reason", "a reason to find again", "--ttl", "5m")
    done(plain, "revoke-main")
    assert "a reason to find again" in (plain.state / "audit.jsonl").read_text()


BAD_WORDS: list[tuple[str, list[str]]] = [
    ("no reason", []),
    ("an empty reason", ["--reason", ""]),
    ("a blank reason", ["--reason", " \t\n"]),
    ("no value", ["--reason"]),
    ("no length of time", ["--reason", "r", "--ttl", "1d"]),
    ("a length of time too long", ["--reason", "r", "--ttl", "25h"]),
    ("an unknown part", ["--reason", "r", "--only", "all"]),
    ("a word too many", ["--reason", "r", "more"]),
    ("an empty session", ["--reason", "r", "--session", ""]),
]


@pytest.mark.parametrize("words", [words for _, words in BAD_WORDS], ids=[why for why, _ in BAD_WORDS])
def test_authorize_main_is_refused_with(plain: World, words: list[str]) -> None:
    done(plain, "authorize-main", "--reason", "an earlier one")
    document = refused(plain, "authorize-main", *words)
    assert document["hint"]
    assert len(authorisations(plain)) == 1


def test_what_is_printed_names_the_way_to_end_it(plain: World) -> None:
    said = plain.wt("authorize-main", "--reason", "r", "--session", ONE, "--only", "push", "--once", "--branch", "main").stdout
    for word in (authorisations(plain)[0]["expires_at"], ONE, "pushed", "one call", "main", "wt revoke-main"):
        assert word in said
    assert plain.wt("revoke-main").stdout == "Ended 1 authorisation(s).\n"


def test_a_spoilt_file_gives_no_leave_and_is_kept_aside(bound: World) -> None:
    (bound.state / "override.json").write_text('{"authorisations": [{"id": 7}]}')
    assert bound.hook("Edit", EDIT).kind == "deny"
    done(bound, "authorize-main", "--reason", "r")
    assert (bound.state / "override.json.corrupt").read_text() == '{"authorisations": [{"id": 7}]}'
    assert bound.hook("Edit", EDIT).kind == "allow"


# --- allow -----------------------------------------------------------------------------------------------------------

def test_one_path_may_be_written_until_it_is_cleared(bound: World) -> None:
    draft = {"file_path": "{R}/docs/notes.md", "old_string": "n", "new_string": "m"}
    assert bound.hook("Edit", draft).kind == "deny"
    data = done(bound, "allow", "docs", "--reason", "the changelog lives there")
    assert (data["action"], data["path"]) == ("add", str(bound.R / "docs"))
    assert 3590 < seconds_left(data["expires_at"]) <= 3600, "an hour, when nothing else is asked for"
    assert (bound.hook("Edit", draft).kind, bound.hook("Edit", EDIT).kind) == ("allow", "deny")
    assert done(bound, "allow", "--list")["entries"] == permits(bound)
    assert done(bound, "allow", "--clear")["entries"] == []
    assert bound.hook("Edit", draft).kind == "deny"


GOOD_PATHS = [
    ("a file", "src/app.py", "src/app.py"),
    ("a file that is not there yet", "src/new.py", "src/new.py"),
    ("an absolute path", "{R}/src", "src"),
    ("dots that stay inside", "src/../docs/./x", "docs/x"),
    ("a slash behind", "src/", "src"),
    ("blanks", "a b", "a b"),
    ("brackets, as in routes", "src/[id]", "src/[id]"),
    ("a name that begins like git's", ".gitignore", ".gitignore"),
    ("a file whose name is a pattern", "*.md", "*.md"),
]


@pytest.mark.parametrize(("given", "kept"), [row[1:] for row in GOOD_PATHS], ids=[row[0] for row in GOOD_PATHS])
def test_allow_takes(plain: World, given: str, kept: str) -> None:
    (plain.R / "*.md").write_text("")
    assert done(plain, "allow", plain.fill(given), "--reason", "r")["path"] == str(plain.R / kept)


def test_a_path_counts_from_the_main_checkout_also_in_a_worktree(bound: World) -> None:
    assert done(bound, "allow", "docs/notes.md", "--reason", "r", cwd=bound.W / "src")["path"] == str(bound.R / "docs/notes.md")


def test_a_link_is_followed(plain: World) -> None:
    (plain.R / "link").symlink_to("src")
    assert done(plain, "allow", "link/app.py", "--reason", "r")["path"] == str(plain.R / "src/app.py")


BAD_PATHS = [
    (".", "too-wide"), ("/", "too-wide"), ("..", "too-wide"), ("./", "too-wide"), ("src/..", "too-wide"), ("{R}", "too-wide"),
    ("../..", "too-wide"), ("{R}/../app/", "too-wide"), ("up", "too-wide"),
    (".git", "git-folder"), (".git/config", "git-folder"), ("{R}/.git/hooks/pre-commit", "git-folder"), ("src/../.git/x", "git-folder"),
    ("gitlink/config", "git-folder"), ("sub/.git", "git-folder"), (".worktrees/x/.git", "git-folder"),
    ("*", "pattern"), ("**", "pattern"), ("**/*", "pattern"), ("src/*.py", "pattern"), ("src/?.py", "pattern"), ("*/", "pattern"),
    ("", "usage"), (" ", "usage"), ("~nobody-of-that-name/x", None),
]


@pytest.mark.parametrize(("given", "code"), BAD_PATHS)
def test_allow_refuses(plain: World, given: str, code: str | None) -> None:
    (plain.R / "gitlink").symlink_to(".git")
    (plain.R / "up").symlink_to("..")
    document = refused(plain, "allow", "--reason", "r", "--", plain.fill(given))
    assert code is None or document["code"] == code
    assert not (plain.state / "allow.json").exists()


def test_allow_refuses_a_git_folder_that_lies_elsewhere(tmp_path: Path) -> None:
    world = small(Path(os.path.realpath(tmp_path)))
    world.sh('git init -q --separate-git-dir "$OUT/store" "$R"')
    assert refused(world, "allow", str(world.OUT / "store/config"), "--reason", "r")["code"] == "git-folder"


def test_allow_needs_a_reason_and_a_length_of_time(plain: World) -> None:
    assert refused(plain, "allow", "src")["code"] == "no-reason"
    assert refused(plain, "allow", "src", "--reason", "r", "--ttl", "2d")["code"] == "bad-ttl"


def test_the_same_path_again_is_renewed_not_doubled(plain: World) -> None:
    done(plain, "allow", "src", "--reason", "one", "--ttl", "5m")
    done(plain, "allow", "src/../src/", "--reason", "two", "--ttl", "2h")
    assert [(p["path"], p["reason"]) for p in permits(plain)] == [(str(plain.R / "src"), "two")]


def test_the_same_path_for_two_sessions_are_two(bound: World) -> None:
    done(bound, "allow", "src", "--reason", "r", "--session", ONE)
    done(bound, "allow", "src", "--reason", "r", "--session", TWO)
    assert [bound.hook("Edit", EDIT, session_id=session).kind for session in (ONE, TWO, "3")] == ["allow", "allow", "deny"]


def test_clearing_one_path_does_not_end_the_others(plain: World) -> None:
    """`--clear` ends them all; with a path beside it, either that one is ended or nothing is."""
    for path in ("src", "docs"):
        done(plain, "allow", path, "--reason", "r")
    ran = wt(plain, "allow", "src", "--clear")
    assert ran.returncode in (0, 2)
    assert str(plain.R / "docs") in [p["path"] for p in permits(plain)]


def test_the_list_tells_path_reason_and_time_left(plain: World) -> None:
    assert plain.wt("allow", "--list").stdout == "Nothing is allowed.\n"
    done(plain, "allow", "src", "--reason", "why not", "--ttl", "90m")
    assert plain.wt("allow", "--list").stdout == f"{plain.R}/src  90 min more  (why not)\n"


def test_what_is_over_is_neither_listed_nor_kept(plain: World) -> None:
    done(plain, "allow", "src", "--reason", "over")
    over = {**permits(plain)[0], "expires_at": "2020-01-01T00:00:00Z"}
    (plain.state / "allow.json").write_text(json.dumps({"version": 1, "entries": [over]}))
    assert done(plain, "allow", "--list")["entries"] == []
    done(plain, "allow", "docs", "--reason", "r")
    assert [p["path"] for p in permits(plain)] == [str(plain.R / "docs")]


def test_many_at_once_lose_none(plain: World) -> None:
    """Read, added to and written under one lock."""
    words = [[str(ROOT / "scripts/wt"), "allow", f"file-{n}", "--reason", "r"] for n in range(3)]
    words += [[str(ROOT / "scripts/wt"), "authorize-main", "--reason", f"r{n}"] for n in range(3)]
    running = [subprocess.Popen(one, cwd=plain.R, env=plain.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) for one in words]
    assert [one.wait(60) for one in running] == [0] * 6
    assert (len(permits(plain)), len(authorisations(plain))) == (3, 3)

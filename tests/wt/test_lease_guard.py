"""What the guard and the other commands make of a leased workspace: its holder's, and for everybody else another worktree."""
from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.worlds import World
from tests.wt.test_enter import ONE, TWO, done, refused, small

WRITE = {"content": "x\n"}


@pytest.fixture
def plain(tmp_path: Path) -> World:
    return small(Path(os.path.realpath(tmp_path)))


def acquired(world: World, session: str | None = ONE, holder: str = "me") -> Path:
    env = {"CLAUDE_CODE_SESSION_ID": session} if session else {}
    return Path(done(world, "lease", "write", "acquire", "--holder", holder, **env)["path"])


def wrote(world: World, path: Path, session: str, cwd: Path | None = None) -> str:
    answer = world.hook("Write", {"file_path": str(path), **WRITE}, cwd or world.R, session_id=session)
    if answer.kind in ("deny", "ask"):
        return f"{answer.kind} {answer.rule}"
    return str(answer.input["file_path"]) if answer.input else answer.kind


def test_the_holder_s_session_works_there_and_nobody_else(plain: World) -> None:
    place = acquired(plain)
    row = next(row for row in done(plain, "status")["worktrees"] if row["path"] == str(place))
    assert (row["bound_by"], row["lease"]["lease_holder"], row["owned"]) == ([ONE], "me", True)
    assert wrote(plain, plain.R / "src/new.py", ONE) == str(place / "src/new.py"), "moved to the workspace"
    assert wrote(plain, place / "src/new.py", ONE) == "allow"
    assert wrote(plain, place / "src/new.py", TWO) == "deny other-worktree"
    assert plain.hook("Bash", {"command": f"git -C {place} commit -am x"}, plain.R, session_id=TWO).rule == "other-worktree"
    assert plain.hook("Bash", {"command": f"rm -rf {place}"}, plain.R, session_id=TWO).rule == "worktree-removal"


def test_a_lease_without_a_session_is_whose_calls_stand_there(plain: World) -> None:
    place = acquired(plain, session=None)
    assert wrote(plain, place / "src/new.py", ONE, cwd=place) == "allow"
    assert wrote(plain, place / "src/new.py", TWO) == "deny other-worktree"


def test_after_the_return_the_session_is_bound_no_more(plain: World) -> None:
    place = acquired(plain)
    done(plain, "lease", "write", "return", "--workspace", str(place))
    assert done(plain, "status")["sessions"] == []
    assert wrote(plain, plain.R / "src/new.py", ONE) == "allow"


@pytest.mark.parametrize("words", [("remove", "pool-1"), ("leave", "--remove"), ("remove", "pool-1", "--discard", "ignored")], ids=" ".join)
def test_a_leased_workspace_is_not_removed(plain: World, words: tuple[str, ...]) -> None:
    place = acquired(plain)
    document = refused(plain, *words, CLAUDE_CODE_SESSION_ID=ONE)
    codes = {document["code"], *(one["code"] for one in document["details"])}
    assert ("leased" in codes, f"wt lease write return --workspace {place}" in str(document["details"])) == (True, True)


def test_a_lease_whose_receipt_is_lost_ends_by_a_removal(plain: World) -> None:
    """Nobody can prove it any more; all that lies there goes through the gate, and to the trash."""
    place = acquired(plain, session=None)
    (place / "out/treehouse/lease.json").unlink()
    (row,) = done(plain, "lease", "read", "status")["workspaces"]
    assert (row["status"], f"wt remove {place}" in row["note"]) == ("leased", True)
    assert refused(plain, "lease", "write", "return", "--workspace", str(place))["code"] == "no-receipt"
    (place / "out/mine").write_text("mine")
    assert refused(plain, "remove", str(place))["code"] == "open-changes"
    (place / "out/mine").unlink()
    done(plain, "remove", str(place))
    assert done(plain, "lease", "read", "status")["workspaces"] == []


def test_a_free_one_is_removed_like_any_other_and_the_pool_forgets_it(plain: World) -> None:
    place = acquired(plain, session=None)
    done(plain, "lease", "write", "return", "--workspace", str(place))
    assert [row["code"] for row in done(plain, "clean")["worktrees"]] == ["detached"], "clean leaves the pool alone"
    done(plain, "remove", "pool-1")
    assert done(plain, "lease", "read", "status")["workspaces"] == []
    done(plain, "restore", "pool-1")
    (row,) = done(plain, "lease", "read", "status")["workspaces"]
    assert row["path"] == str(place)


def test_people_read_who_has_what(plain: World) -> None:
    place = acquired(plain, holder="agent-7")
    other = acquired(plain, session=None, holder="b")
    done(plain, "lease", "write", "return", "--workspace", str(other))
    shown = plain.wt("status").stdout
    assert "leased by agent-7" in shown and "free, of the pool" in shown
    assert max(map(len, shown.splitlines())) <= 100 or str(place) in shown


@pytest.mark.parametrize("command", ["wt lease read status", "wt lease write acquire --holder me", "wt lane list"])
def test_an_agent_may_ask_for_one(plain: World, command: str) -> None:
    assert plain.hook("Bash", {"command": command}, plain.R, session_id=ONE).kind == "allow"


# --- what lies in a free workspace ------------------------------------------------------------------------------------

@pytest.mark.parametrize("ignorecase", ["false", "true"])
@pytest.mark.parametrize("script", ["echo mine > local", "mkdir local; echo mine > local/file"], ids=["a file", "a folder"])
def test_an_ignored_file_that_the_new_commit_tracks_is_not_overwritten(plain: World, script: str, ignorecase: str) -> None:
    """Ignored files stay in a workspace; another one is handed out."""
    plain.sh(f"git config core.ignorecase {ignorecase}; echo local > .gitignore; git add .; git commit -qm i", cwd=plain.R)
    place = acquired(plain, session=None)
    done(plain, "lease", "write", "return", "--workspace", str(place))
    plain.sh(script, cwd=place)
    plain.sh("echo theirs > local; git add -f local; git commit -qm local", cwd=plain.R)
    other = acquired(plain, session=None)
    assert (other != place, plain.sh("cat local local/file 2> /dev/null || true", cwd=place), (other / "local").read_text()) == (
        True, "mine\n", "theirs\n")


def test_no_teardown_where_no_setup_ran(plain: World) -> None:
    (plain.R / ".worktree-guard.json").write_text('{"setup": "touch set-up", "teardown": "touch $OUT/torn"}')
    done(plain, "trust", "--accept")
    place = acquired(plain, session=None)
    assert not (place / "set-up").exists()
    done(plain, "lease", "write", "return", "--workspace", str(place))
    done(plain, "remove", "pool-1", OUT=str(plain.OUT))
    assert not (plain.OUT / "torn").exists()

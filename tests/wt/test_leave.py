"""`wt leave`: ends a binding, tells what stays behind, changes neither files nor branches."""
from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.worlds import World
from tests.wt.test_enter import ONE, TWO, WT, binding, bound_to, done, known, refused, small, wt

EDIT = {"file_path": "{R}/src/app.py", "old_string": "1", "new_string": "2"}


@pytest.fixture
def plain(tmp_path: Path) -> World:
    return small(Path(os.path.realpath(tmp_path)))


def left(world: World, *words: str, **more: Any) -> list[tuple[str | None, str]]:
    """Whose bindings to which worktrees a `wt leave` ended."""
    return [(one["session"], one["name"]) for one in done(world, "leave", *words, **more)["left"]]


def sessions(world: World) -> list[str]:
    return sorted(p.stem for p in (world.state / "sessions").glob("*.json"))


def remove(folder: str | Path, world: World) -> None:
    world.sh(f"rm -rf {shlex.quote(str(folder))}")


def printed_way_back(text: str) -> str:
    """The `wt enter …` that `wt leave` prints."""
    return next(line for line in text.splitlines() if "wt enter " in line).rpartition("wt enter ")[2]


# --- whose -----------------------------------------------------------------------------------------------------------

def test_a_person_ends_the_binding_of_everybody(world: World) -> None:
    done(world, "enter", "x")
    assert world.hook("Edit", EDIT).kind == "deny"
    assert left(world) == [(None, "x")]
    state = binding(world)
    assert (state["active"], bool(state["ended_at"])) == (False, True)
    assert world.hook("Edit", EDIT).kind == "allow"


@pytest.mark.parametrize("name", ["x", "wt/x", "{W}", "../app-wt/x", "{OUT}/link"],
                         ids=["by name", "by branch", "by path", "by relative path", "through a symlink"])
def test_leave_by_name(world: World, name: str) -> None:
    (world.OUT / "link").symlink_to(world.W)
    done(world, "enter", "x", "--session", ONE)
    done(world, "enter", "y", "--session", TWO)
    assert left(world, world.fill(name)) == [(ONE, "x")]
    assert sessions(world) == [TWO]


def test_leave_by_session(world: World) -> None:
    done(world, "enter", "x", "--session", ONE)
    done(world, "enter", "y", "--session", TWO)
    assert left(world, "--session", ONE) == [(ONE, "x")]
    assert sessions(world) == [TWO]
    assert (world.hook("Edit", EDIT, session_id=ONE).kind, world.hook("Edit", EDIT, session_id=TWO).kind) == ("allow", "deny")


def test_an_agents_shell_leaves_its_own_alone(world: World) -> None:
    done(world, "enter", "x", CLAUDE_CODE_SESSION_ID=ONE)
    done(world, "enter", "x", CLAUDE_CODE_SESSION_ID=TWO)
    assert left(world, CLAUDE_CODE_SESSION_ID=ONE) == [(ONE, "x")]
    assert sessions(world) == [TWO]
    assert binding(world)["session"] == TWO


def test_leaving_takes_the_active_binding_along_when_it_is_the_same_ones(world: World) -> None:
    done(world, "enter", "x", CLAUDE_CODE_SESSION_ID=ONE)
    assert binding(world)["session"] == ONE
    assert left(world, CLAUDE_CODE_SESSION_ID=ONE) == [(ONE, "x")], "told once"
    assert (sessions(world), binding(world)["active"]) == ([], False)


def test_a_person_ends_what_a_session_made_active(world: World) -> None:
    """Without a session it is the repository's active binding, whoever made it."""
    done(world, "enter", "y", CLAUDE_CODE_SESSION_ID=TWO)
    done(world, "enter", "x", CLAUDE_CODE_SESSION_ID=ONE)
    assert left(world) == [(ONE, "x")]
    assert sessions(world) == [TWO]


def test_an_agents_shell_leaves_the_binding_of_everybody_that_holds_it(world: World) -> None:
    """Its calls are judged by that binding, and the refusals it gets name `wt leave` as the way out."""
    done(world, "enter", "x")
    assert world.hook("Edit", EDIT, session_id=ONE).kind == "deny"
    assert left(world, CLAUDE_CODE_SESSION_ID=ONE) == [(None, "x")]
    assert world.hook("Edit", EDIT, session_id=ONE).kind == "allow"


def test_a_session_that_is_then_held_by_the_binding_of_everybody_hears_of_it(world: World) -> None:
    done(world, "enter", "x")
    done(world, "enter", "y", CLAUDE_CODE_SESSION_ID=ONE)
    said = world.wt("leave", CLAUDE_CODE_SESSION_ID=ONE).stdout
    assert world.hook("Edit", EDIT, session_id=ONE).kind == "deny", "the repository's own binding is still there"
    assert str(world.W) in said


def test_all_ends_every_binding(world: World) -> None:
    done(world, "enter", "x")
    done(world, "enter", "x", "--session", ONE)
    done(world, "enter", "y", "--session", TWO)
    assert sorted(left(world, "--all", CLAUDE_CODE_SESSION_ID=ONE), key=str) == sorted([(None, "x"), (ONE, "x"), (TWO, "y")], key=str)
    assert (sessions(world), binding(world)["active"]) == ([], False)
    assert left(world, "--all") == [], "nobody is left, and that is no failure"


NOT_BOUND: list[tuple[str, list[str], dict[str, str]]] = [
    ("not that worktree", ["y"], {}),
    ("not that session", ["--session", TWO], {}),
    ("another one's", ["x"], {"CLAUDE_CODE_SESSION_ID": TWO}),
    ("no such worktree", ["nowhere"], {}),
    ("the home of nobody", ["~nobody-of-that-name"], {}),
]


@pytest.mark.parametrize(("words", "env"), [row[1:] for row in NOT_BOUND], ids=[row[0] for row in NOT_BOUND])
def test_leaving_what_is_not_bound_is_refused_and_told_where_to_look(world: World, words: list[str], env: dict[str, str]) -> None:
    done(world, "enter", "x", "--session", ONE)
    document = refused(world, "leave", *words, **env)
    assert (document["code"], "wt status" in document["hint"]) == ("not-bound", True)
    assert sessions(world) == [ONE]


def test_leaving_where_nobody_ever_entered_is_told(world: World) -> None:
    assert refused(world, "leave")["code"] == "not-bound"


def test_leaving_twice_is_told(world: World) -> None:
    done(world, "enter", "x")
    done(world, "leave")
    assert refused(world, "leave")["code"] == "not-bound"


# --- what stays behind -----------------------------------------------------------------------------------------------

def test_commits_ahead_and_open_files_are_told_and_left_alone(world: World) -> None:
    done(world, "enter", "x")
    world.sh('cd "$W"; git commit -q --allow-empty -m "second step"; echo 5 > src/app.py; echo s > staged; git add staged; echo n > loose')
    before, status = known(world), world.git("status", "--porcelain", cwd=world.W)
    files = {p: p.read_bytes() for p in world.W.rglob("*") if p.is_file()}
    said = world.wt("leave").stdout
    for word in ("Left x.", "2 commit(s) ahead of main", "second step", "own", "2 modified, 1 untracked", str(world.W)):
        assert word in said
    assert (known(world), world.git("status", "--porcelain", cwd=world.W)) == (before, status)
    assert {p: p.read_bytes() for p in world.W.rglob("*") if p.is_file()} == files
    done(world, "enter", "x")
    one = done(world, "leave")["left"][0]
    expected = {"path": str(world.W), "branch": "wt/x", "base": "main", "ahead": 2, "gone": False, "session": None,
                "open": {"modified": 2, "untracked": 1, "conflicted": 0}}
    assert {key: one[key] for key in expected} == expected
    assert [line.partition(" ")[2] for line in one["commits"]] == ["second step", "own"]


def test_a_clean_worktree_is_left_without_a_word_more(plain: World) -> None:
    done(plain, "enter", "x")
    assert plain.wt("leave").stdout == f"Left x.\n  back again: wt enter {plain.R}/.worktrees/x\n"


def test_from_inside_the_worktree_that_is_left(world: World) -> None:
    done(world, "enter", "x")
    assert left(world, cwd=world.W / "src") == [(None, "x")]


@pytest.mark.parametrize("folder", ["app", "with blanks", "it's"])
def test_the_printed_way_back_works(tmp_path: Path, folder: str) -> None:
    world = small(Path(os.path.realpath(tmp_path)), folder)
    done(world, "enter", "feat/x")
    way = printed_way_back(world.wt("leave").stdout)
    world.sh(f'cd "$R"; {WT} enter {way}')
    assert (bound_to(world), binding(world)["active"]) == (str(world.R / ".worktrees/feat+x"), True)


# --- when its folder is gone -----------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", ["x", "feat/x", "con"])
def test_a_folder_that_is_gone_loses_its_registration_and_keeps_its_branch(plain: World, name: str) -> None:
    folder = Path(done(plain, "enter", name)["path"])
    plain.sh("git commit -q --allow-empty -m own", cwd=folder)
    remove(folder, plain)
    ran = plain.wt("leave")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "1 commit(s) ahead of main" in ran.stdout
    assert str(folder) not in plain.git("worktree", "list", "--porcelain")
    assert plain.git("log", "-1", "--format=%s", f"wt/{name}") == "own"
    plain.sh(f'cd "$R"; {WT} enter {printed_way_back(ran.stdout)}')
    assert bound_to(plain) == str(folder), "the same branch in the same place"
    assert plain.git("log", "-1", "--format=%s", cwd=folder) == "own"


def test_a_folder_that_is_gone_leaves_other_lost_ones_registered(world: World) -> None:
    """Never `git worktree prune`: that also forgets trees whose disk is only away."""
    done(world, "enter", "x")
    world.sh('rm -rf "$W" "$W2"')
    done(world, "leave")
    listed = world.git("worktree", "list", "--porcelain")
    assert (str(world.W) in listed, str(world.W2) in listed) == (False, True)


def test_a_folder_that_is_gone_and_locked_stays_registered(plain: World) -> None:
    folder = Path(done(plain, "enter", "x")["path"])
    plain.git("worktree", "lock", "--reason", "on a usb stick", str(folder))
    remove(folder, plain)
    ran = plain.wt("leave")
    assert ran.returncode == 0
    assert "locked on a usb stick" in plain.git("worktree", "list", "--porcelain")
    assert binding(plain)["active"] is False
    assert "locked" in ran.stdout, "`wt enter` would be refused until it is unlocked or its disk is back"


def test_what_git_has_forgotten_as_well_can_be_left(plain: World) -> None:
    folder = Path(done(plain, "enter", "x")["path"])
    plain.git("worktree", "remove", "--force", str(folder))
    one = done(plain, "leave")["left"][0]
    assert (one["gone"], one["branch"]) == (True, "wt/x")
    assert plain.git("branch", "--list", "wt/x", "--format=%(refname:short)") == "wt/x"


def test_the_branch_it_was_on_last_is_named(plain: World) -> None:
    """An agent may have switched branches in its worktree; git still knows where the missing one stood."""
    folder = Path(done(plain, "enter", "x")["path"])
    plain.sh("git switch -qc later; git commit -q --allow-empty -m own", cwd=folder)
    remove(folder, plain)
    one = done(plain, "leave")["left"][0]
    assert (one["branch"], one["ahead"]) == ("later", 1)


def test_commits_of_a_detached_worktree_are_not_lost_in_silence(plain: World) -> None:
    """Its registration is all that holds them."""
    folder = plain.R / ".worktrees/d"
    plain.git("worktree", "add", "-q", "--detach", str(folder))
    done(plain, "enter", "d")
    plain.sh("git commit -q --allow-empty -m lonely", cwd=folder)
    lonely = plain.git("rev-parse", "HEAD", cwd=folder)
    remove(folder, plain)
    ran = plain.wt("leave")
    assert ran.returncode == 0
    assert lonely[:7] in ran.stdout or lonely in plain.git("worktree", "list", "--porcelain")
    assert "--branch \n" not in ran.stdout, "a way back without a branch is none"


def test_a_folder_that_is_no_worktree_any_more_is_not_taken_for_the_main_checkout(plain: World) -> None:
    """Without its .git file git goes on upwards and finds R, whose commits and open files are another matter."""
    folder = Path(done(plain, "enter", "x")["path"])
    (folder / ".git").unlink()
    plain.sh('cd "$R"; git switch -qc other; git commit -q --allow-empty -m "of R"; echo 5 > src/app.py')
    one = done(plain, "leave")["left"][0]
    assert (one["open"], one["gone"]) == (None, False)
    assert one["ahead"] in (0, None)
    assert binding(plain)["active"] is False


def test_a_session_file_that_is_spoilt_does_not_keep_others_from_leaving(world: World) -> None:
    done(world, "enter", "x", "--session", ONE)
    done(world, "enter", "y", "--session", TWO)
    (world.state / f"sessions/{TWO}.json").write_text("{")
    (world.state / "state.json").write_text("")
    assert left(world, "--session", ONE) == [(ONE, "x")]
    assert json.loads(wt(world, "status").stdout)["data"]["spoilt"]

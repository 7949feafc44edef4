"""What a person reads is true: what was brought back, what was left, what a path means, which client is checked."""
from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.worlds import World
from tests.wt.test_enter import refused, small


@pytest.fixture
def plain_world(tmp_path: Path) -> World:
    return small(Path(os.path.realpath(tmp_path)))


def test_a_folder_that_was_deleted_is_made_again_and_said_so(bound: World) -> None:
    shutil.rmtree(bound.W)
    said = bound.wt("enter", "x").stdout
    assert "made again: its folder was gone" in said
    assert (bound.W / "src/app.py").exists()
    assert "made again" not in bound.wt("enter", "x").stdout


def test_a_worktree_without_its_git_file_is_mended_and_said_so(bound: World) -> None:
    (bound.W / ".git").unlink()
    assert "mended" in bound.wt("enter", "x").stdout
    assert bound.git("rev-parse", "--show-toplevel", cwd=bound.W) == str(bound.W)


def test_a_plain_folder_where_the_worktree_was_has_a_way_back_that_works(bound: World) -> None:
    bound.git("worktree", "remove", "--force", str(bound.W))
    bound.W.mkdir(parents=True)
    (bound.W / "mine.txt").write_text("mine\n")
    said = bound.wt("leave").stdout
    assert "is an ordinary folder now and stays" in said
    way = said.partition("back again: wt ")[2].split()
    assert bound.wt(*way).returncode == 0
    assert (bound.W / "mine.txt").read_text() == "mine\n"


def test_entering_another_worktree_names_the_one_before(world: World) -> None:
    world.wt("enter", str(world.W), "--session", "s1")
    said = world.wt("enter", str(world.W2), "--session", "s1").stdout
    assert f"Before: {world.W}; it stays as it is." in said
    assert "Before:" not in world.wt("enter", str(world.W2), "--session", "s1").stdout


def test_a_path_to_allow_is_meant_from_here_then_from_the_main_checkout(world: World) -> None:
    assert world.wt_json("allow", "app.py", "--reason", "r", cwd=world.R / "src")["path"] == str(world.R / "src/app.py")
    assert world.wt_json("allow", "docs/notes.md", "--reason", "r", cwd=world.R / "src")["path"] == str(world.R / "docs/notes.md")
    assert "(there is no such file yet)" in world.wt("allow", "later.md", "--reason", "r").stdout


@pytest.mark.parametrize("prefix", ["a b", "-x/", "a..b/", "x~", "a.lock/"])
def test_a_prefix_that_can_begin_no_branch_falls_back_and_is_told(world: World, prefix: str) -> None:
    (world.R / ".worktree-guard.json").write_text(json.dumps({"branch_prefix": prefix}))
    assert world.wt_json("new", "z")["branch"] == "wt/z"
    assert any("branch_prefix" in warning for warning in world.wt_json("status")["settings"]["warnings"])


def test_a_dotted_setting_is_told_its_nested_form(world: World) -> None:
    (world.R / ".worktree-guard.json").write_text('{"sync.symlink_dirs": ["out"]}')
    (warning,) = world.wt_json("status")["settings"]["warnings"]
    assert '{"sync": {"symlink_dirs"' in warning


@pytest.mark.parametrize(("branch", "settings"), [("wt", {}), ("main", {"branch_prefix": "main/"}), ("a", {"branch_prefix": "a/b/"})])
@pytest.mark.parametrize("words", [("enter", "n"), ("new", "n"), ("lane", "prepare", "--run=r", "--task=t")], ids=" ".join)
def test_a_branch_in_the_place_of_the_prefix_is_no_matter_of_names(plain_world: World, branch: str, settings: dict[str, str],
                                                                   words: tuple[str, ...]) -> None:
    plain_world.git("branch", "-f", branch, "HEAD~0") if branch != "main" else None
    (plain_world.R / ".worktree-guard.json").write_text(json.dumps(settings))
    hint = refused(plain_world, *words)["hint"]
    assert ("branch_prefix" in hint, "NAME-2" in hint, "-2" in hint) == (True, False, False)


UNKNOWN = [('{"sync": {"foo": 1}}', "sync.foo", 1), ('{"pool":\n{"sise": 3}}', "pool.sise", 2), ('{"ports": {"": 1}}', "ports.", 1),
           ('{"setup": {"linus": "x"}}', "setup.linus", 1), ('{"sync": {"copy_files": [], "symlink_dir": []}}', "sync.symlink_dir", 1)]


@pytest.mark.parametrize(("text", "field", "line"), UNKNOWN)
def test_an_unknown_setting_in_a_setting_is_told(world: World, text: str, field: str, line: int) -> None:
    file = world.R / ".worktree-guard.json"
    file.write_text(text)
    assert world.wt_json("status")["settings"]["warnings"] == [f"{file}:{line}: {field}: no setting of that name"]


def test_doctor_checks_each_client_that_is_registered(world: World) -> None:
    world.wt_json("install", "zcode")
    ran = world.wt("doctor", "--json")
    assert (ran.returncode, json.loads(ran.stdout)["data"]["clients"]) == (0, ["zcode"])
    world.wt_json("install", "claude-code")
    assert json.loads(world.wt("doctor", "--json").stdout)["data"]["clients"] == ["claude-code", "zcode"]


def test_install_says_how_to_have_wt_on_the_path(world: World) -> None:
    said = world.wt("install", "claude-code").stdout
    command = said.partition("To have wt on your PATH: ")[2].strip()
    world.sh(command)
    assert (world.root / "home/.local/bin/wt").exists() or (world.root / "home/.local/bin/worktree-guard").exists()


@pytest.mark.parametrize("there", [True, False], ids=["a file of settings", "none yet"])
def test_the_guard_s_settings_are_asked_about_while_bound_as_well(bound: World, there: bool) -> None:
    if there:
        (bound.R / ".worktree-guard.json").write_text("{}")
    answer = bound.hook("Write", {"file_path": "{R}/.worktree-guard.json", "content": "{}"})
    assert (answer.kind, answer.rule) == ("ask", "guard-settings")
    assert bound.hook("Write", {"file_path": "{W}/.worktree-guard.json", "content": "{}"}).kind == "allow", "that copy does not count"

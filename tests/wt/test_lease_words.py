"""`wt lease`: its words, and the name of the holder."""
from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from tests.worlds import World
from tests.wt.leasing import declined, give_back, receipt, row
from tests.wt.surroundings import a_git_that
from tests.wt.test_enter import done, small, wt


@pytest.fixture
def plain(tmp_path: Path) -> World:
    return small(Path(os.path.realpath(tmp_path)))


# --- its words -------------------------------------------------------------------------------------------------------

WRONG = [  # words, what the refusal names
    ("", "nothing"), ("read", "read"), ("write", "write"), ("status", "status"), ("acquire", "acquire"), ("read acquire", "read acquire"),
    ("read return --workspace /x", "read return"), ("write status", "write status"), ("write destroy", "write destroy"),
    ("write prune", "write prune"), ("write enter", "write enter"), ("write init", "write init"), ("write update", "write update"),
    ("READ status", "READ status"), ("read status --all", "--all"), ("read status x", "option x"), ("read status --force", "--force"),
    ("write acquire x", "option x"), ("write acquire --force", "--force"), ("write acquire --holder", "--holder needs"),
    ("write acquire --holder --x", "--holder needs"), ("write acquire --holder a --holder b", "--holder is given twice"),
    ("write acquire --holder=a --holder a", "--holder is given twice"), ("write acquire --workspace /x", "--workspace"),
    ("write acquire --hold a", "--hold"), ("write return", "needs --workspace"), ("write return /x", "option /x"),
    ("write return --workspace", "--workspace needs"), ("write return --workspace --confirm-preserved", "--workspace needs"),
    ("write return --workspace /x --workspace /x", "--workspace is given twice"), ("write return --workspace /x --force", "--force"),
    ("write return --workspace /x -f", "option -f"), ("write return --workspace /x --confirm-preserved=yes", "takes no value"),
    ("write return --workspace /x --confirm-preserved --confirm-preserved", "--confirm-preserved is given twice"),
    ("write return --workspace /x --confirm", "--confirm"), ("write return --workspace /x --yes", "--yes"),
]


@pytest.mark.parametrize(("words", "named"), WRONG, ids=[words or "none" for words, _ in WRONG])
def test_wrong_words_start_no_program_and_change_nothing(plain: World, words: str, named: str) -> None:
    folder = a_git_that(plain, 'echo "$*" >> "$HOME/called"')
    ran = wt(plain, "lease", *words.split(), PATH=folder)
    assert (ran.returncode, ran.stdout) == (2, "")
    document = json.loads(ran.stderr)
    assert (document["ok"], document["code"]) == (False, "usage")
    assert named in document["error"]
    assert "wt lease write acquire [--holder H]" in document["error"]
    assert not (plain.root / "home/called").exists()
    assert not (plain.R / ".git/worktree-guard").exists()


@pytest.mark.parametrize("words", ["--help", "-h", "read --help", "read status -h", "write return --help", "write acquire --force --help"])
@pytest.mark.parametrize("place", ["R", "OUT"])
def test_help_is_an_answer_anywhere(plain: World, words: str, place: str) -> None:
    assert done(plain, "lease", *words.split(), cwd=Path(plain.paths[place]))["usage"].splitlines() == [
        "wt lease read status", "wt lease write acquire [--holder H]", "wt lease write return --workspace P [--confirm-preserved]"]


def test_the_real_program_prints_one_document_with_two_blanks_of_indent(plain: World) -> None:
    said = plain.wt("lease", "write", "acquire", "--holder", "<a&b>")
    assert (said.returncode, said.stderr) == (0, "")
    assert said.stdout == json.dumps(json.loads(said.stdout), indent=2) + "\n"
    assert '"lease_holder": "<a&b>"' in said.stdout
    path = json.loads(said.stdout)["data"]["path"]
    refusal = plain.wt("lease", "write", "return", "--workspace", f"{path}/")
    assert (refusal.returncode, refusal.stdout, json.loads(refusal.stderr)["code"]) == (2, "", "other-path")
    assert plain.wt("lease", "write", "return", "--workspace", path).returncode == 0


@pytest.mark.parametrize("operation", ["read status", "write acquire", "write return --workspace /x"])
def test_outside_of_a_repository(plain: World, operation: str) -> None:
    assert "cd into a repository" in declined(plain, "no-repository", *operation.split(), cwd=plain.OUT)["hint"]


@pytest.mark.parametrize("operation", ["read status", "write acquire", "write return --workspace /x"])
def test_without_git_no_way_around_is_named(plain: World, operation: str) -> None:
    hint = declined(plain, "missing-program", *operation.split(), status=127, PATH="/nowhere")["hint"]
    assert hint.startswith("tell the person. Install nothing")
    assert "For the person: install git" in hint


# --- the holder ------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("words", "env", "expected"), [
    (("--holder", "me"), {"WT_LEASE_HOLDER": "a", "TREEHOUSE_LEASE_HOLDER": "b"}, "me"),
    (("--holder=me",), {}, "me"), (("--holder", "two words, ä 木"), {}, "two words, ä 木"), (("--holder", "-x"), {}, "-x"),
    ((), {"WT_LEASE_HOLDER": "a", "TREEHOUSE_LEASE_HOLDER": "b"}, "a"), ((), {"TREEHOUSE_LEASE_HOLDER": "b"}, "b"),
    ((), {}, "agent-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"),
])
def test_the_holder(plain: World, words: tuple[str, ...], env: dict[str, str], expected: str) -> None:
    data = done(plain, "lease", "write", "acquire", *words, **env)
    assert re.fullmatch(expected, data["lease_holder"])
    assert receipt(data["path"])["lease_holder"] == row(plain, data["path"])["lease_holder"] == data["lease_holder"]
    give_back(plain, data["path"])


@pytest.mark.parametrize(("words", "env"), [
    (("--holder", ""), {}), (("--holder", " \t"), {}), (("--holder=",), {}), (("--holder", "a\nb"), {}), (("--holder", "\x1b[1m"), {}),
    (("--holder", "x" * 501), {}), ((), {"WT_LEASE_HOLDER": ""}), ((), {"TREEHOUSE_LEASE_HOLDER": "  "}),
    (("--holder", " "), {"WT_LEASE_HOLDER": "good"}), (("--holder", "\udcff"), {}),
], ids=str)
def test_a_holder_that_a_return_could_not_name(plain: World, words: tuple[str, ...], env: dict[str, str]) -> None:
    declined(plain, "bad-holder", "write", "acquire", *words, **env)

"""The pool's file when it is not as we wrote it: spoilt, killed in between, edited, or without what it names."""
from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.worlds import World
from tests.wt.leasing import HOLDER, acquire, give_back, pool, row, rows
from tests.wt.test_enter import done, small


@pytest.fixture
def plain(tmp_path: Path) -> World:
    return small(Path(os.path.realpath(tmp_path)))


@pytest.fixture
def leased(plain: World) -> Path:
    return Path(acquire(plain)["path"])


BROKEN = {"gone": None, "empty": "", "no JSON": "{", "a list": "[]", "of another version": '{"version": 2, "workspaces": []}',
          "without workspaces": '{"version": 1}', "null": '{"version": 1, "workspaces": null}'}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_a_spoilt_pool_file_hands_nothing_out_twice(plain: World, text: str | None) -> None:
    held, free = acquire(plain), acquire(plain, "other")
    give_back(plain, free["path"])
    file = plain.state / "pool.json"
    file.unlink() if text is None else file.write_text(text)
    fresh = acquire(plain, "third")
    assert fresh["path"] not in (held["path"], free["path"])
    told = row(plain, held["path"])
    assert (told["status"], told["lease_id"], told["lease_holder"], told["note"]) == ("leased", held["lease_id"], HOLDER, None)
    assert (row(plain, free["path"])["lease_holder"], row(plain, free["path"])["note"]) == ("recovered", None)
    for path in (held["path"], free["path"], fresh["path"]):
        assert give_back(plain, path)["returned"] is True
    assert [one["status"] for one in rows(plain)] == ["available"] * 3


def test_a_return_is_the_first_command_after_the_file_was_spoilt(plain: World) -> None:
    held, free = acquire(plain), acquire(plain, "other")
    give_back(plain, free["path"])
    (plain.state / "pool.json").write_text("{")
    assert give_back(plain, held["path"])["returned"] is True
    assert give_back(plain, free["path"])["lease_holder"] == "recovered"


def test_what_the_pool_did_not_make_is_never_handed_out(plain: World, leased: Path) -> None:
    give_back(plain, leased)
    plain.git("worktree", "add", "-q", "--detach", str(plain.OUT / "theirs"))
    plain.sh('git clone -q "$R" "$OUT/clone"')
    known = pool(plain)
    foreign = (plain.R, plain.OUT / "theirs", plain.OUT / "clone", "/", "relative")
    known["workspaces"] = [{"name": "x", "path": str(path)} for path in foreign]
    (plain.state / "pool.json").write_text(json.dumps(known))
    for _ in range(3):
        assert Path(acquire(plain)["path"]).parent == plain.R / ".worktrees"
    assert plain.git("symbolic-ref", "HEAD") == "refs/heads/main"
    assert {Path(one["path"]).parent for one in rows(plain)} == {plain.R / ".worktrees"}


def test_open_work_that_an_acquire_was_killed_at_looking_at_stays(plain: World, leased: Path) -> None:
    give_back(plain, leased)
    (leased / "src/app.py").write_text("somebody's\n")
    known = pool(plain)
    known["workspaces"][0]["lease"] = {"id": "0" * 32, "holder": "killed", "step": "acquiring", "maker": {"pid": 2**22 + 7, "started": ""}}
    (plain.state / "pool.json").write_text(json.dumps(known))
    assert acquire(plain)["path"] != str(leased)
    assert (row(plain, leased)["status"], (leased / "src/app.py").read_text()) == ("dirty", "somebody's\n")


def test_a_removed_workspace_that_comes_back_is_leased_to_nobody_knows_whom(plain: World, leased: Path) -> None:
    other = acquire(plain, "other")["path"]
    give_back(plain, leased)
    done(plain, "remove", str(leased))
    assert [one["path"] for one in rows(plain)] == [other]
    give_back(plain, other)
    done(plain, "restore", leased.name)
    assert (acquire(plain)["path"], row(plain, leased)["lease_holder"]) == (other, "recovered")
    assert give_back(plain, leased)["returned"] is True

"""What is there, what is gone, and what nobody can tell: the three-valued look, and records that lead nowhere."""
from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from guard.edge import disk
from guard.wt import reconciling
from guard.wt.inspection import empty, inspect
from guard.wt.repository import Repository, open_repository
from guard.wt.store import Store
from tests.worlds import World
from tests.wt.surroundings import AS_THE_OWNER, wt_behind
from tests.wt.test_enter import done, record, small
from tests.wt.test_remove import ALL


@pytest.fixture
def plain(tmp_path: Path) -> World:
    return small(Path(os.path.realpath(tmp_path)))


def opened(world: World) -> Repository:
    disk.forget()
    return open_repository(world.R)


def records(world: World) -> list[str]:
    return sorted(path.stem for path in (world.state / "worktrees").glob("*.json"))


def reconciled(world: World, name: str = "x") -> tuple[bool, str]:
    """(dropped, why) of one leftover, as `wt status` tells it."""
    one = next(one for one in done(world, "status")["reconciled"] if one["name"] == name)
    return one["dropped"], next(word for word, said in reconciling.KEPT.items() if said == one["why"])


# --- the look --------------------------------------------------------------------------------------------------------

LOOKS = [("a folder", "mkdir at", "there"), ("a link to one", "mkdir to; ln -s to at", "there"), ("nothing", "true", "gone"),
         ("a file", "touch at", "gone"), ("below a file", "touch up; ln -s up/at at", "gone"),
         ("a link to nothing", "ln -s nowhere at", "gone"), ("a link to itself", "ln -s at at", "unreadable")]


@pytest.mark.parametrize(("script", "look"), [one[1:] for one in LOOKS], ids=[one[0] for one in LOOKS])
def test_only_what_the_system_calls_absent_is_gone(plain: World, script: str, look: str) -> None:
    plain.sh(script, cwd=plain.OUT)
    assert inspect(plain.OUT / "at") == look


def test_a_folder_that_may_not_be_read_is_unreadable_and_no_worktree_in_it_counts_as_gone(plain: World) -> None:
    plain.sh("""cd "$R"; echo '{"worktree_parent": "../out/shut"}' > .worktree-guard.json""")
    path = Path(done(plain, "new", "x")["path"])
    plain.sh("chmod 0 shut", cwd=plain.OUT)
    try:
        ran = wt_behind(plain, AS_THE_OWNER, "status")
    finally:
        plain.sh("chmod 755 shut", cwd=plain.OUT)
    data = json.loads(ran.stdout)["data"]
    assert [(row["path"], row["stale"], row["dirty"]) for row in data["worktrees"] if not row["main"]] == [(str(path), "unreadable", None)]
    assert (data["reconciled"], records(plain)) == ([], ["x"])


def test_a_name_that_nothing_can_have_is_unreadable(plain: World) -> None:
    assert inspect(plain.OUT / "a\0b") == "unreadable"
    assert inspect(plain.OUT / ("n" * 5000)) == "unreadable"


def test_an_empty_folder_is_there_and_empty(plain: World) -> None:
    assert (inspect(plain.OUT), empty(plain.OUT), empty(plain.R), empty(plain.OUT / "nothing")) == ("there", True, False, False)


# --- records that lead nowhere ---------------------------------------------------------------------------------------

REMOVED = "git worktree remove --force .worktrees/x; "
LEFT: list[tuple[str, str, tuple[bool, str]]] = [
    ("branch gone as well", REMOVED + "git branch -D wt/x", (True, "")),
    ("branch checked out in a worktree with a record", REMOVED + "git worktree add -q .worktrees/y wt/x; cp {state}/worktrees/x.json "
     "{state}/worktrees/y.json; sed -i 's,/x\",/y\",' {state}/worktrees/y.json", (True, "")),
    ("branch still there", REMOVED, (False, "branch")),
    ("branch in the main checkout for a while", REMOVED + "git switch -q wt/x", (False, "branch")),
    ("moved", "git worktree move .worktrees/x ../moved", (False, "moved")),
    ("folder there, which git does not know", "rm .worktrees/x/.git; rm -r .git/worktrees/x; git branch -D wt/x", (False, "there")),
    ("place unreadable", REMOVED + "git branch -D wt/x; rmdir .worktrees; ln -s .worktrees .worktrees", (False, "unreadable")),
]


@pytest.mark.parametrize(("script", "end"), [one[1:] for one in LEFT], ids=[one[0] for one in LEFT])
def test_a_record_goes_only_where_nothing_can_need_it(plain: World, script: str, end: tuple[bool, str]) -> None:
    done(plain, "new", "x")
    plain.sh(script.replace("{state}", str(plain.state)), cwd=plain.R)
    before = (plain.state / "worktrees/x.json").read_bytes()
    assert reconciled(plain) == end
    kept = plain.state / "worktrees/x.json"
    assert kept.exists() is not end[0]
    assert end[0] or kept.read_bytes() == before, "looking changes no record"
    assert [one["dropped"] for one in done(plain, "status")["reconciled"]] == ([] if end[0] else [False])


def test_records_of_living_worktrees_are_no_leftovers(plain: World) -> None:
    for name in ("x", "y"):
        done(plain, "new", name)
    plain.sh("rm -rf .worktrees/y", cwd=plain.R)
    assert done(plain, "status")["reconciled"] == [], "git still lists y"
    assert records(plain) == ["x", "y"]


def test_a_worktree_comes_back_with_its_base_after_git_forgot_it(plain: World) -> None:
    plain.git("branch", "develop")
    done(plain, "new", "x", "--base", "develop")
    plain.sh(REMOVED, cwd=plain.R)
    done(plain, "status")
    assert done(plain, "enter", str(plain.R / ".worktrees/x"))["branch"] == "wt/x"


def test_a_record_on_its_way_to_the_trash_is_kept(plain: World) -> None:
    """Killed between git's part and ours: the next `wt remove` or `wt restore` ends that, with the record."""
    done(plain, "new", "x")
    kept = (plain.state / "worktrees/x.json").read_bytes()
    done(plain, "remove", "x", *ALL)
    (plain.state / "worktrees/x.json").write_bytes(kept)
    entry = next(plain.state.glob("trash/*/entry.json"))
    entry.write_text(entry.read_text().replace('"removed"', '"removing"'))
    assert reconciled(plain) == (False, "half-way")


def test_a_record_of_a_worktree_that_is_being_made_is_kept(plain: World) -> None:
    done(plain, "new", "x")
    plain.sh(REMOVED + "git branch -D wt/x", cwd=plain.R)
    change(plain, making={"pid": os.getpid(), "started": disk.started(os.getpid())})
    assert reconciled(plain) == (False, "making")
    change(plain, making={"pid": os.getpid(), "started": "at another time"})
    assert reconciled(plain) == (True, "")


def change(world: World, **fields: Any) -> None:
    (world.state / "worktrees/x.json").write_text(json.dumps({**record(world, "x"), **fields}))


def test_nothing_is_dropped_while_somebody_is_busy(plain: World) -> None:
    done(plain, "new", "x")
    plain.sh(REMOVED + "git branch -D wt/x", cwd=plain.R)
    with Store(plain.R / ".git").locked():
        assert done(plain, "status")["reconciled"][0]["dropped"] is False
    assert records(plain) == ["x"]
    assert reconciled(plain) == (True, "")


def test_a_dropped_record_is_told_and_noted(plain: World) -> None:
    done(plain, "new", "x")
    plain.sh(REMOVED + "git branch -D wt/x", cwd=plain.R)
    assert f"Record dropped: x ({plain.R}/.worktrees/x)" in plain.wt("status").stdout
    assert '"drop-record"' in (plain.state / "audit.jsonl").read_text()

"""`wt restore`: everything of a removed worktree is as it was, and nothing that has come since is touched."""
from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guard.wt import moving, restoring, trash
from tests.worlds import World
from tests.wt.test_enter import done, refused, small, wt
from tests.wt.test_remove import ALL, far, in_trash, killed, listed, made, state
from tests.wt.test_snapshot import files

WORK = 'echo 2 > src/app.py; git add .; echo 3 > src/app.py; echo 1 > "a file"; ln -s "$OUT" out'


@pytest.fixture
def plain(tmp_path: Path) -> World:
    return small(Path(os.path.realpath(tmp_path)))


def removed(world: World, name: str = "x", script: str = WORK) -> tuple[Path, dict[str, Any]]:
    """A worktree with open work, removed: its place, and what there was."""
    path = made(world, name)
    world.sh(script, cwd=path)
    before = state(world, path)
    done(world, "remove", name, *ALL)
    return path, before


# --- back ------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", ["x", "wt/x", ".worktrees/x", "{R}/.worktrees/x", ""])
def test_by_name_branch_path_or_as_the_newest(plain: World, name: str) -> None:
    path, before = removed(plain)
    data = done(plain, "restore", *([plain.fill(name)] if name else []))
    assert (data["path"], data["branch"], state(plain, path), in_trash(plain)) == (str(path), "wt/x", before, [])
    assert plain.git("for-each-ref", trash.REFS) == ""
    assert done(plain, "status")["worktrees"][1]["owned"]
    assert done(plain, "enter", "x")["created"] is False


def test_the_newest_of_several_and_each_by_its_id(plain: World) -> None:
    removed(plain)
    removed(plain, "y")
    _, before = removed(plain)
    rows = done(plain, "restore", "--list")["trash"]
    assert [row["name"] for row in rows] == ["x", "y", "x"]
    assert {row["days_left"] for row in rows} <= {6, 7}
    path = Path(done(plain, "restore", rows[0]["id"])["path"])
    assert state(plain, path) == before
    assert rows[1]["id"] in plain.wt("restore", "--list").stdout
    done(plain, "remove", "x", *ALL)
    assert done(plain, "restore", "y")["name"] == "y"


def test_from_a_worktree_and_when_its_folder_is_gone_too(plain: World) -> None:
    path, before = removed(plain, "deep")
    other = made(plain, "other")
    done(plain, "restore", "deep", cwd=other)
    assert state(plain, path) == before
    done(plain, "remove", "deep", *ALL)
    done(plain, "remove", "other")
    path.parent.rmdir()
    done(plain, "restore", "deep")
    assert state(plain, path) == before


def test_git_s_own_part_gets_another_name_when_its_own_is_taken(plain: World) -> None:
    path, before = removed(plain)
    plain.git("worktree", "add", "-q", str(plain.OUT / "x"))
    done(plain, "restore", "wt/x")
    assert state(plain, path) == before
    assert plain.git("rev-parse", "--show-toplevel", cwd=plain.OUT / "x") == str(plain.OUT / "x")


def test_it_survives_a_collection_of_garbage(plain: World) -> None:
    path, before = removed(plain, script=WORK + "; git checkout -q --detach; git commit -qm lost; echo 7 > s; git add s")
    plain.sh("git worktree prune --expire now; git reflog expire --expire=now --all; git gc -q --prune=now", cwd=plain.R)
    done(plain, "restore")
    assert state(plain, path) == before
    plain.git("fsck", "--strict", "--connectivity-only")


def test_layouts(nested: World) -> None:
    """A worktree beside others in the main checkout, the whole repository bound to one of them."""
    path, before = removed(nested, "z", "echo 1 > n; echo s > .env")
    assert nested.W.exists()
    done(nested, "restore", "z")
    assert state(nested, path) == before


def test_a_bare_repository(tmp_path: Path) -> None:
    world = small(Path(os.path.realpath(tmp_path)))
    world.sh('git clone -q --bare "$R" bare/.git; cd bare; git worktree add -q main main')
    bare = World(world.root, world.root / "bare/main", world.W, world.W2, world.OUT)
    path = Path(done(bare, "new", "x", cwd=bare.R)["path"])
    (path / "n").write_text("1")
    before = state(bare, path)
    done(bare, "remove", "x", *ALL)
    done(bare, "restore")
    assert state(bare, path) == before


# --- refused ---------------------------------------------------------------------------------------------------------

def test_nothing_there(plain: World) -> None:
    assert refused(plain, "restore")["code"] == "not-in-trash"
    removed(plain)
    assert refused(plain, "restore", "y")["code"] == "not-in-trash"
    assert done(plain, "restore", "--list")["trash"][0]["step"] == "removed"


REFUSED = [
    ("folder-exists", "mkdir -p .worktrees/x; echo mine > .worktrees/x/f"), ("folder-exists", "echo mine > .worktrees/x"),
    ("folder-exists", "ln -s /nowhere .worktrees/x"), ("branch-moved", "git branch wt/x $(git commit-tree -m other HEAD^{tree})"),
    ("branch-in-use", 'git worktree add -q -b wt/x "$OUT/x"'), ("registered", "git worktree add -q -b o .worktrees/x; rm -rf .worktrees/x"),
    ("folder-exists", "git worktree add -q -b o .worktrees/x"),
]


@pytest.mark.parametrize(("code", "script"), REFUSED)
def test_what_has_come_since_stays_and_so_does_the_trash(plain: World, code: str, script: str) -> None:
    path, _ = removed(plain)
    plain.sh(script, cwd=plain.R)
    before = (files(plain.R), in_trash(plain))
    document = refused(plain, "restore")
    assert (document["code"], "wt restore" in document["hint"]) == (code, True)
    assert (files(plain.R), in_trash(plain)) == before
    assert path is not None


def test_the_cure_for_a_branch_that_has_moved_on(plain: World) -> None:
    path, before = removed(plain)
    plain.sh("git branch wt/x $(git commit-tree -m other HEAD^{tree})", cwd=plain.R)
    cure = refused(plain, "restore")["hint"].partition(" keeps")[0].replace("NEW-NAME", "later")
    plain.sh(cure, cwd=plain.R)
    done(plain, "restore")
    assert (state(plain, path), plain.git("log", "-1", "--format=%s", "later")) == (before, "other")


def test_a_trash_that_is_not_whole_names_what_is_left(plain: World) -> None:
    removed(plain)
    shutil.rmtree(next((plain.state / "trash").glob("*/admin")))
    document = refused(plain, "restore", status=1)
    assert (document["code"], document["details"]["ref"] in document["hint"]) == ("incomplete", True)


# --- killed ----------------------------------------------------------------------------------------------------------

STEPS = [(restoring, "bring_branch"), (restoring, "register"), (restoring, "bring_folder"), (moving, "moved"), (moving, "tied"),
         (trash, "drop"), (trash, "save"), (moving, "gone")]


@pytest.mark.parametrize("disk", ["one disk", "two disks"])
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", STEPS, ids=[name for _, name in STEPS])
def test_killed_anywhere_the_next_restore_goes_on(plain: World, monkeypatch: pytest.MonkeyPatch, step: tuple[Any, str], when: str,
                                                  disk: str) -> None:
    path, before = removed(plain)
    if disk == "two disks":
        far(monkeypatch, plain)
    killed(monkeypatch, plain, step, when, "restore", "x")
    if not path.exists() and str(path) in listed(plain):
        assert "wt restore" in refused(plain, "remove", "x")["hint"]
        assert "wt restore" in refused(plain, "enter", "x")["hint"]
    ran = wt(plain, "restore", "x")
    assert ran.returncode == 0 or not in_trash(plain), ran.stderr
    assert (state(plain, path), in_trash(plain)) == (before, [])
    done(plain, "status")
    assert (done(plain, "status")["worktrees"][1]["owned"], plain.git("for-each-ref", trash.REFS)) == (True, "")


def test_what_was_put_there_between_a_kill_and_the_next_restore_stays(plain: World, monkeypatch: pytest.MonkeyPatch) -> None:
    path, before = removed(plain)
    killed(monkeypatch, plain, (restoring, "bring_folder"), "before", "restore", "x")
    path.mkdir()
    (path / "mine").write_text("mine")
    document = json.loads(wt(plain, "restore", "x").stderr)
    assert (document["code"], (path / "mine").read_text()) == ("cannot-move", "mine")
    (path / "mine").unlink()
    done(plain, "restore", "x")
    assert state(plain, path) == before


# --- the sweep -------------------------------------------------------------------------------------------------------

def aged(world: World, name: str, at: str = "2020-01-01T00:00:00Z") -> None:
    for file in (world.state / "trash").glob(f"{name}-*/entry.json"):
        file.write_text(json.dumps({**json.loads(file.read_text()), "at": at}))


@pytest.mark.parametrize("words", [("status",), ("remove", "z"), ("restore", "y")])
def test_what_is_older_than_seven_days_goes_with_its_refs_and_nothing_else_does(plain: World, words: tuple[str, ...]) -> None:
    made(plain, "z")
    removed(plain, script=f"{WORK}; mkdir -p ro/in; echo 1 > ro/in/f; chmod 500 ro/in ro; git commit -qm a; git commit -q --amend -m b")
    removed(plain, "y")
    aged(plain, "x")
    done(plain, *words)
    assert not any(name.startswith("x-") for name in os.listdir(plain.state / "trash"))  # noqa: PTH208
    assert "/x-" not in plain.git("for-each-ref", trash.REFS)
    assert done(plain, "restore", "y")["name"] == "y" if words[0] != "restore" else True


def test_a_sweep_that_was_killed_goes_on(plain: World, monkeypatch: pytest.MonkeyPatch) -> None:
    removed(plain)
    aged(plain, "x")
    killed(monkeypatch, plain, (trash, "finish"), "before", "status")
    done(plain, "status")
    assert (os.listdir(plain.state / "trash"), plain.git("for-each-ref", trash.REFS)) == ([], "")  # noqa: PTH208


def test_a_name_that_looks_like_the_mark_of_a_sweep(plain: World) -> None:
    path, before = removed(plain, "gone-x")
    done(plain, "status")
    done(plain, "restore")
    assert state(plain, path) == before


# --- any world, any order --------------------------------------------------------------------------------------------

TRAITS = {
    "edit": "echo {n} > src/app.py", "staged": "echo {n} > staged; git add staged; echo {n}{n} > staged",
    "untracked": "mkdir -p new; echo {n} > new/f",
    "ignored": "echo {n} > .env; mkdir -p cache; echo {n} > cache/{n}", "detached": "git checkout -q --detach",
    "commit": "echo {n} > own; git add own; git commit -qm {n}",
    "amended": "git checkout -q --detach; git commit -q --allow-empty -m {n}; git commit -q --amend -m b",
    "skipped": "git update-index --skip-worktree src/app.py; echo {n} > src/app.py",
    "link": 'ln -sfn "$OUT" out; ln -sfn src in',
    "assumed": "git update-index --assume-unchanged src/app.py; echo {n} > src/app.py",
    "gone": "rm -f src/app.py",
    "conflict": """git stash -q; echo {n} > both; git add both; git commit -qm ours; git checkout -q --detach HEAD~1; echo t > both
                   git add both; git commit -qm theirs; git merge -q ORIG_HEAD; true""",
}
EVERY = ("changes", "ignored", "commits")
DONE = st.tuples(st.sampled_from(["remove", "remove", "restore", "enter", "status", "work"]), st.sampled_from(["a", "b"]),
                 st.sampled_from([EVERY, EVERY, EVERY, (), ("changes",), ("ignored",), ("commits",)]))


def there(world: World, *but: str) -> set[bytes]:
    """Every byte that lies in a worktree or in the trash, file by file, and every object that git is held to keep."""
    found = set()
    for folder in [*(Path(path) for path in listed(world)), *(world.state / "trash").glob("*/tree")]:
        if folder.is_dir():
            found |= {body for _, body in files(folder).values() if not body.startswith(b"gitdir: ")}
    text = world.git("rev-list", "--objects", "--no-object-names", *but, "--all", "--reflog", "--indexed-objects")
    return found | set(text.encode().split())


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.sampled_from(["a", "b"]), st.sampled_from(sorted(TRAITS))), min_size=2, max_size=6),
       st.lists(DONE, min_size=2, max_size=7))
def test_in_any_world_and_order_nothing_is_lost(traits: list[tuple[str, str]], order: list[tuple[str, str, tuple[str, ...]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = small(Path(os.path.realpath(folder)))
        world.sh("printf '.env\\ncache/\\n' > .gitignore; git add .; git commit -qm ignore", cwd=world.R)
        (world.OUT / "theirs").write_text("theirs")
        for name in ("a", "b"):
            made(world, name)
        for n, (name, trait) in enumerate(traits):
            with contextlib.suppress(AssertionError):  # one trait may leave no room for another
                world.sh(TRAITS[trait].format(n=f"v{n}"), cwd=world.R / ".worktrees" / name)
        ever: set[bytes] = set()
        for n, (verb, name, words) in enumerate(order):
            path = world.R / ".worktrees" / name
            if verb == "work":
                if path.is_dir():
                    (path / f"later-{n}").write_text(f"later {n}")
                continue
            ever |= there(world, "--exclude=refs/worktree-guard/*")  # what we made ourselves may go
            discard = [word for one in words for word in ("--discard", one)] if verb == "remove" else []
            ran = wt(world, verb, *([name] if verb != "status" else []), *discard)
            assert ran.returncode in (0, 2), ran.stderr
            assert ever - there(world) <= targets_of_links(world), (verb, name, ran.stdout + ran.stderr)
            assert (world.OUT / "theirs").read_text() == "theirs"


def targets_of_links(world: World) -> set[bytes]:
    """A link's target is taken off on its way to the trash, and stands in entry.json until it comes back."""
    targets = set()
    for file in (world.state / "trash").glob("*/entry.json"):
        targets |= {os.fsencode(link["target"]) for link in json.loads(file.read_text())["links"]}
    return targets

"""Where `wt` cannot work: a full disk, a sandbox, no git, another git, locks, odd names. It says why, and nothing has changed."""
from __future__ import annotations

import errno
import itertools
import json
import os
import re
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from guard.core.paths import MACOS, POSIX, WINDOWS, Flavour
from guard.wt import path_length
from tests.conftest import Worlds
from tests.worlds import World
from tests.wt.surroundings import (
    AS_THE_OWNER,
    OLD,
    a_git_that,
    another_disk,
    below,
    closed,
    everything,
    says,
    small_files_only,
    wt_behind,
)
from tests.wt.test_enter import done, known, refused, small, wt
from tests.wt.test_snapshot import files

WRITES = {"new": ("new", "n"), "enter": ("enter", "n"), "remove": ("remove", "m"), "merge": ("merge", "x"), "restore": ("restore", "t"),
          "clean": ("clean", "--apply"), "acquire": ("lease", "write", "acquire", "--holder", "h"),
          "prepare": ("lane", "prepare", "--run", "r", "--task", "t")}
VERBS = {**WRITES, "status": ("status",)}
FULL = (1, "disk-full")
SHUT = (1, "read-only")


def with_work(root: Path) -> World:
    """x has a commit for main, m is merged, o has a large open file, t is in the trash; main has moved on and may be written."""
    world = small(root)
    world.sh('cd "$R"; head -c 100000 /dev/urandom > big; git add big; git commit -qm big')
    for name in ("x", "m", "o", "t"):
        done(world, "new", name)
    world.sh("""cd .worktrees/x; echo x > x.py; git add x.py; git commit -qm 'of x'
                cd ../m; echo m > m.py; git add m.py; git commit -qm 'of m'
                head -c 100000 /dev/urandom > ../o/open
                cd "$R"; git merge -q --ff-only wt/m; git commit -q --allow-empty -m 'of main'""", cwd=world.R)
    done(world, "remove", "t")
    done(world, "authorize-main", "--reason", "a test", "--ttl", "12h")
    return world


@pytest.fixture
def work(worlds: Worlds) -> World:
    return worlds.fresh("with work", with_work)


@pytest.fixture
def plain(tmp_path: Path) -> World:
    return small(Path(os.path.realpath(tmp_path)))


def told(ran: subprocess.CompletedProcess[str]) -> tuple[int, str]:
    """(exit status, code), and the cure must name a command of wt. `wt clean` tells of each worktree on stdout."""
    if ran.returncode and ran.stdout:
        (failed,) = [one for one in json.loads(ran.stdout)["data"]["worktrees"] if one["action"] == "failed"]
        return ran.returncode, failed["code"]
    document = json.loads(ran.stderr)
    assert re.search(r"\bwt \w", document["hint"]), document
    assert document["error"]
    return ran.returncode, document["code"]


# --- nothing can be written ------------------------------------------------------------------------------------------

REASONS = [(errno.ENOSPC, FULL), (errno.EDQUOT, FULL), (errno.EROFS, SHUT), (errno.EACCES, SHUT), (errno.EPERM, SHUT)]
SAVING = [verb for verb in WRITES if verb != "merge"]  # which writes down nothing of its own


@pytest.mark.parametrize("verb", SAVING)
@pytest.mark.parametrize(("number", "end"), REASONS, ids=[errno.errorcode[number] for number, _ in REASONS])
def test_a_record_that_cannot_be_written(work: World, monkeypatch: pytest.MonkeyPatch, verb: str, number: int,
                                         end: tuple[int, str]) -> None:
    before = everything(work)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing(number))
        ran = wt(work, *WRITES[verb])
    assert told(ran) == ((1, "cannot-move") if verb == "restore" and end == SHUT else end)
    assert everything(work) == before
    assert wt(work, *WRITES[verb]).returncode == 0, "and then it can"


def failing(number: int, after: int = 0) -> Any:
    """For os.fsync: it fails, `after` so many times that it does nothing."""
    calls = itertools.count()

    def fails(*_: object) -> None:
        if next(calls) >= after:
            raise OSError(number, os.strerror(number))
    return fails


@pytest.mark.parametrize("verb", SAVING)
def test_a_disk_that_is_full_from_some_moment_on(worlds: Worlds, monkeypatch: pytest.MonkeyPatch, verb: str) -> None:
    """The same command again brings it to its end, or hears that it is: then only the last word of it was missing."""
    for after in range(20):
        work = worlds.fresh("with work", with_work)
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", failing(errno.ENOSPC, after))
            ran = wt(work, *WRITES[verb])
        if ran.returncode == 0:
            break
        assert told(ran) == FULL
        again = wt(work, *WRITES[verb])
        assert again.returncode == 0 or told(again) in ((2, "in-trash"), (2, "lane-exists"))
        assert not done(work, "status")["trash"]["half_way"]
    assert 1 <= after < 19


SAID = [("fatal: unable to write new index file: No space left on device", "disk-full"),
        ("fatal: cannot update ref 'refs/x': couldn't write '.git/refs/x.lock'", "disk-full"),
        ("error: unable to write file big", "disk-full"),
        ("error: unable to append to '.git/logs/HEAD': Read-only file system", "read-only"),
        ("fatal: could not create directory of '.git/worktrees/n': Permission denied", "read-only"),
        ("error: could not lock config file .git/config: Operation not permitted", "read-only"),
        ("fatal: the moon is full", "git")]


@pytest.mark.parametrize("verb", WRITES)
@pytest.mark.parametrize(("words", "code"), SAID, ids=["ENOSPC", "a ref", "a file", "EROFS", "EACCES", "EPERM", "anything else"])
def test_a_git_that_cannot_write(work: World, verb: str, words: str, code: str) -> None:
    before = everything(work)
    ran = wt(work, *WRITES[verb], PATH=a_git_that(work, says(words, "worktree add", "commit-tree", "update-ref", "merge")))
    assert told(ran) == (1, code)
    assert everything(work) == before


LARGE = {"new": ("new", "n"), "enter": ("enter", "n"), "merge": ("merge", "x"), "remove": ("remove", "o", "--discard", "changes")}


@pytest.mark.parametrize("verb", LARGE)
def test_a_disk_that_is_full_in_the_middle_of_a_file(work: World, verb: str) -> None:
    """A real limit, at which the system ends git while it writes."""
    before = everything(work)
    assert told(wt_behind(work, small_files_only(50), *LARGE[verb])) == FULL
    assert everything(work) == before
    assert wt(work, *LARGE[verb]).returncode == 0, "and then it can"


def test_the_first_worktree_of_a_repository_leaves_nothing_behind_either(plain: World) -> None:
    before = known(plain)
    ran = wt(plain, "new", "n", PATH=a_git_that(plain, says("fatal: No space left on device", "worktree add")))
    assert told(ran) == FULL
    assert (known(plain), plain.git("status", "--porcelain"), list(plain.state.rglob("*.json"))) == (before, "", [])


ALL_CLOSED = dict.fromkeys(WRITES, SHUT)
PARENT_CLOSED = {"new": SHUT, "enter": SHUT, "acquire": SHUT, "prepare": SHUT,
                 "remove": (1, "cannot-move"), "restore": (1, "cannot-move"), "clean": (1, "cannot-move")}
CLOSED = [
    ("git's folder", lambda world: below(world.R / ".git"), ALL_CLOSED),
    ("our part of git's folder", lambda world: below(world.R / ".git/worktree-guard"), {**ALL_CLOSED, "restore": (1, "cannot-move")}),
    ("everything", lambda world: below(world.R), ALL_CLOSED),
    ("the folder of the worktrees", lambda world: [world.R / ".worktrees"], PARENT_CLOSED),
    ("the main checkout", lambda world: [world.R], {"merge": (1, "read-only")}),
]


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(("folders", "ends"), [row[1:] for row in CLOSED], ids=[row[0] for row in CLOSED])
def test_folders_that_may_not_be_written(work: World, verb: str, folders: Any, ends: dict[str, tuple[int, str]]) -> None:
    before = everything(work)
    with closed(*folders(work)):
        ran = wt_behind(work, AS_THE_OWNER, *VERBS[verb])
    if verb not in ends:
        assert (ran.returncode, ran.stderr) == (0, ""), "it needs none of them"
        return
    assert told(ran) == ends[verb]
    assert everything(work) == before


def test_a_snapshot_where_git_s_folder_may_not_be_written(work: World) -> None:
    place = work.R / ".worktrees/x"
    (place / "new").write_text("n")
    before = everything(work)
    with closed(*below(work.R / ".git")):
        ran = wt_behind(work, AS_THE_OWNER, "snapshot", cwd=place)
    assert (told(ran), everything(work)) == ((1, "read-only"), before)


def test_a_snapshot_of_what_cannot_be_read(work: World) -> None:
    """A folder is named in a warning, a file is an error: neither is silently left out."""
    place = work.R / ".worktrees/x"
    (place / "shut").mkdir(mode=0)
    (place / "new").write_text("n")
    ran = wt_behind(work, AS_THE_OWNER, "snapshot", cwd=place)
    (place / "shut").chmod(0o700)
    assert "shut" in json.loads(ran.stdout)["data"]["warnings"][0]
    (place / "new").chmod(0)
    assert told(wt_behind(work, AS_THE_OWNER, "snapshot", cwd=place)) == (1, "read-only")


# --- git -------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("verb", VERBS)
def test_without_git(work: World, verb: str) -> None:
    before = everything(work)
    ran = wt(work, *VERBS[verb], PATH="/nowhere")
    assert (told(ran), "git is not installed" in ran.stderr) == ((127, "missing-program"), True)
    assert everything(work) == before


@pytest.mark.parametrize("verb", VERBS)
def test_a_git_that_is_too_old(work: World, verb: str) -> None:
    before = everything(work)
    ran = wt(work, *VERBS[verb], PATH=a_git_that(work, OLD))
    assert (told(ran), "2.20.1" in ran.stderr, "git 2.31 or newer" in ran.stderr) == ((127, "git-too-old"), True, True)
    assert everything(work) == before


LOCKS = [
    (".git/index.lock", {"merge": (1, "locked-by-git")}),
    (".git/refs/heads/main.lock", {"merge": (1, "locked-by-git")}),
    (".git/refs/heads/wt/n.lock", {"new": (1, "locked-by-git"), "enter": (1, "locked-by-git")}),
    (".git/refs/heads/wt/t.lock", {"restore": (1, "locked-by-git")}),
    (".git/worktrees/x/index.lock", {}),
]


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(("lock", "ends"), LOCKS, ids=[lock for lock, _ in LOCKS])
def test_a_lock_that_another_git_holds(work: World, lock: str, ends: dict[str, tuple[int, str]], verb: str) -> None:
    (work.R / lock).touch()
    before = everything(work)
    ran = wt(work, *VERBS[verb])
    if verb not in ends:
        assert (ran.returncode, ran.stderr) == (0, "")
        return
    assert (told(ran), Path(lock).name in ran.stderr) == (ends[verb], True)
    assert everything(work) == before
    (work.R / lock).unlink()
    assert wt(work, *VERBS[verb]).returncode == 0, "and then it can"


def test_a_worktree_in_which_git_is_at_work(work: World) -> None:
    with (work.R / ".git/worktrees/m/index.lock").open("w"):
        before = everything(work)
        assert told(wt(work, "remove", "m")) == (2, "busy")
        rows = {row["name"]: (row["action"], row["code"]) for row in done(work, "clean", "--apply")["worktrees"]}
        assert (rows["m"], everything(work)) == (("keep", "busy"), before)


# --- names -----------------------------------------------------------------------------------------------------------

PLACES = ["two words", "ärger/日本語", "it's $HOME; \"so\"", "-dash", "a\nb", "a\u2028b", "🌲" * 20, "n" * 255]


@pytest.mark.parametrize("place", PLACES)
def test_a_repository_at_an_odd_place(tmp_path: Path, place: str) -> None:
    """A whole life: made, entered, merged, removed, brought back, cleaned away."""
    (tmp_path / place).parent.mkdir(exist_ok=True)
    world = small(Path(os.path.realpath(tmp_path)), place)
    path = Path(done(world, "enter", "büro/Öl")["path"])
    assert path == world.R / ".worktrees/büro+Öl"
    world.sh("echo 1 > ü; git add -A; git commit -qm ü", cwd=path)
    done(world, "authorize-main", "--reason", "a test")
    assert done(world, "merge", "büro/Öl")["merged"]
    done(world, "leave")
    done(world, "remove", "büro/Öl")
    done(world, "restore", "büro/Öl")
    assert ((path / "ü").read_text(), world.git("status", "--porcelain", cwd=path)) == ("1\n", "")
    row = next(row for row in done(world, "status")["worktrees"] if row["path"] == str(path))
    assert (row["branch"], row["stale"], row["dirty"]) == ("wt/büro/Öl", None, {"modified": 0, "untracked": 0, "conflicted": 0})
    assert world.git("worktree", "list", "--porcelain", "-z").count("\0\0") == 2
    if "\n" not in place:  # `git rev-parse` has no -z
        assert done(world, "lease", "write", "acquire")["path"] == str(world.R / ".worktrees/pool-1")
        done(world, "lease", "write", "return", "--workspace", str(world.R / ".worktrees/pool-1"))


NO_FOLDERS = ["a.txt", "a.txt/below", "/proc/x"]


@pytest.mark.parametrize("parent", NO_FOLDERS)
@pytest.mark.parametrize("words", [("new", "n"), ("enter", "n"), ("lane", "prepare", "--run=r", "--task=t"), ("lease", "write", "acquire")],
                         ids=" ".join)
def test_a_folder_of_worktrees_that_can_be_none(plain: World, words: tuple[str, ...], parent: str) -> None:
    plain.sh('cd "$R"; echo 1 > a.txt; git add a.txt; git commit -qm a')
    (plain.R / ".worktree-guard.json").write_text(json.dumps({"worktree_parent": parent}))
    done(plain, "status")
    before = everything(plain)
    refusal = refused(plain, *words)
    assert (refusal["code"], "worktree_parent" in refusal["hint"]) == ("bad-parent", True)
    assert everything(plain) == before


NO_UTF8 = os.fsdecode(b"caf\xe9")
WITHOUT_UTF8: list[tuple[str, str, tuple[str, ...], dict[str, str], str]] = [  # why, script, words, environment, code
    ("new from a branch", "git checkout -qb $'caf\\xe9'", ("new", "n"), {}, "bad-name"),
    ("a lane from a branch", "git checkout -qb $'caf\\xe9'", ("lane", "prepare", "--run=r", "--task=t"), {}, "bad-name"),
    ("a base", "git branch $'caf\\xe9'", ("new", "n", "--base", NO_UTF8), {}, "bad-name"),
    ("a branch to work on", "git branch $'caf\\xe9'", ("new", "n", "--branch", NO_UTF8), {}, "bad-name"),
    ("a new name", "", ("new", NO_UTF8), {}, "bad-name"),
    ("enter somebody's", "git worktree add -qb $'caf\\xe9' ../w", ("enter", "../w"), {}, "bad-name"),
    ("remove somebody's", "git worktree add -qb $'caf\\xe9' ../w", ("remove", "--foreign", "{R}/../w"), {}, "bad-name"),
    ("a session", "", ("enter", "n"), {"WORKTREE_GUARD_SESSION": NO_UTF8}, "bad-name"),
    ("a session of a lease", "", ("lease", "write", "acquire"), {"WORKTREE_GUARD_SESSION": NO_UTF8}, "bad-name"),
    ("--session", "", ("enter", "n", "--session", NO_UTF8), {}, "usage"),
    ("a title", "", ("new", "n", "--title", NO_UTF8), {}, "usage"),
    ("a reason", "", ("authorize-main", "--reason", NO_UTF8), {}, "no-reason"),
    ("a reason to allow", "", ("allow", "src", "--reason", NO_UTF8), {}, "no-reason"),
    ("a branch to authorize", "", ("authorize-main", "--reason", "r", "--branch", NO_UTF8), {}, "usage"),
    ("a path to allow", "touch $'caf\\xe9'", ("allow", NO_UTF8, "--reason", "r"), {}, "bad-path"),
]


@pytest.mark.parametrize(("script", "words", "env", "code"), [row[1:] for row in WITHOUT_UTF8], ids=[row[0] for row in WITHOUT_UTF8])
def test_text_that_is_no_utf8_is_refused_with_a_way_out(plain: World, script: str, words: tuple[str, ...], env: dict[str, str],
                                                        code: str) -> None:
    plain.sh(f'cd "$R"; {script}')
    ran = wt(plain, *(os.path.normpath(word.format(R=plain.R)) if "{R}" in word else word for word in words), **env)
    refusal = json.loads(ran.stderr)
    assert (ran.returncode, refusal["code"], bool(refusal["hint"])) == (2, code, True), ran.stderr
    assert not [file for file in plain.state.rglob("*.json") if b": []" not in file.read_bytes()]


def test_a_branch_that_is_no_utf8_hinders_nobody_else(plain: World) -> None:
    plain.sh("cd \"$R\"; git checkout -qb $'caf\\xe9'; git worktree add -q -b theirs ../w main")
    assert done(plain, "new", "n", "--base", "HEAD~0")["branch"] == "wt/n"
    assert done(plain, "enter", "../w", USER=NO_UTF8)["base"] == "main"
    done(plain, "status")
    done(plain, "remove", "n")


NUL = "/a\0b"
RECORDS: list[tuple[str, dict[str, Any]]] = [
    ("state.json", {"path": NUL}), ("sessions/s.json", {"path": NUL, "session": "s"}), ("override.json", {"authorisations": [{"id": NUL}]}),
    ("allow.json", {"entries": [{"path": NUL}]}), ("pool.json", {"workspaces": [{"name": "pool-1", "path": NUL}]}),
    ("pool.json", {"workspaces": [{"name": "pool-1", "path": "pool-1", "lease": {"id": "i", "holder": "h"}}]}),
    ("lanes.json", {"lanes": [{"run": "r", "task": "t", "path": NUL, "branch": "b"}]}),
    ("lanes.json", {"lanes": [{"run": "r", "task": "t", "path": "/w", "branch": NUL}]}),
    ("lanes.json", {"lanes": [{"run": "r", "task": "t", "path": "w", "branch": "b"}]}),
    ("worktrees/x.json", {"path": NUL}), ("worktrees/pool-1.json", {"path": "pool-1", "source": "pool"}),
    ("worktrees/x.json", {"path": "{R}/.worktrees/x", "base": NUL}), ("worktrees/x.json", {"path": "{R}/.worktrees/x", "branch": NUL}),
]


@pytest.mark.parametrize(("name", "content"), RECORDS, ids=[f"{name} {content}" for name, content in RECORDS])
def test_a_record_that_cannot_be_counts_as_spoilt(plain: World, name: str, content: dict[str, Any]) -> None:
    done(plain, "new", "x")
    file = plain.state / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(plain.fill(content)))
    assert done(plain, "status")["spoilt"] == [str(file)] or name in ("pool.json", "lanes.json")
    done(plain, "enter", "y")
    ended = [wt(plain, *words).returncode for words in (
        ("lease", "read", "status"), ("lease", "write", "acquire"), ("lane", "list"), ("lane", "prepare", "--run=r", "--task=t"),
        ("merge", "y"), ("clean",), ("leave",), ("remove", "x"), ("doctor",))]
    assert 3 not in ended, ended
    assert plain.hook("Write", {"file_path": "{R}/src/app.py", "content": ""}).kind in ("allow", "deny")


TOO_LONG = [
    ("a name", ("new", "n" * 255), {}, (2, "bad-name")),
    ("a name in two bytes a letter", ("new", "ü" * 127), {}, (2, "bad-name")),
    ("a branch", ("new", "n", "--branch", "b" * 255), {}, (1, "too-long")),
    ("the folder of the worktrees", ("new", "n"), {"worktree_parent": "f" * 256}, (1, "too-long")),
    ("the way to it", ("new", "n"), {"worktree_parent": "../" + "/".join(["f" * 200] * 21)}, (1, "too-long")),
]


@pytest.mark.parametrize(("words", "settings", "end"), [row[1:] for row in TOO_LONG], ids=[row[0] for row in TOO_LONG])
def test_what_is_too_long_for_this_system(plain: World, words: tuple[str, ...], settings: dict[str, str], end: tuple[int, str]) -> None:
    (plain.R / ".worktree-guard.json").write_text(json.dumps(settings))
    before = known(plain)
    assert told(wt(plain, *words)) == end
    assert (known(plain), list(plain.state.rglob("*.json"))) == (before, [])


def test_255_letters_in_a_file_s_name_are_not_too_long(plain: World) -> None:
    plain.sh('cd "$R"; echo 1 > "$(printf "%255s" | tr " " f)"; git add -A; git commit -qm f')
    path = Path(done(plain, "new", "n")["path"])
    done(plain, "remove", "n")
    done(plain, "restore", "n")
    assert (path / ("f" * 255)).read_text() == "1\n"


# --- paths that are too long for Windows -----------------------------------------------------------------------------

HERE = "C:\\" + "r" * 197  # 200 characters
FITS: list[tuple[str, str, list[str], bool, bool]] = [
    ("259 with the path", HERE, ["f" * 58], False, True),
    ("260", HERE, ["f" * 59], False, False),
    ("260, and core.longpaths", HERE, ["f" * 59], True, True),
    ("the second of two", HERE, ["f", "g" * 59], False, False),
    ("a folder of 247", "C:\\" + "r" * 244, ["f" * 11], False, True),
    ("a folder of 248", "C:\\" + "r" * 245, ["f"], False, False),
    ("a tracked folder of 247", HERE, ["d" * 46 + "/f"], False, True),
    ("a tracked folder of 248", HERE, ["d" * 47 + "/f"], False, False),
    ("two bytes a letter", HERE, ["ü" * 58], False, True),
    ("two units a letter", HERE, ["🌲" * 29], False, True),
    ("two units a letter, 260", HERE, ["🌲" * 29 + "f"], False, False),
    ("nothing tracked", HERE, [], False, True),
]


@pytest.mark.parametrize(("folder", "names", "long_paths", "fits"), [row[1:] for row in FITS], ids=[row[0] for row in FITS])
def test_what_fits_into_a_path_of_windows(folder: str, names: list[str], long_paths: bool, fits: bool) -> None:
    said = path_length.too_long(folder, names, WINDOWS, long_paths=long_paths)
    assert (said == "", folder in said) == (fits, not fits)


@pytest.mark.parametrize("flavour", [POSIX, MACOS])
def test_elsewhere_the_system_says_what_is_too_long(flavour: Flavour) -> None:
    assert path_length.too_long("/" + "r" * 5000, ["f" * 300], flavour, long_paths=False) == ""


@pytest.mark.parametrize(("flavour", "setting", "refuses"), [
    (WINDOWS, "false", True), (WINDOWS, "true", False), (POSIX, "false", False), (MACOS, "false", False),
], ids=["Windows", "Windows with core.longpaths", "Linux", "macOS"])
def test_a_plan_that_windows_could_not_hold(plain: World, monkeypatch: pytest.MonkeyPatch, flavour: Flavour, setting: str,
                                            refuses: bool) -> None:
    plain.sh(f'd={"d" * 120}; mkdir $d; echo 1 > $d/{"f" * 130}; git add -A; git commit -qm deep; git config core.longpaths {setting}',
             cwd=plain.R)
    monkeypatch.setattr(path_length, "must_fit", partial(path_length.must_fit, flavour=flavour))
    document = refused(plain, "new", "n") if refuses else {}
    assert (document.get("code"), "core.longpaths true" in document.get("hint", ""), "wt enter" in document.get("hint", "")) == (
        ("too-long", True, True) if refuses else (None, False, False))
    if not refuses:
        done(plain, "new", "n")


# --- another file system ---------------------------------------------------------------------------------------------

@pytest.fixture
def far(plain: World, monkeypatch: pytest.MonkeyPatch) -> Any:
    with another_disk(monkeypatch, plain) as folder:
        (plain.R / ".worktree-guard.json").write_text(json.dumps({"worktree_parent": str(folder)}))
        yield plain


def test_a_worktree_on_another_disk_goes_to_the_trash_and_comes_back(far: World) -> None:
    path = Path(done(far, "new", "n")["path"])
    far.sh("mkdir -p d/e; echo 1 > d/e/f; ln -s d/e l; chmod +x d/e/f; echo 2 > src/app.py; mkdir empty; printf 'a\\0b' > bin", cwd=path)
    before = (files(path), far.git("status", "--porcelain", cwd=path))
    data = done(far, "remove", "n", "--discard", "changes")
    assert (data["copied"], path.exists(), files(Path(data["trash"]) / "tree")) == (True, False, before[0])
    done(far, "restore", "n")
    assert ((files(path), far.git("status", "--porcelain", cwd=path)), (path / "empty").is_dir()) == (before, True)


def test_a_trash_without_room_for_the_copy(far: World) -> None:
    path = Path(done(far, "new", "n")["path"])
    far.sh("echo large > .gitignore; git add .gitignore; git commit -qm i; head -c 100000 /dev/urandom > large", cwd=path)
    before = (everything(far), files(path))
    words = ("remove", "n", "--discard", "ignored", "--discard", "commits")
    assert told(wt_behind(far, small_files_only(50), *words)) == FULL
    assert (everything(far), files(path)) == before
    assert done(far, *words)["copied"], "and then it can"

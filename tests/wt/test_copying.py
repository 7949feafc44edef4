"""What a worktree gets from the main checkout beside git's files, by `furnish` on real repositories and by the real `wt setup`."""
from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guard.edge import disk
from guard.wt import copying, duplicating, include, linking, picking, place, staging
from guard.wt.include import Outcome, Rule
from guard.wt.repository import open_repository
from tests.worlds import World
from tests.wt.test_enter import done, record, small, wt

TREE = r"""cd "$R"
printf '%s\n' '*.ignored' '.env*' '!.env.example' node_modules/ build/ .worktrees/ > .gitignore
mkdir -p docs part; echo e > .env.example; echo g > docs/guide.md; echo t > part/tracked.txt
git add -A; git commit -qm tree; git worktree add -q .worktrees/x -b wt/x
echo secret > .env; chmod 600 .env; echo l > .env.local
mkdir -p config/secrets deep/er empty node_modules/a node_modules/b/lib node_modules/.bin build; chmod 711 config
echo key > config/secrets/key.pem; echo old > config/secrets/old.pem; echo o > config/open.txt; echo deep > deep/er/.env
echo a > node_modules/a/index.js; echo b > node_modules/b/lib/x.js; ln -s ../a/index.js node_modules/.bin/a; ln -s "$OUT" node_modules/out
echo o > build/out.o; echo l > part/loose.txt; echo x > x.ignored
echo 1 > 'a b.txt'; echo 2 > ü.txt; echo 3 > $'tab\there'; echo 4 > $'caf\xe9.txt'; echo 5 > $'new\nline'; echo 6 > '[x].txt'
echo 7 > '#hash'; echo 8 > '!bang'; echo 9 > ' lead'; echo 10 > 'copy of it'; echo 11 > 'tail '; echo 12 > tail
git init -q vendor/lib; echo v > vendor/lib/v; echo l > vendor/loose.txt; mkdir vendor/more; echo m > vendor/more/m
git worktree add -q vendor/tree -b wt/inner
mkdir store; git init -q store/only
echo secret > "$OUT/secret"; ln -s src/app.py in-link; ln -s "$OUT/secret" out-link; ln -s "$OUT" out-folder; ln -s config to-config
ln -s nowhere broken-link
mkdir special; mkfifo special/pipe pipe; echo s > special/file
mkdir .claude; echo '{}' > .claude/worktree-guard.json; echo '{}' > .claude/settings.local.json
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> World:
    """R with every kind of file; its worktree is W."""
    world = small(Path(os.path.realpath(tmp_path_factory.mktemp("tree"))))
    world.sh(TREE)
    with socket.socket(socket.AF_UNIX) as one:
        here = Path.cwd()
        os.chdir(world.R / "special")  # a socket's path may have 107 bytes
        one.bind("socket")
        os.chdir(here)
    return World(world.root, world.R, world.R / ".worktrees/x", world.W2, world.OUT)


@pytest.fixture
def full(tree: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """The same for each test: W, and what a test added to R, are put back."""
    for name, value in tree.env.items():
        monkeypatch.setenv(name, value)
    before, exclude = set(tree.R.iterdir()), (tree.R / ".git/info/exclude").read_bytes()
    yield tree
    tree.sh(f"cd {tree.W}; find . -type p -delete; git reset -q --hard; git clean -ffdxq")
    (tree.R / ".git/info/exclude").write_bytes(exclude)
    for path in set(tree.R.iterdir()) - before:
        staging.dropped(path)


@pytest.fixture
def plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """R with one commit, and a worktree W of it."""
    world = small(Path(os.path.realpath(tmp_path)))
    world.sh('git -C "$R" worktree add -q "$R/.worktrees/x" -b wt/x')
    for name, value in world.env.items():
        monkeypatch.setenv(name, value)
    return World(world.root, world.R, world.R / ".worktrees/x", world.W2, world.OUT)


def furnish(world: World, lines: str | bytes | None = None, sync: dict[str, list[str]] | None = None) -> list[Outcome]:
    """With these rules in the main checkout."""
    disk.forget()
    if lines is not None:
        (world.R / ".worktreeinclude").write_bytes(lines if isinstance(lines, bytes) else lines.encode())
    if sync is not None:
        (world.R / ".worktree-guard.json").write_text(json.dumps({"sync": sync}))
    return copying.furnish(open_repository(world.R), world.W, lambda _: None)


def short(outcomes: list[Outcome]) -> dict[str, str]:
    """Name, or the line where there is none -> what became of it, or the reason why nothing did."""
    found: dict[str, str] = {}
    for one in outcomes:
        what, key = one.reason or one.state, one.name or one.line
        found[key] = f"{found[key]}, {what}" if key in found else what
    return found


def again(found: dict[str, str]) -> dict[str, str]:
    """What is told the second time."""
    return {name: what.replace("copied", "kept") for name, what in found.items()}


def listed(root: Path) -> dict[str, tuple[int, str]]:
    """Name -> mode and content (or goal, or nothing) of all in a folder, but for git's folder of its own and its worktrees."""
    found = {}
    for at, folders, files in os.walk(root):
        if Path(at) == root:
            folders[:] = [name for name in folders if name not in (".git", ".worktrees")]
        for name in [*folders, *(name for name in files if Path(at, name) != root / ".git")]:
            path = Path(at, name)
            mode = path.lstat().st_mode
            goal = str(path.readlink()) if stat.S_ISLNK(mode) else path.read_bytes().hex() if stat.S_ISREG(mode) else ""
            found[path.relative_to(root).as_posix()] = (mode, goal)
    return found


# --- which, and which not --------------------------------------------------------------------------------------------

COPIED, NOTHING = "copied", "missing"
ROWS: dict[str, tuple[str, dict[str, str]]] = {
    # one file, one folder
    "a file": (".env", {".env": COPIED, "deep/er/.env": COPIED}),
    "at the top alone": ("/.env", {".env": COPIED}),
    "a folder": ("node_modules/", {"node_modules": COPIED}),
    "a folder without its slash": ("node_modules", {"node_modules": COPIED}),
    "a slash where there is a file": (".env/", {".env/": NOTHING}),
    "untracked, not ignored": ("config/open.txt", {"config/open.txt": COPIED}),
    "a folder of which nothing is ignored": ("config", {"config": COPIED}),
    "deep": ("/config/secrets/key.pem", {"config/secrets/key.pem": COPIED}),
    "a folder in a folder": ("config/secrets/", {"config/secrets": COPIED}),
    "several": (".env\nbuild/\n", {".env": COPIED, "deep/er/.env": COPIED, "build": COPIED}),
    "twice": ("/.env\n/.env", {".env": COPIED}),
    "one line names less of the same": ("/.env\n/.env*", {".env": COPIED, ".env.local": COPIED}),
    "one line names more of the same": ("/config/\n/config/open.txt", {"config": COPIED}),
    # patterns
    "star": ("*.pem", {"config/secrets/key.pem": COPIED, "config/secrets/old.pem": COPIED}),
    "two stars in front": ("**/key.pem", {"config/secrets/key.pem": COPIED}),
    "two stars in between": ("config/**/key.pem", {"config/secrets/key.pem": COPIED}),
    "two stars behind": ("config/secrets/**", {"config/secrets": COPIED}),
    "one character": ("/.en?", {".env": COPIED}),
    "a class": ("/config/[op]*.txt", {"config/open.txt": COPIED}),
    "taken back": ("*.pem\n!old.pem", {"config/secrets/key.pem": COPIED}),
    "taken back and named again": ("*.pem\n!*.pem\nold.pem", {"config/secrets/old.pem": COPIED}),
    "taken back out of a folder that is named as a whole": ("config/\n!config/open.txt", {"config": COPIED}),
    "all of it taken back": ("/.env\n!.env", {}),
    "only taken back": ("!.env", {}),
    # names
    "a blank": ("a b.txt", {"a b.txt": COPIED}),
    "blanks behind": ("/.env  \nsymlink /build/ ", {".env": COPIED, "build": "linked"}),
    "a blank at the end of a name": (r"/tail\ ", {"tail ": COPIED}),
    "a blank in front": ("/ lead", {" lead": COPIED}),
    "beyond ASCII": ("ü.txt", {"ü.txt": COPIED}),
    "a tab": ("tab\there", {"tab\there": COPIED}),
    "brackets": (r"\[x\].txt", {"[x].txt": COPIED}),
    "a hash": (r"\#hash", {"#hash": COPIED}),
    "an exclamation mark": (r"\!bang", {"!bang": COPIED}),
    "a verb in the name": ("/copy of it", {"copy of it": COPIED}),
    "a verb in the name, behind the verb": ("copy copy of it", {"copy of it": COPIED}),
    # from git
    "tracked": ("src/app.py", {"src/app.py": "tracked"}),
    "a folder with tracked files": ("part/", {"part/loose.txt": COPIED}),
    "a folder of tracked files": ("docs", {"docs": "tracked"}),
    "tracked and not": (".env.*", {".env.local": COPIED}),
    "nothing": ("nowhere", {"nowhere": NOTHING}),
    "nothing of a kind": ("*.nothing\n/.env", {"*.nothing": NOTHING, ".env": COPIED}),
    "an empty folder": ("empty/", {"empty": COPIED}),
    # never
    "git's folder": (".git", {".git": "invalid"}),
    "in git's folder": ("/.git/config", {"/.git/config": "invalid"}),
    "git's folder in capitals": (".GIT/config", {".GIT/config": "invalid"}),
    "in a worktree": (".worktrees/x/src/app.py", {".worktrees/x/src/app.py": "unsafe"}),
    "all worktrees": (".worktrees/", {".worktrees": "unsafe"}),
    "a repository": ("vendor/lib/", {"vendor/lib": "unsafe"}),
    "in a repository": ("vendor/lib/v", {"vendor/lib/v": "unsafe"}),
    "a worktree elsewhere": ("vendor/tree", {"vendor/tree": "unsafe"}),
    "a folder with repositories": ("vendor/", {"vendor/lib": "unsafe", "vendor/tree": "unsafe", "vendor/loose.txt": COPIED,
                                               "vendor/more": COPIED}),
    "a folder with a repository alone": ("store/", {"store/only": "unsafe"}),
    "out of the main checkout": ("../secret", {"../secret": "invalid"}),
    "out, in between": ("config/../../x", {"config/../../x": "invalid"}),
    "a home": ("~/.env", {"~/.env": "invalid"}),
    "a drive": (r"C:\x", {r"C:\x": "invalid"}),
    "a path from the root of the disk": ("/etc/passwd", {"/etc/passwd": "invalid"}),
    "the checkout itself": ("/", {"/": "invalid"}),
    "here": ("./.env", {"./.env": "invalid"}),
    "a link that stays": ("in-link", {"in-link": COPIED}),
    "a link to a folder that stays": ("to-config", {"to-config": COPIED}),
    "a link to nothing": ("broken-link", {"broken-link": COPIED}),
    "a link out": ("out-link", {"out-link": "unsafe"}),
    "a link to a folder outside": ("out-folder", {"out-folder": "unsafe"}),
    "behind a link out": ("out-folder/secret", {"out-folder/secret": "unsafe"}),
    "behind a link that stays": ("to-config/open.txt", {"to-config/open.txt": "unsafe"}),
    "a pipe": ("pipe", {"pipe": "unsafe"}),
    "a folder with a pipe and a socket": ("special/", {"special": COPIED}),
    "the guard's settings": (".claude/", {".claude/settings.local.json": COPIED, ".claude/worktree-guard.json": "unsafe"}),
    "the guard's settings by a pattern": ("/.claude/*.json", {".claude/settings.local.json": COPIED,
                                                              ".claude/worktree-guard.json": "unsafe"}),
    "the guard's settings by their name": (".claude/worktree-guard.json", {".claude/worktree-guard.json": COPIED}),
    # links
    "linked": ("symlink /node_modules", {"node_modules": "linked"}),
    "a file is linked": ("symlink /.env", {".env": "linked"}),
    "linked and copied": ("symlink node_modules/\ncopy /.env", {"node_modules": "linked", ".env": COPIED}),
    "linked and copied, both": ("node_modules/\nsymlink node_modules/", {"node_modules": "linked, linked"}),
    "a part of what is copied is linked": ("node_modules/\nsymlink node_modules/b", {
        "node_modules/.bin": COPIED, "node_modules/a": COPIED, "node_modules/out": "unsafe", "node_modules/b": "linked"}),
    "linked, tracked": ("symlink src", {"src": "tracked"}),
    "linked, partly tracked": ("symlink part/", {"part": "tracked"}),
    "linked, out": ("symlink out-folder", {"out-folder": "unsafe"}),
    "linked, over the worktree": ("symlink .worktrees", {".worktrees": "unsafe"}),
    "linked, nothing": ("symlink nowhere", {"nowhere": NOTHING}),
}


@pytest.mark.parametrize("name", ROWS)
def test_what_a_rule_names(full: World, name: str) -> None:
    """Nothing else comes into being, and W has what R has; the second time changes nothing."""
    lines, expected = ROWS[name]
    before, theirs = listed(full.W), listed(full.R)
    outcomes = furnish(full, lines)
    found = short(outcomes)
    assert {one.removeprefix("symlink "): what for one, what in found.items()} == expected
    after = listed(full.W)
    here = {one.name for one in outcomes if one.state in ("copied", "linked")}
    for one in after.keys() - before.keys():
        above = [one, *map(str, Path(one).parents)]
        assert here & set(above) or any(other.startswith(one + "/") for other in here), f"{one} was not named"
        if not stat.S_ISLNK(after[one][0]) and (full.R / one).exists():
            assert after[one] == theirs.get(one, after[one])
    assert {one: after[one] for one in before} == before
    assert short(furnish(full)) == again(found)
    assert listed(full.W) == after


def test_settings_and_file_are_one_list(full: World) -> None:
    sync = {"copy_files": ["*.pem", "../x"], "symlink_dirs": ["node_modules", "config/[x]", "/build/"]}
    assert short(furnish(full, "!old.pem\n", sync)) == {
        "../x": "invalid", "config/secrets/key.pem": "copied", "node_modules": "linked", "config/[x]": "missing", "build": "linked"}


def test_names_that_are_no_text(full: World) -> None:
    """Bytes that are no UTF-8 are copied; the record, which is JSON, goes without them. A line break fits by one character."""
    assert short(furnish(full, b"caf\xe9.txt\nnew?line\n")) == {"caf\udce9.txt": "copied", "new\nline": "copied"}
    assert short(furnish(full, "", {"symlink_dirs": ["new\nline"]})) == {"new\nline": "conflict"}
    assert include.copied(furnish(full, b"caf\xe9.txt\n.env\n", {})) == {".env", "deep/er/.env"}


def test_a_pattern_that_names_everything(full: World) -> None:
    """As many as are safe; what is not says why."""
    found = short(furnish(full, "*\n"))
    reasons = {name: what for name, what in found.items() if what != "copied"}
    assert reasons == dict.fromkeys([".worktrees", "vendor/lib", "vendor/tree", "store/only", "out-link", "out-folder",
                                     ".claude/worktree-guard.json"], "unsafe")
    assert {"config", "node_modules", ".env", "part/loose.txt", "caf\udce9.txt", "new\nline", "special"} <= found.keys() - reasons.keys()
    assert full.git("status", "--porcelain", "--untracked-files=no", cwd=full.W) == ""


# --- how they look ---------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("tool", ["cp", "a cp that does not know the options", "none"])
def test_copies_are_as_the_originals(full: World, tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mode, time, links, folders; by several processes at once, and by Python. Pipes and sockets block nobody."""
    if tool != "cp":
        monkeypatch.setattr(duplicating, "TOOLS", {} if tool == "none" else {sys.platform: "cp --no-such-option"})
    for n in range(60):
        (full.R / f"many/-{n}").mkdir(parents=True)
        (full.R / f"many/-{n}/f").write_text(str(n))
    (full.R / "many/large").write_bytes(os.urandom(duplicating.SMALL + 1))
    (full.R / "large").write_bytes(os.urandom(duplicating.SMALL + 1))
    os.mkfifo(full.R / "many/pipe")
    for path in (full.R / "many/-1/f", full.R / "many", full.R / "large", full.R / "config/secrets"):
        os.utime(path, ns=(10**18 + 7, 10**18 + 7))
    (full.R / "many").chmod(0o750)
    assert set(short(furnish(full, "/many\n/large\nconfig/secrets/\nnode_modules\n.env\n")).values()) == {"copied"}
    here = {name: what for name, what in listed(full.W).items() if name.startswith(("many", "large", "config", "node_modules", ".env"))}
    pipe, theirs = here.pop("many/pipe", None), listed(full.R)
    assert here == {name: theirs[name] for name in here} and (pipe is None or stat.S_ISFIFO(pipe[0]))
    assert {"many/large", "many/-59/f", "large", "node_modules/.bin/a", "node_modules/out", "config/secrets/key.pem", ".env"} <= here.keys()
    assert stat.S_IMODE((full.W / "many").stat().st_mode) == 0o750
    assert stat.S_IMODE((full.W / "config").stat().st_mode) == 0o711, "a folder above is as closed as in R"
    for name in ("many/-1/f", "many", "large", "config/secrets"):
        assert (full.W / name).stat().st_mtime_ns == 10**18 + 7


def test_a_large_folder_is_told_before(full: World) -> None:
    (full.R / ".worktreeinclude").write_text("/.env\nnode_modules\n")
    told: list[str] = []
    copying.furnish(open_repository(full.R), full.W, told.append)
    assert told == ["copying node_modules …"]


def test_no_rules_and_no_main_checkout(full: World) -> None:
    assert furnish(full) == []
    assert furnish(full, "# nothing\n\n") == []
    repository = open_repository(full.R)
    assert copying.furnish(repository, full.R, lambda _: None) == []
    bare = full.root / "bare.git"
    full.sh(f'git clone -q --bare "$R" {bare}')
    assert copying.furnish(open_repository(bare), full.W, lambda _: None) == []
    shutil.rmtree(bare)


def test_rules_that_cannot_be_read(full: World) -> None:
    """A folder of that name; what the settings name is copied nevertheless."""
    (full.R / ".worktreeinclude").mkdir()
    assert short(furnish(full, None, {"copy_files": ["/.env"]})) == {".worktreeinclude": "failed", ".env": "copied"}


# --- links -----------------------------------------------------------------------------------------------------------

def test_a_link_is_hidden_from_git_once(full: World) -> None:
    """`node_modules/` in .gitignore does not fit a link; one that fits needs no line."""
    (full.R / "x[1].ignored").mkdir()
    (full.R / "a b").mkdir()
    for _ in range(2):
        furnish(full, "symlink node_modules\nsymlink /x*\nsymlink a b\nsymlink /config/secrets\n")
    assert (full.W / "node_modules").readlink() == full.R / "node_modules"
    assert full.git("status", "--porcelain", cwd=full.W) == ""
    added = [line for line in (full.R / ".git/info/exclude").read_text().splitlines() if not line.startswith("#")]
    assert sorted(added) == [r"/a\ b", "/config/secrets", "/node_modules"]


@pytest.mark.parametrize(("there", "expected"), [
    ('mkdir "$W/node_modules"', "conflict"), ('echo mine > "$W/node_modules"', "conflict"), ('ln -s "$OUT" "$W/node_modules"', "conflict"),
    ('ln -s nowhere "$W/node_modules"', "conflict"), ('ln -s ../../node_modules "$W/node_modules"', "linked"),
])
def test_a_link_never_goes_over_what_is_there(full: World, there: str, expected: str) -> None:
    full.sh(there)
    before = listed(full.W)
    assert short(furnish(full, "symlink node_modules")) == {"node_modules" : expected}
    assert listed(full.W) == before


def test_on_windows_a_folder_is_a_junction(full: World, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[str, str]] = []

    class Windows:
        CreateJunction = staticmethod(lambda source, target: made.append((source, target)))
    monkeypatch.setitem(sys.modules, "_winapi", Windows)  # type: ignore[arg-type]
    monkeypatch.setattr(linking, "os", type("nt", (), {"name": "nt"}))
    linking.tied(full.R / "node_modules", full.W / "node_modules")
    linking.tied(full.R / ".env", full.W / "env")
    assert made == [(str(full.R / "node_modules"), str(full.W / "node_modules"))]
    assert (full.W / "env").is_symlink()


# --- what is in the way ----------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("there", "lines", "expected"), [
    ("echo other > .env", "/.env", "conflict"), ("echo secret > .env", "/.env", "kept"), ("mkdir .env", "/.env", "conflict"),
    ("ln -s nowhere .env", "/.env", "conflict"), ("mkfifo .env", "/.env", "conflict"),
    ("mkdir build", "build", "conflict"), ("cp -a ../../build .; echo more > build/more", "build", "kept"),
    ("mkdir build; echo o > build/out.o", "build", "kept"), ("mkdir build; echo p > build/out.o", "build", "conflict"),
    ("echo file > config", "config/open.txt", "conflict"), ("mkdir config", "config/open.txt", "copied"),
    ("ln -s ../../config config", "config/open.txt", "unsafe"), ("ln -s $OUT config", "config/open.txt", "unsafe"),
    ("ln -s $OUT config", "config", "conflict"), ("echo file > config", "symlink config/secrets", "conflict"),
    ("ln -s $OUT config", "symlink config/secrets", "unsafe"),
])
def test_what_is_there_stays(full: World, there: str, lines: str, expected: str) -> None:
    full.sh(there, cwd=full.W)
    before, outside = listed(full.W), listed(full.OUT)
    assert list(short(furnish(full, lines)).values()) == [expected]
    after = listed(full.W)
    assert {name: after.get(name) for name in before} == before
    assert (after == before) == (expected != "copied")
    assert listed(full.OUT) == outside


@pytest.mark.parametrize(("deleted", "expected"), [(False, "conflict"), (True, "tracked")])
def test_what_the_branch_has_comes_from_the_branch(full: World, deleted: bool, expected: str) -> None:
    """git tracks it in W, not in R; whether or not it is checked out there (a sparse checkout)."""
    full.sh("echo branch > .env; mkdir build config; echo b > build/b; echo c > config/c; git add -f .env build config", cwd=full.W)
    if deleted:
        full.sh("rm -r .env build config", cwd=full.W)
    assert short(furnish(full, "/.env\nbuild\nsymlink /config/\n")) == {".env": expected, "build": expected, "config": expected}


# --- trouble ---------------------------------------------------------------------------------------------------------

def nothing_left(world: World, name: str = "build") -> bool:
    return not list(world.W.glob(".wt-copy-*")) and not (world.W / name).exists()


def in_the_middle(monkeypatch: pytest.MonkeyPatch, then: Callable[[Path], None]) -> list[str]:
    """`then` is called whenever a folder or file has been copied out of sight. -> the names, as they come"""
    names, real = [], duplicating.copied

    def copied(source: Path, copy: Path) -> str:
        said = real(source, copy)
        names.append(source.name)
        then(source)
        return said
    monkeypatch.setattr(duplicating, "copied", copied)
    return names


@pytest.mark.parametrize(("lines", "change"), [
    ("/file", "echo 2 >> file"), ("folder", "echo 2 >> folder/f"), ("folder", "touch folder/new"), ("folder", "rm folder/f"),
    ("folder", "cp -p folder/f t && mv t folder/f"), ("folder", "rm -r folder; echo now a file > folder")])
def test_a_change_meanwhile_is_copied_once_more(full: World, lines: str, change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    full.sh("echo 1 > file; mkdir folder; echo 1 > folder/f", cwd=full.R)
    settled_down()
    changes = [change]
    names = in_the_middle(monkeypatch, lambda _: full.sh(changes.pop(), cwd=full.R) and None if changes else None)
    name = lines.strip("/")
    assert short(furnish(full, lines)) == {name: "copied"}
    assert names == [name, name]
    theirs, here = listed(full.R), listed(full.W)
    assert {one: what for one, what in here.items() if one.startswith(name)} == {
        one: what for one, what in theirs.items() if one.startswith(name)}


def settled_down() -> None:
    """Until what was written counts as old."""
    until = time.time_ns() + 2 * duplicating.TICK
    while time.time_ns() < until:
        pass


def test_what_never_stays_the_same_is_not_copied(full: World, monkeypatch: pytest.MonkeyPatch) -> None:
    full.sh("mkdir busy; echo 1 > busy/f; echo 1 > calm", cwd=full.R)
    settled_down()
    names = in_the_middle(monkeypatch, lambda source: os.utime(source / "f") if source.name == "busy" else None)
    assert short(furnish(full, "busy\ncalm")) == {"busy": "source_changed", "calm": "copied"}
    assert names.count("busy") == copying.TRIES and nothing_left(full, "busy")


def test_what_goes_away_meanwhile(full: World, monkeypatch: pytest.MonkeyPatch) -> None:
    (full.R / "brief").write_text("b")
    in_the_middle(monkeypatch, lambda source: source.unlink(missing_ok=True) if source.name == "brief" else None)
    assert short(furnish(full, "brief\n/.env")) == {"brief": "source_changed", ".env": "copied"}


@pytest.mark.parametrize(("there", "expected"), [("echo mine > .env", "conflict"), ("echo secret > .env", "kept"),
                                                 ("mkdir .env", "conflict"), ("ln -s $OUT/secret .env", "conflict")])
def test_somebody_makes_the_same_meanwhile(full: World, there: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    in_the_middle(monkeypatch, lambda _: full.sh(there, cwd=full.W) and None)
    assert short(furnish(full, "/.env")) == {".env": expected}
    assert (full.OUT / "secret").read_text() == "secret\n"


@pytest.mark.parametrize("hard_links", [True, False])
def test_the_last_step_replaces_nothing(full: World, hard_links: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even when it comes into being after the last look. Without hard links it is looked for once more."""
    def no_links(*_: Any, **__: Any) -> None:
        raise OSError(errno.EPERM, "no hard links")
    if not hard_links:
        monkeypatch.setattr(os, "link", no_links)
    for kind in ("file", "folder"):
        copy, target = full.OUT / f"copy of {kind}", full.OUT / f"target of {kind}"
        for path in (copy, target):
            path.write_text(path.name) if kind == "file" else (path / path.name).mkdir(parents=True)
        with pytest.raises(FileExistsError):
            staging.moved(copy, target)
        assert target.read_text() == target.name if kind == "file" else (target / target.name).is_dir()
        staging.dropped(target)
        staging.moved(copy, target)
        assert (copy.exists(), target.exists()) == (False, True)
        staging.dropped(target)


def test_a_disk_that_is_full_leaves_nothing_half(full: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A `cp` that fails after its first file; what comes after it is tried nevertheless."""
    tool = full.OUT / "cp-without-room"
    tool.write_text("""#!/bin/sh
        for target; do :; done
        [ -d "$target" ] && echo half > "$target/half"
        echo 'cp: no room' >&2; exit 1""")
    tool.chmod(0o755)
    monkeypatch.setattr(duplicating, "TOOLS", {sys.platform: str(tool)})
    (full.R / "large").mkdir()
    (full.R / "large/f").write_bytes(bytes(duplicating.SMALL + 1))
    found = {one.name: (one.reason, one.said) for one in furnish(full, "large\n/x.ignored\n")}
    assert found == {"large": ("failed", "no room"), "x.ignored": ("", "copied")}
    assert nothing_left(full, "large")


def test_no_room_for_a_file(full: World, monkeypatch: pytest.MonkeyPatch) -> None:
    real = shutil.copy2

    def copy2(source: Path, target: Path, **more: Any) -> Any:
        if Path(source).name == "out.o":
            Path(target).write_text("hal")
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(source, target, **more)
    monkeypatch.setattr(shutil, "copy2", copy2)
    found = furnish(full, "build/out.o\n/.env\nconfig/open.txt\n")
    assert short(found) == {"build/out.o": "failed", ".env": "copied", "config/open.txt": "copied"}
    assert "No space left" in found[0].said and nothing_left(full)


def test_no_folder_of_ours_can_be_made(full: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def mkdtemp(**_: Any) -> str:
        raise OSError(errno.EROFS, "Read-only file system")
    monkeypatch.setattr("tempfile.mkdtemp", mkdtemp)
    assert short(furnish(full, "/.env\nbuild\n../x\n")) == {".env": "failed", "build": "failed", "../x": "invalid"}


def test_a_fault_of_one_keeps_no_other_from_being_done(full: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is for a user who may not read one of them."""
    real = shutil.copy2

    def copy2(source: Path, target: Path, **more: Any) -> Any:
        if Path(source).name in (".env.local", "out.o"):
            raise PermissionError(errno.EACCES, "Permission denied", str(source))
        return real(source, target, **more)
    monkeypatch.setattr(shutil, "copy2", copy2)
    monkeypatch.setattr(shutil.copytree, "__defaults__", (False, None, copy2, False, False)[:len(shutil.copytree.__defaults__ or ())])
    assert short(furnish(full, "/.env*\nbuild\nconfig")) == {
        ".env": "copied", ".env.local": "failed", "build": "failed", "config": "copied"}
    assert nothing_left(full)


def test_a_worktree_that_cannot_be_written(full: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder above may not be written; that one only."""
    real = Path.mkdir

    def denied(*_: Any, **__: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    def mkdir(path: Path, *words: Any, **more: Any) -> None:
        denied() if path == full.W / "config" else real(path, *words, **more)
    monkeypatch.setattr(Path, "mkdir", mkdir)
    assert short(furnish(full, "config/secrets\nsymlink config/open.txt\nbuild")) == {
        "config/secrets": "failed", "config/open.txt": "failed", "build": "copied"}
    monkeypatch.setattr(os, "link", denied)
    monkeypatch.setattr(Path, "rename", denied)
    assert short(furnish(full, "/.env\nx.ignored/\nvendor/more")) == {".env": "failed", "x.ignored/": "missing", "vendor/more": "failed"}
    assert not list(full.W.glob(".wt-copy-*")) and not (full.W / ".env").exists()


def test_read_only_folders(full: World) -> None:
    """As Go keeps its modules."""
    for n in range(30):
        (full.R / f"ro/{n}").mkdir(parents=True)
        (full.R / f"ro/{n}/f").write_text("f")
        (full.R / f"ro/{n}").chmod(0o555)
    (full.R / "ro").chmod(0o555)
    assert short(furnish(full, "ro\n")) == {"ro": "copied"}
    assert listed(full.W / "ro") == listed(full.R / "ro") and stat.S_IMODE((full.W / "ro").stat().st_mode) == 0o555
    for root in (full.R, full.W):
        full.sh("chmod -R u+w ro", cwd=root)


# --- what a killed run leaves ----------------------------------------------------------------------------------------

def ended() -> int:
    with subprocess.Popen(["true"]) as gone:
        pass
    return gone.pid


@pytest.mark.parametrize(("name", "content", "goes"), [
    (".wt-copy-{dead}-1-abc", {".gitignore": staging.MARKED, "0": "half"}, True),
    (".wt-copy-{dead}-unknown-abc", {".gitignore": staging.MARKED}, True),
    (".wt-copy-{dead}-1-abc", {}, True),
    (".wt-copy-{us}-1-abc", {".gitignore": staging.MARKED}, True),  # another process had our number
    (".wt-copy-{us}-{now}-abc", {".gitignore": staging.MARKED}, False),
    (".wt-copy-{us}-{now}-abc", {}, False),
    (".wt-copy-{dead}-1-abc", {"mine": "mine"}, False),
    (".wt-copy-{dead}-1-abc", {".gitignore": "mine"}, False),
    (".wt-copy-mine", {".gitignore": staging.MARKED}, False),
    (".wt-copy-{dead}", {".gitignore": staging.MARKED}, False),
    (".wt-copy-", {}, False),
    ("wt-copy-{dead}-1-abc", {".gitignore": staging.MARKED}, False),
])
def test_what_is_swept(full: World, name: str, content: dict[str, str], goes: bool) -> None:
    disk.forget()
    folder = full.W / name.format(dead=ended(), us=os.getpid(), now=disk.started(os.getpid()))
    folder.mkdir()
    for one, text in content.items():
        (folder / one).write_text(text)
    furnish(full)
    assert folder.exists() == (not goes)


def test_a_link_of_our_name_is_not_followed(full: World) -> None:
    (full.OUT / "ours").mkdir()
    (full.OUT / "ours/.gitignore").write_text(staging.MARKED)
    link = full.W / f".wt-copy-{ended()}-1-abc"
    link.symlink_to(full.OUT / "ours")
    furnish(full, "/.env")
    assert link.is_symlink() and (full.OUT / "ours/.gitignore").exists()
    shutil.rmtree(full.OUT / "ours")


def test_an_interrupt_leaves_nothing(full: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(source: Path) -> None:
        if source.name == "build":
            raise KeyboardInterrupt
    in_the_middle(monkeypatch, interrupt)
    with pytest.raises(KeyboardInterrupt):
        furnish(full, "/.env\nbuild\n/config")
    assert nothing_left(full)
    monkeypatch.undo()
    for name, value in full.env.items():
        monkeypatch.setenv(name, value)
    assert set(short(furnish(full)).values()) == {"kept", "copied"}


WAITS = """#!/bin/sh
echo $$ > "$STARTED"
read line < "$GO"
exec /bin/cp "$@"
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_setup(plain: World, number: signal.Signals) -> None:
    """While it copies nobody sees anything of it, neither git; after SIGKILL the next run clears up."""
    for n in range(30):
        (plain.R / f"build/{n}").mkdir(parents=True)
        (plain.R / f"build/{n}/f").write_text("x")
    (plain.R / ".worktreeinclude").write_text("build\n")
    tools = plain.root / "tools"
    tools.mkdir()
    (tools / "cp").write_text(WAITS)
    (tools / "cp").chmod(0o755)
    started, go = plain.root / "started", plain.root / "go"
    os.mkfifo(started)
    os.mkfifo(go)
    world = World(plain.root, plain.R, plain.W, plain.W2, plain.OUT,
                  extra={"PATH": f"{tools}:{os.environ['PATH']}", "STARTED": str(started), "GO": str(go)})
    child = subprocess.Popen([str(Path(__file__).parents[2] / "scripts/wt"), "setup", "x"], cwd=world.R, env=world.env,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    group = os.getpgid(int(started.read_text().split()[0]))
    assert len(list(plain.W.glob(".wt-copy-*"))) == 1
    assert not (plain.W / "build").exists() and plain.git("status", "--porcelain", cwd=plain.W) == ""
    child.send_signal(number)
    assert child.wait(20) != 0
    left = list(plain.W.glob(".wt-copy-*"))
    assert bool(left) == (number is signal.SIGKILL)
    while list(plain.W.glob(".wt-copy-*")):  # what a killed run has started reads its go, writes, and ends
        with os.fdopen(os.open(go, os.O_RDWR), "w") as say:
            say.write("go\n" * 100)
            say.flush()
            assert short(furnish(plain)) in ({"build": "copied"}, {"build": "kept"})
    with contextlib.suppress(ProcessLookupError):  # what else it has started waits for another go, for ever
        os.killpg(group, signal.SIGKILL)
    assert listed(plain.W / "build") == listed(plain.R / "build") or number is not signal.SIGKILL


# --- wt setup --------------------------------------------------------------------------------------------------------

def test_setup_tells_and_records(plain: World) -> None:
    """Names that JSON cannot hold as they are are copied, and not recorded; a creation does the same."""
    plain.sh(r"""printf '.env*\ncaf*\n' > .gitignore; git add .; git commit -qm i; echo a > .env; echo b > $'caf\xe9'; mkdir models
             printf '.env\ncaf*\nsymlink models\nnowhere\n' > .worktreeinclude""", cwd=plain.R)
    found = {".env": "copied", "caf\udce9": "copied", "models": "linked", "nowhere": "missing"}
    for words, expected in ((("new", "y"), found), (("setup", "y"), again(found))):
        data = done(plain, *words)
        assert {one["name"] or one["line"]: one["reason"] or one["state"] for one in data["outcomes"]} == expected
        assert record(plain, "y")["copied"] == [".env"]
    shown = plain.wt("setup", "y")
    assert (shown.returncode, shown.stderr) == (0, "") and "skipped nowhere: nothing fits it" in shown.stdout


def test_from_anywhere_the_main_checkout_s_rules_count(plain: World) -> None:
    plain.sh("echo .env > .gitignore; git add .; git commit -qm i; echo a > .env; echo b > .other", cwd=plain.R)
    (plain.R / ".worktreeinclude").write_text(".env\n")
    (plain.W / ".worktreeinclude").write_text(".other\n")
    assert wt(plain, "setup", cwd=plain.W / "src").returncode == 0
    assert (plain.W / ".env").exists() and not (plain.W / ".other").exists()


# --- laws ------------------------------------------------------------------------------------------------------------

NAMES = st.sampled_from(["a", "b", "a b", "é", "[x]", "#", "a.log", ".env", "lib"])
PARTS = st.sampled_from(["a", "b", "*", "**", "?", "*.log", ".env", "lib", "[ab]", "a b", "é", r"\#", r"\[x\]", "[!a]"])
PATTERNS = st.builds(lambda back, root, parts, end: ("!" if back else "") + root + "/".join(parts) + end, st.booleans(),
                     st.sampled_from(["", "/"]), st.lists(PARTS, min_size=1, max_size=3), st.sampled_from(["", "/"]))
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
QUICK = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def grown(root: Path, paths: list[str]) -> None:
    for path in paths:
        at = root
        for part in path.split("/")[:-1]:
            at /= part
            if at.is_file():
                break
            at.mkdir(exist_ok=True)
        else:
            if not (root / path).is_dir():
                (root / path).write_text(path)


@given(st.lists(PATHS, max_size=12), st.lists(PATHS, max_size=4), st.lists(PATTERNS, min_size=1, max_size=4))
@QUICK
def test_twice_is_once_and_nothing_of_git_is_touched(full: World, paths: list[str], there: list[str], patterns: list[str]) -> None:
    """Law: furnish(furnish(W)) == furnish(W); what W had, it has; what it got is what R has."""
    sub = "law"
    grown_in = [(full.R / sub), (full.W / sub)]
    for root in grown_in:
        root.mkdir()
    grown(grown_in[0], paths)
    grown(grown_in[1], there)
    before = listed(grown_in[1])
    lines = "".join(f"{'!' * p.startswith('!')}/{sub}/{p.lstrip('!').lstrip('/')}\n" for p in patterns)
    try:
        first = short(furnish(full, lines))
        after = listed(full.W)
        assert {name: after.get(f"{sub}/{name}") for name in before} == before
        for name, what in listed(grown_in[1]).items():
            assert name in before or what == listed(grown_in[0])[name]
        assert short(furnish(full)) == again(first)
        assert listed(full.W) == after
    finally:
        for root in grown_in:
            shutil.rmtree(root)


@given(st.lists(PATHS, min_size=1, max_size=12), st.lists(PATTERNS, min_size=1, max_size=4))
@QUICK
def test_pathspec_names_the_rule_that_git_followed(full: World, paths: list[str], patterns: list[str]) -> None:
    """Law: of all files that git lists, and of no other, pathspec knows the rule; and that rule alone lists the file, too."""
    root = full.OUT / "law"
    if not root.exists():
        full.sh(f"git init -q {root}")
    grown(root, paths)
    rules = [Rule(pattern, pattern) for pattern in patterns]
    try:
        every = {name for name, (mode, _) in listed(root).items() if stat.S_ISREG(mode) and not name.startswith(".git/")}
        picks = picking.picked(root, rules)
        named = {name for name in every for pick in picks if name == pick.name or (pick.name.endswith("/") and name.startswith(pick.name))}
        decide = picking.decider(rules)
        assert named == {name for name in every if decide(name)}
        for pick in picks:
            alone = {one.name for one in picking.picked(root, [pick.rule])}
            assert any(pick.name.startswith(one) if one.endswith("/") else pick.name == one for one in alone) or any(
                one.startswith(pick.name) for one in alone)
    finally:
        for path in root.iterdir():
            if path.name != ".git":
                staging.dropped(path)


def test_same_means_nothing_is_missing(full: World) -> None:
    (full.OUT / "one").mkdir()
    assert not place.same(full.OUT / "one", full.OUT / "none")
    assert place.same(full.OUT / "one", full.OUT / "one")
    (full.OUT / "one").rmdir()

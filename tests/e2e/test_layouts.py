"""Ways a repository can lie on a disk, and who is bound where: real git, the real `wt`, the real hook process.

Whatever is refused here has a twin that passes. Expected answers: allow, note, `deny RULE`, `ask RULE`, or `move PATH`.
"""
from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Worlds
from tests.worlds import HOOK, RECIPE, SESSION, Answer, World, home_with_identity, make_world

EDIT = {"old_string": "value = 1", "new_string": "value = 2"}
OTHER_SESSION = "0f0f0f0f-0000-4000-8000-000000000002"
PAST = "2020-01-01T00:00:00Z"


# --- asking and reading the answer -----------------------------------------------------------------------------------

def ask(world: World, tool: str, path: str, cwd: str = "{R}", client: str = "claude-code", **more: Any) -> Answer:
    """One call with one path, in the shape its tool takes."""
    shapes: dict[str, dict[str, Any]] = {
        "Read": {"file_path": path}, "Edit": {"file_path": path, **EDIT}, "Write": {"file_path": path, "content": "x"},
        "Grep": {"pattern": "v", "path": path}, "Agent": {"prompt": path}}
    return world.hook(tool, shapes[tool], cwd, client, **more)


def outcome(answer: Answer) -> str:
    """The answer in one line. A moved path is compared with its links resolved: a layout may spell it in two ways."""
    assert answer.stderr == ""
    if answer.kind in ("deny", "ask"):
        return f"{answer.kind} {answer.rule}"
    if answer.input is not None:
        return "move " + os.path.realpath(answer.input.get("file_path") or answer.input["path"])
    return answer.kind


def expected(world: World, text: str) -> str:
    kind, _, path = text.partition(" ")
    return f"move {os.path.realpath(world.fill(path))}" if kind == "move" else text


def write(world: World, path: str, cwd: str = "{R}", **more: Any) -> str:
    return outcome(ask(world, "Write", path, cwd, **more))


def read(world: World, path: str, cwd: str = "{R}", **more: Any) -> str:
    return outcome(ask(world, "Read", path, cwd, **more))


def enter(world: World, *words: str, cwd: Path | None = None, **env: str) -> None:
    done = world.wt("enter", *words, cwd=cwd, **env)
    assert done.returncode == 0, done.stderr


def settings(world: World, **chosen: Any) -> None:
    (world.R / ".worktree-guard.json").write_text(json.dumps(chosen))


def record(world: World, name: str) -> Any:
    return json.loads((world.state / name).read_text())


def rewrite(world: World, name: str, change: Callable[[Any], None]) -> None:
    found = record(world, name)
    change(found)
    (world.state / name).write_text(json.dumps(found))


# --- layouts with a main checkout ------------------------------------------------------------------------------------

def beside(root: Path) -> World:
    return make_world(root)


def nested(root: Path) -> World:
    return make_world(root, "nested")


def named(name: str) -> Callable[[Path], World]:
    return lambda root: make_world(root, "beside", name)


def symlinked_root(root: Path) -> World:
    """All of it reached through a link; everything is spelled through the link."""
    (root / "real").mkdir()
    (root / "link").symlink_to("real")
    real = make_world(root / "real")
    link = root / "link"
    return World(real.root, link / "app", link / "app-wt/x", link / "app-wt/y", link / "out")


def separate_git_dir(root: Path) -> World:
    return _made(root, RECIPE.replace('git init -q -b main "$R"', 'git init -q -b main --separate-git-dir "$R.store" "$R"'))


def git_folder_is_a_link(root: Path) -> World:
    moved = 'git init -q -b main "$R"; mv "$R/.git" "$R.store"; ln -s "$R.store" "$R/.git"'
    return _made(root, RECIPE.replace('git init -q -b main "$R"', moved))


def relative_pointers(root: Path) -> World:
    """As git 2.48 writes them with worktree.useRelativePaths."""
    world = make_world(root)
    world.sh('echo "gitdir: ../../app/.git/worktrees/x" > "$W/.git"; echo "gitdir: ../../app/.git/worktrees/y" > "$W2/.git"')
    return world


def thousand_registrations(root: Path) -> World:
    world = make_world(root)
    for n in range(1000):
        admin = world.R / ".git/worktrees" / f"many-{n}"
        admin.mkdir()
        (admin / "HEAD").write_text("ref: refs/heads/main\n")
        (admin / "commondir").write_text("../..\n")
        (admin / "gitdir").write_text(f"/nowhere/many-{n}/.git\n")
    return world


def _made(root: Path, recipe: str) -> World:
    world = World(root, root / "app", root / "app-wt/x", root / "app-wt/y", root / "out")
    home_with_identity(root)
    world.OUT.mkdir()
    world.sh(recipe)
    return world


NFC, NFD = (unicodedata.normalize(form, "café") for form in ("NFC", "NFD"))
LAYOUTS: dict[str, Callable[[Path], World]] = {
    "beside": beside,
    "nested": nested,
    "symlinked root": symlinked_root,
    "separate git dir": separate_git_dir,
    "git folder is a link": git_folder_is_a_link,
    "relative pointers": relative_pointers,
    "blanks": named("my  app "),
    "composed letters": named(NFC),
    "decomposed letters": named(NFD),
    "leading dash": named("-rf"),
    "newline": named("two\nlines"),
    "quotes and wildcards": named("it's [a] *star"),
}
FOLDERS = ["{R}/src", "{W}"]
MORE_FOLDERS = ["{R}", "{W}/src", "{W2}", "{OUT}"]

# tool, path, what comes back; passing rows first
ROWS = [
    ("Write", "{W}/src/new.py", "allow"),
    ("Edit", "{W}/src/app.py", "allow"),
    ("Read", "{W}/src/app.py", "allow"),
    ("Read", "{W2}/src/app.py", "allow"),
    ("Write", "{OUT}/notes.md", "allow"),
    ("Read", "{R}/.git", "allow"),
    ("Read", "{R}/only_main.txt", "note"),
    ("Read", "{R}/src/app.py", "move {W}/src/app.py"),
    ("Grep", "{R}/src", "move {W}/src"),
    ("Write", "{R}/src/brand\nnew -é.py", "move {W}/src/brand\nnew -é.py"),
    ("Write", "{R}/deep/er/a.py", "move {W}/deep/er/a.py"),
    ("Edit", "{R}/src/app.py", "deny use-worktree-path"),
    ("Write", "{R}/only_main.txt", "deny only-in-main"),
    ("Write", "{W2}/src/new.py", "deny other-worktree"),
    ("Write", "{R}/.git/hooks/pre-commit", "deny git-folder"),
    ("Write", "{W}/.git", "deny git-folder"),
]


def _bound(build: Callable[[Path], World]) -> Callable[[Path], World]:
    def made(root: Path) -> World:
        world = build(root)
        world.bind()
        world.sh('echo d > "$R/only_main.txt"')
        return world
    return made


@pytest.mark.parametrize("layout", [*LAYOUTS, "a thousand registrations"])
def test_a_bound_repository_answers_alike_however_it_lies(worlds: Worlds, layout: str) -> None:
    world = worlds.fresh(f"layout {layout}, bound", _bound(LAYOUTS.get(layout, thousand_registrations)))
    folders = FOLDERS + MORE_FOLDERS if layout in ("beside", "nested", "symlinked root") else FOLDERS
    found = {(tool, path, cwd): outcome(ask(world, tool, path, cwd)) for tool, path, _ in ROWS for cwd in folders}
    assert found == {(tool, path, cwd): expected(world, wanted) for tool, path, wanted in ROWS for cwd in folders}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_relative_path_means_the_folder_the_call_stands_in(worlds: Worlds, layout: str) -> None:
    world = worlds.fresh(f"layout {layout}, bound", _bound(LAYOUTS[layout]))
    assert write(world, "new.py", "{W}/src") == "allow"
    assert write(world, "new.py", "{R}/src") == expected(world, "move {W}/src/new.py")
    assert write(world, "new.py", "{W2}/src") == "deny other-worktree"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_refusal_names_a_path_that_then_passes(worlds: Worlds, layout: str) -> None:
    world = worlds.fresh(f"layout {layout}, bound", _bound(LAYOUTS[layout]))
    reason = ask(world, "Edit", "{R}/src/app.py").reason
    named_path = reason.partition("Edit with file_path ")[2].partition(" (Read it")[0]
    assert os.path.realpath(named_path) == os.path.realpath(world.W / "src/app.py")
    assert outcome(ask(world, "Edit", named_path)) == "allow"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_unbound_main_is_open_and_the_net_holds(worlds: Worlds, layout: str) -> None:
    world = worlds.fresh(layout, LAYOUTS[layout])
    assert write(world, "{R}/src/new.py") == "allow"
    assert write(world, "{W}/src/new.py", "{W}") == "allow", "the worktree it stands in"
    refused = ask(world, "Write", "{W}/src/new.py")
    assert outcome(refused) == "deny other-worktree"
    command = refused.reason.partition("Instead: ")[2].partition(" if you were told")[0]
    assert shlex.split(command) == ["wt", "enter", os.path.realpath(world.W)]
    assert write(world, "{R}/.git/config") == "deny git-folder"


def test_an_accidental_bare_flag_does_not_open_the_main_checkout(worlds: Worlds) -> None:
    world = worlds.fresh("layout beside, bound", _bound(beside))
    world.git("config", "core.bare", "true")
    assert write(world, "{W}/src/new.py") == "allow"
    assert write(world, "{R}/src/new.py") == expected(world, "move {W}/src/new.py")


def test_a_file_name_in_other_letters_is_another_file(worlds: Worlds) -> None:
    world = worlds.fresh("layout beside, bound", _bound(beside))
    (world.W / NFC).write_text("x")
    assert outcome(ask(world, "Edit", f"{{R}}/{NFC}")) == "deny use-worktree-path"
    moved = ask(world, "Write", f"{{R}}/{NFD}").input
    assert moved is not None
    assert moved["file_path"] == str(world.W / NFD), "the caller's letters are kept"


@pytest.mark.parametrize("name", ["-rf", "--", " ", "a b ", "x\ny", "\t", "'", '"$(id)"', "*", "ü", "file\\name"])
def test_odd_file_names_move_as_they_are(worlds: Worlds, name: str) -> None:
    world = worlds.fresh("layout beside, bound", _bound(beside))
    moved = ask(world, "Write", "{R}/src/" + name).input
    assert moved is not None
    assert moved["file_path"] == str(world.W / "src") + "/" + name
    assert outcome(world.hook("Write", moved)) == "allow"


# --- links -----------------------------------------------------------------------------------------------------------

@pytest.fixture
def linked(worlds: Worlds) -> World:
    """W/vendor leads out of W to OUT, W/modules to R's; R has a real folder in both places. W/inner stays in W."""
    world = worlds.fresh("layout beside, bound", _bound(beside))
    world.sh('mkdir "$R/vendor" "$R/modules"; for f in "$R/vendor/a" "$R/modules/a" "$OUT/a"; do echo 1 > "$f"; done\n'
             'ln -s "$OUT" "$W/vendor"; ln -s "$R/modules" "$W/modules"; ln -s src "$W/inner"; ln -s "$OUT/a" "$W/one"\n'
             'ln -s "$R/src" "$OUT/way"; ln -s "$W" "$OUT/own"')
    return world


LINKS = [
    ("a link that stays in W", "Write", "{W}/inner/new.py", "allow"),
    ("reading through a link out", "Read", "{W}/vendor/a", "allow"),
    ("a link from outside into W", "Write", "{OUT}/own/src/new.py", "allow"),
    ("a link from outside into R", "Read", "{OUT}/way/app.py", "move {W}/src/app.py"),
    ("a link from outside into R, edited", "Edit", "{OUT}/way/app.py", "deny use-worktree-path"),
    ("a folder behind a link out", "Write", "{W}/vendor/a", "deny link-leaves-worktree"),
    ("a new file behind a link out", "Write", "{W}/vendor/new", "deny link-leaves-worktree"),
    ("a linked file", "Write", "{W}/one", "deny link-leaves-worktree"),
    ("a link to R's folder", "Write", "{W}/modules/new", "deny link-leaves-worktree"),
    ("R's file, whose twin is behind a link out", "Edit", "{R}/vendor/a", "deny link-leaves-worktree"),
    ("R's new file, whose twin would be behind a link out", "Write", "{R}/vendor/new", "deny link-leaves-worktree"),
    ("R's new file, whose twin would be R's own again", "Write", "{R}/modules/new", "deny link-leaves-worktree"),
]


@pytest.mark.parametrize(("_id", "tool", "path", "wanted"), LINKS, ids=[row[0] for row in LINKS])
@pytest.mark.parametrize("client", ["claude-code", "zcode"])
def test_links_that_leave_the_worktree(linked: World, _id: str, tool: str, path: str, wanted: str, client: str) -> None:
    if client == "zcode" and wanted == "deny use-worktree-path":
        wanted = "move {W}/src/app.py"
    assert outcome(ask(linked, tool, path, client=client)) == expected(linked, wanted)


def test_a_link_that_the_owner_names_may_be_written_through(linked: World) -> None:
    settings(linked, sync={"symlink_dirs": ["vendor"]})
    assert write(linked, "{W}/vendor/new") == "allow"
    assert write(linked, "{W}/modules/new") == "deny link-leaves-worktree", "the other link is not named"


def test_a_link_into_gits_folder_is_never_written_through(linked: World) -> None:
    settings(linked, sync={"symlink_dirs": ["store"]})
    linked.sh('ln -s "$R/.git" "$W/store"; mkdir "$OUT/store"')
    assert write(linked, "{OUT}/store/new") == "allow"
    assert write(linked, "{W}/store/hooks/pre-commit") == "deny git-folder"


def test_unbound_a_link_into_another_worktree_is_seen_through(worlds: Worlds) -> None:
    world = worlds.fresh("beside", beside)
    world.sh('ln -s "$W" "$R/way"; ln -s "$OUT" "$R/free"')
    assert write(world, "{R}/free/new") == "allow"
    assert write(world, "{R}/way/src/new.py") == "deny other-worktree"


# --- bare repositories -----------------------------------------------------------------------------------------------

BARE = r"""set -e
git init -q -b main "$R/seed"; cd "$R/seed"; mkdir src; echo 'value = 1' > src/app.py; git add -A; git commit -qm base
git clone -q --bare "$R/seed" "$STORE"; rm -rf "$R/seed"; cd "$STORE"
git worktree add -q "$W" -b wt/x; git worktree add -q "$W2" -b wt/y
"""


def bare_beside(root: Path) -> World:
    """all/app.git is bare, its worktrees beside it."""
    return _bare(World(root, root / "all", root / "all/x", root / "all/y", root / "out"), root / "all/app.git")


def bare_inside(root: Path) -> World:
    """proj/.git is bare, its worktrees in proj."""
    return _bare(World(root, root / "proj", root / "proj/x", root / "proj/y", root / "out"), root / "proj/.git")


def _bare(world: World, store: Path) -> World:
    home_with_identity(world.root)
    world.OUT.mkdir()
    world.sh(f"STORE={shlex.quote(str(store))}\n{BARE}")
    done = world.wt("enter", str(world.W), cwd=world.W)
    assert done.returncode == 0, done.stderr
    return world


def store_of(world: World) -> str:
    return str(world.state.parent)


@pytest.mark.parametrize("build", [bare_beside, bare_inside])
@pytest.mark.parametrize("cwd", ["{W}", "{W}/src", "{W2}"])
def test_bare_repositories_have_worktrees_and_no_main_checkout(worlds: Worlds, build: Callable[[Path], World], cwd: str) -> None:
    world = worlds.fresh(build.__name__, build)
    assert write(world, "{W}/src/new.py", cwd) == "allow"
    assert write(world, "{R}/notes.md", cwd) == "allow", "the folder that holds the worktrees is no checkout"
    assert read(world, "{W2}/src/app.py", cwd) == "allow"
    assert write(world, "{W2}/src/new.py", cwd) == "deny other-worktree"
    assert write(world, store_of(world) + "/config", cwd) == "deny git-folder"


def test_a_session_started_above_a_bare_git_folder_is_in_that_repository(worlds: Worlds) -> None:
    """git finds proj/.git from proj, so the repository's binding holds there as well."""
    world = worlds.fresh("bare_inside", bare_inside)
    assert world.git("rev-parse", "--git-common-dir", cwd=world.R) == ".git"
    assert write(world, "{W}/src/new.py", "{R}") == "allow"
    assert write(world, "{R}/notes.md", "{R}") == "allow"
    assert write(world, "{W2}/src/new.py", "{R}") == "deny other-worktree"
    assert write(world, "{R}/.git/config", "{R}") == "deny git-folder"


def test_settings_beside_a_bare_repository_are_the_owners(worlds: Worlds) -> None:
    world = worlds.fresh("bare_inside", bare_inside)
    (world.R / ".worktree-guard.json").write_text('{"sync": {"symlink_dirs": ["vendor"]}}')
    world.sh('ln -s "$OUT" "$W/vendor"; ln -s "$OUT" "$W/other"')
    assert write(world, "{W}/vendor/new", "{W}") == "allow", "they are read"
    assert write(world, "{W}/other/new", "{W}") == "deny link-leaves-worktree"
    assert write(world, "{R}/notes.json", "{W}") == "allow"
    assert write(world, "{R}/.worktree-guard.json", "{W}") == "ask guard-settings"


# --- git folders elsewhere -------------------------------------------------------------------------------------------

@pytest.mark.parametrize("layout", ["beside", "separate git dir", "git folder is a link"])
@pytest.mark.parametrize("project", ["{R}", ""])
def test_settings_of_the_main_checkout_count_from_the_worktree(worlds: Worlds, layout: str, project: str) -> None:
    world = worlds.fresh(f"layout {layout}, bound", _bound(LAYOUTS[layout]))
    world.extra["CLAUDE_PROJECT_DIR"] = world.fill(project)
    settings(world, sync={"symlink_dirs": ["vendor"]})
    world.sh('ln -s "$OUT" "$W/vendor"; ln -s "$OUT" "$W/other"')
    assert write(world, "{W}/vendor/new", "{W}") == "allow"
    assert write(world, "{W}/other/new", "{W}") == "deny link-leaves-worktree"


@pytest.mark.parametrize("layout", ["beside", "separate git dir", "git folder is a link"])
@pytest.mark.parametrize("cwd", ["{R}", "{W}"])
def test_a_helper_told_of_the_main_checkout_is_noticed(worlds: Worlds, layout: str, cwd: str) -> None:
    world = worlds.fresh(f"layout {layout}, bound", _bound(LAYOUTS[layout]))
    assert outcome(ask(world, "Agent", "work in {W}/src", cwd)) == "allow"
    assert outcome(ask(world, "Agent", "work in {R}/src", cwd)) == "note"


def test_a_nested_foreign_repository_is_its_own_affair(worlds: Worlds) -> None:
    world = worlds.fresh("layout beside, bound", _bound(beside))
    world.sh('git init -q "$R/lib/foreign"; echo 1 > "$R/lib/foreign/a"; echo 1 > "$R/lib/b"')
    assert write(world, "{R}/lib/foreign/a") == "allow"
    assert write(world, "{R}/lib/foreign/.git/config") == "allow"
    assert write(world, "{R}/lib/b") == "deny only-in-main", "beside it, R's own rules hold"


def test_a_copied_worktree_folder_is_not_the_worktree(worlds: Worlds) -> None:
    world = worlds.fresh("layout beside, bound", _bound(beside))
    world.sh('cp -a "$W" "$W-copy"; cp -a "$W" "$OUT/plain"; rm "$OUT/plain/.git"')
    assert write(world, "{OUT}/plain/src/new.py") == "allow"
    assert write(world, "{W}-copy/src/new.py") == "deny other-worktree"


# --- submodules ------------------------------------------------------------------------------------------------------

def with_submodule(root: Path) -> World:
    world = make_world(root)
    world.sh('git init -q -b main "$OUT/lib"; cd "$OUT/lib"; echo "value = 1" > lib.py; git add -A; git commit -qm lib\n'
             'cd "$R"; git submodule --quiet add "$OUT/lib" sub; git commit -qm sub\n'
             'git -C "$W2" stash -q; for w in "$W" "$W2"; do git -C "$w" merge -q -m up main; done')
    world.bind()
    return world


@pytest.fixture
def modular(worlds: Worlds) -> World:
    """R has the submodule `sub`; W and W2 have it recorded and not initialised."""
    return worlds.fresh("submodule", with_submodule)


def initialise(world: World, at: Path) -> None:
    world.git("submodule", "--quiet", "update", "--init", "sub", cwd=at)


@pytest.mark.parametrize("cwd", ["{R}", "{R}/sub", "{W}", "{OUT}"])
def test_a_submodule_the_worktree_has_not_set_up(modular: World, cwd: str) -> None:
    assert outcome(ask(modular, "Read", "{R}/sub/lib.py", cwd)) == "note"
    refused = ask(modular, "Edit", "{R}/sub/lib.py", cwd)
    assert outcome(refused) == "deny submodule-missing"
    command = refused.reason.partition("Instead: ")[2].partition(", then use ")[0]
    modular.sh(command)
    assert outcome(ask(modular, "Edit", "{W}/sub/lib.py", cwd)) == "allow", "what the refusal says works"


@pytest.mark.parametrize("cwd", ["{R}", "{R}/sub", "{W}/sub"])
def test_a_submodule_the_worktree_has(modular: World, cwd: str) -> None:
    initialise(modular, modular.W)
    assert write(modular, "{W}/sub/new.py", cwd) == "allow"
    assert read(modular, "{R}/sub/lib.py", cwd) == expected(modular, "move {W}/sub/lib.py")
    assert write(modular, "{R}/sub/new.py", cwd) == expected(modular, "move {W}/sub/new.py")
    assert outcome(ask(modular, "Edit", "{R}/sub/lib.py", cwd)) == "deny use-worktree-path"
    assert write(modular, "{R}/sub/.git", cwd) == "deny git-folder"
    assert write(modular, "{R}/.git/modules/sub/config", cwd) == "deny git-folder"


def test_relative_paths_from_inside_a_submodule(modular: World) -> None:
    initialise(modular, modular.W)
    assert write(modular, "new.py", "{W}/sub") == "allow"
    assert write(modular, "new.py", "{R}/sub") == expected(modular, "move {W}/sub/new.py")
    assert write(modular, "../src/new.py", "{W}/sub") == "allow"
    assert write(modular, "../src/new.py", "{R}/sub") == expected(modular, "move {W}/src/new.py")


def test_a_submodule_in_another_worktree_is_that_worktrees(modular: World) -> None:
    initialise(modular, modular.W)
    initialise(modular, modular.W2)
    assert write(modular, "{W}/sub/new.py", "{W2}/sub") == "allow"
    assert write(modular, "{W2}/sub/new.py", "{W2}/sub") == "deny other-worktree"


def test_a_worktree_of_the_submodule_itself(modular: World) -> None:
    own = modular.OUT / "sub-own"
    modular.git("worktree", "add", "-q", str(own), "-b", "sub/x", cwd=modular.R / "sub")
    enter(modular, str(own), cwd=modular.R / "sub")
    assert write(modular, f"{own}/new.py", "{R}/sub") == "allow"
    assert write(modular, "{R}/sub/new.py", "{R}/sub") == f"move {own}/new.py"
    assert write(modular, "{R}/src/new.py", "{R}") == expected(modular, "move {W}/src/new.py"), "R keeps its own binding"
    assert write(modular, "{R}/.git/modules/sub/config", "{R}/sub") == "deny git-folder"


# --- who is bound ----------------------------------------------------------------------------------------------------

def test_a_session_is_bound_alone(worlds: Worlds) -> None:
    world = worlds.fresh("beside", beside)
    enter(world, str(world.W), "--session", SESSION)
    assert write(world, "{R}/src/new.py", session_id=OTHER_SESSION) == "allow"
    assert read(world, "{R}/src/app.py", session_id=OTHER_SESSION) == "allow"
    assert write(world, "{R}/src/new.py") == expected(world, "move {W}/src/new.py")
    assert write(world, "{W}/src/new.py") == "allow"
    assert write(world, "{W}/src/new.py", session_id=OTHER_SESSION) == "deny other-worktree"


def test_two_sessions_in_two_worktrees(worlds: Worlds) -> None:
    world = worlds.fresh("beside", beside)
    enter(world, str(world.W), "--session", SESSION)
    enter(world, str(world.W2), "--session", OTHER_SESSION)
    for session, own, other in ((SESSION, "{W}", "{W2}"), (OTHER_SESSION, "{W2}", "{W}")):
        assert write(world, own + "/src/new.py", session_id=session) == "allow"
        assert write(world, "{R}/src/new.py", session_id=session) == expected(world, f"move {own}/src/new.py")
        assert write(world, other + "/src/new.py", session_id=session) == "deny other-worktree"


def test_the_repositorys_binding_holds_for_every_session_without_its_own(worlds: Worlds) -> None:
    world = worlds.fresh("layout beside, bound", _bound(beside))
    enter(world, str(world.W2), "--session", OTHER_SESSION)
    assert write(world, "{R}/src/new.py") == expected(world, "move {W}/src/new.py")
    assert write(world, "{R}/src/new.py", session_id=None) == expected(world, "move {W}/src/new.py")
    assert write(world, "{R}/src/new.py", session_id=OTHER_SESSION) == expected(world, "move {W2}/src/new.py"), "its own goes first"
    assert write(world, "{W2}/src/new.py", session_id=OTHER_SESSION) == "allow"
    assert write(world, "{W2}/src/new.py") == "deny other-worktree"


def test_leaving_ends_the_binding(worlds: Worlds) -> None:
    world = worlds.fresh("beside", beside)
    enter(world, str(world.W), "--session", SESSION)
    assert write(world, "{R}/src/app.py") == "deny use-worktree-path"
    assert world.wt("leave", "--session", SESSION).returncode == 0
    assert write(world, "{R}/src/app.py") == "allow"


@pytest.mark.parametrize("change", [{"ended_at": "2026-01-01T00:00:00Z"}, {"active": False}, {"client_pid": 2**22 + 1}])
def test_an_ended_session_binds_nobody(worlds: Worlds, change: dict[str, Any]) -> None:
    world = worlds.fresh("layout beside, bound", _bound(beside))
    assert write(world, "{R}/src/app.py") == "deny use-worktree-path"
    rewrite(world, "state.json", lambda found: found.update(change))
    assert write(world, "{R}/src/app.py") == "allow"


def test_a_reused_process_number_is_not_the_client(worlds: Worlds) -> None:
    world = worlds.fresh("layout beside, bound", _bound(beside))
    started = Path("/proc/self/stat")
    if not started.exists():
        pytest.skip("needs /proc")
    ours = started.read_text().rpartition(")")[2].split()[19]
    rewrite(world, "state.json", lambda found: found.update(client_pid=os.getpid(), client_started=ours))
    assert write(world, "{R}/src/app.py") == "deny use-worktree-path"
    rewrite(world, "state.json", lambda found: found.update(client_started="1"))
    assert write(world, "{R}/src/app.py") == "allow"


PARENT, CHILD = "sess_0001", "sess_subagent_0002"


def test_zcodes_subagents_follow_the_session_that_entered(worlds: Worlds) -> None:
    world = worlds.fresh("beside", beside)
    enter(world, str(world.W), ZCODE_SESSION_ID=PARENT)
    assert record(world, "state.json")["client"] == "zcode"
    for session in (PARENT, CHILD):
        assert write(world, "{W}/src/new.py", client="zcode", session_id=session) == "allow"
        assert write(world, "{R}/src/new.py", client="zcode", session_id=session) == expected(world, "move {W}/src/new.py")
    assert write(world, "{R}/src/new.py", client="zcode", session_id="sess_0003") == "allow", "another session"


def test_ids_like_zcodes_mean_nothing_elsewhere(worlds: Worlds) -> None:
    world = worlds.fresh("beside", beside)
    enter(world, str(world.W), ZCODE_SESSION_ID=PARENT)
    assert write(world, "{R}/src/new.py", session_id=CHILD) == "allow", "another client's session of that name"
    enter(world, str(world.W), CLAUDE_CODE_SESSION_ID=SESSION)
    assert record(world, "state.json")["client"] == "claude-code"
    assert write(world, "{R}/src/new.py", client="zcode", session_id=CHILD) == "allow", "the session that entered is no ZCode"
    assert write(world, "{R}/src/new.py") == expected(world, "move {W}/src/new.py")


def test_an_agent_in_its_own_worktree_is_bound_to_it(worlds: Worlds) -> None:
    world = worlds.fresh("layout beside, bound", _bound(beside))
    for cwd in ("{W2}", "{W2}/src"):
        assert write(world, "{W2}/src/new.py", cwd, agent_id="a1") == "allow"
        assert write(world, "{R}/src/new.py", cwd, agent_id="a1") == expected(world, "move {W2}/src/new.py")
        assert write(world, "{W}/src/new.py", cwd, agent_id="a1") == "deny other-worktree"
        assert write(world, "{W2}/src/new.py", cwd) == "deny other-worktree", "the same call of the session itself"
    assert write(world, "{R}/src/new.py", "{R}", agent_id="a1") == expected(world, "move {W}/src/new.py"), "an agent in R is its session's"


def test_an_agent_in_a_submodule_of_its_worktree_is_still_in_it(modular: World) -> None:
    initialise(modular, modular.W2)
    assert write(modular, "{W2}/sub/new.py", "{W2}", agent_id="a1") == "allow"
    assert write(modular, "{W2}/sub/new.py", "{W2}/sub", agent_id="a1") == "allow"
    assert write(modular, "{W}/src/new.py", "{W2}/sub", agent_id="a1") == "deny other-worktree"


def test_a_session_started_in_a_worktree_is_bound_to_it(worlds: Worlds) -> None:
    world = worlds.fresh("beside", beside)
    world.extra["CLAUDE_PROJECT_DIR"] = str(world.W2)
    assert write(world, "{W2}/src/new.py", "{W2}") == "allow"
    assert write(world, "{R}/src/new.py", "{W2}") == expected(world, "move {W2}/src/new.py")
    assert write(world, "{R}/src/new.py", "{R}") == expected(world, "move {W2}/src/new.py")
    assert write(world, "{W}/src/new.py", "{W2}") == "deny other-worktree"


def test_a_session_started_in_a_folder_of_a_worktree_is_bound_to_it(worlds: Worlds) -> None:
    world = worlds.fresh("beside", beside)
    world.extra["CLAUDE_PROJECT_DIR"] = str(world.W2 / "src")
    assert write(world, "{W2}/src/new.py", "{W2}") == "allow"
    assert write(world, "{R}/src/new.py", "{W2}") == expected(world, "move {W2}/src/new.py")


def test_implicit_binding_can_be_switched_off(worlds: Worlds) -> None:
    world = worlds.fresh("beside", beside)
    world.extra["CLAUDE_PROJECT_DIR"] = str(world.W2)
    settings(world, implicit=False)
    assert write(world, "{R}/src/new.py", "{W2}") == "allow"
    assert write(world, "{W2}/src/new.py", "{W2}") == "allow"
    assert write(world, "{W}/src/new.py", "{W2}") == "deny other-worktree", "the net is always on"


def test_a_mere_cd_binds_nobody(worlds: Worlds) -> None:
    world = worlds.fresh("beside", beside)
    assert world.env["CLAUDE_PROJECT_DIR"] == str(world.R)
    assert write(world, "{R}/src/app.py", "{W2}") in ("allow", "note")
    world.extra["CLAUDE_PROJECT_DIR"] = str(world.W2)
    assert write(world, "{R}/src/app.py", "{W2}") == "deny use-worktree-path"


def test_who_comes_first_session_then_start_then_repository(worlds: Worlds) -> None:
    world = worlds.fresh("layout beside, bound", _bound(beside))
    world.extra["CLAUDE_PROJECT_DIR"] = str(world.W2)
    assert write(world, "{R}/src/new.py", "{W2}") == expected(world, "move {W2}/src/new.py")
    enter(world, str(world.W), "--session", SESSION)
    assert write(world, "{R}/src/new.py", "{W2}") == expected(world, "move {W}/src/new.py")


def test_the_worktree_that_a_living_binding_gave_away_is_not_an_unbound_callers(worlds: Worlds) -> None:
    world = worlds.fresh("beside", beside)
    enter(world, str(world.W), "--session", SESSION)
    assert write(world, "{W2}/src/new.py", "{W2}", session_id=OTHER_SESSION) == "allow"
    assert write(world, "{W}/src/new.py", "{W}", session_id=OTHER_SESSION) == "deny other-worktree"


# --- modes and settings ----------------------------------------------------------------------------------------------

def test_mode_protect_keeps_an_unbound_session_out_of_main(worlds: Worlds) -> None:
    world = worlds.fresh("beside", beside)
    assert write(world, "{R}/src/app.py") == "allow"
    settings(world, mode="protect", main_write_allow=["docs/"])
    assert read(world, "{R}/src/app.py") == "allow"
    assert write(world, "{R}/docs/new.md") == "allow"
    assert write(world, "{OUT}/a") == "allow"
    assert write(world, "{W}/src/new.py", "{W}") == "allow"
    for path in ("{R}/src/app.py", "{R}/src/new.py", "{R}/.env"):
        refused = ask(world, "Write", path)
        assert outcome(refused) == "deny main-protected"
        assert "wt enter " in refused.reason


PATTERNS = [
    ("a folder", ["docs/"], ["docs/notes.md", "docs/new/er.md"], ["src/app.py", "docs2/a", "src/docs"]),
    ("a file by name", ["TODO.md"], ["TODO.md", "src/TODO.md"], ["TODO.md.txt", "src/app.py"]),
    ("an anchored file", ["/TODO.md"], ["TODO.md"], ["src/TODO.md"]),
    ("taken back", ["docs/**", "!docs/secret.md"], ["docs/notes.md"], ["docs/secret.md"]),
    ("everything is nothing", ["**", "*", "/", "  "], [], ["docs/notes.md", "src/app.py", "new"]),
]


@pytest.mark.parametrize(("_id", "patterns", "opens", "keeps"), PATTERNS, ids=[row[0] for row in PATTERNS])
def test_main_write_allow(worlds: Worlds, _id: str, patterns: list[str], opens: list[str], keeps: list[str]) -> None:
    world = worlds.fresh("layout beside, bound", _bound(beside))
    settings(world, main_write_allow=patterns)
    assert {path: write(world, "{R}/" + path) for path in opens} == dict.fromkeys(opens, "allow")
    assert {path: read(world, "{R}/" + path) for path in opens} == dict.fromkeys(opens, "allow"), "read where it is written"
    for path in keeps:
        there = (world.W / path).exists()
        assert write(world, "{R}/" + path) == ("deny use-worktree-path" if there else expected(world, "move {W}/" + path))


def test_main_write_allow_opens_main_alone(worlds: Worlds) -> None:
    world = worlds.fresh("layout beside, bound", _bound(beside))
    settings(world, main_write_allow=["src/", ".git/", "hooks/"])
    assert write(world, "{R}/src/app.py") == "allow"
    assert write(world, "{W2}/src/app.py") == "deny other-worktree"
    assert write(world, "{R}/.git/hooks/pre-commit") == "deny git-folder"


def test_a_worktrees_copy_of_the_settings_does_not_count(worlds: Worlds) -> None:
    world = worlds.fresh("layout beside, bound", _bound(beside))
    (world.W / ".worktree-guard.json").write_text('{"main_write_allow": ["src/"]}')
    assert write(world, "{R}/src/app.py", "{W}") == "deny use-worktree-path"
    settings(world, main_write_allow=["src/"])
    assert write(world, "{R}/src/app.py", "{W}") == "allow"


SETTINGS_FILES = [".worktree-guard.json", ".claude/worktree-guard.json", ".zcode/worktree-guard.json"]


@pytest.mark.parametrize("name", SETTINGS_FILES)
def test_an_agent_that_writes_the_settings_asks(worlds: Worlds, name: str) -> None:
    world = worlds.fresh("beside", beside)
    world.sh('ln -s "$R" "$OUT/way"')
    assert write(world, "{R}/.claude/settings.json") == "allow"
    assert read(world, "{R}/" + name) == "allow"
    assert write(world, "{R}/" + name) == "ask guard-settings"
    assert write(world, "{OUT}/way/" + name) == "ask guard-settings"
    assert write(world, name) == "ask guard-settings"


@pytest.mark.parametrize("name", SETTINGS_FILES)
def test_a_bound_agent_never_writes_the_settings_of_main(worlds: Worlds, name: str) -> None:
    world = worlds.fresh("layout beside, bound", _bound(beside))
    assert write(world, "{R}/" + name) in (expected(world, "move {W}/" + name), "ask guard-settings")


@pytest.mark.parametrize("name", SETTINGS_FILES)
def test_authorised_main_does_not_include_the_settings(worlds: Worlds, name: str) -> None:
    world = worlds.fresh("beside", beside)
    settings(world, mode="protect")
    assert write(world, "{R}/other.json") == "deny main-protected"
    assert world.wt("authorize-main", "--reason", "t").returncode == 0
    assert write(world, "{R}/other.json") == "allow"
    assert write(world, "{R}/" + name) == "ask guard-settings"


@pytest.mark.parametrize("name", SETTINGS_FILES)
def test_a_pattern_that_opens_a_folder_does_not_include_the_settings(worlds: Worlds, name: str) -> None:
    """What the owner left writable must not let the agent open more."""
    world = worlds.fresh("layout beside, bound", _bound(beside))
    (world.R / name).parent.mkdir(exist_ok=True)
    (world.R / name).write_text(json.dumps({"main_write_allow": ["*.json", ".claude/", ".zcode/"]}))
    assert write(world, "{R}/.claude/other.json") == "allow"
    assert write(world, "{R}/" + name) != "allow"


@pytest.mark.parametrize("name", SETTINGS_FILES[1:])
def test_an_allowed_folder_does_not_include_the_settings(worlds: Worlds, name: str) -> None:
    world = worlds.fresh("layout beside, bound", _bound(beside))
    folder = str(Path(name).parent)
    assert world.wt("allow", folder, "--reason", "t").returncode == 0
    assert write(world, f"{{R}}/{folder}/other.json") == "allow"
    assert write(world, "{R}/" + name) != "allow"


@pytest.mark.parametrize(("asks", "wanted"), [("ask", "ask guard-settings"), ("deny", "deny guard-settings"), ("pass", "allow")])
def test_what_becomes_of_questions_is_the_owners_choice(worlds: Worlds, asks: str, wanted: str) -> None:
    world = worlds.fresh("beside", beside)
    settings(world, asks=asks)
    answer = ask(world, "Write", "{R}/.worktree-guard.json")
    assert (f"{answer.kind} guard-settings" if answer.kind != "allow" else "allow") == wanted


# --- a person's leave ------------------------------------------------------------------------------------------------

@pytest.fixture
def bound_repo(worlds: Worlds) -> World:
    return worlds.fresh("layout beside, bound", _bound(beside))


def authorise(world: World, *words: str) -> None:
    done = world.wt("authorize-main", "--reason", "a test", *words)
    assert done.returncode == 0, done.stderr


REFUSED = "deny use-worktree-path"
APP = "{R}/src/app.py"


def test_authorised_main_is_written_and_read_in_place(bound_repo: World) -> None:
    assert write(bound_repo, APP) == REFUSED
    authorise(bound_repo)
    assert write(bound_repo, APP) == "allow"
    assert read(bound_repo, APP) == "allow"
    assert write(bound_repo, "{R}/only_main.txt") == "allow"
    assert write(bound_repo, "{W2}/src/app.py") == "deny other-worktree"
    assert write(bound_repo, "{R}/.git/config") == "deny git-folder"


def test_revoking_ends_it_at_once(bound_repo: World) -> None:
    authorise(bound_repo)
    assert write(bound_repo, APP) == "allow"
    assert bound_repo.wt("revoke-main").returncode == 0
    assert write(bound_repo, APP) == REFUSED


@pytest.mark.parametrize("end", [PAST, "", "never", None])
def test_a_leave_ends(bound_repo: World, end: str | None) -> None:
    """Past its end, and where no end can be read: an entry that somebody wrote by hand is not for ever."""
    authorise(bound_repo)
    assert write(bound_repo, APP) == "allow"
    rewrite(bound_repo, "override.json", lambda found: found["authorisations"][0].update(expires_at=end))
    assert ask(bound_repo, "Write", APP).rule == "use-worktree-path"


def test_once_is_good_for_one_call(bound_repo: World) -> None:
    authorise(bound_repo, "--once")
    assert read(bound_repo, APP, tool_use_id="toolu_0") == "allow", "reading uses nothing up"
    assert write(bound_repo, APP, tool_use_id="toolu_1") == "allow"
    assert write(bound_repo, APP, tool_use_id="toolu_1") == "allow", "the same call, asked again"
    assert write(bound_repo, APP, tool_use_id="toolu_2") == REFUSED


def test_once_without_a_call_id_is_still_once(bound_repo: World) -> None:
    authorise(bound_repo, "--once")
    assert write(bound_repo, APP, tool_use_id=None) == "allow"
    assert write(bound_repo, APP, tool_use_id=None) == REFUSED


def test_a_refused_call_uses_nothing_up(bound_repo: World) -> None:
    authorise(bound_repo, "--once")
    given = {"source": "{R}/src/app.py", "destination": "{W2}/src/app.py"}
    assert outcome(bound_repo.hook("mcp__fs__move_file", given, tool_use_id="toolu_1")) == "deny other-worktree"
    assert write(bound_repo, APP, tool_use_id="toolu_2") == "allow"


def test_once_among_many_calls_at_the_same_time(bound_repo: World) -> None:
    authorise(bound_repo, "--once")
    running = []
    for n in range(8):
        document = bound_repo.document("Write", {"file_path": APP, "content": ""}, tool_use_id=f"toolu_{n}")
        given = bound_repo.root / f"call-{n}.json"
        given.write_text(json.dumps(document))
        with given.open("rb") as stdin:
            running.append(subprocess.Popen([sys.executable, "-I", "-S", str(HOOK), "--client", "claude-code"], stdin=stdin,
                                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=bound_repo.env, cwd=bound_repo.R))
    answers = [process.communicate(timeout=20) for process in running]
    assert [stderr for _, stderr in answers] == [b""] * 8
    assert sorted(not stdout for stdout, _ in answers) == [False] * 7 + [True], "one passes, seven are refused"


@pytest.mark.parametrize(("only", "wanted"), [("write", "allow"), ("push", REFUSED), ("merge", REFUSED)])
def test_only_for_one_thing(bound_repo: World, only: str, wanted: str) -> None:
    authorise(bound_repo, "--only", only)
    assert write(bound_repo, APP) == wanted


def test_only_on_one_branch(bound_repo: World) -> None:
    authorise(bound_repo, "--branch", "release")
    assert write(bound_repo, APP) == REFUSED
    bound_repo.git("switch", "-q", "-c", "release")
    assert write(bound_repo, APP) == "allow"


def test_only_for_one_session(bound_repo: World) -> None:
    authorise(bound_repo, "--session", OTHER_SESSION)
    assert write(bound_repo, APP, session_id=OTHER_SESSION) == "allow"
    assert write(bound_repo, APP) == REFUSED


@pytest.mark.parametrize("layout", ["separate git dir", "git folder is a link", "nested"])
@pytest.mark.parametrize("cwd", ["{R}", "{W}"])
def test_authorised_on_a_branch_in_other_layouts(worlds: Worlds, layout: str, cwd: str) -> None:
    world = worlds.fresh(f"layout {layout}, bound", _bound(LAYOUTS[layout]))
    authorise(world, "--branch", "main")
    assert write(world, APP, cwd) == "allow"
    world.git("switch", "-q", "-c", "release")
    assert write(world, APP, cwd) == REFUSED


def test_allow_opens_one_path_for_a_while(bound_repo: World) -> None:
    assert write(bound_repo, "{R}/docs/notes.md") == REFUSED
    done = bound_repo.wt("allow", "docs", "--reason", "a test")
    assert done.returncode == 0, done.stderr
    assert write(bound_repo, "{R}/docs/notes.md") == "allow"
    assert write(bound_repo, "{R}/docs/deep/new.md") == "allow"
    assert write(bound_repo, "{R}/docs2/new.md") == expected(bound_repo, "move {W}/docs2/new.md")
    assert write(bound_repo, APP) == REFUSED
    rewrite(bound_repo, "allow.json", lambda found: found["entries"][0].update(expires_at=PAST))
    assert write(bound_repo, "{R}/docs/notes.md") == REFUSED


def test_allow_is_for_its_session_and_ends_when_cleared(bound_repo: World) -> None:
    assert bound_repo.wt("allow", "docs", "--reason", "t", "--session", OTHER_SESSION).returncode == 0
    assert write(bound_repo, "{R}/docs/notes.md", session_id=OTHER_SESSION) == "allow"
    assert write(bound_repo, "{R}/docs/notes.md") == REFUSED
    assert bound_repo.wt("allow", "--clear").returncode == 0
    assert write(bound_repo, "{R}/docs/notes.md", session_id=OTHER_SESSION) == REFUSED


def test_allow_reaches_a_file_of_another_worktree_and_not_its_git_folder(bound_repo: World) -> None:
    assert bound_repo.wt("allow", str(bound_repo.W2), "--reason", "t").returncode == 0
    assert write(bound_repo, "{W2}/src/app.py") == "allow"
    assert write(bound_repo, "{W2}/.git") == "deny git-folder"


def test_a_permit_without_a_path_opens_nothing(bound_repo: World) -> None:
    assert bound_repo.wt("allow", "docs", "--reason", "t").returncode == 0
    assert write(bound_repo, "{R}/docs/notes.md") == "allow"
    rewrite(bound_repo, "allow.json", lambda found: found["entries"][0].update(path=""))
    assert write(bound_repo, "{R}/docs/notes.md") == REFUSED


# --- stale bindings --------------------------------------------------------------------------------------------------

def folder_removed(world: World) -> None:
    shutil.rmtree(world.W)


def folder_removed_and_pruned(world: World) -> None:
    shutil.rmtree(world.W)
    world.git("worktree", "prune")


def registration_removed(world: World) -> None:
    shutil.rmtree(world.R / ".git/worktrees/x")


def folder_replaced_by_a_plain_one(world: World) -> None:
    folder_removed_and_pruned(world)
    (world.W / "src").mkdir(parents=True)


STALE = [folder_removed, folder_removed_and_pruned, registration_removed, folder_replaced_by_a_plain_one]


@pytest.mark.parametrize("layout", ["beside", "nested"])
@pytest.mark.parametrize("lose", STALE)
def test_a_lost_worktree_refuses_writes_and_reads_go_on(worlds: Worlds, layout: str, lose: Callable[[World], None]) -> None:
    world = worlds.fresh(f"layout {layout}, bound", _bound(LAYOUTS[layout]))
    lose(world)
    assert read(world, APP) == "allow"
    assert outcome(ask(world, "Grep", "{R}")) == "allow"
    assert write(world, "{OUT}/a") == "allow"
    for path in (APP, "{R}/src/new.py", "{W}/src/new.py", "{W}/src/app.py", "{W}"):
        refused = ask(world, "Write", path)
        assert outcome(refused) == "deny stale-worktree", path
        assert "wt leave" in refused.reason
    assert write(world, "{W2}/src/app.py") == "deny other-worktree"
    assert not (world.W / "src/new.py").exists()


@pytest.mark.parametrize("layout", ["beside", "nested"])
def test_a_worktree_that_cannot_be_looked_at_is_not_gone(worlds: Worlds, layout: str) -> None:
    """The folder above it is a link that leads to itself: as with a closed folder, or a server that is away, nobody can tell."""
    world = worlds.fresh(f"layout {layout}, bound", _bound(LAYOUTS[layout]))
    world.W.parent.rename(world.root / "away")
    world.W.parent.symlink_to(world.W.parent)
    refused = ask(world, "Write", APP)
    assert (outcome(refused), "cannot be looked at" in refused.reason, "wt status" in refused.reason) == ("deny stale-worktree", True, True)
    assert outcome(world.hook("Bash", {"command": "git commit -am x"})) == "deny stale-worktree"
    assert read(world, APP) == "allow"
    assert world.wt_json("status")["binding"]["condition"] == "unreadable"
    assert f"mend the permissions of {world.W}" in world.wt("status").stdout
    world.W.parent.unlink()
    (world.root / "away").rename(world.W.parent)
    assert write(world, "{W}/src/new.py") == "allow"


@pytest.mark.parametrize("layout", ["beside", "nested"])
@pytest.mark.parametrize("lose", STALE)
def test_leaving_is_a_way_out(worlds: Worlds, layout: str, lose: Callable[[World], None]) -> None:
    world = worlds.fresh(f"layout {layout}, bound", _bound(LAYOUTS[layout]))
    lose(world)
    done = world.wt("leave")
    assert done.returncode == 0, done.stderr
    assert write(world, APP) == "allow"


@pytest.mark.parametrize("layout", ["beside", "nested"])
@pytest.mark.parametrize("lose", STALE)
def test_what_the_refusal_prints_works(worlds: Worlds, layout: str, lose: Callable[[World], None]) -> None:
    world = worlds.fresh(f"layout {layout}, bound", _bound(LAYOUTS[layout]))
    lose(world)
    instead = ask(world, "Write", APP).reason.partition("Instead: ")[2]
    if "wt enter" not in instead:
        assert "wt leave" in instead
        return
    done = world.wt(*shlex.split(instead.partition(" to make it again")[0])[1:])
    assert done.returncode == 0, done.stderr
    assert write(world, "{W}/src/new.py") == "allow"
    assert write(world, "{R}/src/new.py") == expected(world, "move {W}/src/new.py")


def test_stale_open_lets_main_be_written(bound_repo: World) -> None:
    folder_removed(bound_repo)
    assert write(bound_repo, APP) == "deny stale-worktree"
    settings(bound_repo, stale="open")
    assert write(bound_repo, APP) == "allow"


def test_a_lost_worktree_does_not_close_what_is_allowed(bound_repo: World) -> None:
    settings(bound_repo, main_write_allow=["docs/"])
    folder_removed(bound_repo)
    assert write(bound_repo, "{R}/docs/notes.md") == "allow"
    assert write(bound_repo, APP) == "deny stale-worktree"
    authorise(bound_repo)
    assert write(bound_repo, APP) == "allow"


def test_a_detached_worktree_is_noted(bound_repo: World) -> None:
    assert write(bound_repo, "{W}/src/app.py") == "allow"
    bound_repo.git("switch", "-q", "--detach", cwd=bound_repo.W)
    answer = ask(bound_repo, "Write", "{W}/src/app.py")
    assert outcome(answer) == "note"
    command = "git " + answer.note.partition(": git ")[2]
    bound_repo.sh(command)
    assert write(bound_repo, "{W}/src/app.py") == "allow", "the note says how"


def test_a_rebase_detaches_and_is_not_noted(bound_repo: World) -> None:
    bound_repo.git("switch", "-q", "--detach", cwd=bound_repo.W)
    assert write(bound_repo, "{W}/src/app.py") == "note"
    (bound_repo.R / ".git/worktrees/x/rebase-merge").mkdir()
    assert write(bound_repo, "{W}/src/app.py") == "allow"


def test_a_worktree_on_a_protected_branch_is_not_written(bound_repo: World) -> None:
    bound_repo.git("switch", "-q", "-c", "elsewhere")
    bound_repo.git("switch", "-q", "main", cwd=bound_repo.W)
    assert read(bound_repo, "{W}/src/app.py") == "allow"
    for path in ("{W}/src/app.py", "{R}/src/new.py"):
        refused = ask(bound_repo, "Write", path)
        assert outcome(refused) == "deny wrong-branch"
    bound_repo.sh(refused.reason.partition("Instead: ")[2].partition(", then")[0])
    assert write(bound_repo, "{W}/src/app.py") == "allow"


def test_a_worktree_on_another_branch_of_its_own_is_fine(bound_repo: World) -> None:
    bound_repo.git("switch", "-q", "-c", "wt/second", cwd=bound_repo.W)
    assert write(bound_repo, "{W}/src/app.py") == "allow"
    bound_repo.git("switch", "-q", "-c", "elsewhere")
    bound_repo.git("switch", "-q", "main", cwd=bound_repo.W)
    assert write(bound_repo, "{W}/src/app.py") == "deny wrong-branch"

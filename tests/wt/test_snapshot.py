"""`wt snapshot`: everything of a worktree is in the ref, and nothing else has changed. Judged by real git and by the bytes on disk."""
from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guard.wt import snapshots
from guard.wt.repository import open_repository
from tests.worlds import ROOT, World, home_with_identity
from tests.wt.test_enter import done, refused, small, wt

REFS = "refs/worktree-guard/snapshots/"
OPEN = """printf 'edited\\n' > src/app.py; echo staged > s; git add s; echo later > s; git rm -q docs/notes.md
echo loose > 'a loose file'; echo secret > .env; chmod +x src/util.py"""


@pytest.fixture
def plain(tmp_path: Path) -> World:
    return small(Path(os.path.realpath(tmp_path)))


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the copies of indexes go: it must be empty in the end."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def left_over() -> list[Path]:
    return sorted(Path(tempfile.gettempdir()).iterdir())


def refs(world: World, cwd: Path | None = None) -> list[str]:
    return world.git("for-each-ref", "--format=%(refname)", REFS, cwd=cwd).splitlines()


def admin(world: World, root: Path) -> Path:
    return Path(world.git("rev-parse", "--absolute-git-dir", cwd=root))


def files(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file and link below a folder, git's own left out: mode and bytes (or target)."""
    found = {}
    for at, folders, names in os.walk(os.fsencode(folder)):
        folders[:] = [name for name in folders if name != b".git"]
        for name in [*names, *(name for name in folders if os.path.islink(os.path.join(at, name)))]:  # noqa: PTH118, PTH114
            path = Path(os.fsdecode(at)) / os.fsdecode(name)
            link = path.is_symlink()
            found[os.path.relpath(path, folder)] = (path.lstat().st_mode, os.fsencode(os.readlink(path)) if link else path.read_bytes())  # noqa: PTH115
    return {name: value for name, value in found.items() if Path(name).parts[0] != ".git"}


def everything(world: World, root: Path) -> dict[str, Any]:
    """What a snapshot must leave alone: files, git's folders but objects and our refs, to the byte and to the time of writing."""
    common = Path(world.git("rev-parse", "--path-format=absolute", "--git-common-dir", cwd=root))
    parts = {}
    for path in sorted(p for p in common.rglob("*") if p.is_file() or p.is_symlink()):
        name = path.relative_to(common).as_posix()
        if not re.match(r"(.*/)?(objects/|refs/worktree-guard/)", name):
            read = name.rpartition("/")[2].startswith("sharedindex.")  # git touches one whenever it reads it, so that it is not collected
            parts[name] = (0 if read else path.lstat().st_mtime_ns, path.read_bytes())
    times = {str(p): p.lstat().st_mtime_ns for p in root.rglob("*") if ".git" not in p.parts}
    return {"files": files(root), "times": times, "git": parts}


def unchanged(world: World, root: Path, *words: str, cwd: Path | None = None, **env: str) -> dict[str, Any]:
    """The answer of a snapshot that changed nothing and left no copy behind."""
    before = everything(world, root)
    data = done(world, "snapshot", *words, cwd=cwd or root, **env)
    assert everything(world, root) == before
    assert left_over() == []
    return data


def said(world: World, *words: str, cwd: Path, given: bytes = b"") -> bytes:
    return subprocess.run(["git", *words], input=given, cwd=cwd, env=world.env, capture_output=True, check=True).stdout


def tree(world: World, revision: str, cwd: Path) -> dict[str, tuple[str, bytes]]:
    """Paths of a tree: git's mode and the blob ("" for a submodule's commit: its id)."""
    rows = [line.partition(b"\t")[::2] for line in said(world, "ls-tree", "-r", "-z", revision, cwd=cwd).split(b"\0") if line]
    oids = [facts.split()[2] for facts, _ in rows if facts.split()[1] == b"blob"]
    out = said(world, "cat-file", "--batch", cwd=cwd, given=b"\n".join(oids))
    found, at = {}, 0
    for facts, name in rows:
        mode, kind, oid = facts.decode().split()
        body = oid.encode()
        if kind == "blob":
            end = out.index(b"\n", at)
            size = int(out[at:end].split()[2])
            body, at = out[end + 1:end + 1 + size], end + 2 + size
        found[os.fsdecode(name)] = (mode, body)
    return found


def as_git_sees(value: tuple[int, bytes]) -> tuple[str, bytes]:
    mode, body = value
    return ("120000" if stat.S_ISLNK(mode) else "100755" if mode & 0o100 else "100644"), body


def on_disk(root: Path) -> dict[str, tuple[str, bytes]]:
    return {name: as_git_sees(value) for name, value in files(root).items()}


# --- what is kept ----------------------------------------------------------------------------------------------------

def test_everything_that_is_open_is_in_the_ref_and_nothing_has_changed(world: World) -> None:
    world.sh(OPEN, cwd=world.W)
    data = unchanged(world, world.W)
    assert re.fullmatch(REFS + r"x-\d{8}T\d{6}Z", data["ref"])
    assert (data["name"], data["path"], data["branch"], data["warnings"]) == ("x", str(world.W), "wt/x", [])
    assert data["counts"] == {"changed": 3, "untracked": 1, "staged": 2, "conflicted": 0}
    assert refs(world) == [data["ref"]]
    assert world.git("rev-parse", data["ref"]) == data["commit"]
    kept = tree(world, data["ref"], world.W)
    assert kept == {name: value for name, value in on_disk(world.W).items() if name != ".env"}
    assert kept["src/util.py"][0] == "100755"
    index = tree(world, f"{data['ref']}^2", world.W)
    assert (index["s"][1], "docs/notes.md" in index, "a loose file" in index, index["src/app.py"][1]) == (
        b"staged\n", False, False, b"value = 1\n")
    assert world.git("rev-parse", f"{data['ref']}^1", f"{data['ref']}^2^") == "\n".join([data["head"]] * 2)
    assert world.git("log", "-1", "--format=%s", data["ref"]) == f"snapshot of x: wt/x @ {data['head'][:9]}"


@pytest.mark.parametrize("name", ["x", "wt/x", "{W}", "../app-wt/x", "{OUT}/link"],
                         ids=["by name", "by branch", "by path", "by relative path", "through a symlink"])
def test_a_worktree_is_named_as_for_wt_enter(world: World, name: str) -> None:
    (world.OUT / "link").symlink_to(world.W)
    (world.W / "new").write_text("n")
    assert unchanged(world, world.W, world.fill(name), cwd=world.R)["path"] == str(world.W)


@pytest.mark.parametrize("where", ["{R}", "{R}/src", "{W}"], ids=["in it", "in a subfolder", "by its path"])
def test_the_main_checkout_too(world: World, where: str) -> None:
    (world.R / "new").write_text("n")
    words, cwd = ([str(world.R)], world.W) if where == "{W}" else ([], Path(world.fill(where)))
    data = unchanged(world, world.R, *words, cwd=cwd)
    assert (data["name"], data["path"], data["counts"]["untracked"]) == ("app", str(world.R), 1)
    assert set(tree(world, data["ref"], world.R)) >= {"new", "src/app.py", "docs/notes.md"}, "the whole of it, not the subfolder"


@pytest.mark.parametrize("root", ["{W}", "{R}"])
def test_where_nothing_is_open_no_ref_is_made(world: World, root: str) -> None:
    (Path(world.fill(root)) / ".env").write_text("ignored")
    data = unchanged(world, Path(world.fill(root)))
    assert (data["ref"], data["commit"], data["back"]) == (None, None, None)
    assert set(data["counts"].values()) == {0}
    assert refs(world) == []
    ran = world.wt("snapshot", cwd=Path(world.fill(root)))
    assert (ran.returncode, ran.stderr, ran.stdout) == (0, "", f"Nothing is open in {data['name']}: no snapshot was made.\n")


def test_what_is_only_staged_is_kept(world: World) -> None:
    """On disk it is as in HEAD: only the index tells."""
    world.sh("echo staged > src/app.py; git add .; git show HEAD:src/app.py > src/app.py", cwd=world.W)
    data = unchanged(world, world.W)
    assert data["counts"] == {"changed": 1, "untracked": 0, "staged": 1, "conflicted": 0}
    assert world.git("show", f"{data['ref']}^2:src/app.py") == "staged"


def test_before_the_first_commit(tmp_path: Path) -> None:
    world = World(tmp_path, tmp_path / "app", tmp_path / "w", tmp_path / "w2", tmp_path / "out")
    home_with_identity(tmp_path)
    world.sh('git init -q -b main "$R"')
    assert unchanged(world, world.R)["ref"] is None, "nothing there at all"
    world.sh('cd "$R"; echo 1 > one; git add one; echo 2 > one; echo 3 > "two words"')
    data = unchanged(world, world.R)
    assert (data["head"], data["branch"]) == ("", "main")
    assert world.git("log", "-1", "--format=%s|%P", data["ref"]) == (
        f"snapshot of app: main @ no commit yet|{world.git('rev-parse', data['ref'] + '^1')}")
    assert world.git("show", f"{data['ref']}^1:one") == "1"
    world.sh('cd "$R"; rm *')
    world.sh(data["back"]["all"])
    assert files(world.R).keys() == {"one", "two words"}
    assert (world.R / "one").read_text() == "2\n"


CONFLICT = """echo base > f; git add f; git commit -qm f
git switch -q -c other; echo other > f; echo o > gone; git add .; git commit -qm other
git switch -q wt/x; echo mine > f; git add .; git commit -qm mine
! git {} other > /dev/null 2>&1"""


@pytest.mark.parametrize("how", ["merge", "cherry-pick", "rebase"])
def test_a_conflict_is_kept_with_what_else_is_staged(world: World, how: str) -> None:
    world.sh(CONFLICT.format(how), cwd=world.W)
    world.sh("echo staged > st; git add st; echo later > st", cwd=world.W)
    assert world.git("ls-files", "-u", cwd=world.W)
    data = unchanged(world, world.W)
    assert data["counts"]["conflicted"] == 1
    assert b"<<<<<<<" in tree(world, data["ref"], world.W)["f"][1]
    assert tree(world, data["ref"], world.W) == on_disk(world.W)
    index = tree(world, data["ref"] + "^2", world.W)
    assert (index["st"][1], index["f"]) == (b"staged\n", tree(world, "HEAD", world.W)["f"]), "ours"


def test_a_conflict_that_was_settled_on_disk_to_what_head_has_is_open_all_the_same(world: World) -> None:
    world.sh(CONFLICT.format("merge"), cwd=world.W)
    world.sh("git show HEAD:f > f; git rm -q --cached gone; rm gone", cwd=world.W)
    data = unchanged(world, world.W)
    assert data["ref"]
    assert data["counts"] == {"changed": 0, "untracked": 0, "staged": 0, "conflicted": 1}


def test_an_unmerged_path_that_is_ignored_is_not_forgotten(world: World) -> None:
    """Ours deleted it, theirs changed it: it is in the index at stages 1 and 3 only."""
    world.sh("""echo 1 > .env; git add -f .env; git commit -qm env; git switch -qc other; echo 2 > .env; git commit -qam two
             git switch -q wt/x; git rm -q .env; git commit -qm gone; ! git merge other > /dev/null""", cwd=world.W)
    data = unchanged(world, world.W)
    assert tree(world, data["ref"], world.W)[".env"][1] == b"2\n"


def test_a_detached_head(world: World) -> None:
    world.sh("git checkout -q --detach; echo n > n", cwd=world.W)
    data = unchanged(world, world.W)
    assert data["branch"] == ""
    assert world.git("log", "-1", "--format=%s", data["ref"]).startswith("snapshot of x: (detached) @ ")


@pytest.mark.parametrize("bit", ["--skip-worktree", "--assume-unchanged", "both"])
def test_edits_that_git_was_told_not_to_look_at_are_kept(world: World, bit: str) -> None:
    bits = ["--skip-worktree", "--assume-unchanged"] if bit == "both" else [bit]
    for one in bits:
        world.git("update-index", one, "src/app.py", cwd=world.W)
    (world.W / "src/app.py").write_text("hidden edit\n")
    assert world.git("status", "--porcelain", cwd=world.W) == ""
    data = unchanged(world, world.W)
    assert tree(world, data["ref"], world.W)["src/app.py"][1] == b"hidden edit\n"
    assert world.git("ls-files", "-v", "src/app.py", cwd=world.W)[0] in "Shs"


def test_an_assumed_file_that_is_gone_is_kept_as_deleted(world: World) -> None:
    world.sh("git update-index --assume-unchanged src/app.py; rm src/app.py", cwd=world.W)
    assert "src/app.py" not in tree(world, unchanged(world, world.W)["ref"], world.W)


@pytest.mark.parametrize("sparse_index", ["--no-sparse-index", "--sparse-index"])
def test_what_a_sparse_checkout_leaves_out_is_not_recorded_as_deleted(world: World, sparse_index: str) -> None:
    world.sh(f"git status > /dev/null; git sparse-checkout set --cone {sparse_index} docs 2> /dev/null; test ! -e src", cwd=world.W)
    assert unchanged(world, world.W)["ref"] is None
    world.sh("echo d > docs/notes.md; mkdir src; echo n > src/outside.py; echo e > src/util.py", cwd=world.W)
    kept = tree(world, unchanged(world, world.W)["ref"], world.W)
    assert kept["src/app.py"][1] == b"value = 1\n"
    assert (kept["docs/notes.md"][1], kept["src/outside.py"][1], kept["src/util.py"][1]) == (b"d\n", b"n\n", b"e\n")


@pytest.mark.parametrize("setting", ["core.splitIndex true", "core.untrackedCache true", "core.fsmonitor true", "core.trustctime false",
                                     "core.checkStat minimal", "core.safecrlf true", "core.logAllRefUpdates always",
                                     "status.showUntrackedFiles no", "commit.gpgSign true", "user.useConfigOnly true",
                                     "add.ignoreErrors true", "core.ignoreStat true", "index.version 4", "core.hooksPath hooks",
                                     "diff.noprefix true"])
def test_no_setting_blinds_it(world: World, setting: str) -> None:
    world.sh(f"""git config {setting}; mkdir hooks; printf '#!/bin/sh\\ntouch "$HOME/ran"\\n' | tee hooks/post-index-change \\
             > hooks/reference-transaction; chmod +x hooks/*; echo hooks/ >> "$(git rev-parse --git-path info/exclude)"
             git -c core.fsmonitor=false update-index --force-write-index 2> /dev/null || git -c core.fsmonitor=false update-index --refresh
             rm -f ~/ran; printf 'a\\r\\nb\\n' > src/app.py; echo n > new; touch -d 2001-01-01 src/app.py""", cwd=world.W)
    data = unchanged(world, world.W)
    kept = tree(world, data["ref"], world.W)
    assert (kept["src/app.py"][1], kept["new"][1]) == (b"a\r\nb\n", b"n\n")
    assert not (world.root / "home/ran").exists(), "no hook of the repository runs"


def test_a_change_as_young_as_the_index_is_seen(world: World) -> None:
    """Same size, same second: git knows by the index's own time that it must look inside; the copy has that time."""
    edit = "echo 'value = 1' > src/app.py; git update-index --refresh > /dev/null || true; echo 'value = 2' > src/app.py"
    for _ in range(5):
        world.sh(edit, cwd=world.W)
        data = unchanged(world, world.W)
        assert tree(world, data["ref"], world.W)["src/app.py"][1] == b"value = 2\n"


def test_filters_are_git_s_own(world: World) -> None:
    world.sh("""git config filter.up.clean 'tr a-z A-Z'; git config filter.up.smudge 'tr A-Z a-z'; echo '*.txt filter=up' > .gitattributes
             echo 'words' > a.txt""", cwd=world.W)
    data = unchanged(world, world.W)
    assert tree(world, data["ref"], world.W)["a.txt"][1] == b"WORDS\n"
    world.sh(f"rm a.txt; {data['back']['file'].replace('FILE', 'a.txt')}", cwd=world.W)
    assert (world.W / "a.txt").read_text() == "words\n"


def test_line_endings_that_git_would_rather_not_convert(world: World) -> None:
    """core.safecrlf stops `git add` where a CRLF would not come back; a snapshot is taken all the same."""
    world.sh("git config core.autocrlf input; git config core.safecrlf true; printf 'a\\r\\n' > src/app.py", cwd=world.W)
    assert tree(world, unchanged(world, world.W)["ref"], world.W)["src/app.py"][1] == b"a\n"


def test_files_in_place_of_folders_and_the_other_way_round(world: World) -> None:
    world.sh("""rm -r docs; echo file > docs; rm src/app.py; mkdir -p src/app.py/in; echo f > src/app.py/in/f
             ln -s nowhere link""", cwd=world.W)
    assert tree(world, unchanged(world, world.W)["ref"], world.W) == on_disk(world.W)


def test_what_add_only_promised_is_kept(world: World) -> None:
    world.sh("echo n > new; git add -N new; echo gone > gone; git add -N gone; rm gone", cwd=world.W)
    data = unchanged(world, world.W)
    assert tree(world, data["ref"], world.W)["new"][1] == b"n\n"


def test_without_an_index(world: World) -> None:
    (admin(world, world.W) / "index").unlink()
    data = unchanged(world, world.W)
    assert tree(world, data["ref"], world.W) == on_disk(world.W)
    assert not (admin(world, world.W) / "index").exists()


def test_nobody_needs_a_name(world: World) -> None:
    (world.W / "new").write_text("n")
    (world.root / "home/.gitconfig").write_text("[user]\n useConfigOnly = true\n")
    assert unchanged(world, world.W)["ref"]


def test_another_git_environment_does_not_lead_astray(world: World) -> None:
    (world.W / "new").write_text("n")
    (world.R / "nested").mkdir()
    world.git("init", "-q", str(world.W / "nested"))
    data = unchanged(world, world.W, GIT_DIR=str(world.R / ".git"), GIT_INDEX_FILE=str(world.OUT / "index"), GIT_WORK_TREE=str(world.R),
                     GIT_LITERAL_PATHSPECS="1", GIT_ICASE_PATHSPECS="1")
    assert (data["path"], data["counts"]["untracked"]) == (str(world.W), 1)


# --- what cannot be kept is told -------------------------------------------------------------------------------------

@pytest.fixture
def with_submodule(world: World) -> World:
    world.sh("""git init -q -b main "$OUT/lib"; cd "$OUT/lib"; echo l > l; git add .; git commit -qm lib
             cd "$W"; git submodule --quiet add "$OUT/lib" "a lib" 2> /dev/null; git commit -qm lib""")
    return world


def test_a_submodule_s_new_commit_is_recorded(with_submodule: World) -> None:
    world, lib = with_submodule, with_submodule.W / "a lib"
    assert unchanged(world, world.W)["ref"] is None
    world.sh("echo 2 > l; git commit -qam two", cwd=lib)
    data = unchanged(world, world.W)
    assert tree(world, data["ref"], world.W)["a lib"] == ("160000", world.git("rev-parse", "HEAD", cwd=lib).encode())
    assert data["warnings"] == []


@pytest.mark.parametrize("change", ["echo 2 > l", "echo u > u", "echo 2 > l; git add l"], ids=["changed", "untracked", "staged"])
@pytest.mark.parametrize("setting", ["", "git config submodule.'a lib'.ignore all; git config diff.ignoreSubmodules all"])
def test_open_work_in_a_submodule_is_named(with_submodule: World, change: str, setting: str) -> None:
    world = with_submodule
    world.sh(f"{setting}\ncd 'a lib'; {change}", cwd=world.W)
    before = files(world.W)
    (warning,) = unchanged(world, world.W)["warnings"]
    assert "a lib" in warning
    assert refs(world) == [], "there is nothing else to keep"
    assert files(world.W) == before
    (world.W / "new").write_text("n")
    assert "warning: the submodule a lib has open work" in world.wt("snapshot", cwd=world.W).stdout


def test_files_in_a_submodule_that_is_not_set_up_are_named(with_submodule: World) -> None:
    world = with_submodule
    world.sh('git worktree add -q "$OUT/second" wt/x --detach', cwd=world.R)
    second = world.OUT / "second"
    assert unchanged(world, second)["warnings"] == [], "an empty folder is not deleted either"
    (second / "a lib/mine").write_text("m")
    assert "not set up" in unchanged(world, second)["warnings"][0]


@pytest.mark.parametrize("commits", [0, 1])
def test_a_repository_inside_is_named_and_left_out(world: World, commits: int) -> None:
    """`git add --all` would stop at one without a commit, and keep nothing but the name of the other's."""
    world.sh("""mkdir -p 'deep *'; git init -q 'deep */nest'; echo n > 'deep */nest/n'; echo m > 'deep */beside'""", cwd=world.W)
    if commits:
        world.sh("cd 'deep *'/nest; git add .; git commit -qm n", cwd=world.W)
    data = unchanged(world, world.W)
    assert data["warnings"] == ["deep */nest is a repository of its own: nothing of it was kept"]
    assert {name for name in tree(world, data["ref"], world.W) if name.startswith("deep")} == {"deep */beside"}


def test_in_a_submodule_it_is_the_submodule_s_own(with_submodule: World) -> None:
    lib = with_submodule.W / "a lib"
    (lib / "new").write_text("n")
    data = done(with_submodule, "snapshot", cwd=lib)
    assert data["path"] == str(lib)
    assert refs(with_submodule, lib) == [data["ref"]]


# --- names, messages, two at once ------------------------------------------------------------------------------------

@pytest.mark.parametrize("folder", ["a b", "it's", "a..b", "x.lock", "-dash", ".hidden", "ärger" * 12, "@{", "~^:?*[", "x" * 200, "a\nb"])
def test_any_folder_has_a_ref(plain: World, folder: str) -> None:
    path = plain.OUT / folder
    plain.git("worktree", "add", "-q", "--detach", str(path))
    (path / "new").write_text("n")
    data = unchanged(plain, path)
    assert refs(plain) == [data["ref"]]
    (path / "new").unlink()
    plain.sh(data["back"]["all"])
    assert (path / "new").read_text() == "n"


@pytest.mark.parametrize("message", ["why it was\n\ntaken", "-m", "ünïcode"])
def test_the_message_is_the_commit_s(world: World, message: str) -> None:
    (world.W / "new").write_text("n")
    data = unchanged(world, world.W, f"--message={message}")
    assert world.git("log", "-1", "--format=%B", data["ref"]).strip() == message


def test_an_empty_message_is_none(world: World) -> None:
    (world.W / "new").write_text("n")
    assert world.git("log", "-1", "--format=%s", unchanged(world, world.W, "--message", " ")["ref"]).startswith("snapshot of x: ")


def test_arguments_come_on_stdin_too(world: World) -> None:
    (world.W / "new").write_text("n")
    ran = world.wt("snapshot", "--json", given=json.dumps({"path": str(world.W), "message": "from a program"}))
    assert world.git("log", "-1", "--format=%s", json.loads(ran.stdout)["data"]["ref"]) == "from a program"


def test_twice_in_a_second_are_two(world: World) -> None:
    (world.W / "new").write_text("n")
    made = [unchanged(world, world.W)["ref"] for _ in range(4)]
    assert sorted(made) == refs(world)
    assert len(set(made)) == 4


def test_many_at_once_all_succeed(world: World) -> None:
    world.sh(OPEN, cwd=world.W)
    before = everything(world, world.W)
    running = [subprocess.Popen([str(ROOT / "scripts/wt"), "snapshot", "x", "--json"], cwd=world.R, env=world.env, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(6)]
    answers = [one.communicate(timeout=60) for one in running]
    assert [(one.returncode, err) for one, (_, err) in zip(running, answers, strict=True)] == [(0, b"")] * 6
    made = {json.loads(out)["data"]["ref"] for out, _ in answers}
    assert (len(made), sorted(made)) == (6, refs(world))
    assert len({world.git("rev-parse", f"{ref}^{{tree}}") for ref in made}) == 1
    assert everything(world, world.W) == before


# --- getting it back -------------------------------------------------------------------------------------------------

def test_the_printed_ways_back_work(world: World) -> None:
    world.sh(OPEN, cwd=world.W)
    was, status = on_disk(world.W), world.git("status", "--porcelain", cwd=world.W)
    told = world.wt("snapshot", cwd=world.W).stdout
    one, everything_back = re.findall(r"^(?:One file|Everything) back: *(.*?)(?: \(into.*)?$", told, re.M)
    world.sh("git reset -q --hard; git clean -qfd", cwd=world.W)
    world.sh(one.replace("FILE", "'a loose file'"))
    assert (world.W / "a loose file").read_text() == "loose\n"
    world.sh("git clean -qfd", cwd=world.W)
    world.sh(everything_back)
    assert (on_disk(world.W), world.git("status", "--porcelain", cwd=world.W)) == (was, status)


def test_it_comes_back_on_top_of_a_later_commit(world: World) -> None:
    world.sh("echo mine > src/util.py; echo n > new", cwd=world.W)
    back = done(world, "snapshot", cwd=world.W)["back"]["all"]
    world.sh("git reset -q --hard; git clean -qfd; echo theirs > src/app.py; git commit -qam later", cwd=world.W)
    world.sh(back)
    assert [(world.W / name).read_text() for name in ("src/util.py", "new", "src/app.py")] == ["mine\n", "n\n", "theirs\n"]


def test_it_survives_gc_and_the_worktree_s_end(world: World) -> None:
    world.sh(OPEN, cwd=world.W)
    was = on_disk(world.W)
    ref = done(world, "snapshot", cwd=world.W)["ref"]
    world.sh("""git worktree remove --force "$W"; git branch -qD wt/x; git reflog expire --expire=now --all
             git gc -q --prune=now""", cwd=world.R)
    assert tree(world, ref, world.R) == {name: value for name, value in was.items() if name != ".env"}


# --- where it cannot work, and where it must -------------------------------------------------------------------------

def test_a_lock_that_somebody_holds_is_no_hindrance(world: World) -> None:
    world.sh(OPEN, cwd=world.W)
    (admin(world, world.W) / "index.lock").write_text("")
    assert unchanged(world, world.W)["ref"]


def test_a_lock_of_wt_s_own_is_no_hindrance(world: World) -> None:
    """`wt remove` takes one while it holds it."""
    (world.W / "new").write_text("n")
    repository = open_repository(world.W)
    with repository.store.locked():
        taken = snapshots.take(repository, world.W, "before it is removed")
    assert (taken.counts.untracked, refs(world)) == (1, [taken.ref])


@pytest.mark.parametrize(("words", "cwd", "code"), [
    (["nowhere"], "{R}", "no-worktree"),
    (["./nowhere"], "{R}", "no-worktree"),
    ([""], "{R}", "bad-name"),
    (["y"], "{R}", "missing"),
    (["z"], "{R}", "damaged"),
    ([], "{R}/.git", "no-worktree"),
    ([], "{OUT}", "no-repository"),
    ([], "{OUT}/bare", "no-worktree"),
], ids=["no such name", "no such path", "an empty name", "its folder is gone", "its .git file is gone", "in git's folder",
        "in no repository", "in a bare repository"])
def test_where_there_is_no_worktree(world: World, words: list[str], cwd: str, code: str) -> None:
    world.sh('rm -rf "$W2"; git -C "$R" worktree add -q "$R/z"; rm "$R/z/.git"; git clone -q --bare "$R" "$OUT/bare"')
    document = refused(world, "snapshot", *words, cwd=Path(world.fill(cwd)))
    assert document["code"] == code
    assert re.search(r"\b(wt|git|cd) \w", document["hint"])
    assert refs(world) == []


def test_a_worktree_of_a_bare_repository(world: World) -> None:
    world.sh('git clone -q --bare "$R" "$OUT/bare"; git -C "$OUT/bare" worktree add -q "$OUT/t" main; echo n > "$OUT/t/new"')
    data = done(world, "snapshot", "t", cwd=world.OUT / "bare")
    assert refs(world, world.OUT / "bare") == [data["ref"]]


def test_without_git(world: World) -> None:
    ran = world.wt("snapshot", "--json", PATH="/nowhere")
    assert (ran.returncode, json.loads(ran.stderr)["code"]) == (127, "missing-program")


def failing(world: World, **more: Any) -> dict[str, Any]:
    before = everything(world, world.W)
    document = refused(world, "snapshot", status=1, cwd=world.W, **more)
    assert everything(world, world.W) == before
    assert (left_over(), refs(world)) == ([], [])
    assert re.search(r"\bwt \w", document["hint"])
    return document


def test_where_the_ref_cannot_be_made(world: World) -> None:
    world.sh(OPEN, cwd=world.W)
    world.git("update-ref", "refs/worktree-guard", "HEAD")
    before = everything(world, world.W)
    ran = wt(world, "snapshot", cwd=world.W)
    assert (ran.returncode, json.loads(ran.stderr)["code"]) == (1, "git")
    assert everything(world, world.W) == before


SAID = [("error: insufficient permission for adding an object to repository database .git/objects", "read-only"),
        ("fatal: cannot lock ref 'refs/x': Unable to create '/r/.git/refs/x.lock': Read-only file system", "read-only"),
        ("fatal: unable to write new index file: No space left on device", "disk-full"),
        ("error: src/app.py: something else", "git")]


@pytest.mark.parametrize("verb", ["add", "write-tree", "commit-tree", "update-ref"])
@pytest.mark.parametrize(("words", "code"), SAID, ids=["no permission", "a read-only disk", "a full disk", "something else"])
def test_a_failing_git_leaves_everything_as_it_was(world: World, verb: str, words: str, code: str) -> None:
    """A git that says what real ones say (2.39), from the step on that is named."""
    world.sh(OPEN, cwd=world.W)
    folder = world.OUT / "bin"
    folder.mkdir()
    (folder / "git").write_text("#!/bin/sh\n"
                                f'for word; do [ "$word" = {verb} ] && {{ echo {shlex.quote(words)} >&2; exit 128; }}; done\n'
                                f'exec {shutil.which("git")} "$@"\n')
    (folder / "git").chmod(0o755)
    assert failing(world, PATH=f"{folder}:{os.environ['PATH']}")["code"] == code


def test_a_disk_that_is_full_when_the_index_is_copied(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.sh(OPEN, cwd=world.W)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")
    monkeypatch.setattr("guard.wt.index_copy.shutil.copyfileobj", full)
    assert failing(world)["code"] == "disk-full"


def test_files_that_may_not_grow(world: World) -> None:
    """A real limit, felt by git itself: nothing is left over."""
    world.sh(OPEN, cwd=world.W)
    world.sh("head -c 3000000 /dev/urandom > large", cwd=world.W)
    before = everything(world, world.W)
    world.sh(f'ulimit -f 1000; export TMPDIR={tempfile.gettempdir()}; ! {ROOT / "scripts/wt"} snapshot 2> "$OUT/said"', cwd=world.W)
    assert "wt: " in (world.OUT / "said").read_text()
    assert everything(world, world.W) == before
    assert (left_over(), refs(world)) == ([], [])


# --- any state at all ------------------------------------------------------------------------------------------------

NAMES = ["a", "b c", "ü", "line\nbreak", "d/e", "d/f g", "-x", '"q"', "deep/er/still", " ", "*", ":(top)", "t\t", "x.log"]
TRACKED = ["one", "two words", "drei-ü", "new\nline", "dir/a", "dir/b", "empty", "link", "run", "kept.log", "mine", "theirs"]
BODIES = st.one_of(st.sampled_from([b"", b"1\n", b"2\n", b"a\r\nb\n", b"\0\xff", b"no newline"]), st.binary(max_size=40))
STEPS = ["modify", "stage", "stage, modify", "delete", "rm", "rm --cached", "new", "new, stage", "new, stage, modify", "rename", "chmod",
         "symlink", "skip-worktree", "assume-unchanged", "intent-to-add", "to folder", "empty"]


@dataclass(frozen=True)
class Step:
    kind: str
    at: str
    name: str
    body: bytes


ANY_STEP = st.builds(Step, st.sampled_from(STEPS), st.sampled_from(TRACKED), st.sampled_from(NAMES), BODIES)
EMPTY = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
BASE = """git init -q -b main "$R"; cd "$R"; mkdir dir; for n in one 'two words' 'drei-ü' 'new
line' dir/a dir/b run mine theirs; do echo "$n" > "$n"; done; : > empty; ln -s one link; chmod +x run; echo '*.log' > .gitignore
echo l > kept.log; git add -f .; git commit -qm base; git switch -qc other; echo other > mine; git rm -q theirs; git commit -qam other
git switch -q main; echo main > mine; echo main > theirs; git commit -qam main"""


def carry_out(world: World, step: Step) -> None:
    """One step on a worktree; one that does not fit its state is none."""
    git, old, new = ["git", "-c", "core.quotePath=false"], world.R / step.at, world.R / step.name

    def run(*words: str) -> None:
        subprocess.run([*git, *words], cwd=world.R, env={**world.env, "GIT_LITERAL_PATHSPECS": "1"}, capture_output=True, check=False)

    def write(path: Path, body: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    try:
        if step.kind in ("modify", "stage", "stage, modify", "empty"):
            write(old, b"" if step.kind == "empty" else step.body)
            if step.kind.startswith("stage"):
                run("add", "-f", "--", step.at)
            if step.kind.endswith(", modify"):
                write(old, step.body + b"later")
        elif step.kind in ("delete", "to folder"):
            old.unlink()
            if step.kind == "to folder":
                write(old / "inside", step.body)
        elif step.kind in ("rm", "rm --cached"):
            run("rm", "-q", "-f", *step.kind.split()[1:], "--", step.at)
        elif step.kind.startswith("new"):
            write(new, step.body)
            if "stage" in step.kind:
                run("add", "--", step.name)
            if "modify" in step.kind:
                write(new, step.body + b"later")
        elif step.kind == "rename":
            new.parent.mkdir(parents=True, exist_ok=True)
            run("mv", "--", step.at, step.name)
        elif step.kind == "chmod":
            old.chmod(old.stat().st_mode ^ 0o111)
        elif step.kind == "symlink":
            old.unlink()
            old.symlink_to(step.name)
        elif step.kind == "intent-to-add":
            write(new, step.body)
            run("add", "-N", "--", step.name)
        else:
            run("update-index", f"--{step.kind}", "--", step.at)
            write(old, step.body)
    except OSError:
        pass


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> World:
    root = Path(os.path.realpath(tmp_path_factory.mktemp("any")))
    world = World(root, root / "app", root / "w", root / "w2", root / "out")
    home_with_identity(root)
    world.sh(BASE)
    world.R.rename(root / "template")
    return world


def kept_paths(world: World) -> set[str]:
    """What git must not lose: tracked paths that are on disk, and untracked ones that are not ignored. By git's own listing."""
    listed = world.git("ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=world.R)
    return {name for name in listed.split("\0") if name}


@settings(max_examples=60, deadline=None, derandomize=True, print_blob=False,
          suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(steps=st.lists(ANY_STEP, max_size=8), conflict=st.booleans())
def test_whatever_state_a_worktree_is_in(template: World, steps: list[Step], conflict: bool) -> None:
    world = template
    shutil.rmtree(world.R, ignore_errors=True)
    shutil.copytree(world.root / "template", world.R, symlinks=True)
    if conflict:
        world.sh("! git merge -q other > /dev/null", cwd=world.R)
    for step in steps:
        carry_out(world, step)
    present, must = on_disk(world.R), kept_paths(world)
    index = world.git("ls-files", "-s", "-z")
    data = unchanged(world, world.R)
    expected = {name: value for name, value in present.items() if name in must}
    if data["ref"] is None:
        assert tree(world, "HEAD", world.R) == expected | {name: value for name, value in tree(world, "HEAD", world.R).items()
                                                           if f"\0S {name}\0" in "\0" + world.git("ls-files", "-t", "-z")}
        return
    kept = tree(world, data["ref"], world.R)
    absent = {name: value for name, value in kept.items() if name not in expected}
    assert {name: kept.get(name) for name in expected} == expected
    assert all(f"S {name}\0" in world.git("ls-files", "-t", "-z") for name in absent), "kept of the index: left out on purpose"
    staged = [line.partition("\t") for line in index.split("\0") if line and " 0\t" in line]
    recorded = {f"{line.split()[0]} {line.split()[2]}\t{line.partition(chr(9))[2]}"
                for line in world.git("ls-tree", "-r", "-z", data["ref"] + "^2").split("\0") if line}
    promised = {step.name for step in steps if step.kind == "intent-to-add"}  # an empty blob in the index, nothing in its tree
    assert {f"{facts.rsplit(' ', 1)[0]}\t{name}" for facts, _, name in staged
            if not (name in promised and facts.split()[1] == EMPTY)} <= recorded
    comes_back(world, data, kept)


def comes_back(world: World, data: dict[str, Any], kept: dict[str, tuple[str, bytes]]) -> None:
    """The command for everything, in another clean worktree: the files on disk are the snapshot's."""
    clean = world.root / "clean"
    shutil.rmtree(clean, ignore_errors=True)
    world.git("worktree", "prune")
    world.git("worktree", "add", "-q", "--detach", str(clean))
    words = shlex.split(data["back"]["all"])
    assert words[:3] == ["git", "-C", data["path"]]
    said(world, *words[3:], cwd=clean)
    assert on_disk(clean) == kept
    if data["counts"]["staged"]:  # else git-stash(1) stages files that are new
        assert world.git("write-tree", cwd=clean) == world.git("rev-parse", data["ref"] + "^2^{tree}")

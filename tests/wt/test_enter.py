"""`wt enter` and `wt new` on real repositories. Most calls go through `wt`'s own main in this process; those that are about
the process (signals, the shell, what is printed) through the real program."""
from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from guard.edge import disk
from guard.wt import cli
from tests.worlds import ROOT, World, home_with_identity

ONE, TWO = "11111111-0000-4000-8000-000000000001", "22222222-0000-4000-8000-000000000002"


# --- helpers ---------------------------------------------------------------------------------------------------------

WT = shlex.quote(str(ROOT / "scripts/wt"))


def small(root: Path, name: str = "app") -> World:
    """A main checkout with one commit, without a .gitignore or other worktrees."""
    home_with_identity(root)
    world = World(root, root / name, root / "no-w", root / "no-w2", root / "out")
    world.OUT.mkdir()
    world.sh('git init -q -b main "$R"; cd "$R"; mkdir src; echo "value = 1" > src/app.py; git add -A; git commit -qm base')
    return world


@pytest.fixture
def plain(tmp_path: Path) -> World:
    return small(Path(os.path.realpath(tmp_path)))


def wt(world: World, *words: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    """`wt VERB --json WORDS` by its main, in this process: a fifth of the time of a process of its own."""
    before, folder, said, complained = dict(os.environ), Path.cwd(), io.StringIO(), io.StringIO()
    wanted = {**world.env, **env}
    disk.forget()
    try:
        os.environ.clear()
        os.environ.update(wanted)
        os.chdir(cwd or world.R)
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained):
            status = cli.main([words[0], "--json", *words[1:]])
    finally:
        os.environ.clear()
        os.environ.update(before)
        os.chdir(folder)
    return subprocess.CompletedProcess(words, status, said.getvalue(), complained.getvalue())


def done(world: World, *words: str, **more: Any) -> dict[str, Any]:
    """`data` of a command that succeeds, with nothing on stderr."""
    ran = wt(world, *words, **more)
    assert (ran.returncode, ran.stderr) == (0, "")
    data: dict[str, Any] = json.loads(ran.stdout)["data"]
    return data


def known(world: World) -> str:
    """Branches, worktrees and where HEAD is."""
    return world.git("for-each-ref") + world.git("worktree", "list", "--porcelain")


def refused(world: World, *words: str, status: int = 2, **more: Any) -> dict[str, Any]:
    """The refusal of a command that must change nothing."""
    before, state = known(world), bound_to(world)
    ran = wt(world, *words, **more)
    assert (ran.returncode, ran.stdout) == (status, ""), ran.stderr
    assert (known(world), bound_to(world)) == (before, state)
    document: dict[str, Any] = json.loads(ran.stderr)
    assert document["ok"] is False
    return document


def binding(world: World, session: str | None = None) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((world.state / (f"sessions/{session}.json" if session else "state.json")).read_text())
    return record


def bound_to(world: World) -> str | None:
    """Where the repository's active binding points."""
    return str(binding(world)["path"]) if (world.state / "state.json").exists() else None


def record(world: World, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((world.state / f"worktrees/{name}.json").read_text())
    return found


def tip(world: World, ref: str = "HEAD", cwd: Path | None = None) -> str:
    return world.git("rev-parse", f"{ref}^{{commit}}", cwd=cwd)


# --- a new worktree --------------------------------------------------------------------------------------------------

def test_a_new_name_makes_a_branch_and_a_folder_and_binds(plain: World) -> None:
    data = done(plain, "enter", "x")
    folder = plain.R / ".worktrees/x"
    expected = {"path": str(folder), "name": "x", "branch": "wt/x", "base": "main", "base_commit": tip(plain), "created": True,
                "bound": "repository", "session": None, "shared_with": []}
    assert {key: data[key] for key in expected} == expected
    assert plain.git("symbolic-ref", "--short", "HEAD", cwd=folder) == "wt/x"
    assert (folder / "src/app.py").read_text() == "value = 1\n"
    assert plain.git("config", "--default", "", "branch.wt/x.merge") == "", "the new branch tracks nothing"
    state = binding(plain)
    assert {key: state[key] for key in ("active", "path", "main", "branch", "base", "session", "version")} == {
        "active": True, "path": str(folder), "main": str(plain.R), "branch": "wt/x", "base": "main", "session": None, "version": 1}
    assert "main" in state["protected"]
    made = record(plain, "x")
    assert {key: made[key] for key in ("owned", "path", "branch", "base", "base_commit", "source")} == {
        "owned": True, "path": str(folder), "branch": "wt/x", "base": "main", "base_commit": tip(plain), "source": "new-branch"}


def test_the_hook_holds_to_it_at_once(plain: World) -> None:
    edit = {"file_path": "{R}/src/app.py", "old_string": "1", "new_string": "2"}
    assert plain.hook("Edit", edit).kind == "allow"
    done(plain, "enter", "x")
    answer = plain.hook("Edit", edit)
    assert (answer.kind, answer.rule) == ("deny", "use-worktree-path")
    assert str(plain.R / ".worktrees/x/src/app.py") in answer.reason


NAMES = [
    ("plain", "plain", "a plain name is the folder's name"),
    ("feat/a", "feat+a", "a slash"),
    ("v1.2_b", "v1.2_b", "dots"),
    ("con", "=63on", "a device on Windows"),
    ("-dash", "=2ddash", "an option by its looks"),
    ("ärger", "ärger", "letters of other scripts"),
]


@pytest.mark.parametrize(("name", "folder", "_why"), NAMES, ids=[why for _, _, why in NAMES])
def test_what_new_prints_enters_what_it_made(plain: World, name: str, folder: str, _why: str) -> None:
    made = done(plain, "new", "--", name)
    assert (made["name"], made["branch"]) == (folder, f"wt/{name}")
    assert made["path"] == str(plain.R / ".worktrees" / folder)
    again = done(plain, "enter", "--", name)
    assert (again["path"], again["created"]) == (made["path"], False), "by the name it was given"
    by_folder = done(plain, "enter", "--", folder)
    assert (by_folder["path"], by_folder["created"]) == (made["path"], False), "by the name that `wt new` and `wt status` print"


def test_the_next_line_of_new_names_the_worktree_it_made(plain: World) -> None:
    last = plain.wt("new", "feat/a").stdout.splitlines()[-1]
    plain.sh(f'cd "$R"; {WT} {last.removeprefix("Next: wt ")}')
    assert bound_to(plain) == str(plain.R / ".worktrees/feat+a")
    assert sorted(p.name for p in (plain.R / ".worktrees").iterdir()) == ["feat+a"]


def test_feat_slash_a_and_feat_dash_a_stay_apart(plain: World) -> None:
    one, two = done(plain, "enter", "feat/a"), done(plain, "enter", "feat-a")
    assert one["path"] != two["path"]
    assert (one["branch"], two["branch"]) == ("wt/feat/a", "wt/feat-a")
    assert done(plain, "enter", "feat/a")["path"] == one["path"]


# Names that must be refused with exit status 2, and nothing made.
BAD_NAMES = [
    ("the parent folder", ".."), ("this folder", "."), ("a hidden folder", ".hidden"), ("nothing", ""),
    ("a blank", "a b"), ("a newline", "a\nb"), ("a control character", "a\x07b"),
    ("git's range", "a..b"), ("git's ancestor mark", "x~1"), ("a lock file", "x.lock"), ("a trailing dot", "x."),
    ("too long for a folder", "z" * 300), ("too long in UTF-8", "ü" * 200),
    ("the home of nobody", "~nobody-of-that-name/x"), ("a relative path to nothing", "./nowhere/x"), ("an absolute one", "/nowhere/x"),
]


@pytest.mark.parametrize("name", [name for _, name in BAD_NAMES], ids=[why for why, _ in BAD_NAMES])
def test_a_name_that_cannot_be_is_refused(plain: World, name: str) -> None:
    document = refused(plain, "enter", "--", name)
    assert document["hint"]


@pytest.mark.parametrize("length", [200, 236, 240, 249, 252])
def test_a_long_name_is_made_whole_or_refused(plain: World, length: int) -> None:
    name = "n" * length
    before = known(plain)
    ran = wt(plain, "enter", name)
    assert ran.returncode in (0, 2), ran.stderr
    if ran.returncode == 2:
        assert known(plain) == before
        return
    rows = done(plain, "status")["worktrees"]
    assert [(row["name"], row["owned"], row["bound_by"]) for row in rows if not row["main"]] == [(name, True, ["repository"])]


# --- .git/info/exclude -----------------------------------------------------------------------------------------------

EXCLUDES = [
    ("no file", None, b".worktrees/\n"),
    ("an empty file", b"", b".worktrees/\n"),
    ("no final newline", b"*.o", b"*.o\n.worktrees/\n"),
    ("commented out", b"#.worktrees/\n", b"#.worktrees/\n.worktrees/\n"),
    ("there already", b".worktrees/\n*.o\n", b".worktrees/\n*.o\n"),
    ("a longer line", b"x/.worktrees/\n", b"x/.worktrees/\n.worktrees/\n"),
    ("bytes that are no text", b"\xff\xfe", b"\xff\xfe\n.worktrees/\n"),
]


@pytest.mark.parametrize(("before", "after"), [row[1:] for row in EXCLUDES], ids=[row[0] for row in EXCLUDES])
def test_worktrees_are_hidden_from_the_main_checkout_once(plain: World, before: bytes | None, after: bytes) -> None:
    file = plain.R / ".git/info/exclude"
    file.unlink(missing_ok=True)
    if before is None:
        file.parent.rmdir()
    else:
        file.write_bytes(before)
    done(plain, "enter", "x")
    assert file.read_bytes() == after
    done(plain, "enter", "y")
    assert file.read_bytes() == after, "not a second time"
    assert plain.git("status", "--porcelain") == ""


def test_a_parent_folder_of_ones_own_hides_nothing_else(plain: World) -> None:
    plain.sh('''cd "$R"; echo '{"worktree_parent": "trees"}' > .worktree-guard.json; mkdir -p src/trees; echo 1 > src/trees/oak.py''')
    assert done(plain, "new", "x")["path"] == str(plain.R / "trees/x")
    assert plain.git("status", "--porcelain", "-uall").splitlines() == ["?? .worktree-guard.json", "?? src/trees/oak.py"]


def test_a_parent_folder_with_files_of_git_hides_the_worktree_alone(plain: World) -> None:
    """Else new work in it would be ignored, here and in every worktree."""
    (plain.R / ".worktree-guard.json").write_text('{"worktree_parent": "src"}')
    path = Path(done(plain, "new", "x")["path"])
    (plain.R / "src/new.py").write_text("new")
    (path / "src/new.py").write_text("new")
    assert plain.git("status", "--porcelain", "-uall").splitlines() == ["?? .worktree-guard.json", "?? src/new.py"]
    assert plain.git("status", "--porcelain", "-uall", cwd=path) == "?? src/new.py"


@pytest.mark.parametrize("parent", ["wt[1] !#", "wt*", "a b", "ends "])
def test_a_parent_folder_with_odd_letters_is_hidden(plain: World, parent: str) -> None:
    (plain.R / ".worktree-guard.json").write_text(json.dumps({"worktree_parent": f"{parent}/x"}))
    done(plain, "new", "x")
    assert plain.git("status", "--porcelain", "-uall") == "?? .worktree-guard.json"


def test_a_parent_folder_outside_is_shared_by_no_two_repositories(plain: World) -> None:
    second = small(plain.root / "second")
    for world in (plain, second):
        (world.R / ".worktree-guard.json").write_text(json.dumps({"worktree_parent": str(plain.root / "trees")}))
    one, two = (Path(done(world, "enter", "x")["path"]) for world in (plain, second))
    assert one != two
    assert one.parent.parent == two.parent.parent == plain.root / "trees"
    assert done(plain, "enter", "x")["created"] is False
    assert [row["owned"] for row in done(plain, "status")["worktrees"]] == [False, True]
    assert plain.git("status", "--porcelain", "-uall") == "?? .worktree-guard.json"


@pytest.mark.parametrize("parent", ["~nobody-of-that-name/x", "a\0b", ".git/trees"], ids=["home of nobody", "a NUL", "git's folder"])
def test_a_setting_that_cannot_be_falls_back_alone(plain: World, parent: str) -> None:
    (plain.R / ".worktree-guard.json").write_text(json.dumps({"worktree_parent": parent, "mode": "protect"}))
    assert done(plain, "enter", "x")["path"] == str(plain.R / ".worktrees/x")
    status = done(plain, "status")
    assert status["mode"] == "protect"
    assert [w for w in status["settings"]["warnings"] if "worktree_parent" in w]


# --- a worktree that is there ----------------------------------------------------------------------------------------

WAYS = [
    ("its folder's name", "y", "{R}"),
    ("a relative path", "../app-wt/y", "{R}"),
    ("a relative path from a subfolder", "../../app-wt/y", "{R}/src"),
    ("an absolute path", "{W2}", "{OUT}/../app"),
    ("a path through a symlink", "{OUT}/link", "{R}"),
    ("a path with a slash behind", "{W2}/", "{R}"),
    ("its branch", "wt/y", "{R}"),
    ("a neighbour's name from inside a worktree", "y", "{W}"),
    ("a dot inside it", ".", "{W2}"),
    ("two dots in a subfolder of it", "..", "{W2}/src"),
]


@pytest.mark.parametrize(("name", "cwd"), [row[1:] for row in WAYS], ids=[row[0] for row in WAYS])
def test_an_existing_worktree_is_entered_by(world: World, name: str, cwd: str) -> None:
    (world.OUT / "link").symlink_to(world.W2)
    before = world.git("worktree", "list", "--porcelain") + world.git("for-each-ref")
    data = done(world, "enter", world.fill(name), cwd=Path(world.fill(cwd)))
    assert (data["path"], data["branch"], data["created"]) == (str(world.W2), "wt/y", False)
    assert bound_to(world) == str(world.W2)
    assert world.git("worktree", "list", "--porcelain") + world.git("for-each-ref") == before
    assert (world.W2 / "src/app.py").read_text() == "value = 3\n", "its open edit stays"


def test_the_main_checkout_is_no_worktree_to_enter(world: World) -> None:
    document = refused(world, "enter", str(world.R))
    assert (document["code"], "main checkout" in document["error"]) == ("main-checkout", True)


def test_a_name_that_fits_two_worktrees_is_refused_with_both_paths(world: World) -> None:
    world.git("worktree", "add", "-q", "-b", "second", str(world.OUT / "y"))
    document = refused(world, "enter", "y")
    assert str(world.W2) in document["error"]
    assert str(world.OUT / "y") in document["error"]
    assert done(world, "enter", "../app-wt/y")["path"] == str(world.W2)


def test_a_worktree_that_somebody_else_made_gets_its_base_by_guess_and_stays_theirs(world: World) -> None:
    data = done(world, "enter", "x")
    assert (data["base"], data["base_commit"]) == ("main", tip(world, "main"))
    row = next(row for row in done(world, "status")["worktrees"] if row["name"] == "x")
    assert (row["owned"], row["ahead"], row["behind"]) == (False, 1, 0)


def test_entering_another_branch_than_the_one_it_has_is_refused(world: World) -> None:
    document = refused(world, "enter", "x", "--branch", "wt/y")
    assert "wt/x" in document["error"]
    assert done(world, "enter", "x", "--branch", "wt/x")["created"] is False


def test_two_sessions_in_one_worktree_hear_of_each_other(world: World) -> None:
    assert done(world, "enter", "x", "--session", ONE)["shared_with"] == []
    assert done(world, "enter", "x", "--session", TWO)["shared_with"] == [ONE]


# --- --base and --branch ---------------------------------------------------------------------------------------------

@pytest.mark.parametrize("ref", ["dev", "v1", "sha", "dev~1", "annotated"])
def test_the_base_may_be_any_commit(plain: World, ref: str) -> None:
    plain.sh("""cd "$R"; git tag v1; git switch -qc dev; git commit -q --allow-empty -m d; git tag -am n annotated; git switch -q main""")
    commit = tip(plain, "dev" if ref == "sha" else ref)
    wanted = commit if ref == "sha" else ref
    data = done(plain, "enter", "x", "--base", wanted)
    named = commit if ref == "dev~1" else wanted  # what moves on with its branch is kept as the commit it was
    assert (data["base"], data["base_commit"], tip(plain, "wt/x")) == (named, commit, commit)
    assert tip(plain, "main") == tip(plain, "v1"), "main did not move"
    if ref == "dev":
        assert "dev" in binding(plain)["protected"], "the base of a binding is protected"


@pytest.mark.parametrize("name", ["x", "y"], ids=["a worktree that is there", "a new one"])
@pytest.mark.parametrize("base", ["nowhere", "--all", "main..wt/x", "HEAD:src"])
def test_an_unknown_base_is_refused(plain: World, name: str, base: str) -> None:
    done(plain, "new", "x")
    document = refused(plain, "enter", name, f"--base={base}")
    assert base in document["error"]
    assert "git fetch" in document["hint"]


def test_the_base_is_protected_when_it_is_a_remote_branch_too(cloned: World) -> None:
    cloned.sh('cd other; git push -q origin main:next; cd "$R"; git fetch -q; git branch -q --no-track next origin/next')
    done(cloned, "enter", "x", "--base", "origin/next")
    assert "next" in binding(cloned)["protected"]


def test_branch_takes_one_that_is_here(plain: World) -> None:
    plain.sh('cd "$R"; git switch -qc topic; git commit -q --allow-empty -m t; git switch -q main')
    data = done(plain, "enter", "work", "--branch", "topic")
    assert (data["branch"], data["name"], data["base_commit"]) == ("topic", "work", tip(plain, "main"))
    assert tip(plain, cwd=Path(data["path"])) == tip(plain, "topic")
    assert record(plain, "work")["source"] == "branch"


@pytest.mark.parametrize("url", ["../origin.git", "file://{root}/origin.git"], ids=["a path", "file://"])
def test_branch_takes_one_that_is_only_on_a_remote_and_fetches_it(cloned: World, url: str) -> None:
    cloned.git("remote", "set-url", "origin", url.replace("{root}", str(cloned.root)))
    cloned.sh("cd other; git switch -qc far; git commit -q --allow-empty -m far; git push -q origin far")
    far = tip(cloned, cwd=cloned.root / "other")
    data = done(cloned, "enter", "--branch", "far")
    assert (data["branch"], data["name"], tip(cloned, cwd=Path(data["path"]))) == ("far", "far", far)


def test_a_remote_branch_that_is_known_is_brought_up_to_date(cloned: World) -> None:
    cloned.sh("""cd other; git push -q origin main:far; git -C "$R" fetch -q
              git commit -q --allow-empty -m new; git push -q origin HEAD:far""")
    data = done(cloned, "enter", "--branch", "far")
    assert tip(cloned, cwd=Path(data["path"])) == tip(cloned, cwd=cloned.root / "other")


def test_a_remote_branch_that_only_ends_like_it_is_another_one(cloned: World) -> None:
    cloned.sh("cd other; git push -q origin main:team/far")
    data = done(cloned, "enter", "--branch", "far")
    assert (data["branch"], data["base_commit"]) == ("far", tip(cloned, "main"))


def test_a_remote_branch_written_with_its_remote_is_that_branch(cloned: World) -> None:
    cloned.sh('cd other; git switch -qc far; git commit -q --allow-empty -m far; git push -q origin far; cd "$R"; git fetch -q')
    ran = wt(cloned, "enter", "x", "--branch", "origin/far")
    if ran.returncode == 0:
        there = Path(json.loads(ran.stdout)["data"]["path"])
        assert tip(cloned, cwd=there) == tip(cloned, "origin/far"), "not a new branch of that odd name"
    else:
        assert (ran.returncode, "origin/far" in json.loads(ran.stderr)["error"]) == (2, True)


def test_a_remote_that_cannot_be_asked_is_heard_of(cloned: World) -> None:
    """Whether it has the branch is not known; another branch of that name made in silence would fork it."""
    cloned.git("remote", "set-url", "origin", str(cloned.root / "nowhere.git"))
    ran = cloned.wt("enter", "--branch", "far")
    assert ran.returncode in (0, 1, 2)
    assert "origin" in ran.stderr


def test_a_remote_branch_that_is_here_already_needs_no_network(cloned: World) -> None:
    cloned.sh('cd other; git push -q origin main:far; cd "$R"; git fetch -q')
    cloned.git("remote", "set-url", "origin", str(cloned.root / "nowhere.git"))
    ran = wt(cloned, "enter", "--branch", "far")
    if ran.returncode:
        assert json.loads(ran.stderr)["hint"], "a refusal names a way out"
    else:
        assert json.loads(ran.stdout)["data"]["branch"] == "far"


def test_branch_of_a_new_name_is_made_from_the_base(plain: World) -> None:
    plain.sh('cd "$R"; git branch dev; git commit -q --allow-empty -m more')
    data = done(plain, "enter", "--branch", "fresh", "--base", "dev")
    assert (data["branch"], data["base"], tip(plain, "fresh")) == ("fresh", "dev", tip(plain, "dev"))


def test_a_branch_that_was_nowhere_is_said_to_be_new(plain: World) -> None:
    """It may be a slip of the pen."""
    assert "branch  fesh, a new one: there was none of that name" in plain.wt("enter", "--branch", "fesh").stdout
    plain.git("branch", "there")
    assert "a new one" not in plain.wt("enter", "--branch", "there").stdout


def test_another_base_is_for_a_new_one(plain: World) -> None:
    plain.git("branch", "dev")
    done(plain, "new", "x")
    document = refused(plain, "enter", "x", "--base", "dev")
    assert (document["code"], "made from main" in document["error"]) == ("other-base", True)
    assert done(plain, "enter", "x", "--base", "main")["base"] == "main"


def test_branch_checked_out_elsewhere_is_refused_with_the_path(world: World) -> None:
    document = refused(world, "enter", "z", "--branch", "wt/y")
    assert (document["code"], str(world.W2) in document["error"]) == ("branch-in-use", True)
    assert str(world.W2) in document["hint"]


def test_branch_checked_out_in_the_main_checkout_is_refused_with_a_way_that_works(world: World) -> None:
    document = refused(world, "enter", "z", "--branch", "main")
    assert str(world.R) in document["error"]
    assert "wt leave" not in document["hint"], "leaving a binding does not free the main checkout's branch"
    assert "--base main" in document["hint"] or "git -C" in document["hint"]


NO_BRANCHES = ["a b", "x..y", "-m", "-M", "-f", "--upload-pack=touch {OUT}/run", "HEAD", "@", "x.lock", "/x"]


@pytest.mark.parametrize("branch", NO_BRANCHES)
def test_branch_that_is_no_branch_name_is_refused(cloned: World, branch: str) -> None:
    document = refused(cloned, "enter", "x", f"--branch={cloned.fill(branch)}")
    assert document["hint"]
    assert list(cloned.OUT.iterdir()) == []


# --- what is left from earlier ---------------------------------------------------------------------------------------

@pytest.fixture
def left_over(plain: World) -> World:
    """A branch wt/x with seven commits and no worktree."""
    plain.sh('cd "$R"; git switch -qc wt/x; for n in 1 2 3 4 5 6 7; do git commit -q --allow-empty -m "step $n"; done; git switch -q main')
    return plain


def test_a_left_over_branch_is_refused_with_its_commits(left_over: World) -> None:
    document = refused(left_over, "enter", "x")
    assert document["code"] == "branch-exists"
    assert "step 7" in document["error"]
    assert "--reuse" in document["hint"]
    assert "--unique" in document["hint"]
    assert "7 commit(s)" in document["error"], "all of them are counted, even where not all are shown"


def test_reuse_goes_on_with_it(left_over: World) -> None:
    data = done(left_over, "enter", "x", "--reuse")
    assert (data["branch"], data["created"], data["base_commit"]) == ("wt/x", True, tip(left_over, "main"))
    assert left_over.git("log", "-1", "--format=%s", cwd=Path(data["path"])) == "step 7"
    assert left_over.git("rev-list", "--count", "main..wt/x") == "7"


def test_unique_counts_up(left_over: World) -> None:
    names = [done(left_over, "enter", "x", "--unique") for _ in range(2)]
    assert [(data["name"], data["branch"]) for data in names] == [("x-2", "wt/x-2"), ("x-3", "wt/x-3")]
    assert left_over.git("rev-list", "--count", "main..wt/x") == "7"
    assert done(left_over, "new", "y", "--unique")["name"] == "y", "a free name stays as it is"


def test_reuse_and_unique_exclude_each_other(plain: World) -> None:
    assert refused(plain, "enter", "x", "--reuse", "--unique")["code"] == "usage"


@pytest.mark.parametrize("setup", ["mkdir -p .worktrees/x; echo mine > .worktrees/x/notes", "mkdir .worktrees; echo mine > .worktrees/x",
                                   "mkdir .worktrees; ln -s /nowhere .worktrees/x", "git init -q .worktrees/x"],
                         ids=["a folder", "a file", "a link to nowhere", "a repository"])
def test_what_is_in_the_way_is_kept_and_both_ways_out_are_named(plain: World, setup: str) -> None:
    plain.sh(f'cd "$R"; {setup}')
    before = sorted(str(p) for p in (plain.R / ".worktrees").rglob("*"))
    document = refused(plain, "enter", "x")
    assert document["code"] == "folder-exists"
    assert "git worktree repair" in document["hint"]
    assert "wt enter x-2" in document["hint"]
    assert sorted(str(p) for p in (plain.R / ".worktrees").rglob("*")) == before
    assert done(plain, "enter", "x-2")["created"] is True


def test_an_empty_folder_is_not_in_the_way(plain: World) -> None:
    (plain.R / ".worktrees/x").mkdir(parents=True)
    assert done(plain, "enter", "x")["created"] is True


def test_a_name_below_a_branch_that_exists_is_refused_with_a_way_out(plain: World) -> None:
    """git keeps branches as files: beside wt/feat there can be no wt/feat/a."""
    done(plain, "new", "feat")
    document = refused(plain, "enter", "feat/a")
    assert "wt/feat" in document["error"]
    assert document["hint"]
    assert not (plain.R / ".worktrees/feat+a").exists()


# --- the main checkout stays as it is --------------------------------------------------------------------------------

def fingerprint(world: World) -> dict[str, tuple[bytes, int]]:
    """Bytes and time of every file of R, of its index and its HEAD."""
    files = [p for p in world.R.rglob("*") if p.is_file() and ".git" not in p.relative_to(world.R).parts and ".worktrees" not in p.parts]
    return {str(p): (p.read_bytes(), p.stat().st_mtime_ns) for p in [*files, world.R / ".git/index", world.R / ".git/HEAD"]}


def test_open_work_in_main_stays_byte_identical_and_is_mentioned(plain: World) -> None:
    plain.sh('cd "$R"; echo "value = 7" > src/app.py; echo staged > s; git add s; touch -d "2 hours ago" src/app.py; echo loose > loose')
    before = fingerprint(plain)
    ran = plain.wt("enter", "x")
    assert "The main checkout has open work (2 modified, 1 untracked)" in ran.stdout
    assert done(plain, "status")["worktrees"][0]["dirty"] == {"modified": 2, "untracked": 1, "conflicted": 0}
    done(plain, "leave")
    assert fingerprint(plain) == before
    assert (plain.R / ".worktrees/x/src/app.py").read_text() == "value = 1\n"


def test_a_clean_main_is_not_mentioned(plain: World) -> None:
    assert "open work" not in plain.wt("enter", "x").stdout


DISTANCES = [(0, 0, "even with origin/main"), (0, 2, "2 behind of origin/main"), (1, 2, "1 ahead, 2 behind of origin/main")]


@pytest.mark.parametrize(("ours", "theirs", "said"), DISTANCES)
def test_base_commit_and_distance_to_the_remotes_default_branch_are_printed(cloned: World, ours: int, theirs: int, said: str) -> None:
    cloned.sh(f"""cd other; for n in $(seq {theirs}); do git commit -q --allow-empty -m t; done; git push -q origin main
              cd "$R"; git fetch -q; for n in $(seq {ours}); do git commit -q --allow-empty -m o; done""")
    ran = cloned.wt("enter", "x")
    assert f"base    main @ {tip(cloned, 'main')[:9]} ({said})" in ran.stdout
    assert "branch  wt/x" in ran.stdout
    assert f"path    {cloned.R}/.worktrees/x" in ran.stdout
    data = done(cloned, "enter", "x")
    assert (data["behind"], data["origin"]) == (theirs, {"ref": "origin/main", "ahead": ours, "behind": theirs})


# --- places ----------------------------------------------------------------------------------------------------------

PLACES = [("a subfolder", "{R}/src"), ("another worktree", "{W}"), ("a subfolder of a worktree", "{W2}/src"), ("git's folder", "{R}/.git"),
          ("inside git's folder", "{R}/.git/hooks"), ("R through a symlink", "{OUT}/r")]


@pytest.mark.parametrize("place", [place for _, place in PLACES], ids=[why for why, _ in PLACES])
def test_a_new_worktree_goes_below_the_main_checkout_from(world: World, place: str) -> None:
    (world.OUT / "r").symlink_to(world.R)
    data = done(world, "enter", "z", cwd=Path(world.fill(place)))
    assert (data["path"], data["base"]) == (str(world.R / ".worktrees/z"), "main")
    assert binding(world)["main"] == str(world.R)


def test_a_bare_repository_and_its_worktrees(cloned: World) -> None:
    bare = cloned.root / "origin.git"
    world = World(cloned.root, bare, cloned.W, cloned.W2, cloned.OUT)
    data = done(world, "enter", "x")
    assert (data["base"], data["base_commit"], data["main_open"]) == ("main", tip(cloned), None)
    assert cloned.git("rev-parse", "--show-toplevel", cwd=Path(data["path"])) == data["path"]
    inside = done(world, "enter", "y", cwd=Path(data["path"]))
    assert Path(inside["path"]).parent == Path(data["path"]).parent
    status = done(world, "status")
    assert (status["main"], [row["name"] for row in status["worktrees"]]) == (None, ["x", "y"])
    assert done(world, "leave")["left"][0]["name"] == "y"


def test_two_bare_repositories_beside_each_other_keep_apart(cloned: World) -> None:
    cloned.sh("git clone -q --bare origin.git second.git")
    one, two = (done(World(cloned.root, cloned.root / name, cloned.W, cloned.W2, cloned.OUT), "enter", "x")["path"]
                for name in ("origin.git", "second.git"))
    assert one != two


def test_a_separate_git_folder(tmp_path: Path) -> None:
    world = small(Path(os.path.realpath(tmp_path)))
    world.sh('git init -q -b main --separate-git-dir "$OUT/store" "$R-2"; cd "$R-2"; echo 1 > a.py; git add -A; git commit -qm base')
    world.R = world.root / "app-2"
    data = done(world, "enter", "x")
    assert data["path"] == str(world.R / ".worktrees/x")
    assert world.git("status", "--porcelain") == ""
    assert done(world, "enter", "y", cwd=Path(data["path"]))["path"] == str(world.R / ".worktrees/y")
    status = done(world, "status", cwd=Path(data["path"]))
    assert (status["main"], status["worktrees"][0]["path"]) == (str(world.R), str(world.R))
    assert world.hook("Edit", {"file_path": "{R}/a.py", "old_string": "1", "new_string": "2"}).rule == "use-worktree-path"


def test_a_submodule_has_worktrees_of_its_own(cloned: World) -> None:
    cloned.sh('git init -q -b main host; cd host; git submodule -q add "$PWD/../origin.git" sub; git commit -qm sub')
    host, sub = cloned.root / "host", cloned.root / "host/sub"
    world = World(cloned.root, sub, cloned.W, cloned.W2, cloned.OUT)
    data = done(world, "enter", "x")
    assert data["path"] == str(sub / ".worktrees/x")
    assert (Path(data["path"]) / "src/app.py").exists()
    assert (cloned.git("status", "--porcelain", cwd=sub), cloned.git("status", "--porcelain", cwd=host)) == ("", "")
    assert not (host / ".git/worktree-guard").exists(), "the superproject is not bound"
    outer = done(cloned, "enter", "x", cwd=host)
    assert outer["path"] == str(host / ".worktrees/x")


@pytest.mark.parametrize("verb", ["enter", "new", "leave", "status", "authorize-main", "revoke-main", "allow"])
def test_outside_a_repository_every_verb_says_so(world: World, verb: str) -> None:
    document = refused(world, verb, cwd=world.OUT)
    assert (document["code"], str(world.OUT) in document["error"]) == ("no-repository", True)


def test_from_a_folder_that_is_gone_it_says_so(world: World) -> None:
    """The shell that starts `wt` complains of its own; the last line is ours."""
    script = f'cd "$OUT"; rmdir "$OUT"; exec {WT} enter x --json'
    ran = subprocess.run(["sh", "-c", script], cwd=world.root, env={**world.env, **world.paths}, capture_output=True, text=True, timeout=30,
                         check=False)
    assert (ran.returncode, ran.stdout) == (2, "")
    document = json.loads(ran.stderr.splitlines()[-1])
    assert (document["code"], "cd " in document["hint"]) == ("folder-gone", True)


def test_a_detached_main_checkout_is_the_base_by_its_commit(plain: World) -> None:
    plain.git("checkout", "-q", "--detach")
    data = done(plain, "enter", "x")
    assert (data["base"], data["base_commit"]) == (tip(plain), tip(plain))
    assert plain.git("symbolic-ref", "--short", "HEAD", cwd=Path(data["path"])) == "wt/x"


def test_a_repository_without_a_commit_is_told_what_to_do(tmp_path: Path) -> None:
    home_with_identity(tmp_path)
    world = World(tmp_path, tmp_path / "app", tmp_path / "w", tmp_path / "w2", tmp_path / "out")
    world.sh('git init -q -b main "$R"')
    document = refused(world, "enter", "x")
    assert (document["code"], "git commit --allow-empty" in document["hint"]) == ("no-base", True)
    assert done(world, "status")["worktrees"][0]["branch"] == "main"
    world.sh(f'cd "$R"; {document["hint"].partition(": ")[2]}')
    assert done(world, "enter", "x")["created"] is True, "what the hint says helps"


def test_git_variables_of_another_repository_do_not_mislead(plain: World) -> None:
    other = small(plain.root / "other-place", "other")
    data = done(plain, "enter", "x", GIT_DIR=str(other.R / ".git"), GIT_WORK_TREE=str(other.R), GIT_INDEX_FILE=str(other.R / "idx"),
                GIT_COMMON_DIR=str(other.R / ".git"), GIT_PREFIX="src/")
    assert data["path"] == str(plain.R / ".worktrees/x")
    assert not (other.R / ".git/worktree-guard").exists()
    assert other.git("branch", "--format=%(refname:short)") == "main"


def test_a_repository_of_another_owner_is_not_called_none(plain: World) -> None:
    """git refuses such a folder until it is named in safe.directory: usual in containers. `git init` would not help."""
    document = refused(plain, "enter", "x", GIT_TEST_ASSUME_DIFFERENT_OWNER="1")
    assert "safe.directory" in document["hint"]


def test_a_main_checkout_flipped_to_bare_by_accident_still_works(plain: World) -> None:
    """Some tools write core.bare=true into the shared config; the hook looks through that as well."""
    plain.git("config", "core.bare", "true")
    data = done(plain, "enter", "x")
    assert (data["main_open"], bound_to(plain)) == (None, data["path"])


@pytest.mark.parametrize("folder", ["with blanks", "it's", "dollar$HOME"])
def test_printed_paths_can_be_pasted(tmp_path: Path, folder: str) -> None:
    world = small(Path(os.path.realpath(tmp_path)), folder)
    line = world.wt("enter", "x").stdout.partition("Next: ")[2]
    assert line
    assert world.sh(f"{line}\npwd").rstrip("\n") == str(world.R / ".worktrees/x")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has file names that are no UTF-8")
def test_a_path_that_is_no_utf8(tmp_path: Path) -> None:
    world = small(Path(os.path.realpath(tmp_path)), os.fsdecode(b"caf\xe9"))
    ran = wt(world, "enter", "x")
    if ran.returncode == 0:
        assert json.loads(ran.stdout)["data"]["path"] == str(world.R / ".worktrees/x")
        assert world.hook("Edit", {"file_path": "{R}/src/app.py", "old_string": "1", "new_string": "2"}).kind == "deny"
    else:
        assert ran.returncode != 3, "an unmet precondition, not a fault of wt"
        assert not (world.R / ".worktrees/x").exists(), "and nothing is left half made"


def test_a_parent_folder_that_is_a_link_elsewhere(plain: World) -> None:
    """A larger disk behind R/.worktrees: git lists the real path."""
    (plain.R / ".worktrees").symlink_to(plain.OUT)
    data = done(plain, "enter", "x")
    assert Path(data["path"]).resolve() == plain.OUT / "x"
    row = next(row for row in done(plain, "status")["worktrees"] if not row["main"])
    assert (row["owned"], row["bound_by"], row["path"]) == (True, ["repository"], data["path"])
    assert done(plain, "enter", "x")["created"] is False


# --- whose binding ---------------------------------------------------------------------------------------------------

ALL = {"WORKTREE_GUARD_SESSION": "a", "CLAUDE_CODE_SESSION_ID": "b", "ZCODE_SESSION_ID": "c"}
WHO: list[tuple[str, list[str], dict[str, str], str | None, str]] = [
    ("nobody", [], {}, None, ""),
    ("--session", ["--session", "s"], {}, "s", ""),
    ("--session before all", ["--session", "s"], ALL, "s", ""),
    ("WORKTREE_GUARD_SESSION before others", [], ALL, "a", ""),
    ("CLAUDE_CODE_SESSION_ID before ZCode's", [], {"CLAUDE_CODE_SESSION_ID": "b", "ZCODE_SESSION_ID": "c"}, "b", "claude-code"),
    ("ZCODE_SESSION_ID", [], {"ZCODE_SESSION_ID": "c"}, "c", "zcode"),
    ("a blank variable counts as none", [], {"CLAUDE_CODE_SESSION_ID": " ", "ZCODE_SESSION_ID": "c"}, "c", "zcode"),
    ("--session of this shell knows its client", ["--session", "b"], {"CLAUDE_CODE_SESSION_ID": "b"}, "b", "claude-code"),
    ("--repo", ["--repo"], ALL, None, ""),
]


@pytest.mark.parametrize(("words", "env", "session", "client"), [row[1:] for row in WHO], ids=[row[0] for row in WHO])
def test_whose_binding_it_is(world: World, words: list[str], env: dict[str, str], session: str | None, client: str) -> None:
    data = done(world, "enter", "x", *words, **env)
    assert (data["session"], data["bound"]) == (session, "session" if session else "repository")
    state = binding(world)
    assert (state["session"], state["client"], state["path"]) == (session, client, str(world.W))
    if session:
        assert binding(world, session) == state
    else:
        assert not (world.state / "sessions").exists()


def test_an_empty_session_does_not_bind_everybody(world: World) -> None:
    """`--session "$UNSET"` in an agent's script."""
    ran = wt(world, "enter", "x", "--session", "", CLAUDE_CODE_SESSION_ID=ONE)
    if ran.returncode == 0:
        assert json.loads(ran.stdout)["data"]["session"] == ONE
    else:
        assert ran.returncode == 2
        assert bound_to(world) is None


def test_a_session_id_is_safe_as_a_file_name(world: World) -> None:
    for session in ("../../evil", "a/b", "ü" * 200, "A" * 300):
        assert done(world, "enter", "x", "--session", session)["session"] == session
    files = sorted(p.name for p in world.state.rglob("*.json"))
    assert len(files) == 5, "four sessions and state.json"
    assert not list(world.root.rglob("evil*"))


def test_a_binding_of_everybody_is_not_taken_over_by_a_session(world: World) -> None:
    done(world, "enter", "x")
    before = binding(world)
    done(world, "enter", "y", CLAUDE_CODE_SESSION_ID=ONE)
    assert binding(world) == before
    assert binding(world, ONE)["path"] == str(world.W2)
    edit = {"file_path": "{R}/src/app.py", "old_string": "1", "new_string": "2"}
    assert str(world.W2) in world.hook("Edit", edit, session_id=ONE).reason
    assert str(world.W) in world.hook("Edit", edit, session_id=TWO).reason


def test_a_binding_of_everybody_to_a_folder_that_is_gone_is_taken_over(world: World) -> None:
    done(world, "enter", "x")
    world.sh('rm -rf "$W"')
    done(world, "enter", "y", CLAUDE_CODE_SESSION_ID=ONE)
    assert (binding(world)["session"], bound_to(world)) == (ONE, str(world.W2))


def test_a_second_session_leaves_the_first_ones_binding_alone(world: World) -> None:
    done(world, "enter", "x", CLAUDE_CODE_SESSION_ID=ONE)
    done(world, "enter", "y", CLAUDE_CODE_SESSION_ID=TWO)
    assert (binding(world, ONE)["path"], binding(world, TWO)["path"]) == (str(world.W), str(world.W2))


def test_a_person_may_bind_everybody_over_sessions(world: World) -> None:
    done(world, "enter", "x", CLAUDE_CODE_SESSION_ID=ONE)
    done(world, "enter", "y")
    assert (binding(world)["session"], bound_to(world), binding(world, ONE)["path"]) == (None, str(world.W2), str(world.W))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="a process's start time is told by /proc")
def test_the_clients_process_is_recorded_while_it_lives(world: World) -> None:
    with subprocess.Popen(["sleep", "60"]) as client:
        done(world, "enter", "x", CLAUDE_CODE_SESSION_ID=ONE, CLAUDE_PID=str(client.pid))
        kept = binding(world, ONE)
        started = Path(f"/proc/{client.pid}/stat").read_text().rpartition(")")[2].split()[19]
        client.kill()
    assert (kept["client_pid"], kept["client_started"]) == (client.pid, started)
    for pid in (str(client.pid), "x", "-1", "9" * 30):
        done(world, "enter", "x", CLAUDE_CODE_SESSION_ID=TWO, CLAUDE_PID=pid)
        assert binding(world, TWO)["client_pid"] is None, f"{pid} is no living process"


def test_state_is_for_its_owner_alone(world: World) -> None:
    world.sh(f'umask 0; cd "$R"; {WT} enter z --session {ONE}; {WT} authorize-main --reason r; {WT} allow a --reason r')
    modes = {str(p.relative_to(world.state)): stat.S_IMODE(p.stat().st_mode) for p in world.state.rglob("*") if p.name != "lock"}
    files = {"state.json", f"sessions/{ONE}.json", "worktrees/z.json", "override.json", "allow.json"}
    assert {name: mode for name, mode in modes.items() if mode != 0o600} == {"sessions": 0o700, "worktrees": 0o700}
    assert files <= set(modes)
    assert stat.S_IMODE(world.state.stat().st_mode) == 0o700


# --- when something goes wrong ---------------------------------------------------------------------------------------

def test_hooks_of_the_repository_do_not_run(world: World) -> None:
    for name in ("post-checkout", "reference-transaction", "post-index-change"):
        hook = world.R / ".git/hooks" / name
        hook.write_text('#!/bin/sh\ntouch "$OUT/$(basename "$0")"\nexit 1\n')
        hook.chmod(0o755)
    done(world, "enter", "z", OUT=str(world.OUT))
    world.sh('rm -rf "$R/.worktrees/z"')
    assert done(world, "enter", "z", OUT=str(world.OUT))["path"] == str(world.R / ".worktrees/z"), "made again"
    assert list(world.OUT.iterdir()) == []


SLOW = '''cd "$R"; echo '*.slow filter=slow' > .gitattributes; echo 1 > a.slow; echo 2 > b.slow; git add -A; git commit -qm slow
git config filter.slow.clean cat; git config filter.slow.required true; git config filter.slow.smudge '%s'
'''


def test_a_checkout_that_fails_leaves_nothing(plain: World) -> None:
    plain.sh(SLOW % "false")
    document = refused(plain, "enter", "x", status=1)
    assert "filter" in document["error"]
    assert not (plain.R / ".worktrees/x").exists()
    plain.git("config", "filter.slow.smudge", "cat")
    assert done(plain, "enter", "x")["created"] is True


def test_a_record_that_cannot_be_written_leaves_nothing(plain: World) -> None:
    plain.state.mkdir(mode=0o700)
    (plain.state / "worktrees").write_text("a file where a folder should be")
    before = known(plain)
    assert wt(plain, "enter", "x").returncode != 0
    assert known(plain) == before
    assert not (plain.R / ".worktrees/x").exists()


def interrupted(world: World, number: int, *, everybody: bool) -> int:
    """Sends a signal to `wt enter x` in the middle of its checkout; gives its exit status."""
    world.sh(SLOW % 'touch "$OUT/at-work"; sleep 5; cat')
    with subprocess.Popen([str(ROOT / "scripts/wt"), "enter", "x"], cwd=world.R, env={**world.env, **world.paths}, start_new_session=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        end = time.monotonic() + 20
        while not (world.OUT / "at-work").exists():
            assert time.monotonic() < end, "the checkout never began"
            time.sleep(0.02)
        if everybody:
            os.killpg(running.pid, number)
        else:
            running.send_signal(number)
        status = running.wait(20)
    world.git("config", "filter.slow.smudge", "cat")
    return status


@pytest.mark.parametrize("everybody", [True, False], ids=["as a terminal does, git as well", "wt alone"])
def test_an_interrupted_run_takes_back_what_it_made(plain: World, everybody: bool) -> None:
    assert interrupted(plain, signal.SIGINT, everybody=everybody) == 130
    assert not (plain.R / ".worktrees/x").exists()
    assert plain.git("worktree", "list", "--porcelain").count("worktree ") == 1
    assert plain.git("branch", "--list", "wt/x") == ""
    assert bound_to(plain) is None
    assert done(plain, "enter", "x")["created"] is True


def test_what_a_killed_run_left_is_made_anew(plain: World) -> None:
    """git marks it: locked, "initializing". Half the files are missing."""
    assert interrupted(plain, signal.SIGKILL, everybody=True) == -signal.SIGKILL
    assert bound_to(plain) is None, "the binding comes last"
    assert "locked initializing" in plain.git("worktree", "list", "--porcelain")
    data = done(plain, "enter", "x")
    assert plain.git("status", "--porcelain", cwd=Path(data["path"])) == "", "every file is there"
    assert "locked" not in plain.git("worktree", "list", "--porcelain")
    assert bound_to(plain) == data["path"]


@pytest.mark.parametrize("deleted", ["the folder", "the folder of all of them"])
def test_a_folder_deleted_by_hand_is_made_again_on_its_branch(plain: World, deleted: str) -> None:
    folder = Path(done(plain, "enter", "feat/x")["path"])
    plain.sh("git commit -q --allow-empty -m own", cwd=folder)
    plain.sh(f"rm -rf {shlex.quote(str(folder if deleted == 'the folder' else folder.parent))}")
    data = done(plain, "enter", "feat/x")
    assert (data["path"], data["branch"]) == (str(folder), "wt/feat/x")
    assert plain.git("log", "-1", "--format=%s", cwd=folder) == "own"
    assert plain.git("status", "--porcelain", cwd=folder) == ""


def test_what_was_staged_in_a_folder_deleted_by_hand_comes_back(plain: World) -> None:
    """Its index and objects are still in git's folder."""
    folder = Path(done(plain, "enter", "x")["path"])
    plain.sh("echo precious > new.txt; git add new.txt", cwd=folder)
    plain.sh(f"rm -rf {shlex.quote(str(folder))}")
    done(plain, "enter", "x")
    assert plain.git("show", ":new.txt", cwd=folder) == "precious"


def test_a_worktree_that_lost_its_git_file_is_not_taken_for_one(plain: World) -> None:
    """Inside R git would go on upwards and find R itself."""
    folder = Path(done(plain, "new", "x")["path"])
    (folder / ".git").unlink()
    ran = wt(plain, "enter", "x")
    if ran.returncode == 0:
        assert plain.git("rev-parse", "--show-toplevel", cwd=folder) == str(folder)
    else:
        assert (ran.returncode, bound_to(plain)) == (2, None)
        assert "git worktree repair" in json.loads(ran.stderr)["hint"]


def test_an_emptied_worktree_is_made_again(plain: World) -> None:
    folder = Path(done(plain, "new", "x")["path"])
    plain.sh(f"rm -rf {shlex.quote(str(folder))}; mkdir {shlex.quote(str(folder))}")
    done(plain, "enter", "x")
    assert plain.git("rev-parse", "--show-toplevel", cwd=folder) == str(folder)
    assert (folder / "src/app.py").exists()


def test_a_missing_and_locked_worktree_is_not_made_again(plain: World) -> None:
    folder = Path(done(plain, "new", "x")["path"])
    plain.git("worktree", "lock", "--reason", "on a usb stick", str(folder))
    plain.sh(f"rm -rf {shlex.quote(str(folder))}")
    document = refused(plain, "enter", "x")
    assert (document["code"], "on a usb stick" in document["error"]) == ("locked-missing", True)
    assert f"git worktree unlock {shlex.quote(str(folder))}" in document["hint"]
    plain.git("worktree", "unlock", str(folder))
    assert done(plain, "enter", "x")["path"] == str(folder), "what the hint says helps"


# --- new -------------------------------------------------------------------------------------------------------------

def test_new_binds_nobody(plain: World) -> None:
    data = done(plain, "new", "x", CLAUDE_CODE_SESSION_ID=ONE)
    assert data["created"] is True
    assert not (plain.state / "state.json").exists()
    assert not (plain.state / "sessions").exists()
    assert plain.hook("Edit", {"file_path": "{R}/src/app.py", "old_string": "1", "new_string": "2"}).document == {}


def test_new_without_a_name_finds_one(plain: World) -> None:
    names = {done(plain, "new")["name"] for _ in range(2)}
    assert len(names) == 2
    assert all(name.count("-") == 1 and name.replace("-", "").isalpha() for name in names)


def test_new_with_an_empty_name_is_a_slip(plain: World) -> None:
    """`wt new "$NAME"` with NAME unset."""
    refused(plain, "new", "")


def test_new_of_a_name_that_is_there_is_refused(world: World) -> None:
    document = refused(world, "new", "x")
    assert (document["code"], str(world.W) in document["error"]) == ("exists", True)
    assert "wt enter x" in document["hint"]

"""`wt remove`: what stands against it, one by one; what goes and what stays; and that being killed anywhere loses nothing."""
from __future__ import annotations

import errno
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

import pytest

from guard.wt import git, missing, moving, owners, removal, trash
from guard.wt import lost as lost_folders
from tests.worlds import ROOT, World
from tests.wt.test_concurrency import ended, start
from tests.wt.test_enter import ONE, TWO, WT, binding, done, known, refused, small, wt
from tests.wt.test_snapshot import files

ALL = ("--discard", "changes", "--discard", "ignored", "--discard", "commits")


class Killed(BaseException):
    """What the process was ended by, where a test ends it."""


@pytest.fixture
def plain(tmp_path: Path) -> World:
    return small(Path(os.path.realpath(tmp_path)))


def made(world: World, name: str = "x", *words: str) -> Path:
    return Path(done(world, "new", name, *words)["path"])


def state(world: World, root: Path) -> dict[str, Any]:
    """All that there is to a worktree: files, index, HEAD, its branch's commit, its logs."""
    def said(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=root, env=world.env, capture_output=True, check=False).stdout.decode()
    return {"files": files(root), "index": said("ls-files", "-v", "-s"), "HEAD": said("rev-parse", "HEAD"),
            "branch": said("symbolic-ref", "-q", "HEAD"), "log": said("reflog", "HEAD"),
            "status": said("status", "--porcelain", "--ignored")}


def codes(world: World, *words: str, **more: Any) -> list[str]:
    """What stands against it; all of it is still there."""
    document = refused(world, "remove", *words, **more)
    assert all({"code", "said", "cure", "discard"} <= set(one) and one["cure"] for one in document["details"])
    return [one["code"] for one in document["details"]]


def in_trash(world: World) -> list[str]:
    return sorted(path.parent.name for path in (world.state / "trash").glob("*/entry.json"))


def listed(world: World) -> list[str]:
    lines = world.git("worktree", "list", "--porcelain").splitlines()
    return [line.removeprefix("worktree ") for line in lines if line.startswith("worktree ")]


# --- what goes -------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", ["x", "feat/x", "a=b", "größe", "con"])
def test_a_clean_and_merged_worktree_goes_with_its_branch(plain: World, name: str) -> None:
    path = made(plain, name)
    data = done(plain, "remove", name)
    assert (data["path"], data["branch"], data["branch_deleted"], data["commits"]) == (str(path), f"wt/{name}", True, [])
    assert (path.exists(), listed(plain)) == (False, [str(plain.R)])
    assert plain.git("for-each-ref", "--format=%(refname)") == f"refs/heads/main\n{data['ref']}"
    assert not list((plain.state / "worktrees").glob("*.json"))
    assert plain.git("log", "-1", "--format=%s %T", data["ref"]) == (
        f"removed {path.name}: wt/{name} @ {plain.git('rev-parse', '--short=9', 'main')} {plain.git('rev-parse', 'main^{tree}')}")


@pytest.mark.parametrize("folder", ["with blanks", "it's", "ünï"])
def test_a_place_with_an_odd_name(tmp_path: Path, folder: str) -> None:
    world = small(Path(os.path.realpath(tmp_path)), folder)
    path = made(world)
    (path / "f").write_text("1")
    cure = refused(world, "remove", "x")["details"][0]["cure"]
    world.sh(cure.partition(" keeps")[0] + " -qm f")
    before = state(world, path)
    cure = refused(world, "remove", str(path))["details"][0]["cure"]
    world.sh(f'cd "$R"; {WT} {cure.partition(" keeps")[0].removeprefix("wt ")}')
    done(world, "restore")
    assert state(world, path) == before


LINE_ENDS_TO_PYTHON = ["\u2028", "\u2029", "\x85"]  # of str.splitlines(); git takes them in a name
KEEP, DISCARD = ("--keep-branch",), ("--discard", "commits")


@pytest.mark.parametrize(("words", "why"), [(KEEP, "as asked"), (DISCARD, "not merged"), (KEEP + DISCARD, "as asked")])
def test_commits_that_are_nowhere_else_are_listed_and_stay_with_their_branch_when_that_is_meant(
        plain: World, words: tuple[str, ...], why: str) -> None:
    path = made(plain)
    plain.sh("git commit -q --allow-empty -m 'only here'; echo 1 > n; git add n; git commit -qm second", cwd=path)
    tip, before = plain.git("rev-parse", "wt/x"), state(plain, path)
    document = refused(plain, "remove", "x")
    assert (document["code"], "wt remove x --discard commits" in document["hint"]) == ("unmerged-commits", True)
    for text in ("2 commit(s) that only wt/x has", "second", "only here", "wt remove x --keep-branch", str(path)):
        assert text in document["error"]
    assert codes(plain, "x", "--discard", "changes", "--discard", "ignored") == ["unmerged-commits"]
    assert state(plain, path) == before
    data = done(plain, "remove", "x", *words)
    assert (data["branch_deleted"], data["why"], [line.partition(" ")[2] for line in data["commits"]]) == (
        False, why, ["second", "only here"])
    assert plain.git("rev-parse", "wt/x") == tip
    assert f"stays ({why})" in plain.wt("restore").stdout + plain.wt("remove", "x", *words).stdout


@pytest.mark.parametrize("mark", LINE_ENDS_TO_PYTHON)
def test_a_branch_whose_name_python_would_split_is_no_other_one(plain: World, mark: str) -> None:
    path = made(plain, f"a{mark}b")
    commit(plain, path)
    document = refused(plain, "remove", str(path))
    assert (document["code"], "1 commit(s)" in document["error"]) == ("unmerged-commits", True)
    assert f"wt/a{mark}b" in done(plain, "remove", str(path), "--discard", "commits")["branch"]
    assert git.lines(plain.git("branch", "--format=%(refname:lstrip=2)")) == ["main", f"wt/a{mark}b"]


def test_of_many_commits_ten_are_named_and_all_are_counted(plain: World) -> None:
    plain.sh("for n in $(seq 12); do git commit -q --allow-empty -m c$n; done", cwd=made(plain))
    (finding,) = refused(plain, "remove", "x")["details"]
    assert (finding["said"][:12], "c12; " in finding["said"], finding["said"][-11:]) == ("12 commit(s)", True, " and 2 more")


def test_it_is_looked_at_now_and_not_remembered(plain: World) -> None:
    """Merged at first, and then another commit; pushed at first, and then the remote branch is forgotten."""
    path = made(plain)
    commit(plain, path)
    plain.sh("git merge -q wt/x; git init -q --bare ../o.git; git remote add o ../o.git", cwd=plain.R)
    assert done(plain, "remove", "x", "--dry-run")["branch_deleted"]
    commit(plain, path, "later")
    assert codes(plain, "x") == ["unmerged-commits"]
    plain.sh("git push -q o wt/x", cwd=plain.R)
    assert done(plain, "remove", "x", "--dry-run")["branch_deleted"]
    plain.sh("git remote remove o", cwd=plain.R)
    assert codes(plain, "x") == ["unmerged-commits"]


def test_commits_on_a_branch_of_somebody_else_are_no_finding(plain: World) -> None:
    """It was there before, or it was made in the worktree by hand: either way it stays."""
    plain.git("branch", "theirs")
    commit(plain, made(plain, "y", "--branch", "theirs"))
    plain.sh("git switch -qc by-hand; git commit -q --allow-empty -m own", cwd=made(plain))
    for name, branch in (("y", "theirs"), ("x", "by-hand")):
        data = done(plain, "remove", name)
        assert (data["branch_deleted"], len(data["commits"])) == (False, 1)
        assert plain.git("rev-parse", branch) == data["head"]


def test_a_left_over_branch_of_ours_counts_as_made_by_us(plain: World) -> None:
    commit(plain, made(plain))
    done(plain, "remove", "x", "--keep-branch")
    made(plain, "x", "--reuse")
    assert codes(plain, "x") == ["unmerged-commits"]
    plain.git("merge", "-q", "wt/x")
    assert done(plain, "remove", "x")["branch_deleted"]


def test_a_branch_without_any_commit_is_nothing_to_lose(plain: World) -> None:
    plain.sh("git checkout -q --orphan wt/new; git rm -rfq .", cwd=made(plain))
    assert done(plain, "remove", "x")["head"].strip("0") == ""


def commit(world: World, path: Path, name: str = "own") -> None:
    world.sh(f"echo {name} > {name}; git add {name}; git commit -qm {name}", cwd=path)


MERGED = [
    ("merged", "git merge -q --no-ff -m m wt/x"), ("squashed", "git merge -q --squash wt/x; git commit -qm squash"),
    ("squashed, main went on", "git merge -q --squash wt/x; git commit -qm squash; echo 9 > other; git add other; git commit -qm later"),
    ("cherry-picked", "git commit -q --allow-empty -m between; git cherry-pick wt/x~1 wt/x >/dev/null"),
    ("held by another branch", "git branch keep wt/x"), ("held by a tag", "git tag v1 wt/x"),
    ("pushed", "git init -q --bare ../o.git; git remote add o ../o.git; git push -q o wt/x"),
]


@pytest.mark.parametrize("script", [row[1] for row in MERGED], ids=[row[0] for row in MERGED])
def test_a_branch_goes_when_all_of_it_is_elsewhere(plain: World, script: str) -> None:
    path = made(plain)
    commit(plain, path)
    commit(plain, path, "two")
    tip = plain.git("rev-parse", "wt/x")
    plain.sh(script, cwd=plain.R)
    assert done(plain, "remove", "x")["branch_deleted"]
    done(plain, "restore", "x")
    assert plain.git("rev-parse", "wt/x") == tip


STAYS = [
    ("not merged", "true"), ("half of it", "git cherry-pick wt/x~1 >/dev/null"),
    ("merged and reverted", "git merge -q --squash wt/x; git commit -qm squash; git revert --no-edit HEAD >/dev/null"),
]


@pytest.mark.parametrize("script", [row[1] for row in STAYS], ids=[row[0] for row in STAYS])
def test_a_branch_of_which_something_is_nowhere_else_stands_against_it(plain: World, script: str) -> None:
    path = made(plain)
    commit(plain, path)
    commit(plain, path, "two")
    plain.sh(script, cwd=plain.R)
    assert codes(plain, "x") == ["unmerged-commits"]
    assert not done(plain, "remove", "x", *DISCARD)["branch_deleted"]
    assert plain.git("log", "-1", "--format=%s", "wt/x") == "two"


def test_a_branch_of_empty_commits_stays_although_no_tree_lacks_it(plain: World) -> None:
    plain.sh("git commit -q --allow-empty -m a", cwd=made(plain))
    plain.sh("git commit -q --allow-empty -m b", cwd=plain.R)
    assert codes(plain, "x") == ["unmerged-commits"]
    assert not done(plain, "remove", "x", *DISCARD)["branch_deleted"]


def test_keep_branch_and_a_branch_that_was_there_before(plain: World) -> None:
    made(plain)
    assert done(plain, "remove", "x", "--keep-branch")["why"] == "as asked"
    plain.git("branch", "theirs")
    made(plain, "y", "--branch", "theirs")
    assert not done(plain, "remove", "y")["branch_deleted"]
    assert plain.git("for-each-ref", "--format=%(refname:short)", "refs/heads/") == "main\ntheirs\nwt/x"


def test_a_dry_run_says_the_same_and_changes_nothing(plain: World) -> None:
    path = made(plain)
    before = (known(plain), state(plain, path))
    data = done(plain, "remove", "x", "--dry-run")
    assert (data["dry_run"], data["branch_deleted"], data["back"]) == (True, True, None)
    assert ((known(plain), state(plain, path)), in_trash(plain)) == (before, [])
    assert plain.wt("remove", "x", "--dry-run").stdout.startswith("Would remove x.\n")


# --- what stands against it ------------------------------------------------------------------------------------------

OPEN = [
    ("an edit", "echo 2 > src/app.py"), ("staged", "echo 2 > src/app.py; git add ."), ("untracked", "echo 1 > 'a file'"),
    ("deleted", "rm src/app.py"),
    ("untracked, hidden by a setting", "git config status.showUntrackedFiles no; echo 1 > n"),
    ("assume-unchanged", "git update-index --assume-unchanged src/app.py; echo 2 > src/app.py"),
    ("skip-worktree", "git update-index --skip-worktree src/app.py; echo 2 > src/app.py"),
    ("hidden by a monitor", "git config core.fsmonitor /bin/true; git config core.untrackedCache true; git status -s; echo 1 > n"),
    ("in an untracked folder", "mkdir n; echo 1 > n/f"), ("a repository in it", "git init -q n; echo 1 > n/f"),
    ("a conflict", """echo 2 > src/app.py; git commit -qam a; git checkout -q -b b HEAD~1; echo 3 > src/app.py; git commit -qam b
                      git checkout -q wt/x; git branch held; git merge -q b || rm -f $(git rev-parse --git-dir)/MERGE_HEAD"""),
]


@pytest.mark.parametrize("script", [row[1] for row in OPEN], ids=[row[0] for row in OPEN])
def test_open_files_stand_against_it_until_discarded_and_come_back(plain: World, script: str) -> None:
    path = made(plain)
    plain.sh(script, cwd=path)
    before = state(plain, path)
    assert codes(plain, "x") == ["open-changes"]
    assert codes(plain, "x", "--discard", "ignored", "--discard", "commits") == ["open-changes"]
    assert state(plain, path) == before
    assert done(plain, "remove", "x", "--discard", "changes")["discarded"][0]["code"] == "open-changes"
    done(plain, "restore", "x")
    assert state(plain, path) == before


def test_a_sparse_checkout_is_clean(plain: World) -> None:
    path = made(plain)
    plain.sh("git sparse-checkout set --no-cone nothing", cwd=path)
    assert not (path / "src/app.py").exists()
    done(plain, "remove", "x")


OPERATIONS = [
    ("merge", "git merge -q --no-commit --no-ff other"), ("rebase", "GIT_SEQUENCE_EDITOR='echo break >' git rebase -q -i --root"),
    ("cherry-pick", "git cherry-pick -n other; git update-ref CHERRY_PICK_HEAD other"), ("bisect", "git bisect start -q"),
    ("am", "git format-patch -q -1 other -o ..; echo 9 > own; git add own; git commit -qm mine; git am -q ../0001* || true"),
    ("revert", "git revert -n HEAD; git reset -q --hard; git update-ref REVERT_HEAD HEAD"),
]


@pytest.mark.parametrize(("word", "script"), OPERATIONS, ids=[row[0] for row in OPERATIONS])
def test_an_operation_stands_against_it_and_comes_back_half_done(plain: World, word: str, script: str) -> None:
    plain.sh("git checkout -q -b other; echo 1 > own; git add own; git commit -qm own; git checkout -q main", cwd=plain.R)
    path = made(plain)
    plain.sh(script, cwd=path)
    (finding,) = [one for one in refused(plain, "remove", "x")["details"] if one["code"] == "operation"]
    assert finding["said"] == f"{'an' if word == 'am' else 'a'} {word} is half done"
    before, said = state(plain, path), plain.git("status", cwd=path)
    done(plain, "remove", str(path), *ALL)
    done(plain, "restore")
    assert (state(plain, path), plain.git("status", cwd=path)) == (before, said)


def test_ignored_files_are_named_and_kept_in_the_trash(world: World) -> None:
    path = made(world, "z")
    world.sh("echo secret > .env; mkdir -p node_modules/a; echo 1 > node_modules/a/b; ln -s \"$OUT\" src/.env", cwd=path)
    before = state(world, path)
    (finding,) = refused(world, "remove", "z")["details"]
    assert (finding["code"], "2 ignored" in finding["said"], ".env, node_modules/" in finding["said"]) == ("ignored-files", True, True)
    data = done(world, "remove", "z", "--discard", "ignored")
    assert (Path(data["trash"]) / "tree/.env").read_text() == "secret\n"
    done(world, "restore", "z")
    assert state(world, path) == before


def test_commits_of_a_detached_head(plain: World) -> None:
    path = made(plain)
    plain.sh("git checkout -q --detach; git commit -q --allow-empty -m 'nowhere else'", cwd=path)
    head = plain.git("rev-parse", "HEAD", cwd=path)
    (finding,) = refused(plain, "remove", str(path))["details"]
    assert (finding["code"], "nowhere else" in finding["said"], finding["discard"]) == ("unreferenced-commits", True, "commits")
    data = done(plain, "remove", str(path), "--discard", "commits")
    assert plain.git("rev-parse", f"{data['ref']}^") == head
    done(plain, "restore")
    assert plain.git("rev-parse", "HEAD", cwd=path) == head


@pytest.mark.parametrize("way", ["git branch keep", "git tag keep", "git checkout -q --detach main"])
def test_a_detached_head_whose_commits_are_held_goes(plain: World, way: str) -> None:
    path = made(plain)
    plain.sh(f"git checkout -q --detach; git commit -q --allow-empty -m c; {way}", cwd=path)
    done(plain, "remove", str(path))


def test_a_commit_that_only_the_log_names_is_held_by_a_ref(plain: World) -> None:
    path = made(plain)
    commit(plain, path)
    old = plain.git("rev-parse", "wt/x")
    plain.sh("git commit -q --amend -m anew; git checkout -q --detach; git commit -q --allow-empty -m lost; git checkout -q wt/x", cwd=path)
    data = done(plain, "remove", "x", "--keep-branch")
    plain.sh("git reflog expire --expire=now --all; git gc -q --prune=now", cwd=plain.R)
    assert old in plain.git("log", "--format=%H", f"{data['ref']}+more").splitlines()
    assert "lost" in plain.git("log", "--format=%s", f"{data['ref']}+more").splitlines()


def test_a_worktree_of_somebody_else(world: World) -> None:
    assert codes(world, "x") == ["foreign"]
    assert codes(world, "x", "--foreign") == ["foreign-by-name"]
    way = refused(world, "remove", "x")["details"][0]["cure"]
    assert world.sh(f'cd "$R"; {shlex.quote(str(Path("scripts/wt").resolve()))} {way.removeprefix("wt ")}').startswith("Removed x.")
    assert (world.W.exists(), world.git("rev-parse", "--abbrev-ref", "wt/x")) == (False, "wt/x")


def test_the_main_checkout_and_where_the_caller_stands(plain: World) -> None:
    path = made(plain)
    assert refused(plain, "remove", str(plain.R))["code"] == "main-checkout"
    assert codes(plain, "x", cwd=path / "src") == ["inside"]
    assert refused(plain, "remove", "nowhere")["code"] == "no-worktree"
    assert refused(plain, "remove")["code"] == "usage"
    assert refused(plain, "remove", "x", "--discard", "all")["code"] == "usage"


def test_what_holds_another_worktree(plain: World) -> None:
    path = made(plain)
    plain.git("worktree", "add", "-q", str(path / "inner"))
    assert "holds-others" in codes(plain, "x", *ALL)


LOCKS = [("", True), ("on a stick", True), ("pid {own}", True), ("agent (pid {own}, started {began})", True), ("pid {dead}", False),
         ("agent (pid {own}, started 1)", False)]


@pytest.mark.parametrize(("reason", "holds"), LOCKS)
def test_a_lock_counts_unless_its_owner_is_dead(plain: World, reason: str, holds: bool) -> None:
    path = made(plain)
    with subprocess.Popen(["true"]) as ended_one:
        ended_one.wait()
    began = Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]
    reason = reason.format(own=os.getpid(), began=began, dead=ended_one.pid)
    plain.git("worktree", "lock", "--reason", reason, str(path))
    if holds:
        (finding,) = refused(plain, "remove", "x")["details"]
        assert (finding["code"], (reason or "no reason given") in finding["said"]) == ("locked", True)
        plain.sh(finding["cure"].partition(",")[0], cwd=plain.R)
    done(plain, "remove", "x")


def test_another_session_works_in_it(plain: World) -> None:
    made(plain)
    done(plain, "enter", "x", "--session", ONE)
    assert codes(plain, "x", CLAUDE_CODE_SESSION_ID=TWO) == ["bound"]
    assert codes(plain, "x") == ["bound"]
    done(plain, "remove", "x", CLAUDE_CODE_SESSION_ID=ONE)
    assert not list((plain.state / "sessions").iterdir())
    assert binding(plain)["active"] is False


def test_a_process_stands_in_it(plain: World) -> None:
    path = made(plain)
    with subprocess.Popen([sys.executable, "-c", "print(flush=True); input()"], cwd=path / "src", stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as there:
        assert there.stdout is not None
        there.stdout.readline()
        (finding,) = refused(plain, "remove", "x")["details"]
        assert (finding["code"], f"({there.pid})" in finding["said"]) == ("in-use", True)
        there.communicate(b"\n")
    assert owners.inside(path) == []
    done(plain, "remove", "x")


def test_all_findings_are_told_at_once(world: World) -> None:
    world.git("worktree", "lock", str(world.W2))
    world.sh("echo s > .env", cwd=world.W2)
    assert codes(world, "y") == ["foreign", "locked", "open-changes", "ignored-files"]
    ran = world.wt("remove", "y")
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 10)


def test_submodules(plain: World) -> None:
    plain.sh("""git init -q lib; cd lib; echo 1 > f; git add f; git commit -qm f
                cd "$R"; git submodule --quiet add ../lib lib; git commit -qm sub""")
    path = made(plain)
    plain.sh("git submodule --quiet update --init", cwd=path)
    plain.sh("echo 2 > f; echo 1 > n; git config status.showUntrackedFiles no", cwd=path / "lib")
    assert codes(plain, "x") == ["open-changes", "submodule-changes"]
    plain.sh("""git checkout -q f; rm n; git checkout -q --detach; git commit -q --allow-empty -m sub; git branch b
                git checkout -q origin/HEAD""", cwd=path / "lib")
    assert codes(plain, "x") == ["submodule-commits"]
    done(plain, "remove", "x", "--discard", "commits")
    done(plain, "restore")
    assert plain.git("log", "-1", "--format=%s", "b", cwd=path / "lib") == "sub"
    plain.git("branch", "-D", "b", cwd=path / "lib")
    done(plain, "remove", "x")


def test_a_worktree_that_is_damaged_or_empty_has_a_way_out(plain: World) -> None:
    path = made(plain)
    (path / ".git").unlink()
    assert refused(plain, "remove", "x")["code"] == "damaged"
    plain.sh(f"rm -rf {path}; mkdir {path}")
    document = refused(plain, "remove", "x")
    assert (document["code"], f"wt enter {path}" in document["hint"], f"rmdir {path}" in document["hint"]) == ("empty", True, True)
    path.rmdir()
    assert done(plain, "remove", "x")["gone"]


# --- ignored files that the main checkout has as well ------------------------------------------------------------------

IGNORED = "printf '.env\ncache/\nlib/\n' > .gitignore; git add .; git commit -qm ignore; mkdir cache lib; echo s > .env"
SAME = [
    ("a file", "cp $R/.env .", []),
    ("a file that was edited", "echo t > .env", [".env"]), ("of the same length", "echo x > .env", [".env"]),
    ("not there any more", "cp $R/.env .; rm $R/.env", [".env"]), ("edited there", "cp $R/.env .; echo t > $R/.env", [".env"]),
    ("a folder", "echo 1 > $R/cache/a; mkdir $R/cache/b; echo 2 > $R/cache/b/c; cp -r $R/cache .", []),
    ("less than there", "echo 1 > $R/cache/a; cp -r $R/cache .; echo 2 > $R/cache/b", []),
    ("more than there", "echo 1 > $R/cache/a; cp -r $R/cache .; echo 2 > cache/b", ["cache/"]),
    ("a folder that was edited", "echo 1 > $R/cache/a; cp -r $R/cache .; echo 2 > cache/a", ["cache/"]),
    ("one of two", "cp $R/.env .; mkdir lib; echo 1 > lib/a", ["lib/"]),
    ("a file for a folder", "mkdir .env; echo 1 > .env/a", [".env/"]),
    ("a folder for a file", "echo 1 > $R/lib/x; mkdir lib; mkdir lib/x; echo 1 > lib/x/y", ["lib/"]),
    ("the same links", "echo 1 > $R/lib/a; ln -s a $R/lib/l; cp -a $R/lib .", []),
    ("another link", "echo 1 > $R/lib/a; ln -s a $R/lib/l; cp -a $R/lib .; ln -sfn ../src lib/l", ["lib/"]),
    ("a link out", 'mkdir lib; ln -s "$OUT" lib/l', []),
    ("what is there is only a link to it", "rm -rf $R/.env; echo s > .env; ln -s $PWD/.env $R/.env", [".env"]),
    ("behind a link to it", "rm -rf $R/lib; mkdir lib; echo s > lib/a; ln -s $PWD/lib $R/lib", ["lib/"]),
    ("the same file", "ln $R/.env .env", []),
    ("200 files", "touch $R/lib/{1..200}; cp -r $R/lib .", []), ("201 files", "touch $R/lib/{1..201}; cp -r $R/lib .", ["lib/"]),
    ("50 MB", "head -c 50000000 /dev/zero > $R/.env; cp $R/.env .", []),
    ("more than 50 MB", "head -c 50000001 /dev/zero > $R/.env; cp $R/.env .", [".env"]),
    ("large, and a small one", "head -c 50000001 /dev/zero > $R/lib/l; cp -r $R/lib .; cp $R/.env .", ["lib/"]),
]


@pytest.mark.parametrize(("script", "own"), [row[1:] for row in SAME], ids=[row[0] for row in SAME])
def test_ignored_files_count_unless_the_main_checkout_has_the_same_bytes(plain: World, script: str, own: list[str]) -> None:
    plain.sh(IGNORED, cwd=plain.R)
    path = made(plain)
    plain.sh(script, cwd=path)
    before = files(path)
    if own:
        (finding,) = refused(plain, "remove", "x")["details"]
        assert (finding["code"], finding["said"].partition(": ")[2]) == ("ignored-files", ", ".join(own))
        assert files(path) == before
        return
    done(plain, "remove", "x")
    done(plain, "restore", "x")
    assert files(path) == before


def test_in_a_bare_repository_every_ignored_file_counts(plain: World) -> None:
    plain.sh(IGNORED, cwd=plain.R)
    plain.sh('git clone -q --bare "$R" bare.git; cp "$R/.env" .')
    bare = World(plain.root, plain.root / "bare.git", plain.W, plain.W2, plain.OUT)
    path = Path(done(bare, "new", "x")["path"])
    (path / ".env").write_text("s\n")
    assert codes(bare, "x") == ["ignored-files"]


# --- its folder is gone ----------------------------------------------------------------------------------------------

def lost(world: World, script: str = "true", *words: str) -> Path:
    """A worktree whose folder was deleted by hand."""
    path = made(world, "x", *words)
    world.sh(script, cwd=path)
    world.sh(f"rm -rf {shlex.quote(str(path))}")
    return path


FORGOTTEN = [
    ("as it was made", "true", True), ("open files went with the folder", "echo 2 > src/app.py; echo 1 > n", True),
    ("its commits are on its branch", "git commit -q --allow-empty -m own", False),
    ("merged", "git commit -q --allow-empty -m own; git -C $R merge -q --no-ff -m m wt/x", True),
    ("squashed", "echo 1 > own; git add own; git commit -qm own; cd $R; git merge -q --squash wt/x; git commit -qm s", True),
    ("detached, and its commits are on another branch", "git checkout -q --detach; git commit -q --allow-empty -m o; git branch k", False),
    ("locked by a process that has ended", "git worktree lock --reason 'pid 999999999' .", True),
]


@pytest.mark.parametrize(("script", "branch_goes"), [row[1:] for row in FORGOTTEN], ids=[row[0] for row in FORGOTTEN])
def test_a_worktree_whose_folder_is_gone_is_forgotten_and_comes_back(plain: World, script: str, branch_goes: bool) -> None:
    path = lost(plain, script)
    tip = plain.git("rev-parse", "wt/x")
    others = plain.git("for-each-ref", "--format=%(refname)", "refs/heads").splitlines()
    data = done(plain, "remove", "x")
    assert (data["gone"], data["finished"], data["branch_deleted"], data["path"]) == (True, False, branch_goes, str(path))
    assert (listed(plain), list((plain.state / "worktrees").glob("*.json"))) == ([str(plain.R)], [])
    kept = [ref for ref in others if not (branch_goes and ref == "refs/heads/wt/x")]
    assert plain.git("for-each-ref", "--format=%(refname)", "refs/heads").splitlines() == kept
    plain.sh("git reflog expire --expire=now --all; git gc -q --prune=now", cwd=plain.R)
    plain.git("cat-file", "-e", tip)
    again = done(plain, "remove", "x")
    assert (again["finished"], again["gone"], again["branch_deleted"]) == (True, True, branch_goes)
    back = done(plain, "restore", "x")
    assert (back["hollow"], plain.git("status", "--porcelain", cwd=path)) == (True, "")
    assert plain.git("rev-parse", "HEAD", cwd=path) == back["head"]


HELD = [
    ("staged files", "holds-work", "echo 2 > src/app.py; git add ."),
    ("commits on no branch", "holds-work", "git checkout -q --detach; git commit -q --allow-empty -m lonely"),
    ("commits that only a ref of ours has", "holds-work",
     "git checkout -q --detach; git commit -q --allow-empty -m lonely; git update-ref refs/worktree-guard/trash/t HEAD"),
    ("a conflict", "holds-work", """echo 2 > src/app.py; git commit -qam a; git checkout -q -b b HEAD~1; echo 3 > src/app.py
                                    git commit -qam b; git checkout -q wt/x; git merge -q b || true"""),
    ("locked", "locked", "git worktree lock --reason 'on a stick' ."),
]


@pytest.mark.parametrize(("code", "script"), [row[1:] for row in HELD], ids=[row[0] for row in HELD])
def test_what_only_git_still_holds_of_it_stands_against_it(plain: World, code: str, script: str) -> None:
    path = lost(plain, script)
    document = refused(plain, "remove", "x", *ALL)
    assert document["code"] == code
    if code == "holds-work":
        assert f"wt enter {path}" in document["error"]
        done(plain, "enter", str(path))
        assert path.is_dir()
    else:
        plain.sh(document["details"][0]["cure"].partition(",")[0], cwd=plain.R)
        done(plain, "remove", "x")


def test_gone_and_another_session_is_bound_to_it(plain: World) -> None:
    done(plain, "enter", "x", CLAUDE_CODE_SESSION_ID=ONE)
    plain.sh("rm -rf .worktrees/x", cwd=plain.R)
    assert codes(plain, "x", CLAUDE_CODE_SESSION_ID=TWO) == ["bound"]
    assert done(plain, "remove", "x", CLAUDE_CODE_SESSION_ID=ONE)["gone"]
    assert (binding(plain)["active"], list((plain.state / "sessions").iterdir())) == (False, [])


def test_gone_and_not_ours(world: World) -> None:
    world.sh('rm -rf "$W"')
    assert codes(world, "x") == ["foreign"]
    data = done(world, "remove", "--foreign", str(world.W))
    assert (data["gone"], data["branch_deleted"], world.git("rev-parse", "wt/x")) == (True, False, data["head"])
    assert listed(world) == [str(world.R), str(world.W2)], "the other one stays, and would also if it were gone"


def test_another_one_that_is_gone_stays_registered(plain: World) -> None:
    """Never `git worktree prune`: that also forgets trees whose disk is only away."""
    lost(plain)
    other = made(plain, "y")
    plain.sh(f"rm -rf {other}")
    done(plain, "remove", "x")
    assert listed(plain) == [str(plain.R), str(other)]


def test_what_cannot_be_looked_at_is_not_gone(plain: World) -> None:
    path = made(plain)
    away = plain.root / "away"
    path.parent.rename(away)
    (plain.R / ".worktrees").symlink_to(plain.R / ".worktrees")  # a link to itself: ELOOP
    assert refused(plain, "remove", str(path))["code"] == "unreadable"
    (plain.R / ".worktrees").unlink()
    away.rename(path.parent)
    assert done(plain, "remove", "x")["gone"] is False


def test_a_disk_that_may_only_be_away(plain: World, monkeypatch: pytest.MonkeyPatch) -> None:
    lost(plain)
    with monkeypatch.context() as patch:
        patch.setattr(lost_folders, "at_home", lambda *_: False)  # no second disk is to be had
        assert refused(plain, "remove", "x")["code"] == "disk-away"
    done(plain, "remove", "x")


def test_gone_and_forgotten_by_git_as_well(plain: World) -> None:
    """`git worktree remove`, or prune, by hand: our record and the bindings are all that is left."""
    done(plain, "enter", "x", CLAUDE_CODE_SESSION_ID=ONE)
    plain.git("worktree", "remove", str(plain.R / ".worktrees/x"))
    assert refused(plain, "remove", "x", CLAUDE_CODE_SESSION_ID=TWO)["code"] == "bound"
    assert done(plain, "remove", "x", "--dry-run", CLAUDE_CODE_SESSION_ID=ONE)["finished"]
    data = done(plain, "remove", "x", CLAUDE_CODE_SESSION_ID=ONE)
    assert (data["finished"], data["gone"], data["branch_deleted"]) == (True, True, False)
    assert plain.git("rev-parse", "wt/x") == data["head"]
    assert (list((plain.state / "worktrees").glob("*.json")), binding(plain)["active"]) == ([], False)
    assert refused(plain, "remove", "x")["code"] == "no-worktree"


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", [(missing, "kept"), (trash, "save"), (removal, "finish"), (removal, "unregister"), (removal, "forget")],
                         ids=lambda step: step[1])
def test_gone_and_killed_while_it_was_forgotten(plain: World, monkeypatch: pytest.MonkeyPatch, step: tuple[Any, str], when: str) -> None:
    lost(plain)
    killed(monkeypatch, plain, step, when, "remove", "x")
    assert done(plain, "remove", "x")["gone"] is True or step[1] in ("finish", "unregister", "forget")
    assert (listed(plain), list((plain.state / "worktrees").glob("*.json"))) == ([str(plain.R)], [])
    assert plain.git("for-each-ref", "--format=%(refname)", "refs/heads") == "refs/heads/main"


def test_a_dry_run_of_one_that_is_gone_changes_nothing(plain: World) -> None:
    lost(plain)
    before = (known(plain), in_trash(plain))
    data = done(plain, "remove", "x", "--dry-run")
    assert (data["gone"], data["branch_deleted"], (known(plain), in_trash(plain))) == (True, True, before)
    assert "its folder was gone already" in plain.wt("remove", "x").stdout


# --- links -----------------------------------------------------------------------------------------------------------

def test_links_out_are_taken_off_and_nothing_they_lead_to(plain: World) -> None:
    path = made(plain)
    (plain.OUT / "kept").write_text("kept")
    plain.sh('ln -s "$OUT" out; ln -s src inner; mkdir deep; ln -s "$OUT" deep/out; ln -s /nowhere/at/all dangling', cwd=path)
    before = state(plain, path)
    data = done(plain, "remove", "x", "--discard", "changes")
    assert data["links"] == ["dangling", "out"]
    assert ((plain.OUT / "kept").read_text(), (Path(data["trash"]) / "tree/inner").is_symlink()) == ("kept", True)
    done(plain, "restore")
    assert state(plain, path) == before
    done(plain, "remove", "x", "--discard", "changes")
    entry = json.loads((world_entry := next((plain.state / "trash").glob("*/entry.json"))).read_text())
    world_entry.write_text(json.dumps({**entry, "at": "2020-01-01T00:00:00Z"}))
    done(plain, "status")
    assert (in_trash(plain), (plain.OUT / "kept").read_text()) == ([], "kept")


# --- another file system ---------------------------------------------------------------------------------------------

def far(monkeypatch: pytest.MonkeyPatch, world: World) -> None:
    """Renames between the worktrees and git's folder fail, as between two disks."""
    rename = Path.rename

    def across(self: Path, target: Path) -> Path:
        if (".git" in self.parts) != (".git" in Path(target).parts):
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        return rename(self, target)
    monkeypatch.setattr(Path, "rename", across)


def test_on_another_disk_it_is_copied_compared_and_then_deleted(plain: World, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(plain)
    plain.sh("mkdir -p a/b; echo 1 > a/b/c; ln -s c a/b/l; chmod +x a/b/c; mkdir empty", cwd=path)
    before = state(plain, path)
    far(monkeypatch, plain)
    data = done(plain, "remove", "x", "--discard", "changes")
    assert (data["copied"], path.exists(), data["warnings"]) == (True, False, [])
    done(plain, "restore")
    assert (state(plain, path), (path / "empty").is_dir(), in_trash(plain)) == (before, True, [])


def test_what_is_written_while_it_is_copied_stays(plain: World, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(plain)
    far(monkeypatch, plain)
    emptied = moving.emptied

    def written_meanwhile(source: Path, copy: Path) -> list[str]:
        (source / "src/app.py").write_text("written meanwhile")
        return emptied(source, copy)
    monkeypatch.setattr(moving, "emptied", written_meanwhile)
    data = done(plain, "remove", "x")
    assert ((path / "src/app.py").read_text(), len(data["warnings"])) == ("written meanwhile", 1)
    assert listed(plain) == [str(plain.R)]


def test_a_folder_that_cannot_be_moved_stays_whole(plain: World, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(plain)
    plain.sh('ln -s "$OUT" out', cwd=path)
    before = state(plain, path)

    def in_use(*_: object) -> NoReturn:
        raise PermissionError(errno.EACCES, "it is open elsewhere")
    monkeypatch.setattr(moving, "moved", in_use)
    assert refused(plain, "remove", "x", "--discard", "changes", status=1)["code"] == "cannot-move"
    assert (state(plain, path), in_trash(plain), plain.git("for-each-ref", trash.REFS)) == (before, [], "")


# --- killed ----------------------------------------------------------------------------------------------------------

STEPS = [(removal, "cut"), (removal, "move"), (moving, "moved"), (removal, "unregister"), (removal, "drop_branch"), (removal, "forget"),
         (removal.keeping, "kept"), (trash, "save"), (trash, "new_id")]


def killed(monkeypatch: pytest.MonkeyPatch, world: World, step: tuple[Any, str], when: str, *words: str) -> None:
    module, name = step
    real = getattr(module, name)

    def end(*given: Any, **more: Any) -> NoReturn:
        if when == "after":
            real(*given, **more)
        raise Killed(name)
    with monkeypatch.context() as patch:
        patch.setattr(module, name, end)
        with pytest.raises(Killed):
            wt(world, *words)


@pytest.mark.parametrize("disk", ["one disk", "two disks"])
@pytest.mark.parametrize("then", ["remove", "restore"])
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", STEPS, ids=[name for _, name in STEPS])
def test_killed_anywhere_the_next_command_goes_on(plain: World, monkeypatch: pytest.MonkeyPatch, step: tuple[Any, str], when: str,
                                                  then: str, disk: str) -> None:
    path = made(plain)
    plain.sh('echo 2 > src/app.py; git add .; echo 3 > src/app.py; ln -s "$OUT" out', cwd=path)
    before = state(plain, path)
    if disk == "two disks":
        far(monkeypatch, plain)
    killed(monkeypatch, plain, step, when, "remove", "x", "--discard", "changes")
    if then == "remove":
        done(plain, "remove", "x", "--discard", "changes")
        assert (path.exists(), listed(plain), len(in_trash(plain))) == (False, [str(plain.R)], 1)
        assert plain.git("for-each-ref", "--format=%(refname)", "refs/heads") == "refs/heads/main"
    ran = wt(plain, "restore", "x")
    assert ran.returncode == 0 or path.exists(), ran.stderr
    assert (state(plain, path), in_trash(plain), done(plain, "status")["worktrees"][1]["owned"]) == (before, [], True)
    assert plain.git("for-each-ref", trash.REFS) == "" or ran.returncode


def test_killed_it_is_not_entered_over_what_lies_in_the_trash(plain: World, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(plain)
    (path / "n").write_text("1")
    killed(monkeypatch, plain, (removal, "unregister"), "before", "remove", "x", "--discard", "changes")
    hint = refused(plain, "enter", "x")["hint"]
    assert ("wt restore" in hint, "wt remove" in hint) == (True, True)
    done(plain, "restore", "x")
    assert (path / "n").read_text() == "1"


# --- at once ---------------------------------------------------------------------------------------------------------

def test_two_removes_at_once(plain: World) -> None:
    made(plain)
    answers = ended([start(plain, "remove", "x") for _ in range(4)], (0, 2))
    assert sorted(answer["ok"] is True for answer in answers) == [False, False, False, True]
    assert {answer["code"] for answer in answers if not answer["ok"]} == {"in-trash"}


def test_removes_while_others_are_made(plain: World) -> None:
    for n in range(3):
        made(plain, f"old-{n}")
    ended([start(plain, "remove", f"old-{n}") for n in range(3)] + [start(plain, "new", f"new-{n}") for n in range(3)])
    assert sorted(Path(path).name for path in listed(plain)[1:]) == ["new-0", "new-1", "new-2"]
    assert len(in_trash(plain)) == 3


# --- leave --remove --------------------------------------------------------------------------------------------------

def test_leave_and_remove(plain: World) -> None:
    done(plain, "enter", "x", CLAUDE_CODE_SESSION_ID=ONE)
    path = Path(binding(plain)["path"])
    (path / "n").write_text("1")
    document = refused(plain, "leave", "--remove", CLAUDE_CODE_SESSION_ID=ONE)
    assert (document["code"], binding(plain)["active"], binding(plain, ONE)["path"]) == ("open-changes", True, str(path))
    said = plain.wt("leave", "--remove", "--discard", "changes", CLAUDE_CODE_SESSION_ID=ONE).stdout
    assert (said.startswith("Left x"), "Removed x." in said, path.exists()) == (True, True, False)
    assert (binding(plain)["active"], list((plain.state / "sessions").iterdir())) == (False, [])


def test_leave_and_remove_acts_on_the_callers_own_only(plain: World) -> None:
    done(plain, "enter", "x", CLAUDE_CODE_SESSION_ID=ONE)
    done(plain, "enter", "x", CLAUDE_CODE_SESSION_ID=TWO)
    assert refused(plain, "leave", "--remove", CLAUDE_CODE_SESSION_ID=ONE)["code"] == "bound"
    done(plain, "enter", "y", CLAUDE_CODE_SESSION_ID=TWO)
    assert done(plain, "leave", "--remove", CLAUDE_CODE_SESSION_ID=ONE)["removed"]["name"] == "x"
    assert [Path(path).name for path in listed(plain)[1:]] == ["y"]
    done(plain, "enter", "z")
    assert refused(plain, "leave", "--all", "--remove")["code"] == "ambiguous"


def test_leave_and_remove_with_commits_that_are_nowhere_else(plain: World) -> None:
    done(plain, "enter", "x", CLAUDE_CODE_SESSION_ID=ONE)
    commit(plain, plain.R / ".worktrees/x")
    for words, way in (((), "wt leave --remove"), (("wt/x", "--session", ONE), f"wt leave wt/x --session {ONE} --remove")):
        document = refused(plain, "leave", *words, "--remove", CLAUDE_CODE_SESSION_ID=ONE)
        assert (document["code"], f"{way} --discard commits" in document["hint"], f"{way} --keep-branch" in document["error"]) == (
            "unmerged-commits", True, True)
        assert binding(plain, ONE)["active"]
    data = done(plain, "leave", "--remove", "--keep-branch", CLAUDE_CODE_SESSION_ID=ONE)
    assert (data["removed"]["branch_deleted"], len(data["removed"]["commits"])) == (False, 1)


def test_leave_and_remove_from_a_third_worktree(cloned: World) -> None:
    """Merged, and called from elsewhere: neither that one nor the default branch's checkout is taken for it."""
    done(cloned, "enter", "x", CLAUDE_CODE_SESSION_ID=ONE)
    path = cloned.R / ".worktrees/x"
    commit(cloned, path)
    cloned.git("merge", "-q", "wt/x")
    third = made(cloned, "third")
    cloned.sh("git switch -q --detach; git worktree add -q .worktrees/default main", cwd=cloned.R)
    said = cloned.wt("leave", "--remove", cwd=third, CLAUDE_CODE_SESSION_ID=ONE).stdout
    assert (f"  path    {path}\n" in said, path.exists(), third.exists()) == (True, False, True)
    assert (cloned.R / ".worktrees/default/src/app.py").exists()
    assert done(cloned, "remove", "third")["path"] == str(third)


def test_on_a_terminal_it_is_said_which_one_before_it_starts(plain: World) -> None:
    path = made(plain)
    ours, theirs = os.openpty()
    try:
        subprocess.run([str(ROOT / "scripts/wt"), "remove", "x"], cwd=plain.R, env=plain.env, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=theirs, check=True, timeout=60)
        assert os.read(ours, 4096).decode() == f"wt: removing {path}\r\n"
    finally:
        os.close(ours)
        os.close(theirs)

"""`wt merge`: what is brought in and how, wherever the base is checked out, and what is printed."""
from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.worlds import World
from tests.wt.merges import COMMIT, against, left_over, status, whole
from tests.wt.test_enter import done, small, tip
from tests.wt.test_remove import listed

# --- forward ---------------------------------------------------------------------------------------------------------

PLACES = [
    ("clean", "true"), ("on another branch", "git switch -qc other"), ("detached", "git switch -q --detach"),
    ("open files elsewhere", "echo mine > src/mine; echo k > k; git add k; echo s > s.env; mkdir build; echo b > build/b"),
    ("staged, then edited", "echo k > k; git add k; echo kk > k"),
    ("another branch is being rebased", "git switch -qc other; git commit -q --allow-empty -m o; git rebase -q -x false HEAD~1 || true"),
    ("its settings merge otherwise", ("git config merge.ff false; git config merge.autoStash true; echo mine > mine; git add mine; "
                                      "git config branch.main.mergeOptions --squash")),
]


@pytest.mark.parametrize("script", [row[1] for row in PLACES], ids=[row[0] for row in PLACES])
def test_forward_wherever_the_main_checkout_stands(ready: World, script: str) -> None:
    ready.sh(script, cwd=ready.R)
    before, seen, at = tip(ready, "main"), status(ready), ready.git("rev-parse", "--abbrev-ref", "HEAD")
    data = done(ready, "merge", "x")
    assert {key: data[key] for key in ("how", "merged", "branch", "target", "before", "after", "removed", "dry_run", "source")} == {
        "how": "fast-forward", "merged": True, "branch": "wt/x", "target": "main", "before": before, "after": tip(ready, "wt/x"),
        "removed": None, "dry_run": False, "source": str(ready.W)}
    assert [line.partition(" ")[2] for line in data["commits"]] == ["value is 2", "a new file"]
    assert (tip(ready, "main"), tip(ready, data["backup"])) == (tip(ready, "wt/x"), before)
    assert (status(ready), (ready.R / "new").exists()) == (seen, at == "main"), "what lies open lies open as before"
    assert left_over(ready) == []
    assert '"event": "merge"' in (ready.state / "audit.jsonl").read_text()
    ready.sh(data["undo"])
    assert (tip(ready, "main"), status(ready), (ready.R / "new").exists()) == (before, seen, False)


def test_forward_in_another_worktree_moves_its_files(ready: World) -> None:
    ready.sh('cd "$R"; git switch -qc other; git worktree add -q ../m main')
    data = done(ready, "merge", "x")
    assert ((ready.root / "m/new").exists(), status(ready, ready.root / "m"), (ready.R / "new").exists()) == (True, "", False)
    assert data["undo"] == f"git -C {ready.root}/m checkout --no-overwrite-ignore -B main {data['backup']}"


def test_in_a_bare_repository(tmp_path: Path) -> None:
    world = small(Path(os.path.realpath(tmp_path)), "a b")
    world.sh('git clone -q --bare "$R" bare.git; git -C bare.git worktree add -q -b wt/x "../a w"')
    bare, tree = world.root / "bare.git", world.root / "a w"
    world.sh(f"echo n > new; {COMMIT} n", cwd=tree)
    done(world, "authorize-main", "--reason", "r", cwd=bare)
    data = done(world, "merge", str(tree), cwd=bare)
    assert (data["how"], tip(world, "main", bare)) == ("fast-forward", tip(world, "wt/x", bare))
    world.sh(data["undo"])
    world.sh(f"git commit -q --allow-empty -m w; git update-ref refs/heads/main $(git commit-tree -p {data['before']} -m r main^{{tree}})",
             cwd=tree)
    data = done(world, "merge", "a w", cwd=tree)
    assert (data["how"], world.git("log", "-1", "--format=%s", "main", cwd=bare)) == ("merge", "Merge branch 'wt/x'")
    assert listed(replace(world, R=bare)) == [str(bare), str(tree)]


def test_with_git_s_folder_elsewhere(ready: World) -> None:
    ready.sh('git init -q --separate-git-dir ../elsewhere; git worktree repair "$W" 2>/dev/null', cwd=ready.R)
    document = against(ready, "x", cwd=ready.W)
    assert (document["code"], document["hint"]) == ("main-unknown", "wt merge x, from the main checkout")
    data = done(ready, "merge", "x", cwd=ready.R / "src")
    assert ((ready.R / "new").exists(), status(ready)) == (True, "!! .worktrees/")
    ready.sh(data["undo"])
    assert tip(ready, "main") == data["before"]


# --- merge commits and squashes --------------------------------------------------------------------------------------

@pytest.mark.parametrize("script", [row[1] for row in PLACES], ids=[row[0] for row in PLACES])
def test_a_merge_commit_where_both_went_on(diverged: World, script: str) -> None:
    diverged.sh(script, cwd=diverged.R)
    before, seen, at = tip(diverged, "main"), status(diverged), diverged.git("rev-parse", "--abbrev-ref", "HEAD")
    assert done(diverged, "merge", "x", "--dry-run")["open_files"] == []
    data = done(diverged, "merge", "x")
    assert (data["how"], data["after"]) == ("merge", tip(diverged, "main"))
    assert diverged.git("log", "-1", "--format=%P %s %an", "main") == f"{before} {tip(diverged, 'wt/x')} Merge branch 'wt/x' t"
    assert (status(diverged), (diverged.R / "new").exists()) == (seen, at == "main")
    assert (left_over(diverged), diverged.git("ls-tree", "--name-only", "main")) == ([], "new\nr\nsrc")
    diverged.sh(data["undo"])
    assert (tip(diverged, "main"), status(diverged)) == (before, seen)


MESSAGES = [
    ("merge", (), "Merge branch 'wt/x'"), ("merge", ("--message", "#1: größer"), "#1: größer"),
    ("merge", ("--message", " "), "Merge branch 'wt/x'"),
    ("squash", ("--squash",), "Squash wt/x\n\n* a new file\n* value is 2"), ("squash", ("--squash", "--message", "-m one"), "-m one"),
    ("merge", ("--into", "free"), "Merge branch 'wt/x' into free"),
]


@pytest.mark.parametrize(("how", "words", "message"), MESSAGES)
def test_the_message(diverged: World, how: str, words: tuple[str, ...], message: str) -> None:
    diverged.sh('git -C "$R" branch free main')
    data = done(diverged, "merge", "x", *words)
    assert (data["how"], diverged.git("log", "-1", "--format=%B", data["after"]).strip()) == (how, message)


@pytest.mark.parametrize("settings", ["true", "git config merge.ff false", "git config merge.ff only", "git config merge.autoStash true"])
def test_a_squash_is_one_commit_and_its_worktree_counts_as_merged(ready: World, settings: str) -> None:
    ready.sh(settings, cwd=ready.R)
    before = tip(ready, "main")
    assert done(ready, "merge", "x", "--squash")["how"] == "squash"
    assert ready.git("log", "-1", "--format=%P", "main") == before
    assert ready.git("rev-parse", "main^{tree}") == ready.git("rev-parse", "wt/x^{tree}")
    assert done(ready, "merge", "x", "--squash")["how"] == "nothing"
    removed = done(ready, "remove", "x")
    assert (removed["branch_deleted"], ready.W.exists()) == (True, False)


def test_nothing_to_merge(ready: World) -> None:
    done(ready, "merge", "x")
    done(ready, "revoke-main")
    before = whole(ready)
    data = done(ready, "merge", "x")
    assert (data["how"], data["merged"], data["before"], data["after"], data["backup"], data["commits"]) == (
        "nothing", False, tip(ready), tip(ready), None, [])
    assert whole(ready) == before
    assert ready.wt("merge", "x").stdout == "Nothing to merge: main has all of wt/x.\nNext: wt remove x\n"


def test_what_is_printed(diverged: World) -> None:
    said = diverged.wt("merge", "x").stdout.splitlines()
    assert said[0] == "Merged wt/x into main: 2 commit(s), a merge commit."
    assert said[1].endswith(" value is 2")
    backup = said[4].rpartition(" ")[2]
    assert said[3:] == [f"  target  main @ {tip(diverged)[:9]}, not pushed", said[4],
                        f"Undo: git -C {diverged.R} checkout --no-overwrite-ignore -B main {backup}", "Next: wt remove x"]
    ran = diverged.wt("merge", "nowhere")
    assert (ran.returncode, ran.stdout, ran.stderr) == (
        2, "", "wt: nowhere is no worktree of this repository\nInstead: wt status lists them\n")


def test_a_dry_run_changes_nothing_and_foresees_conflicts(diverged: World) -> None:
    done(diverged, "revoke-main")
    before = whole(diverged)
    data = done(diverged, "merge", "x", "--dry-run")
    assert (data["how"], data["merged"], data["dry_run"], data["conflicts"]) == ("merge", False, True, [])
    assert data["guarded"] == "it is protected"
    said = diverged.wt("merge", "x", "--dry-run").stdout
    assert said.splitlines()[3:] == ["  not before a person runs wt authorize-main --only merge: it is protected"]
    assert said.startswith("Would merge wt/x into main: 2 commit(s), a merge commit.\n")
    assert whole(diverged) == before
    diverged.sh(f'cd "$R"; echo "value = 3" > src/app.py; {COMMIT} three')
    assert done(diverged, "merge", "x", "--dry-run")["conflicts"] == ["src/app.py"]
    done(diverged, "authorize-main", "--reason", "r", "--once")
    assert diverged.wt("merge", "x", "--dry-run", "--squash").stdout.splitlines()[3:] == ["  conflicts in src/app.py: it would be refused"]
    assert done(diverged, "merge", "x", "--dry-run", "--squash")["how"] == "squash"


def test_a_git_that_cannot_foresee_conflicts(diverged: World) -> None:
    """Before 2.38 `git merge-tree` has no --write-tree."""
    older = diverged.root / "older/git"
    older.parent.mkdir()
    older.write_text(f'#!/bin/sh\n[ "$1" = merge-tree ] && exit 129\nexec {shutil.which("git")} "$@"\n')
    older.chmod(0o755)
    path = f"{older.parent}:{os.environ['PATH']}"
    assert done(diverged, "merge", "x", "--dry-run", PATH=path)["conflicts"] is None
    assert "cannot be foreseen" in diverged.wt("merge", "x", "--dry-run", PATH=path).stdout
    assert done(diverged, "merge", "x", PATH=path)["merged"]


# --- removed at once -------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("words", [(), ("--squash",)])
def test_merge_and_remove(diverged: World, words: tuple[str, ...]) -> None:
    data = done(diverged, "merge", "x", "--remove", *words)
    assert (data["removed"]["branch_deleted"], data["warnings"], diverged.W.exists()) == (True, [], False)
    done(diverged, "restore", "x")
    assert done(diverged, "merge", "x", "--remove", *words)["how"] == "nothing"
    assert not diverged.W.exists()


def test_what_could_not_be_removed_is_not_merged_with_remove(ready: World) -> None:
    (ready.W / "own.env").write_text("secret")
    document = against(ready, "x", "--remove")
    assert (document["code"], document["hint"].startswith("wt merge x alone")) == ("ignored-files", True)
    again = against(ready, "x", "--remove", "--squash", "--message", "a b", "--into", "no")["hint"]
    assert again.startswith("wt merge x --squash --message 'a b' --into no alone merges")
    assert against(ready, "x", "--remove", cwd=ready.W)["code"] == "kept"
    assert done(ready, "merge", "x", cwd=ready.W)["merged"]

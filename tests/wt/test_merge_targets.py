"""`wt merge`: which worktree, and into which branch; both must be at rest."""
from __future__ import annotations

import pytest

from tests.worlds import World
from tests.wt.merges import COMMIT, DIVERGED, against, status
from tests.wt.test_enter import ONE, TWO, done

# --- nobody at work there --------------------------------------------------------------------------------------------

OPERATIONS = [
    ("rebase", "git commit -q --allow-empty -m r; git rebase -q -x false HEAD~1 || true"),
    ("merge", ("git branch o HEAD; git commit -q --allow-empty -m r; git switch -q o; git commit -q --allow-empty -m o; git switch -q -; "
               "git merge -q --no-commit --no-ff o")),
    ("cherry-pick", "git update-ref CHERRY_PICK_HEAD HEAD"),
    ("bisect", "git commit -q --allow-empty -m r; git bisect start -q HEAD HEAD~1"),
    ("bisect", "git bisect start -q; git switch -q --detach"),
]


@pytest.mark.parametrize("where", ["R", "W"])
@pytest.mark.parametrize(("word", "script"), OPERATIONS)
def test_a_half_done_operation_is_waited_for(ready: World, word: str, script: str, where: str) -> None:
    ready.sh(f'cd "${where}"; {script}')
    words = (str(ready.W), "--squash", "--message", "a b", "--remove")
    document = against(ready, *words)
    assert (document["code"], f"a {word} is half done" in document["error"]) == ("busy", True)
    assert document["hint"].endswith(f"; then wt merge {ready.W} --squash --message 'a b' --remove")


SOURCES = [
    ("open-changes", "x", 'echo 1 > "$W/open"'), ("open-changes", "x", 'cd "$W"; git update-index --assume-unchanged new; echo 1 > new'),
    ("detached", "{W}", 'git -C "$W" switch -q --detach'), ("no-commit", "{W}", 'cd "$W"; git switch -q --orphan o; git rm -rqf . || true'),
    ("missing", "x", 'rm -r "$W"'), ("damaged", "x", 'rm "$W/.git"'), ("main-checkout", "{R}", "true"), ("no-worktree", "nowhere", "true"),
    ("usage", " ", "true"),
]


@pytest.mark.parametrize(("code", "name", "script"), SOURCES)
def test_what_cannot_be_merged(ready: World, code: str, name: str, script: str) -> None:
    ready.sh(script)
    assert against(ready, ready.fill(name))["code"] == code


TARGETS = [
    ("itself", "--into", "wt/x", "true"), ("no-target", "--into", "nowhere", "true"), ("no-target", "--into", "", "true"),
    ("no-target", "--into", "main~0", "true"), ("no-target", "--into", "*", "true"), ("no-target", "--into", "-x", "true"),
    ("no-target", "--into", "far", 'cd "$R"; git update-ref refs/remotes/o/m main; git symbolic-ref refs/heads/far refs/remotes/o/m'),
    ("unrelated", "--into", "o", 'cd "$R"; git branch o $(git commit-tree -m o main^{tree})'),
    ("checked-out-twice", "--into", "main", 'cd "$R"; git worktree add -qf ../m main'),
    ("missing", "--into", "m", 'cd "$R"; git worktree add -qb m ../m; rm -r ../m'),
    ("damaged", "--into", "m", 'cd "$R"; git worktree add -qb m ../m; rm ../m/.git'),
    ("damaged", "--into", "main", 'git -C "$R" config core.bare true'),
    ("open-changes", "--into", "m", 'cd "$R"; git worktree add -qb m ../m; echo 1 > ../m/open'),
    ("busy", "--into", "m", f'cd "$R"; git worktree add -qb m ../m; cd ../m; {OPERATIONS[0][1]}'),
]


@pytest.mark.parametrize(("code", "option", "into", "script"), TARGETS)
def test_where_it_cannot_go(ready: World, code: str, option: str, into: str, script: str) -> None:
    ready.sh(script)
    assert against(ready, "x", f"{option}={into}")["code"] == code


def test_a_worktree_that_another_session_works_in_does_not_move(ready: World) -> None:
    done(ready, "new", "m")
    done(ready, "enter", "m", "--session", TWO)
    done(ready, "authorize-main", "--reason", "r")
    document = against(ready, "x", "--into", "wt/m", CLAUDE_CODE_SESSION_ID=ONE)
    assert (document["code"], f"--session {TWO}" in document["hint"]) == ("bound", True)
    done(ready, "leave", "--session", TWO)
    assert done(ready, "merge", "x", "--into", "wt/m")["merged"]


def test_a_base_of_a_remote_means_the_branch_here(ready: World) -> None:
    ready.sh('git clone -q --bare "$R" o.git; cd "$R"; git remote add origin ../o.git; git fetch -q; git branch -q --no-track rel')
    done(ready, "new", "y", "--base", "origin/main")
    y = ready.R / ".worktrees/y"
    ready.sh(f"echo y > y; {COMMIT} y", cwd=y)
    assert done(ready, "merge", "y")["target"] == "main"
    ready.sh('git switch -qc other; git branch -qD main', cwd=ready.R)
    ready.sh(f"echo y > yy; {COMMIT} y", cwd=y)
    document = against(ready, "y")
    assert (document["code"], document["hint"].partition(",")[0]) == ("no-target", "git branch main origin/main")
    assert done(ready, "merge", "y", "--into", "rel")["target"] == "rel"


def test_a_base_that_is_a_commit_or_has_none_yet(ready: World) -> None:
    done(ready, "new", "y", "--base", "main~0")
    assert against(ready, "y")["code"] == "no-target"
    ready.sh("git switch -q --orphan fresh; git branch -qD main", cwd=ready.R)
    assert against(ready, "x")["code"] == "no-target"
    assert against(ready, "x", "--into", "fresh")["code"] == "no-target"


def test_branches_that_git_would_take_for_options_or_that_have_two_names(ready: World) -> None:
    ready.sh('cd "$R"; git update-ref refs/heads/-f main; git symbolic-ref refs/heads/trunk refs/heads/main')
    assert done(ready, "merge", "x", "--into=-f")["target"] == "-f"
    ready.sh(f"git update-ref refs/heads/--abort HEAD; git symbolic-ref HEAD refs/heads/--abort; echo 1 > more; {COMMIT} m; {DIVERGED}",
             cwd=ready.W)
    seen = status(ready)
    data = done(ready, "merge", str(ready.W), "--into", "trunk")
    assert (data["branch"], data["target"], (ready.R / "more").exists(), status(ready)) == ("--abort", "main", True, seen)
    ready.sh(f'cd "$W"; echo w > c; {COMMIT} c; echo r > "$R/c"; cd "$R"; {COMMIT} c; git update-ref refs/heads/-f main')
    hint = against(ready, str(ready.W), "--into=-f", status=1)["hint"]
    assert "CONFLICT" in ready.sh(hint.partition(",")[0] + " || true")

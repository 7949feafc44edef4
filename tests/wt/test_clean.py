"""`wt clean`: which worktrees go and which stay, and why; that a dry run changes nothing, and that in doubt all of it stays."""
from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import pytest

from guard.wt import moving, removal, restoring
from guard.wt.commands import clean
from tests.worlds import World
from tests.wt.surroundings import LOCKS, closed, everything
from tests.wt.test_enter import ONE, TWO, done, small, wt
from tests.wt.test_remove import far, in_trash, killed, listed, made, state

SCRIPT = """set -e
own() { for name; do echo "$name" > "$name"; git add "$name"; git commit -qm "$name"; done; }
in_main() { (cd "$R"; "$@"); }
squash() { git merge -q --squash wt/x; git commit -qm squashed; }
"""
MERGED = "own a; in_main git merge -q --no-ff -m merge wt/x"


@pytest.fixture
def plain(tmp_path: Path) -> World:
    """R with ignored files of its own, and nothing else."""
    world = small(Path(os.path.realpath(tmp_path)))
    world.sh("printf '.env\\ncache/\\n' > .gitignore; git add .; git commit -qm ignored; echo s > .env", cwd=world.R)
    return world


@pytest.fixture
def cloned(plain: World) -> World:
    """R with a remote, whose main and wt/x somebody else has as well, in `other`."""
    plain.sh("""git clone -q --bare "$R" origin.git; git clone -q origin.git other
             cd "$R"; git remote add origin "$PWD/../origin.git"; git fetch -q; git remote set-head origin main""")
    plain.sh(SCRIPT + "own a; git push -q origin wt/x; cd ../../../other; git fetch -q", cwd=made(plain))
    return plain


def cleaned(world: World, *words: str, **more: Any) -> dict[str, tuple[str, str]]:
    """name -> (action, code)"""
    return {row["name"]: (row["action"], row["code"]) for row in done(world, "clean", *words, **more)["worktrees"]}


def on_disk(root: Path) -> dict[str, object]:
    """Every file, git's own as well, byte for byte; links by what they say. Not our locks, which are empty and stay."""
    found: dict[str, object] = {}
    for path in sorted(root.rglob("*")):
        if path.is_symlink():
            found[str(path)] = os.readlink(path)  # noqa: PTH115
        elif path.is_file() and path.name not in LOCKS:
            found[str(path)] = path.read_bytes()
    return found


def stays(world: World, code: str, *words: str) -> None:
    """For this reason, with --apply too; and nothing at all is another than before."""
    before = everything(world)
    assert cleaned(world, *words) == {"x": ("keep", code)}
    assert cleaned(world, "--apply", *words) == {"x": ("keep", code)}
    assert everything(world) == before


def goes(world: World, code: str = "merged", *words: str) -> dict[str, Any]:
    """As planned; and all of it comes back."""
    path = world.R / ".worktrees/x"
    before = state(world, path)
    assert cleaned(world, *words) == {"x": ("remove", code)}
    (row,) = done(world, "clean", "--apply", *words)["worktrees"]
    assert (row["action"], row["code"], path.exists(), listed(world)) == ("removed", code, False, [str(world.R)])
    done(world, "restore", "x")
    assert state(world, path) == before
    return dict(row)


# --- merged, or not --------------------------------------------------------------------------------------------------

WAYS = [
    ("a merge commit", MERGED),
    ("a fast-forward", "own a; in_main git merge -q --ff-only wt/x"),
    ("a fast-forward, then main went on", "own a b; in_main git merge -q --ff-only wt/x; in_main own later"),
    ("a merge commit, then reverted", f"{MERGED}; in_main git revert -m 1 --no-edit HEAD"),
    ("with a merge of main in it", "own a; in_main own b; git merge -q -m update main; in_main git merge -q --ff-only wt/x"),
    ("a fast-forward after an amended commit", "own a; git commit -q --amend -m better; in_main git merge -q --ff-only wt/x"),
    ("a fast-forward after a rebase", "own a b; in_main own c; git rebase -q main; in_main git merge -q --ff-only wt/x"),
    ("a fast-forward after a pull with rebase", """in_main git branch team/v2; own a; in_main git switch -q team/v2; in_main own c
         in_main git switch -q main; git pull -q --rebase "$R" team/v2; in_main git merge -q --ff-only wt/x"""),
    ("a fast-forward of what was cherry-picked", """in_main git switch -qc other; in_main own a; in_main git switch -q main
         own b; git reset -q --hard HEAD~; in_main own c; git reset -q --hard main; git cherry-pick other >/dev/null
         in_main git merge -q --ff-only wt/x"""),
    ("a fast-forward of a revert", "git revert --no-edit HEAD; in_main git merge -q --ff-only wt/x"),
    ("a merge commit, and the logs are lost",
     f'{MERGED}; sed -i 1q "$(git rev-parse --git-path logs/HEAD)"; rm "$R/.git/logs/refs/heads/wt/x"'),
    ("rebased there", "own a b; in_main own c; in_main git cherry-pick wt/x~ wt/x"),
    ("squashed", "own a b; in_main squash"),
    ("squashed, then main went on", "own a b; in_main squash; in_main own later"),
    ("squashed, then reverted", "own a; in_main squash; in_main git revert --no-edit HEAD"),
    ("squashed with a change of main in it", "own a; in_main own c; git merge -q -m update main; own b; in_main squash"),
    ("twice squashed", "own a; in_main squash; own b; in_main squash"),
    ("a tag has the name of its branch", f"{MERGED}; git tag wt/x HEAD~"),
    ("and pushed", f"{MERGED}; git init -q --bare ../../../o.git; git push -q ../../../o.git wt/x"),
]
NOT_MERGED = [
    ("not merged", "unmerged-commits", "own a"),
    ("one of two commits", "unmerged-commits", "own a b; in_main git cherry-pick wt/x~"),
    ("merged, then one more", "unmerged-commits", f"{MERGED}; own b"),
    ("squashed, then one more", "unmerged-commits", "own a; in_main squash; own b"),
    ("two commits squashed, then reverted", "unmerged-commits", "own a b; in_main squash; in_main git revert --no-edit HEAD"),
    ("commits without content", "unmerged-commits", "git commit -q --allow-empty -m a; in_main git commit -q --allow-empty -m b"),
    ("a change and its reverse", "unmerged-commits", "own a; git revert --no-edit HEAD"),
    ("another content of the same name", "unmerged-commits", "own a; in_main eval 'echo other > a; git add a; git commit -qm a'"),
    ("pushed", "not-merged", "own a; git init -q --bare ../../../o.git; git remote add o ../../../o.git; git push -q o wt/x"),
    ("on another branch", "not-merged", "own a; git branch keep"),
    ("tagged", "not-merged", "own a; git tag v1"),
    ("new", "new", "true"),
    ("new, and main went on", "new", "in_main own b"),
    ("new, brought up to date", "new", "in_main own b; git merge -q main"),
    ("new, brought up to date by a rebase", "new", "in_main own b; git rebase -q main"),
    ("new again after a reset", "new", "own a; git reset -q --hard main"),
    ("a fast-forward, and the logs are lost", "new", """own a; in_main git merge -q --ff-only wt/x
         rm "$(git rev-parse --git-path logs/HEAD)" "$R/.git/logs/refs/heads/wt/x" """),
    ("no commit at all", "new", "git checkout -q --orphan wt/x2; git rm -rfq .; git branch -m wt/x2"),
]


@pytest.mark.parametrize("script", [row[1] for row in WAYS], ids=[row[0] for row in WAYS])
def test_what_is_merged_goes_in_whichever_way_it_was(plain: World, script: str) -> None:
    plain.sh(SCRIPT + script, cwd=made(plain))
    assert goes(plain)["branch_deleted"]


@pytest.mark.parametrize(("code", "script"), [row[1:] for row in NOT_MERGED], ids=[row[0] for row in NOT_MERGED])
def test_what_is_not_merged_stays(plain: World, code: str, script: str) -> None:
    plain.sh(SCRIPT + script, cwd=made(plain))
    stays(plain, code)


def test_it_counts_where_it_began(plain: World) -> None:
    """What began at dev goes once dev has it, whatever main has."""
    plain.git("branch", "dev")
    path = made(plain, "x", "--base", "dev")
    plain.sh(SCRIPT + MERGED, cwd=path)
    stays(plain, "not-merged")
    plain.sh("git checkout -q dev; git merge -q --no-ff -m merge wt/x", cwd=plain.R)
    assert "dev has all of it" in goes(plain)["why"]


def test_a_branch_that_was_there_before_stays_when_its_worktree_goes(plain: World) -> None:
    plain.git("branch", "theirs")
    path = made(plain, "x", "--branch", "theirs")
    plain.sh(SCRIPT + "own a; in_main git merge -q --no-ff -m merge theirs", cwd=path)
    tip = plain.git("rev-parse", "theirs")
    assert "wt did not" not in plain.wt("clean").stdout
    assert "its branch stays" in plain.wt("clean").stdout
    assert not goes(plain)["branch_deleted"]
    assert plain.git("rev-parse", "theirs") == tip


def test_a_protected_branch_is_there_to_stay_however_often_it_is_merged(plain: World) -> None:
    (plain.R / ".worktree-guard.json").write_text('{"protected_branches": ["release"]}')
    plain.sh("git add .; git commit -qm settings; git branch release; git branch other", cwd=plain.R)
    for branch in ("release", "other"):
        path = made(plain, branch, "--branch", branch)
        plain.sh(SCRIPT + f"own {branch}; in_main git merge -q --no-ff -m merge {branch}", cwd=path)
    assert cleaned(plain, "--apply") == {"release": ("keep", "protected"), "other": ("removed", "merged")}


# --- new -------------------------------------------------------------------------------------------------------------

def aged(world: World, created_at: str) -> None:
    file = world.state / "worktrees/x.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "created_at": created_at}))


def test_what_has_no_commits_goes_only_when_asked_for_and_not_on_its_first_day(plain: World) -> None:
    path = made(plain)
    stays(plain, "young", "--include-new")
    for created_at, code in (("2026-01-01T00:00:00Z", "new"), ("", "young"), ("9999-01-01T00:00:00Z", "young")):
        aged(plain, created_at)
        stays(plain, "new")
        assert cleaned(plain, "--include-new") == {"x": ("remove" if code == "new" else "keep", code)}
    aged(plain, "2026-01-01T00:00:00Z")
    (path / "n").write_text("1")
    stays(plain, "open-changes", "--include-new")
    (path / "n").unlink()
    goes(plain, "new", "--include-new")


def test_include_new_takes_nothing_else_with_it(plain: World) -> None:
    plain.sh(SCRIPT + "own a; git branch keep", cwd=made(plain))
    aged(plain, "2026-01-01T00:00:00Z")
    stays(plain, "not-merged", "--include-new")


# --- merged, and something stands against it -------------------------------------------------------------------------

CONFLICT = "git switch -qc other main~; echo 1 > a; git add a; git commit -qm o; git switch -q wt/x; git merge -q other >/dev/null || true"
UNTIL = [
    ("an edit", "open-changes", "echo 2 > a", "git checkout -q a"),
    ("staged", "open-changes", "echo 2 > a; git add a", "git reset -q --hard"),
    ("untracked", "open-changes", "echo 1 > n", "rm n"),
    ("deleted", "open-changes", "rm a", "git checkout -q a"),
    ("an edit that a mark hides", "open-changes", "git update-index --assume-unchanged a; echo 2 > a", "echo a > a"),
    ("untracked, hidden by a setting", "open-changes", "git config status.showUntrackedFiles no; echo 1 > n", "rm n"),
    ("a repository in it", "open-changes", "git init -q inner; echo 1 > inner/f", "rm -rf inner"),
    ("open files are stashed", "open-changes", "echo 2 > a", "git stash -q"),
    ("an ignored file", "ignored-files", "echo mine > .env", "rm .env"),
    ("an ignored folder", "ignored-files", "mkdir cache; echo 1 > cache/a", "mkdir $R/cache; cp cache/a $R/cache"),
    ("ignored, no longer as in main", "ignored-files", "echo t > .env", 'cp "$R/.env" .env'),
    ("a conflict", "operation", CONFLICT, "git merge --abort"),
    ("a bisect", "operation", "git bisect start -q", "git bisect reset"),
    ("a lock", "locked", "git worktree lock .", "git worktree unlock ."),
    ("a lock with a reason", "locked", "git worktree lock --reason 'on a stick' .", "git worktree unlock ."),
    ("a lock of a living process", "locked", f"git worktree lock --reason 'pid {os.getpid()}' .", "git worktree unlock ."),
    ("a lock whose owner is dead", "locked", "git worktree lock --reason 'pid 999999999' .", "git worktree unlock ."),
    ("a detached HEAD", "detached", "git switch -q --detach", "git switch -q wt/x"),
    ("commits on no branch", "unreferenced-commits", "git switch -q --detach; git commit -q --allow-empty -m lonely", "git switch -q wt/x"),
    ("no .git file", "damaged", "mv .git ../git", "mv ../git .git"),
    ("a .git file that leads nowhere", "damaged", "cp .git ../git; echo 'gitdir: /nowhere' > .git", "mv ../git .git"),
    ("its folder is away", "missing", 'mv "$PWD" ../away', "mv away x"),
    ("another worktree in it", "holds-others", "git worktree add -q --detach cache/inner", "git worktree remove cache/inner; rmdir cache"),
]


@pytest.mark.parametrize(("code", "script", "end"), [row[1:] for row in UNTIL], ids=[row[0] for row in UNTIL])
def test_a_merged_one_stays_until_nothing_stands_against_it(plain: World, code: str, script: str, end: str) -> None:
    path = made(plain)
    plain.sh(SCRIPT + MERGED, cwd=path)
    plain.sh(script, cwd=path)
    before = everything(plain)
    for words in ((), ("--apply",)):
        assert cleaned(plain, *words)["x"] == ("keep", code)
    assert everything(plain) == before
    plain.sh(end, cwd=path if path.is_dir() else path.parent)
    goes(plain)


def test_a_clean_submodule_is_no_reason_to_stay_and_an_open_one_is(plain: World) -> None:
    plain.sh("""git init -q lib; cd lib; echo 1 > f; git add f; git commit -qm f
                cd "$R"; git submodule --quiet add ../lib lib; git commit -qm sub""")
    path = made(plain)
    plain.sh(SCRIPT + MERGED + "; git submodule --quiet update --init", cwd=path)
    plain.sh("git config status.showUntrackedFiles no; echo 1 > n", cwd=path / "lib")
    assert cleaned(plain, "--apply")["x"][0] == "keep"
    plain.sh("rm n; git checkout -q --detach; git commit -q --allow-empty -m 'only here'; git branch b; git checkout -q origin/HEAD",
             cwd=path / "lib")
    stays(plain, "submodule-commits")
    plain.git("branch", "-qD", "b", cwd=path / "lib")
    goes(plain)


BINDINGS = [
    ("another session", {"CLAUDE_CODE_SESSION_ID": TWO}, {"CLAUDE_CODE_SESSION_ID": ONE}),
    ("the caller's own session", {"CLAUDE_CODE_SESSION_ID": ONE}, {"CLAUDE_CODE_SESSION_ID": ONE}),
    ("everybody", {}, {}),
    ("everybody, and a session asks", {}, {"CLAUDE_CODE_SESSION_ID": ONE}),
]


@pytest.mark.parametrize(("owner", "caller"), [row[1:] for row in BINDINGS], ids=[row[0] for row in BINDINGS])
def test_whoever_works_in_it_keeps_it_until_that_ends(plain: World, owner: dict[str, str], caller: dict[str, str]) -> None:
    plain.sh(SCRIPT + MERGED, cwd=made(plain))
    done(plain, "enter", "x", **owner)
    before = everything(plain)
    assert cleaned(plain, "--apply", **caller) == {"x": ("keep", "bound")}
    assert everything(plain) == before
    said = plain.wt("clean", **caller).stdout
    assert (said.count("works in it"), said.count(TWO) + said.count(ONE)) == (1, len(owner)), "a session is named once"
    done(plain, "leave", "x", "--all")
    goes(plain)


def test_a_process_that_stands_in_it_keeps_it_and_so_does_the_caller(plain: World) -> None:
    path = made(plain)
    plain.sh(SCRIPT + MERGED, cwd=path)
    with subprocess.Popen([sys.executable, "-c", "print(flush=True); input()"], cwd=path, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as there:
        assert there.stdout is not None
        there.stdout.readline()
        stays(plain, "in-use")
        there.communicate(b"\n")
    assert cleaned(plain, "--apply", cwd=path) == {"x": ("keep", "inside")}
    goes(plain)


def test_what_wt_did_not_make_stays_and_what_it_made_goes(world: World) -> None:
    world.git("merge", "-q", "wt/x")
    world.sh(SCRIPT + "own a; in_main git merge -q --no-ff -m merge wt/z", cwd=made(world, "z"))
    assert cleaned(world, "--apply") == {"x": ("keep", "foreign"), "y": ("keep", "foreign"), "z": ("removed", "merged")}


def test_an_unreadable_folder_is_left_alone(plain: World) -> None:
    path = made(plain)
    plain.sh(SCRIPT + MERGED, cwd=path)
    path.parent.rename(plain.root / "away")
    path.parent.symlink_to(path.parent)  # a link to itself: ELOOP
    assert cleaned(plain, "--apply") == {"x": ("keep", "unreadable")}
    path.parent.unlink()
    (plain.root / "away").rename(path.parent)
    goes(plain)


# --- half way --------------------------------------------------------------------------------------------------------

def test_what_is_still_being_made_stays(plain: World) -> None:
    plain.sh(SCRIPT + MERGED, cwd=made(plain))
    file = plain.state / "worktrees/x.json"
    record = json.loads(file.read_text())
    for pid in (os.getpid(), 999_999_999):
        file.write_text(json.dumps({**record, "making": {"pid": pid, "started": ""}}))
        stays(plain, "being-made")
    file.write_text(json.dumps(record))
    goes(plain)


def test_half_restored_it_stays_and_restore_goes_on(plain: World, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(plain)
    plain.sh(SCRIPT + MERGED, cwd=path)
    done(plain, "remove", "x")
    killed(monkeypatch, plain, (restoring, "bring_folder"), "after", "restore", "x")
    assert cleaned(plain) == {"x": ("keep", "half-restored")}
    assert "wt restore" in done(plain, "clean")["worktrees"][0]["hint"]
    done(plain, "restore", "x")
    assert cleaned(plain) == {"x": ("keep", "restored")}


def test_half_removed_it_is_brought_to_its_end_or_back(plain: World, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(plain)
    plain.sh(SCRIPT + MERGED, cwd=path)
    before = state(plain, path)
    killed(monkeypatch, plain, (removal, "move"), "before", "clean", "--apply")
    assert cleaned(plain) == {"x": ("keep", "half-removed")}
    assert cleaned(plain, "--apply") == {"x": ("removed", "merged")}
    done(plain, "restore", "x")
    assert state(plain, path) == before
    done(plain, "remove", "x")
    done(plain, "restore", "x")
    killed(monkeypatch, plain, (removal, "unregister"), "before", "remove", "x")
    assert cleaned(plain, "--apply") == {}
    assert len(in_trash(plain)) == 1


# --- restored --------------------------------------------------------------------------------------------------------

def test_what_somebody_brought_back_is_not_taken_again_until_it_goes_on(plain: World) -> None:
    path = made(plain)
    plain.sh(SCRIPT + MERGED, cwd=path)
    assert cleaned(plain, "--apply") == {"x": ("removed", "merged")}
    done(plain, "restore", "x")
    stays(plain, "restored")
    stays(plain, "restored", "--include-new")
    plain.sh(SCRIPT + "own b; in_main git merge -q --no-ff -m again wt/x", cwd=path)
    goes(plain)


# --- remotes ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("way", ["git merge -q --no-ff -m merge origin/wt/x", "git merge -q --squash origin/wt/x; git commit -qm squash"],
                         ids=["a merge commit", "squashed"])
def test_merged_on_the_remote_it_goes_once_the_remote_has_been_asked(cloned: World, way: str) -> None:
    cloned.sh(f"cd other; {way}; git push -q origin main")
    assert cleaned(cloned, "--apply") == {"x": ("keep", "not-merged")}
    data = done(cloned, "clean", "--fetch", "--apply")
    assert (data["worktrees"][0]["action"], "origin/main" in data["worktrees"][0]["why"]) == ("removed", True)
    assert cloned.git("log", "-1", "--format=%s", "main") == "ignored", "the branches here are as they were"


def test_a_remote_that_cannot_be_asked_is_a_warning_and_removes_nothing(cloned: World) -> None:
    cloned.sh("cd other; git merge -q --no-ff -m merge origin/wt/x; git push -q origin main")
    cloned.git("remote", "add", "other", "../other")
    cloned.git("remote", "set-url", "origin", "../nowhere")
    data = done(cloned, "clean", "--fetch", "--apply")
    assert [(row["action"], row["code"]) for row in data["worktrees"]] == [("removed", "merged")], "the other remote has told"
    assert [warning.startswith("origin could not be asked: ") for warning in data["warnings"]] == [True]
    done(cloned, "restore", "x")
    cloned.git("remote", "remove", "other")
    before = cloned.git("for-each-ref")
    ran = cloned.wt("clean", "--fetch", "--apply")
    assert (ran.returncode, "Warning: origin could not be asked" in ran.stdout, cloned.git("for-each-ref")) == (0, True, before)


def test_a_branch_that_the_remote_has_deleted_is_not_forgotten_here(cloned: World) -> None:
    """Even where people let git do so: it may be the last that names its commits."""
    cloned.git("config", "fetch.prune", "true")
    cloned.sh("cd other; git push -q origin --delete wt/x")
    assert cleaned(cloned, "--fetch", "--apply") == {"x": ("keep", "not-merged")}
    assert cloned.git("rev-parse", "origin/wt/x") == cloned.git("rev-parse", "wt/x")


def test_a_mirror_is_not_asked_since_it_would_write_over_branches(cloned: World) -> None:
    cloned.sh("""git config remote.origin.fetch '+refs/*:refs/*'; git branch ahead wt/x
              git push -q origin main:refs/heads/ahead""", cwd=cloned.R)
    before = cloned.git("for-each-ref")
    (warning,) = done(cloned, "clean", "--fetch")["warnings"]
    assert ("remote.origin.fetch" in warning, cloned.git("for-each-ref")) == (True, before)


# --- a dry run -------------------------------------------------------------------------------------------------------

def test_a_dry_run_changes_not_one_byte(plain: World) -> None:
    for name, script in (("merged", "own a; in_main git merge -q --no-ff -m merge wt/merged"), ("open", "own b; echo 1 > n"),
                         ("new", "true"), ("gone", "rm -rf $PWD"), ("damaged", "rm .git")):
        plain.sh(SCRIPT + script, cwd=made(plain, name))
    done(plain, "enter", "new", CLAUDE_CODE_SESSION_ID=ONE)
    before = on_disk(plain.root)
    for words in ((), ("--merged",), ("--include-new",), ("--merged", "--skip-teardown")):
        data = done(plain, "clean", *words)
        assert (data["dry_run"], data["wrong"]) == (True, 0)
        assert plain.wt("clean", *words).returncode == 0
    assert on_disk(plain.root) == before


def test_what_is_due_in_the_trash_goes_with_it(plain: World) -> None:
    made(plain)
    done(plain, "remove", "x")
    (entry,) = (plain.state / "trash").glob("*/entry.json")
    entry.write_text(json.dumps({**json.loads(entry.read_text()), "at": "2026-01-01T00:00:00Z"}))
    before = on_disk(plain.root)
    assert (done(plain, "clean")["swept"], on_disk(plain.root)) == ([entry.parent.name], before)
    assert "Would be swept from the trash: 1 worktree(s)" in plain.wt("clean").stdout
    assert (done(plain, "clean", "--apply")["swept"], in_trash(plain)) == ([entry.parent.name], [])
    assert plain.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"


# --- between the plan and the removal --------------------------------------------------------------------------------

@contextmanager
def meanwhile(monkeypatch: pytest.MonkeyPatch, world: World, script: str) -> Iterator[None]:
    """After the plan was made, this happens in x."""
    applied, path = clean.applied, world.R / ".worktrees/x"

    def later(*given: Any) -> dict[str, Any]:
        world.sh(SCRIPT + script, cwd=path if path.is_dir() else world.R)
        return applied(*given)
    with monkeypatch.context() as patch:
        patch.setattr(clean, "applied", later)
        yield


MEANWHILE = [
    ("a commit", "changed", "own b"), ("a commit that is merged as well", "changed", "own b; in_main git merge -q --no-ff -m again wt/x"),
    ("an edit", "open-changes", "echo 2 > a"), ("a lock", "locked", "git worktree lock ."),
    ("another branch", "changed", "git switch -qc other"), ("removed by hand", "gone", 'git worktree remove --force "$PWD"'),
    ("nothing", "merged", "true"),
]


@pytest.mark.parametrize(("code", "script"), [row[1:] for row in MEANWHILE], ids=[row[0] for row in MEANWHILE])
def test_each_is_looked_at_again_before_it_goes(plain: World, monkeypatch: pytest.MonkeyPatch, code: str, script: str) -> None:
    path = made(plain)
    plain.sh(SCRIPT + MERGED, cwd=path)
    with meanwhile(monkeypatch, plain, script):
        assert cleaned(plain, "--apply") == {"x": ("removed" if code == "merged" else "keep", code)}
    assert path.exists() is (code not in ("gone", "merged"))


def test_one_that_cannot_go_does_not_stop_the_rest(plain: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b", "c"):
        plain.sh(SCRIPT + f"own {name}; in_main git merge -q --no-ff -m merge wt/{name}", cwd=made(plain, name))
    before, moved = state(plain, plain.R / ".worktrees/b"), moving.moved

    def in_use(source: Path, target: Path) -> bool:
        if source.name == "b":
            raise PermissionError(errno.EACCES, "it is open elsewhere")
        return bool(moved(source, target))
    monkeypatch.setattr(moving, "moved", in_use)
    ran = wt(plain, "clean", "--apply")
    data = json.loads(ran.stdout)["data"]
    assert ({row["name"]: row["action"] for row in data["worktrees"]}, data["wrong"], ran.returncode, ran.stderr) == (
        {"a": "removed", "b": "failed", "c": "removed"}, 1, 1, "")
    assert data["worktrees"][1]["code"] == "cannot-move"
    assert (state(plain, plain.R / ".worktrees/b"), len(in_trash(plain))) == (before, 2)


def test_the_trash_on_another_disk(plain: World, monkeypatch: pytest.MonkeyPatch) -> None:
    plain.sh(SCRIPT + MERGED, cwd=made(plain))
    far(monkeypatch, plain)
    goes(plain)


def test_a_folder_that_may_not_be_written_is_a_failure_and_stays_whole(plain: World, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(plain)
    plain.sh(SCRIPT + MERGED, cwd=path)
    before = state(plain, path)

    def refused(*_: object) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")
    with closed(path), monkeypatch.context() as patch:
        patch.setattr(moving, "moved", refused)
        ran = wt(plain, "clean", "--apply")
    (row,) = json.loads(ran.stdout)["data"]["worktrees"]
    assert (ran.returncode, row["action"], row["code"], row["hint"] != "") == (1, "failed", "disk-full", True)
    assert (state(plain, path), in_trash(plain)) == (before, [])


# --- teardown --------------------------------------------------------------------------------------------------------

def with_teardown(world: World, command: str) -> None:
    (world.R / ".worktree-guard.json").write_text(json.dumps({"teardown": command}))
    world.sh("git add .; git commit -qm settings", cwd=world.R)


TEARDOWN = [
    ("it leaves files", "echo 1 > left; echo 2 > a", ("removed", "merged")), ("it fails", "exit 3", ("failed", "teardown-failed")),
    ("it makes a commit", "git commit -q --allow-empty -m mine", ("keep", "changed")),
    ("it locks its worktree", "git worktree lock .", ("keep", "locked")),
]


@pytest.mark.parametrize(("command", "expected"), [row[1:] for row in TEARDOWN], ids=[row[0] for row in TEARDOWN])
def test_teardown_runs_for_what_goes_and_for_nothing_that_stays(plain: World, command: str, expected: tuple[str, str]) -> None:
    log = plain.OUT / "torn-down"
    with_teardown(plain, f'basename "$PWD" >> "{log}"; {command}')
    for name, script in (("x", MERGED), ("y", "own b"), ("z", "true")):
        plain.sh(SCRIPT + script, cwd=made(plain, name))
    done(plain, "trust", "--accept")
    assert cleaned(plain)["x"] == ("remove", "merged")
    assert not log.exists(), "a dry run runs none"
    data = json.loads(wt(plain, "clean", "--apply").stdout)["data"]
    assert {row["name"]: (row["action"], row["code"]) for row in data["worktrees"]} == {
        "x": expected, "y": ("keep", "unmerged-commits"), "z": ("keep", "new")}
    assert (log.read_text(), data["wrong"]) == ("x\n", int(expected[0] == "failed"))


def test_teardown_is_skipped_when_asked_and_named_when_nobody_has_accepted_it(plain: World) -> None:
    log = plain.OUT / "torn-down"
    with_teardown(plain, f'touch "{log}"')
    plain.sh(SCRIPT + MERGED, cwd=made(plain))
    data = done(plain, "clean", "--apply")
    assert (data["worktrees"][0]["action"], ["wt trust" in said for said in data["warnings"]]) == ("removed", [True])
    plain.sh(SCRIPT + "own b; in_main git merge -q --no-ff -m again wt/y", cwd=made(plain, "y"))
    done(plain, "trust", "--accept")
    data = done(plain, "clean", "--apply", "--skip-teardown")
    assert (data["worktrees"][0]["action"], data["warnings"], log.exists()) == ("removed", [], False)


def test_what_has_moved_on_since_the_plan_is_not_torn_down(plain: World, monkeypatch: pytest.MonkeyPatch) -> None:
    log = plain.OUT / "torn-down"
    with_teardown(plain, f'touch "{log}"')
    plain.sh(SCRIPT + MERGED, cwd=made(plain))
    done(plain, "trust", "--accept")
    with meanwhile(monkeypatch, plain, "own b"):
        assert cleaned(plain, "--apply") == {"x": ("keep", "changed")}
    assert not log.exists()


# --- what people and programs read -----------------------------------------------------------------------------------

def test_what_programs_may_rely_on(plain: World) -> None:
    plain.sh(SCRIPT + MERGED, cwd=made(plain))
    data = done(plain, "clean")
    (row,) = data["worktrees"]
    assert row == {"name": "x", "path": str(plain.R / ".worktrees/x"), "branch": "wt/x", "action": "remove", "code": "merged",
                   "why": "merged: main has all of it", "hint": "", "branch_deleted": True, "trash": None}
    assert {**data, "worktrees": []} == {"dry_run": True, "worktrees": [], "swept": [], "warnings": [], "wrong": 0}
    (after,) = done(plain, "clean", "--apply")["worktrees"]
    assert (set(after), Path(after["trash"]).is_dir()) == (set(row), True)


ROW: dict[str, Any] = {"path": "/r/.worktrees/x", "hint": "", "branch_deleted": True, "trash": None}
PLAN: dict[str, Any] = {"dry_run": True, "swept": [], "warnings": [], "wrong": 0, "worktrees": [
    {**ROW, "name": "login-form", "branch": "wt/login-form", "action": "remove", "code": "merged", "why": "merged: main has all of it"},
    {**ROW, "name": "日本", "branch": "wt/日本", "action": "remove", "code": "merged", "why": "merged: its content is in main",
     "branch_deleted": False},
    {**ROW, "name": "bug-17", "branch": "", "action": "keep", "code": "detached", "why": "its HEAD is detached"},
    {**ROW, "name": "two\nlines", "branch": "wt/fresh", "action": "keep", "code": "new", "why": "no commits of its own yet"}]}
DONE: dict[str, Any] = {"dry_run": False, "swept": ["a", "b"], "warnings": ["origin could not be asked: no route to host"], "wrong": 1,
                        "worktrees": [
    {**PLAN["worktrees"][0], "action": "removed"},
    {**PLAN["worktrees"][2], "action": "failed", "code": "disk-full", "why": "bug-17 cannot be moved", "hint": "make room on the disk"}]}
TEXTS = [
    ("nothing there", {**PLAN, "worktrees": []}, """\
There are no worktrees beside the main checkout.
Nothing to clean."""),
    ("a plan", PLAN, """\
Would go:
  login-form  wt/login-form  merged: main has all of it
  日本        wt/日本        merged: its content is in main; its branch stays
Stay:
  bug-17      (detached)     its HEAD is detached
  two\\nlines  wt/fresh       no commits of its own yet
Nothing was changed yet. Do it: wt clean --apply
Also those without commits, once they are a day old: wt clean --include-new
What keeps one, and the way out: wt remove NAME --dry-run"""),
    ("nothing to do", {**PLAN, "worktrees": PLAN["worktrees"][2:3]}, """\
Stay:
  bug-17  (detached)  its HEAD is detached
Nothing to clean.
What keeps one, and the way out: wt remove NAME --dry-run"""),
    ("only the trash", {**PLAN, "worktrees": [], "swept": ["a"]}, """\
There are no worktrees beside the main checkout.
Would be swept from the trash: 1 worktree(s) that were removed more than 7 days ago.
Nothing was changed yet. Do it: wt clean --apply"""),
    ("done", DONE, """\
Removed:
  login-form  wt/login-form  merged: main has all of it
Could not be removed:
  bug-17      (detached)     bug-17 cannot be moved
                             make room on the disk
Warning: origin could not be asked: no route to host
Swept from the trash: 2 worktree(s) that were removed more than 7 days ago.
Back again, for 7 days: wt restore NAME"""),
]


@pytest.mark.parametrize(("data", "text"), [row[1:] for row in TEXTS], ids=[row[0] for row in TEXTS])
def test_what_people_read_is_as_agreed(data: dict[str, Any], text: str) -> None:
    assert "\n".join(clean.lines(data)) == text


def test_the_way_out_that_is_printed_shows_what_keeps_one(plain: World) -> None:
    plain.sh(SCRIPT + "own a; echo 1 > n", cwd=made(plain))
    assert "wt remove NAME --dry-run" in plain.wt("clean").stdout
    ran = plain.wt("remove", "x", "--dry-run")
    assert (ran.returncode, "n" in ran.stderr, "wt remove x --keep-branch" in ran.stderr) == (2, True, True)

"""Giving a lease back: what proves it, what stands against it, and that no work goes with it."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from guard.wt import git, own_config, preparing, receipts
from guard.wt.errors import WtError
from guard.wt.repository import open_repository
from tests.worlds import World
from tests.wt.leasing import HOLDER, RECEIPT, acquire, declined, give_back, not_returned, pool, receipt, row, rows
from tests.wt.surroundings import a_git_that, says
from tests.wt.test_concurrency import start
from tests.wt.test_enter import done, small, tip, wt
from tests.wt.test_lease import standing_in

RETURNED = "refs/worktree-guard/returned/"


@pytest.fixture
def plain(tmp_path: Path) -> World:
    world = small(Path(os.path.realpath(tmp_path)))
    world.sh("printf 'cache/\\n.env\\n' > .gitignore; git add .; git commit -qm ignores", cwd=world.R)
    return world


@pytest.fixture
def leased(plain: World) -> Path:
    return Path(acquire(plain)["path"])


def refs(world: World) -> list[str]:
    return world.git("for-each-ref", "--format=%(refname)", RETURNED).splitlines()


# --- a plain return --------------------------------------------------------------------------------------------------

def test_a_clean_one_is_free_again(plain: World, leased: Path) -> None:
    (leased / "cache").mkdir()
    (leased / "cache/c").write_text("c")
    known = receipt(leased)
    assert give_back(plain, leased) == {"path": str(leased), "lease_id": known["lease_id"], "lease_holder": HOLDER, "returned": True,
                                        "dirty": False, "receipt_removed": True, "snapshots": []}
    assert {key: row(plain, leased)[key] for key in ("status", "lease_id", "lease_holder", "leased_at", "owner")} == {
        "status": "available", "lease_id": "", "lease_holder": "", "leased_at": None, "owner": None}
    assert sorted(one.name for one in leased.iterdir()) == [".git", ".gitignore", "cache", "src"], "ignored files stay, no receipt does"
    assert refs(plain) == []
    assert not_returned(plain, "no-receipt", leased)["hint"], "twice is refused"


@pytest.mark.parametrize("place", ["R", "a subfolder", "another worktree", "another workspace"])
def test_from_anywhere_outside_of_it(plain: World, leased: Path, place: str) -> None:
    plain.git("worktree", "add", "-q", "--detach", str(plain.OUT / "w"))
    other = acquire(plain, "other")["path"]
    here = {"R": plain.R, "a subfolder": plain.R / "src", "another worktree": plain.OUT / "w", "another workspace": Path(other)}[place]
    assert give_back(plain, leased, cwd=here)["returned"] is True
    assert row(plain, other)["status"] == "leased"


def test_its_own_commits_stay_on_the_branch_that_has_them_and_the_branch_is_let_go(plain: World, leased: Path) -> None:
    plain.sh("git checkout -q -b topic; echo own > own; git add .; git commit -qm own", cwd=leased)
    own = tip(plain, cwd=leased)
    assert give_back(plain, leased)["dirty"] is False
    plain.git("checkout", "-q", "topic")
    assert (tip(plain), row(plain, leased)["status"]) == (own, "available")
    plain.sh("git checkout -q main; git branch -q -D topic", cwd=plain.R)
    assert row(plain, leased)["status"] == "unlanded"
    assert acquire(plain)["path"] != str(leased)


@pytest.mark.parametrize("script", ["git commit -q --amend -m amended",
                                    "git checkout -q --detach; git commit -q --allow-empty -m x; git checkout -q main"])
def test_a_commit_that_it_was_leased_at_is_not_of_its_own_making(plain: World, script: str) -> None:
    first, _, last = script.rpartition("; ")
    plain.sh(first or "true", cwd=plain.R)
    path = acquire(plain)["path"]
    plain.sh(last, cwd=plain.R)
    assert give_back(plain, path)["dirty"] is False
    assert acquire(plain)["path"] == path


def test_the_receipt_goes_before_anybody_else_can_have_the_workspace(plain: World, leased: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drop, busy = receipts.drop, []

    def spied(workspace: Path) -> bool:
        with pytest.raises(WtError) as refusal, open_repository(plain.R).store.locked(0):
            pass
        busy.append(refusal.value.code)
        return drop(workspace)
    monkeypatch.setattr(receipts, "drop", spied)
    assert give_back(plain, leased)["receipt_removed"] is True
    assert busy == ["locked"]


# --- what proves it --------------------------------------------------------------------------------------------------

def edited(path: Path, /, **fields: Any) -> None:
    known = {**receipt(path), **fields}
    (path / RECEIPT).write_text(json.dumps({name: value for name, value in known.items() if value is not None}))


EDITS: list[tuple[str, dict[str, Any], str]] = [
    ("schema 1", {"schema_version": 1}, "no-receipt"), ("schema 3", {"schema_version": 3}, "no-receipt"),
    ("schema as a text", {"schema_version": "2"}, "no-receipt"), ("schema 2.0", {"schema_version": 2.0}, "no-receipt"),
    ("schema true", {"schema_version": True}, "no-receipt"), ("no schema", {"schema_version": None}, "no-receipt"),
    ("another id", {"lease_id": "0" * 32}, "other-lease"), ("another holder", {"lease_holder": "me"}, "other-lease"),
    ("the id in capitals", {"lease_id": "ABC"}, "other-lease"), ("no id", {"lease_id": ""}, "no-receipt"),
    ("a blank holder", {"lease_holder": " "}, "no-receipt"), ("no holder", {"lease_holder": None}, "no-receipt"),
    ("another path", {"path": "/elsewhere"}, "other-path"), ("a path with a slash", {"path": "{P}/"}, "other-path"),
    ("no path", {"path": None}, "no-receipt"), ("another commit", {"source_head": "0" * 40}, "edited-receipt"),
    ("an option for a commit", {"source_head": "--orphan=x"}, "edited-receipt"),
    ("another time", {"acquired_at": "never"}, "edited-receipt"),
    ("the path as a list", {"path": ["{P}"]}, "no-receipt"),
]


@pytest.mark.parametrize(("fields", "code"), [row[1:] for row in EDITS], ids=[row[0] for row in EDITS])
def test_an_edited_receipt(plain: World, leased: Path, fields: dict[str, Any], code: str) -> None:
    before = (leased / RECEIPT).read_text()
    edited(leased, **{name: value.replace("{P}", str(leased)) if isinstance(value, str) else value for name, value in fields.items()})
    not_returned(plain, code, leased)
    not_returned(plain, code, leased, "--confirm-preserved")
    (leased / RECEIPT).write_text(before)
    assert give_back(plain, leased)["returned"] is True, "whole again, it counts again"


SPOILT = {"gone": "rm lease.json", "its folder gone": "cd ..; rm -r treehouse", "moved": 'mv lease.json "$OUT"', "empty": ": > lease.json",
          "no JSON": "echo x > lease.json", "a list": "echo '[]' > lease.json", "cut short": "head -c 100 lease.json > x; mv x lease.json",
          "a folder": "rm lease.json; mkdir lease.json", "a pipe": "rm lease.json; mkfifo lease.json",
          "a link": 'mv lease.json "$OUT"; ln -s "$OUT/lease.json"', "in a linked folder": 'mv lease.json "$OUT"; cd ..; rm -r treehouse; '
          'ln -s "$OUT" treehouse', "huge": "head -c 200000 /dev/zero | tr '\\0' ' ' > x; cat lease.json >> x; mv x lease.json"}


@pytest.mark.parametrize("script", SPOILT.values(), ids=SPOILT)
def test_a_receipt_that_is_none(plain: World, leased: Path, script: str) -> None:
    plain.sh(script, cwd=leased / "out/treehouse")
    ran = wt(plain, "lease", "write", "return", "--workspace", str(leased))
    assert (ran.returncode, ran.stdout, json.loads(ran.stderr)["code"]) == (2, "", "no-receipt")
    assert row(plain, leased)["status"] == "leased"
    assert "receipt does not count" in row(plain, leased)["note"]


def test_the_receipt_of_another_lease(plain: World, leased: Path) -> None:
    other = Path(acquire(plain, "other")["path"])
    before = (leased / RECEIPT).read_text()
    shutil.copy(other / RECEIPT, leased / RECEIPT)
    not_returned(plain, "other-path", leased)
    edited(leased, path=str(leased))
    assert not_returned(plain, "other-lease", leased)["details"] == {"lease_id": json.loads(before)["lease_id"], "lease_holder": HOLDER}
    (leased / RECEIPT).write_text(before)
    give_back(plain, leased)
    again = acquire(plain)
    (leased / RECEIPT).write_text(before)
    not_returned(plain, "other-lease", leased)["details"], "an old receipt of the same workspace and holder"
    edited(leased, lease_id=again["lease_id"], acquired_at=again["leased_at"])
    give_back(plain, leased)


def test_a_copied_receipt_elsewhere(plain: World, leased: Path) -> None:
    for place, recipe in (("folder", "mkdir"), ("repository", "git init -q"), ("worktree", 'git -C "$R" worktree add -q --detach')):
        path = plain.OUT / place
        plain.sh(f'{recipe} "{path}"')
        (path / "out/treehouse").mkdir(parents=True)
        shutil.copy(leased / RECEIPT, path / RECEIPT)
        not_returned(plain, "other-path", path)
        edited(path, path=str(path))
        not_returned(plain, {"folder": "no-worktree", "repository": "foreign", "worktree": "not-leased"}[place], path)
    assert row(plain, leased)["status"] == "leased"


@pytest.mark.parametrize(("spelt", "code"), [
    ("{P}/", "other-path"), ("{P}/.", "other-path"), ("{P}/src/..", "other-path"), ("{up}/../.worktrees/{name}", "other-path"),
    ("{link}", "other-path"), ("{relative}", "other-path"), ("{P}/src", "no-receipt"), ("{R}", "inside"), ("/", "inside"),
    ("{OUT}", "no-receipt"), ("{W}", "no-receipt"), ("", "usage"), (" ", "usage"), (".", "inside"), ("pool-1", "no-receipt"),
])
def test_another_way_to_write_its_path(plain: World, leased: Path, spelt: str, code: str) -> None:
    (plain.OUT / "link").symlink_to(leased)
    given = spelt.format(P=leased, up=leased.parent, name=leased.name, link=plain.OUT / "link", relative=os.path.relpath(leased, plain.R),
                         R=plain.R, OUT=plain.OUT, W=plain.W)
    not_returned(plain, code, given)


def test_from_inside_and_from_another_repository(plain: World, leased: Path) -> None:
    (plain.OUT / "link").symlink_to(leased / "src")
    for here in (leased, leased / "src", plain.OUT / "link"):
        assert "cd " in not_returned(plain, "inside", leased, cwd=here)["hint"]
    plain.sh('git clone -q "$R" "$OUT/clone"')
    not_returned(plain, "foreign", leased, cwd=plain.OUT / "clone")


def test_a_workspace_that_is_no_worktree_any_more(plain: World, leased: Path) -> None:
    pointer = (leased / ".git").read_text()
    (leased / ".git").unlink()
    not_returned(plain, "no-worktree", leased)
    plain.git("init", "-q", cwd=leased)
    not_returned(plain, "foreign", leased)
    shutil.rmtree(leased / ".git")
    (leased / ".git").write_text(pointer)
    give_back(plain, leased)


def test_one_whose_folder_is_gone_says_how_its_lease_ends(plain: World, leased: Path) -> None:
    shutil.rmtree(leased)
    refusal = not_returned(plain, "no-receipt", leased)
    assert f"wt remove {leased}" in refusal["hint"]
    assert "gone" in row(plain, leased)["note"]
    done(plain, "remove", str(leased))
    assert rows(plain) == []


def test_a_process_inside_is_named(plain: World, leased: Path) -> None:
    with standing_in(leased / "src") as pid:
        refusal = not_returned(plain, "in-use", leased, "--confirm-preserved")
        assert refusal["details"] == {"processes": [{"pid": pid, "command": "sleep"}]}
        assert row(plain, leased)["processes"] == [{"pid": pid, "command": "sleep"}]
    assert give_back(plain, leased)["returned"] is True


@pytest.mark.parametrize("dead", [{"pid": 2**22 + 7, "started": ""}, {"pid": os.getpid(), "started": "1"}],
                         ids=["no such process", "another one has its number"])
def test_one_that_another_command_returns_right_now(plain: World, leased: Path, dead: dict[str, Any]) -> None:
    known = pool(plain)
    known["workspaces"][0]["lease"].update(step="returning", maker={"pid": os.getpid(), "started": ""})
    (plain.state / "pool.json").write_text(json.dumps(known))
    not_returned(plain, "busy", leased)
    known["workspaces"][0]["lease"]["maker"] = dead
    (plain.state / "pool.json").write_text(json.dumps(known))
    assert give_back(plain, leased)["returned"] is True, "its command was killed"


# --- open work -------------------------------------------------------------------------------------------------------

COMMIT = "echo own > own; git add own; git commit -qm own"
TWO_SIDES = ("git checkout -q -b a; echo a > src/app.py; git commit -qam a; git checkout -q -b b HEAD~1; echo b > src/app.py; "
             "git commit -qam b")
DIRTY: dict[str, tuple[str, list[str]]] = {  # -> (script, the changes that are named, letter by letter as git prints them)
    "changed": ("echo x >> src/app.py", [" M src/app.py"]), "staged": ("echo x >> src/app.py; git add .", ["M  src/app.py"]),
    "staged, and changed": ("echo x >> src/app.py; git add .; echo y >> src/app.py", ["MM src/app.py"]),
    "deleted": ("rm src/app.py", [" D src/app.py"]), "deleted in the index": ("git rm -q src/app.py", ["D  src/app.py"]),
    "new": ("mkdir n; echo x > 'n/a b'; echo ä > n/ä", ["?? n/a b", "?? n/ä"]), "a new link": ("ln -s src l", ["?? l"]),
    "mode": ("chmod +x src/app.py", [" M src/app.py"]), "renamed": ("git mv src/app.py src/b.py", ["D  src/app.py", "A  src/b.py"]),
    "skip-worktree": ("git update-index --skip-worktree src/app.py; echo x >> src/app.py", [" M src/app.py"]),
    "assume-unchanged": ("git update-index --assume-unchanged src/app.py; echo x >> src/app.py", [" M src/app.py"]),
    "showUntrackedFiles=no": ("git config status.showUntrackedFiles no; echo x > new", ["?? new"]),
    "a file instead of a folder": ("rm -r src; echo x > src", [" D src/app.py", "?? src"]),
    "commits": (COMMIT, []), "commits and changes": (f"{COMMIT}; echo x >> own", [" M own"]),
    "a conflict": (f"{TWO_SIDES}; git merge -q a || true", ["UU src/app.py"]),
    "a rebase": (f"{TWO_SIDES}; git rebase -q a 2>/dev/null || true", ["UU src/app.py"]),
    "a cherry-pick": (f"{TWO_SIDES}; git cherry-pick a 2>/dev/null || true", ["UU src/app.py"]),
    "a revert, detached": (f"{TWO_SIDES}; git checkout -q --detach; git revert -n HEAD", ["M  src/app.py"]),
    "a bisection": (f"git checkout -q -b topic; {COMMIT}; git commit -q --allow-empty -m more; git bisect start HEAD HEAD~2 >&2", []),
    "only ignored by its own .gitignore": ("echo secret >> .gitignore; echo s > secret", [" M .gitignore"]),
}


@pytest.mark.parametrize(("script", "changes"), DIRTY.values(), ids=DIRTY)
def test_open_work_is_named_then_kept_in_a_ref_and_the_workspace_is_handed_out_again(plain: World, leased: Path, script: str,
                                                                                     changes: list[str]) -> None:
    plain.sh(f"{script}; mkdir -p cache; echo c > cache/c", cwd=leased)
    held = {path.read_bytes() for path in leased.rglob("*") if path.is_file() and not {".git", "cache", "out"} & set(path.parts)}
    head, heads, known = tip(plain, cwd=leased), plain.git("for-each-ref", "refs/heads"), receipt(leased)
    refusal = not_returned(plain, "not-preserved", leased)
    assert (refusal["details"]["changes"], refusal["details"]["lease_id"]) == (changes, known["lease_id"])
    assert bool(changes) or refusal["details"]["commits"] or refusal["details"]["operation"]
    data = give_back(plain, leased, "--confirm-preserved")
    assert (data["returned"], data["dirty"], data["receipt_removed"], data["snapshots"]) == (True, True, True, refs(plain))
    kept = {git.program(["git", "cat-file", "blob", oid], cwd=plain.R).stdout
            for ref in refs(plain) for oid in [line.split()[2] for line in plain.git("ls-tree", "-r", ref).splitlines()]}
    assert held <= kept, "every file that was there is in a ref"
    assert all(head in plain.git("rev-list", ref).split() for ref in refs(plain)), "and so is its commit"
    assert plain.git("for-each-ref", "refs/heads") == heads, "no branch has moved"
    assert plain.git("status", "--porcelain", "-uall", cwd=leased) == ""
    assert (leased / "cache/c").read_text() == "c\n"
    assert row(plain, leased)["status"] == "available"
    plain.git("commit", "-q", "--allow-empty", "-m", "on")
    assert acquire(plain)["path"] == str(leased)
    assert plain.git("ls-files", "-v", cwd=leased) == plain.git("ls-files", "-v"), "no mark has stayed"
    assert (leased / "src/app.py").read_text() == "value = 1\n"


OUT_OF_REACH = {
    "another repository": ("git init -q inner; echo x > inner/x", "inner/"),
    "work in a submodule": ("git -c protocol.file.allow=always submodule --quiet update --init; echo x > sub/new", "sub"),
    "commits of a submodule": ("git -c protocol.file.allow=always submodule --quiet update --init; git -C sub commit -q --allow-empty -m x",
                               "sub"),
    "what is left of another repository": ("mkdir -p inner/.git/objects; echo p > inner/.git/objects/p; echo x > inner/x", "inner/.git"),
    "ignored files where git has a file": ("rm src/app.py; mkdir -p src/app.py/cache; echo p > src/app.py/cache/p", "src/app.py/cache/"),
    "an ignored file where git has a folder": (
        """rm -rf src; printf 'src\\n.git-ignored\\n' > .git-ignored; git config core.excludesFile $PWD/.git-ignored
           echo p > src""", "src"),
    "a file that HEAD has and that is ignored now": ("git rm -q --cached src/app.py; echo app.py > .gitignore; echo mine > src/app.py",
                                                     "src/app.py"),
}


@pytest.mark.parametrize(("script", "named"), OUT_OF_REACH.values(), ids=OUT_OF_REACH)
def test_what_no_ref_can_hold_stays_where_it_is(plain: World, script: str, named: str) -> None:
    plain.sh('git clone -q . "$OUT/lib"; git -c protocol.file.allow=always submodule --quiet add "$OUT/lib" sub; git commit -qm sub',
             cwd=plain.R)
    leased = Path(acquire(plain)["path"])
    plain.sh(script, cwd=leased)
    not_returned(plain, "not-preserved", leased)
    assert not_returned(plain, "cannot-keep", leased, "--confirm-preserved")["details"] == {"paths": [named]}


@pytest.mark.parametrize("script", ["git update-index --skip-worktree src/app.py", "git update-index --assume-unchanged src/app.py",
                                    "git sparse-checkout set docs; test ! -e src"])
def test_marks_without_changes_do_not_reach_the_next_holder(plain: World, leased: Path, script: str) -> None:
    plain.sh(script, cwd=leased)
    assert give_back(plain, leased)["dirty"] is False
    plain.sh("echo 'value = 2' > src/app.py; git commit -qam 2", cwd=plain.R)
    assert acquire(plain)["path"] == str(leased)
    assert (leased / "src/app.py").read_text() == "value = 2\n"


OWN_CONFIG = {  # git config --worktree KEY VALUE
    "an identity": ("user.name holder", ""),
    "line ends, and files written so": ("core.autocrlf true", "rm src/app.py; git checkout src/app.py; grep -q $'\\r' src/app.py"),
    "modes that do not count": ("core.fileMode false", ""),
}


@pytest.mark.parametrize(("setting", "script"), OWN_CONFIG.values(), ids=OWN_CONFIG)
def test_a_holder_s_configuration_of_the_worktree_ends_with_the_lease(plain: World, leased: Path, setting: str, script: str) -> None:
    plain.sh(f"git config extensions.worktreeConfig true; git config --worktree {setting}; {script}", cwd=leased)
    if "\\r" in script:  # as git reads it without that setting, the file is changed
        assert not_returned(plain, "own-config", leased)["details"]["changes"] == [" M src/app.py"]
        plain.sh("git config --worktree --unset core.autocrlf; rm src/app.py; git checkout -q src/app.py", cwd=leased)
    give_back(plain, leased)
    assert acquire(plain)["path"] == str(leased)
    assert own_config.without_blank(own_config.found(plain.R / ".git/worktrees/pool-1")) == {}
    assert b"\r" not in (leased / "src/app.py").read_bytes()


def test_patches_of_an_am_are_in_no_commit(plain: World, leased: Path) -> None:
    plain.sh("""git checkout -q -b a; echo a > src/app.py; git commit -qam a; git checkout -q --detach HEAD~1; echo b > src/app.py
                git commit -qam b; git format-patch -q --stdout -1 a > "$OUT/mbox"; git checkout -q -b b
                git am -q < "$OUT/mbox" 2> /dev/null || true; rm "$OUT/mbox" """, cwd=leased)
    assert "the patches of a git am" in not_returned(plain, "cannot-keep", leased, "--confirm-preserved")["error"]
    plain.sh("git am --abort", cwd=leased)
    give_back(plain, leased)


def test_every_side_of_a_conflict_is_kept(plain: World, leased: Path) -> None:
    plain.sh("""echo stashed > src/app.py; git stash -q; echo ours > src/app.py; git commit -qam ours; git branch ours
                git stash pop -q > /dev/null || true; git stash drop -q; git checkout -q --ours src/app.py""", cwd=leased)
    oid = plain.sh("git rev-parse :3:src/app.py", cwd=leased).strip()
    give_back(plain, leased, "--confirm-preserved")
    plain.sh("git reflog expire --expire=now --all; git gc -q --prune=now", cwd=plain.R)
    assert plain.git("cat-file", "blob", oid) == "stashed"


def test_two_operations_that_are_half_done(plain: World, leased: Path) -> None:
    plain.sh("""git commit -q --allow-empty -m 1; git bisect start -q HEAD HEAD~1 > /dev/null; git checkout -q -b a; echo a > src/app.py
                git commit -qam a; git checkout -q --detach HEAD~1; echo b > src/app.py; git commit -qam b
                git cherry-pick a > /dev/null 2>&1 || true""", cwd=leased)
    give_back(plain, leased, "--confirm-preserved")
    assert row(plain, leased)["status"] == "available"


def test_a_branch_whose_name_is_not_utf_8(plain: World, leased: Path) -> None:
    plain.sh("git checkout -q -b $'caf\\xe9'", cwd=leased)
    assert give_back(plain, leased)["returned"] is True


def test_what_is_hidden_can_be_committed_as_the_refusal_says(plain: World, leased: Path) -> None:
    """git believes its index, which was written under the other rules."""
    plain.sh("""git config extensions.worktreeConfig true; echo '*.py filter=s' > "$(git rev-parse --git-common-dir)/info/attributes"
                git config --worktree filter.s.clean 'head -1'; echo work >> src/app.py; sleep 1.1; git add src/app.py
                test -z "$(git status --porcelain)" """, cwd=leased)
    for _ in range(2):
        assert not_returned(plain, "own-config", leased)["details"]["changes"] == [" M src/app.py"]
    plain.sh("git config --worktree --unset filter.s.clean; git checkout -q -b kept; git commit -qam work", cwd=leased)
    assert plain.git("show", "kept:src/app.py").endswith("work")
    give_back(plain, leased)


def test_a_look_that_fails_changes_nothing(plain: World, leased: Path) -> None:
    plain.sh("""git config extensions.worktreeConfig true; echo '*.py filter=s' > "$(git rev-parse --git-common-dir)/info/attributes"
                git config filter.s.clean no-such-program; git config filter.s.required true
                git config --worktree filter.s.required false; git config --worktree filter.s.clean 'head -1'
                echo work >> src/app.py; sleep 1.1; git add src/app.py""", cwd=leased)
    for _ in range(2):
        ran = wt(plain, "lease", "write", "return", "--workspace", str(leased))
        assert (ran.returncode, "filter" in ran.stderr, row(plain, leased)["status"]) == (1, True, "leased")
    assert "head -1" in plain.sh("git config --worktree --list", cwd=leased)


SPOILT_CONFIG = ["git config --worktree core.bare true", "git config --worktree core.worktree /",
                 'echo "[broken" > "$(git rev-parse --git-dir)/config.worktree"']


@pytest.mark.parametrize("script", SPOILT_CONFIG)
def test_a_configuration_that_keeps_git_from_working_there_is_named(plain: World, leased: Path, script: str) -> None:
    plain.sh(f"git config extensions.worktreeConfig true; {script}", cwd=leased)
    told = not_returned(plain, "own-config", leased)
    Path(told["details"]["file"]).rename(plain.OUT / "moved-away")
    give_back(plain, leased)


@pytest.mark.parametrize("script", ["chmod +x src/app.py", "echo x > new.o"])
def test_what_only_a_holder_s_configuration_hides_is_not_given_away(plain: World, leased: Path, script: str) -> None:
    plain.sh(f"""git config extensions.worktreeConfig true; git config --worktree core.fileMode false
                 echo '*.o' > "$OUT/ignored"; git config --worktree core.excludesFile "$OUT/ignored"; {script}""", cwd=leased)
    config = plain.sh("git config --worktree --list", cwd=leased)
    told = not_returned(plain, "own-config", leased)
    assert len(told["details"]["changes"]) == 1
    assert plain.sh("git config --worktree --list", cwd=leased) == config
    plain.sh("git config --worktree --unset core.fileMode; git config --worktree --unset core.excludesFile", cwd=leased)
    give_back(plain, leased, "--confirm-preserved")
    assert acquire(plain)["path"] == str(leased)


def test_the_configuration_that_a_worktree_is_made_with_stays(plain: World) -> None:
    """git copies that of the main checkout, so that its sparse checkout is the new one's."""
    plain.sh("mkdir docs; echo d > docs/d; git add .; git commit -qm docs; git sparse-checkout set docs", cwd=plain.R)
    leased = Path(acquire(plain)["path"])
    before = plain.sh("git config --worktree --list", cwd=leased)
    assert "core.sparsecheckout=true" in before
    plain.sh("git config --worktree user.name holder; git sparse-checkout set src", cwd=leased)
    give_back(plain, leased)
    assert acquire(plain)["path"] == str(leased)
    assert (leased / "docs/d").exists()
    assert (plain.sh("git config --worktree --list", cwd=leased), (leased / "src").exists()) == (before, False)


# --- what goes wrong on the way --------------------------------------------------------------------------------------

@pytest.mark.parametrize("command", ["clean", "reset", "update-ref"])
def test_a_step_that_fails_leaves_the_lease_and_names_what_is_kept(plain: World, leased: Path, command: str) -> None:
    (leased / "new").write_text("new")
    ran = wt(plain, "lease", "write", "return", "--workspace", str(leased), "--confirm-preserved",
             PATH=a_git_that(plain, says("fatal: no such luck", command)))
    told = json.loads(ran.stderr)
    assert (ran.returncode, ran.stdout, "no such luck" in told["error"]) == (1, "", True)
    assert told["details"].get("snapshots", []) == refs(plain)
    assert bool(refs(plain)) or (leased / "new").read_text() == "new"
    assert (row(plain, leased)["status"], row(plain, leased)["note"]) == ("leased", None)
    assert give_back(plain, leased, "--confirm-preserved")["returned"] is True


@pytest.mark.parametrize(("spoilt", "outcome"), [(False, "held"), (True, "unknown")], ids=["still leased", "nobody can tell"])
def test_the_pool_has_the_last_word(plain: World, leased: Path, monkeypatch: pytest.MonkeyPatch, spoilt: bool, outcome: str) -> None:
    """Whatever was done: the receipt goes where the pool says that the lease is over, and stays else."""
    monkeypatch.setattr(preparing, "over", lambda *_: (plain.state / "pool.json").write_text("{") if spoilt else None)
    ran = wt(plain, "lease", "write", "return", "--workspace", str(leased))
    told = json.loads(ran.stderr)
    assert (ran.returncode, told["code"], outcome in told["error"]) == (1, "not-returned", True)
    assert told["details"]["lease_id"] == receipt(leased)["lease_id"]
    monkeypatch.undo()
    assert give_back(plain, leased)["returned"] is True


def test_what_comes_in_while_it_is_looked_at_stops_it(plain: World, leased: Path) -> None:
    """Somebody writes between the look and the end: by the git that looks for branches."""
    script = f'case " $* " in *" symbolic-ref "*) echo late > "{leased}/late" ;; esac'
    ran = wt(plain, "lease", "write", "return", "--workspace", str(leased), PATH=a_git_that(plain, script))
    told = json.loads(ran.stderr)
    assert (ran.returncode, told["code"], told["details"]["changes"]) == (2, "busy", ["?? late"])
    assert (row(plain, leased)["status"], (leased / "late").read_text()) == ("leased", "late\n")
    not_returned(plain, "not-preserved", leased)


# --- twice -----------------------------------------------------------------------------------------------------------

def test_two_returns_of_one_lease_at_once(plain: World, leased: Path) -> None:
    """The second is told so, whichever it is."""
    words = ["lease", "write", "return", "--workspace", str(leased)]
    running: list[subprocess.Popen[str]] = [start(plain, *words) for _ in range(4)]
    ended = [(one.communicate(timeout=60), one.returncode)[1] for one in running]
    assert sorted(ended) == [0, 2, 2, 2]
    declined(plain, "no-receipt", *words[1:])

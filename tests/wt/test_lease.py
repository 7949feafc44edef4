"""`wt lease`: what acquiring gives, which workspaces are handed out, and what status says of them."""
from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.worlds import World
from tests.wt.leasing import HOLDER, RECEIPT, acquire, declined, give_back, pool, receipt, row, rows
from tests.wt.surroundings import a_git_that, says
from tests.wt.test_enter import binding, done, small, tip, wt


@pytest.fixture
def plain(tmp_path: Path) -> World:
    return small(Path(os.path.realpath(tmp_path)))


# --- what one gets ---------------------------------------------------------------------------------------------------

def test_a_workspace_at_the_caller_s_commit_with_a_receipt(plain: World) -> None:
    plain.sh('cd "$R"; echo open >> src/app.py; echo staged > staged; git add staged; echo new > new; echo s > .env')
    before = plain.git("status", "--porcelain", "-uall")
    data = acquire(plain)
    path = plain.R / ".worktrees/pool-1"
    assert re.fullmatch("[0-9a-f]{32}", data["lease_id"])
    assert {key: data[key] for key in ("path", "name", "lease_holder", "receipt_path", "prepared_head", "source", "created")} == {
        "path": str(path), "name": "pool-1", "lease_holder": HOLDER, "receipt_path": str(path / RECEIPT), "prepared_head": tip(plain),
        "source": str(plain.R), "created": True}
    assert receipt(path) == {"schema_version": 2, "path": str(path), "lease_id": data["lease_id"], "lease_holder": HOLDER,
                             "acquired_at": data["leased_at"], "source_head": tip(plain)}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", data["leased_at"])
    assert [oct((path / name).stat().st_mode & 0o777) for name in (RECEIPT, "out/treehouse")] == ["0o644", "0o755"]
    assert (tip(plain, cwd=path), plain.git("rev-parse", "--abbrev-ref", "HEAD", cwd=path)) == (tip(plain), "HEAD")
    assert plain.git("status", "--porcelain", "-uall", cwd=path) == ""
    assert (path / "src/app.py").read_text() == "value = 1\n"
    assert not any((path / name).exists() for name in ("staged", "new", ".env"))
    assert plain.git("status", "--porcelain", "-uall") == before, "the pool hides itself, and the caller's work is untouched"
    assert row(plain, path) == {"name": "pool-1", "path": str(path), "status": "leased", "lease_id": data["lease_id"],
                                "lease_holder": HOLDER, "processes": [], "leased_at": data["leased_at"], "owner": "unknown", "note": None}


SOURCES = {  # where the caller stands -> the script that makes it
    "a subfolder": 'echo "$R/src"',
    "a linked worktree": 'git worktree add -q -b x "$OUT/x"; cd "$OUT/x"; git commit -q --allow-empty -m x; pwd',
    "a detached HEAD": "git commit -q --allow-empty -m x; git checkout -q --detach HEAD~1; pwd",
    "a worktree of a bare one": 'git clone -q --bare . "$OUT/b.git"; git -C "$OUT/b.git" worktree add -q "$OUT/x" main; cd "$OUT/x"; pwd',
    "a separate git folder": 'git clone -q --separate-git-dir "$OUT/g" . "$OUT/s"; cd "$OUT/s"; pwd',
    "a submodule": 'git -c protocol.file.allow=always submodule --quiet add "$R/.git" sub; cd sub; pwd',
    "a folder with blanks": 'git clone -q . "$OUT/it is, ä 木 \'\\""; cd "$OUT/it is, ä 木 \'\\""; pwd',
    "worktree_parent elsewhere": 'echo "{\\"worktree_parent\\": \\"$OUT/trees\\"}" > .worktree-guard.json; pwd',
}


@pytest.mark.parametrize("script", SOURCES.values(), ids=SOURCES)
def test_from_anywhere_in_a_repository(plain: World, script: str) -> None:
    here = Path(plain.sh(script, cwd=plain.R).strip().splitlines()[-1])
    first, second = acquire(plain, cwd=here), acquire(plain, cwd=here)
    assert first["prepared_head"] == tip(plain, cwd=here) == tip(plain, cwd=Path(first["path"]))
    assert plain.git("status", "--porcelain", "-uall", cwd=Path(first["path"])) == ""
    assert (plain.OUT / "trees" in Path(first["path"]).parents) == ("trees" in script)
    assert [one["status"] for one in rows(plain, cwd=here)] == ["leased", "leased"], "one checkout holds two"
    for data in (first, second):
        assert give_back(plain, data["path"], cwd=here)["returned"] is True
    assert acquire(plain, cwd=here)["path"] == first["path"]


@pytest.mark.parametrize("script", ['git init -q "$OUT/x"; echo "$OUT/x"', 'git init -q --bare "$OUT/x"; echo "$OUT/x"', 'echo "$R/.git"',
                                    "git checkout -q --orphan new; pwd"], ids=["unborn", "bare", "git's own folder", "orphan"])
def test_where_there_is_no_commit_to_start_from(plain: World, script: str) -> None:
    here = Path(plain.sh(script, cwd=plain.R).strip().splitlines()[-1])
    ran = wt(plain, "lease", "write", "acquire", cwd=here)
    assert (ran.returncode, json.loads(ran.stderr)["code"]) == (2, "no-commit")
    assert not (plain.R / ".worktrees").exists()


def test_a_leased_checkout_leases_none_and_a_free_one_may(plain: World) -> None:
    data = acquire(plain)
    inside = Path(data["path"])
    for place in (inside, inside / "src"):
        refusal = declined(plain, "leased", "write", "acquire", cwd=place)
        assert refusal["details"] == {"path": data["path"], "lease_id": data["lease_id"], "lease_holder": HOLDER}
    give_back(plain, inside)
    assert acquire(plain, cwd=inside)["path"] != data["path"], "who stands in a workspace uses it"


def test_a_session_is_bound_to_what_it_has_leased(plain: World) -> None:
    data = acquire(plain, CLAUDE_CODE_SESSION_ID=plain.session)
    assert binding(plain, plain.session)["path"] == data["path"]
    give_back(plain, data["path"])
    assert not (plain.state / f"sessions/{plain.session}.json").exists()


# --- the receipt's place ---------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("script", "named"), [
    ("echo x > out", "out"), ('ln -s "$OUT" out', "out"), ("mkdir out; echo x > out/treehouse", "out/treehouse"),
    ("mkdir out; ln -s /tmp out/treehouse", "out/treehouse"), ("mkdir -p out/treehouse; echo '{}' > out/treehouse/lease.json", RECEIPT),
])
def test_a_commit_that_has_something_there(plain: World, script: str, named: str) -> None:
    plain.sh(f"{script}; git add -f out; git commit -qm out", cwd=plain.R)
    assert f" {named} " in declined(plain, "no-room-for-receipt", "write", "acquire")["error"]
    assert list(plain.OUT.iterdir()) == []


@pytest.mark.parametrize("ignores", ["!out", "!/out/", "!out/**", "!*", "!*.json\n!out/treehouse/lease.json", "out", "/out/*"])
def test_whatever_the_repository_ignores_the_receipt_is_hidden(plain: World, ignores: str) -> None:
    plain.sh(f"printf '%s\\n' '{ignores}' > .gitignore; mkdir out; echo o > out/o; git add -f .; git commit -qm out", cwd=plain.R)
    data = acquire(plain)
    path = Path(data["path"])
    plain.git("add", "-A", cwd=path)
    assert plain.git("status", "--porcelain", "-uall", cwd=path) == ""
    give_back(plain, path)
    assert [one.name for one in (path / "out").iterdir()] == ["o"], "nothing of it stays"


@pytest.mark.parametrize("script", ['ln -s "$OUT" out', "echo x > out", "mkdir out; echo x > out/treehouse",
                                    "mkdir -p out/treehouse/lease.json/x", 'mkdir out; ln -s "$OUT" out/treehouse'])
def test_something_ignored_in_the_way_of_it(plain: World, script: str) -> None:
    plain.sh("echo out > .gitignore; git add .; git commit -qm out; mkdir \"$OUT/treehouse\"; echo x > \"$OUT/lease.json\"", cwd=plain.R)
    first = acquire(plain)["path"]
    give_back(plain, first)
    plain.sh(script, cwd=Path(first))
    assert acquire(plain)["path"] != first
    assert row(plain, first)["status"] == "dirty"
    assert sorted(one.name for one in plain.OUT.iterdir()) == ["lease.json", "treehouse"], "nothing behind a link was touched"


# --- which one is handed out -----------------------------------------------------------------------------------------

def returned(world: World, commits: int = 0) -> Path:
    """A free workspace; the main checkout may have gone on meanwhile."""
    path = Path(acquire(world)["path"])
    give_back(world, path)
    for n in range(commits):
        world.sh(f"echo {n} > src/more; git add .; git commit -qm {n}", cwd=world.R)
    return path


def test_a_returned_one_is_handed_out_again_at_the_new_commit_with_its_caches(plain: World) -> None:
    plain.sh("echo cache > .gitignore; git add .; git commit -qm i", cwd=plain.R)
    path = returned(plain, commits=2)
    (path / "cache").write_text("warm")
    data = acquire(plain)
    assert (data["path"], data["created"], data["prepared_head"]) == (str(path), False, tip(plain))
    assert tip(plain, cwd=path) == tip(plain)
    assert ((path / "src/more").read_text(), (path / "cache").read_text()) == ("1\n", "warm")


def test_the_one_that_is_at_the_commit_already_comes_first(plain: World) -> None:
    old, start = Path(acquire(plain)["path"]), tip(plain)
    plain.git("commit", "-q", "--allow-empty", "-m", "x")
    new = Path(acquire(plain)["path"])
    give_back(plain, old)
    give_back(plain, new)
    assert acquire(plain)["path"] == str(new)
    plain.git("checkout", "-q", "--detach", start)
    assert acquire(plain)["path"] == str(old)


LOOK = "if [ -e .git ]; then git rev-parse HEAD; git status --porcelain -uall; fi 2>/dev/null || true; find . -name '*.py' -exec cat {} +"
UNFIT = {  # what somebody did in a free workspace -> (script, status)
    "changed": ("echo x >> src/app.py", "dirty"), "new file": ("echo x > new", "dirty"), "staged": ("echo x > new; git add new", "dirty"),
    "deleted": ("rm src/app.py", "dirty"), "another repository in it": ("git init -q inner", "dirty"),
    "skip-worktree": ("git update-index --skip-worktree src/app.py; echo x >> src/app.py", "dirty"),
    "assume-unchanged": ("git update-index --assume-unchanged src/app.py; echo x >> src/app.py", "dirty"),
    "a merge half done": ("git merge -q --no-commit --no-ff -s ours $(git commit-tree -m x -p HEAD HEAD^{tree})", "dirty"),
    "commits": ("git commit -q --allow-empty -m own", "unlanded"),
    "an amended commit": ("git commit -q --amend -m own", "unlanded"),
    "locked": ('git worktree lock "$PWD"', "locked"),
    "without its .git": ("rm .git", "damaged"),
    ".git of another": ('git worktree add -q --detach "$OUT/x"; cp "$OUT/x/.git" .git', "damaged"),
    "another repository instead": ("rm .git; git init -q", "damaged"),
    "a broken index": ("echo x > $(git rev-parse --git-dir)/index", "damaged"),
    "a link to another worktree": ('git worktree add -q --detach "$OUT/x"; mv "$PWD" "$OUT/away"; ln -s "$OUT/x" "$PWD"', "damaged"),
}


@pytest.mark.parametrize(("script", "status"), UNFIT.values(), ids=UNFIT)
def test_one_that_is_not_fit_is_passed_over_and_nothing_in_it_changes(plain: World, script: str, status: str) -> None:
    path = returned(plain)
    plain.sh(script, cwd=path)
    said = plain.sh(LOOK, cwd=path)
    assert row(plain, path)["status"] == status
    plain.git("commit", "-q", "--allow-empty", "-m", "on")
    data = acquire(plain)
    assert data["path"] != str(path)
    assert plain.sh(LOOK, cwd=path) == said
    assert not (path / "out").exists()
    assert row(plain, path)["status"] == status


FIT = {
    "commits that a branch has": "git commit -q --allow-empty -m own; git branch kept",
    "commits that a tag has": "git commit -q --allow-empty -m own; git tag kept",
    "commits that a remote branch has": "git commit -q --allow-empty -m own; git update-ref refs/remotes/origin/x HEAD",
    "commits that were squashed": "echo x > x; git add x; git commit -qm own; cd \"$R\"; echo x > x; git add x; git commit -qm squashed",
    "a branch that is checked out": "git checkout -q -b topic",
    "a commit that its owner amended": 'git -C "$R" commit -q --amend -m amended',
    "a lock file of a killed git": "touch $(git rev-parse --git-dir)/index.lock",
    "ignored files": "echo x > .git-ignored; echo .git-ignored >> $(git rev-parse --git-common-dir)/info/exclude",
}


@pytest.mark.parametrize("script", FIT.values(), ids=FIT)
def test_one_that_holds_nothing_of_its_own_is_handed_out(plain: World, script: str) -> None:
    path = returned(plain)
    refs = set(plain.git("for-each-ref", "--format=%(refname)").splitlines())
    plain.sh(script, cwd=path)
    plain.git("commit", "-q", "--allow-empty", "-m", "on")
    data = acquire(plain)
    assert (data["path"], tip(plain, cwd=path), plain.git("rev-parse", "--abbrev-ref", "HEAD", cwd=path)) == (str(path), tip(plain), "HEAD")
    assert refs <= set(plain.git("for-each-ref", "--format=%(refname)").splitlines())


@contextmanager
def standing_in(path: Path) -> Iterator[int]:
    with subprocess.Popen(["sleep", "60"], cwd=path) as running:
        try:
            yield running.pid
        finally:
            running.kill()


def test_one_that_a_process_stands_in_is_in_use(plain: World) -> None:
    path = returned(plain)
    with standing_in(path / "src") as pid:
        assert (row(plain, path)["status"], row(plain, path)["processes"]) == ("in-use", [{"pid": pid, "command": "sleep"}])
        assert acquire(plain)["path"] != str(path)
    assert row(plain, path)["status"] == "available"
    assert row(plain, path, cwd=path)["status"] == "you're here"


def test_one_that_a_session_is_bound_to_is_in_use(plain: World) -> None:
    path = returned(plain)
    done(plain, "enter", str(path), "--session", "s1")
    assert (row(plain, path)["status"], acquire(plain)["path"] != str(path)) == ("in-use", True)


@pytest.mark.parametrize("script", ["rm -rf pool-1", "rm -rf pool-1; git worktree prune", "git worktree remove pool-1"])
def test_a_free_one_that_somebody_deleted_makes_room_for_another(plain: World, script: str) -> None:
    (plain.R / ".worktree-guard.json").write_text('{"pool": {"size": 1}}')
    path = returned(plain)
    plain.sh(script, cwd=path.parent)
    assert not path.exists()
    data = acquire(plain)
    assert (data["created"], [one["path"] for one in rows(plain)]) == (True, [data["path"]])


# --- the size --------------------------------------------------------------------------------------------------------

def test_the_pool_grows_to_its_size_and_then_says_who_holds_what(plain: World) -> None:
    (plain.R / ".worktree-guard.json").write_text('{"pool": {"size": 3}}')
    held = [acquire(plain, f"h{n}", CLAUDE_CODE_SESSION_ID="") for n in range(2)]
    third = returned(plain)
    (third / "work").write_text("x")
    refusal = declined(plain, "none-free", "write", "acquire")
    assert "pool-1 by h0; pool-2 by h1; pool-3 is dirty" in refusal["error"]
    assert refusal["details"] == {"leases": [{"path": one["path"], "lease_id": one["lease_id"], "lease_holder": one["lease_holder"],
                                              "leased_at": one["leased_at"], "owner": "unknown"} for one in held],
                                  "others": [{"path": str(third), "status": "dirty"}]}
    (plain.R / ".worktree-guard.json").write_text('{"pool": {"size": 4}}')
    assert Path(acquire(plain)["path"]).name == "pool-4"
    (plain.R / ".worktree-guard.json").write_text('{"pool": {"size": 1}}')
    give_back(plain, held[0]["path"])
    assert acquire(plain)["path"] == held[0]["path"], "a pool that has become smaller hands out what it has"


@pytest.mark.parametrize("pid", [2**22 + 7, os.getpid()], ids=["no such process", "another one has its number"])
def test_a_lease_whose_program_has_ended_is_named_and_not_taken(plain: World, pid: int) -> None:
    (plain.R / ".worktree-guard.json").write_text('{"pool": {"size": 1}}')
    data = acquire(plain)
    file, told = plain.state / "pool.json", pool(plain)
    told["workspaces"][0]["lease"].update(client_pid=pid, client_started="1")
    file.write_text(json.dumps(told))
    assert (row(plain, data["path"])["owner"], row(plain, data["path"])["status"]) == ("gone", "leased")
    assert "which has ended" in declined(plain, "none-free", "write", "acquire")["error"]
    assert give_back(plain, data["path"])["returned"] is True


# --- what goes wrong -------------------------------------------------------------------------------------------------

def test_a_new_one_that_cannot_be_prepared_leaves_nothing(plain: World) -> None:
    before = plain.git("for-each-ref")
    ran = wt(plain, "lease", "write", "acquire", PATH=a_git_that(plain, 'case " $* " in *" status "*) echo x > new ;; esac'))
    told: dict[str, Any] = json.loads(ran.stderr)
    assert (ran.returncode, ran.stdout, told["code"]) == (1, "", "not-clean")
    details = told["details"]
    assert (details["rollback"], details["rollback_returned"], details["receipt_removed"], details["rollback_live_status"]) == (
        "returned", True, True, "gone")
    assert details["cause"]["details"]["changes"] == ["?? new"]
    assert len(details["lease_id"]) == 32
    assert (rows(plain), plain.git("worktree", "list").count("\n"), plain.git("for-each-ref")) == ([], 0, before)
    assert list((plain.R / ".worktrees").iterdir()) == []


def test_a_checkout_that_fails_is_given_back_and_said_so(plain: World) -> None:
    path = returned(plain, commits=1)
    ran = wt(plain, "lease", "write", "acquire", PATH=a_git_that(plain, says("fatal: no such luck", "checkout")))
    told = json.loads(ran.stderr)
    assert (ran.returncode, told["details"]["rollback"], told["details"]["receipt_removed"]) == (1, "returned", True)
    assert "no such luck" in told["error"]
    assert (row(plain, path)["status"], (path / "out").exists()) == ("available", False)
    assert acquire(plain)["path"] == str(path)


def test_a_rollback_that_fails_too_leaves_the_receipt_to_return_by(plain: World) -> None:
    path, lock = returned(plain, commits=1), plain.state / "lock"
    script = f"""case " $* " in *" checkout "*) rm "{lock}"; mkdir "{lock}"; echo "fatal: no such luck" >&2; exit 128 ;; esac"""
    ran = wt(plain, "lease", "write", "acquire", PATH=a_git_that(plain, script))
    lock.rmdir()
    told = json.loads(ran.stderr)
    assert (ran.returncode, told["details"]["rollback"], told["details"]["receipt_removed"]) == (1, "held", False)
    assert told["details"]["lease_id"] in (path / RECEIPT).read_text()
    assert "keep its identity" in told["error"]
    assert row(plain, path)["path"] == str(path)


def on(command: str, script: str) -> str:
    """For `a_git_that`: when this command is run."""
    return f'case " $* " in *" {command} "*) {script} ;; esac'


def test_a_rollback_of_which_nobody_can_tell(plain: World) -> None:
    """Neither the lock nor the pool's file is as it was."""
    path, lock = returned(plain, commits=1), plain.state / "lock"
    script = f"""rm "{lock}"; mkdir "{lock}"; echo '{{' > "{plain.state}/pool.json"; exit 128"""
    ran = wt(plain, "lease", "write", "acquire", PATH=a_git_that(plain, on("checkout", script)))
    lock.rmdir()
    told = json.loads(ran.stderr)["details"]
    assert (ran.returncode, told["rollback"], told["rollback_live_status"], told["receipt_removed"]) == (1, "unknown", None, False)
    assert (row(plain, path)["lease_id"], row(plain, path)["note"]) == (told["lease_id"], None), "by the receipt"
    assert give_back(plain, path)["returned"] is True


@pytest.mark.parametrize("fresh", [True, False], ids=["a new one", "a returned one"])
def test_a_lease_that_the_pool_does_not_know_any_more(plain: World, fresh: bool) -> None:
    """It has another one there when the workspace is ready: that stays as it is, without our receipt."""
    path = plain.R / ".worktrees/pool-1" if fresh else returned(plain, commits=1)
    script = f"""sed -i 's/"id": "[^"]*"/"id": "{'f' * 32}"/; s/"step": "acquiring"/"step": "held"/' "{plain.state}/pool.json" """
    ran = wt(plain, "lease", "write", "acquire", PATH=a_git_that(plain, on("status" if fresh else "checkout", script)))
    told = json.loads(ran.stderr)
    assert (ran.returncode, told["code"]) == (1, "lost-lease")
    assert (told["details"]["rollback"], told["details"]["rollback_live_status"], told["details"]["receipt_removed"]) == (
        "returned", "leased", True)
    assert (row(plain, path)["lease_id"], path.is_dir(), (path / RECEIPT).exists()) == ("f" * 32, True, False)
    assert acquire(plain)["path"] != str(path)


NOT_PREPARED = {
    "another commit by then": ("git commit -q --allow-empty -m x", "is at "),
    "the receipt gone": (f"rm {RECEIPT}", "the receipt has not stayed"),
    "another receipt": (f"sed -i s/acquired/acquired_/ {RECEIPT}", "the receipt has not stayed"),
    "a receipt of another": (f"""sed -i 's/"lease_holder": "/&x/' {RECEIPT}""", "is of another lease"),
}


@pytest.mark.parametrize(("script", "said"), NOT_PREPARED.values(), ids=NOT_PREPARED)
def test_it_is_proven_to_be_ready(plain: World, script: str, said: str) -> None:
    """Something comes between the checkout and the last look."""
    path = returned(plain, commits=1)
    real = shlex.quote(str(shutil.which("git")))
    after = on("checkout", f'{real} "$@"; git() {{ {real} "$@"; }}; {script}; exit 0')
    ran = wt(plain, "lease", "write", "acquire", PATH=a_git_that(plain, after))
    told = json.loads(ran.stderr)
    assert (ran.returncode, told["code"], said in told["error"]) == (1, "not-prepared", True), told
    assert (told["details"]["rollback"], row(plain, path)["lease_id"], (path / RECEIPT).exists()) == ("returned", "", False)


def test_nothing_is_checked_out_where_the_commit_is_right(plain: World) -> None:
    path = returned(plain)
    before = (path / "src/app.py").stat()
    assert acquire(plain, PATH=a_git_that(plain, says("fatal: no such luck", "checkout", "reset", "read-tree")))["path"] == str(path)
    assert (path / "src/app.py").stat() == before


def test_a_rename_of_letter_case_alone(plain: World) -> None:
    """What git believes on a disk that knows no case (core.ignorecase)."""
    path = returned(plain)
    plain.sh("git mv src/app.py src/x; git mv src/x src/App.py; git commit -qm case; git config core.ignorecase true", cwd=plain.R)
    assert acquire(plain)["path"] == str(path)
    assert [one.name for one in (path / "src").iterdir()] == ["App.py"]


@pytest.mark.parametrize(("ignorecase", "name", "status"), [("true", "src/APP.py", 0), ("true", "other", 1), ("false", "src/APP.py", 1)])
def test_force_is_for_letter_case_alone(plain: World, ignorecase: str, name: str, status: int) -> None:
    """As git answers where the disk knows no case: the file in the way is the tracked one."""
    returned(plain, commits=1)
    (plain.R / ".worktree-guard.json").write_text('{"pool": {"size": 1}}')
    plain.git("config", "core.ignorecase", ignorecase)
    complaint = f"printf 'error: these would be overwritten by checkout:\n\t{name}\n' >&2"
    says_no = f'case " $* " in *" --force "*) ;; *) {complaint}; exit 1 ;; esac'
    ran = wt(plain, "lease", "write", "acquire", PATH=a_git_that(plain, on("checkout", says_no)))
    assert (ran.returncode != 0) == bool(status), ran.stderr


def test_hooks_and_fsmonitor_of_the_repository_do_not_run(plain: World) -> None:
    plain.sh("""printf '#!/bin/sh\\ntouch "$HOME/ran-$(basename "$0")"\\n' > "$OUT/hook"; chmod +x "$OUT/hook"
             for name in post-checkout reference-transaction pre-commit post-index-change; do cp "$OUT/hook" "$R/.git/hooks/$name"; done
             git -C "$R" config core.fsmonitor "$OUT/hook" """)
    path = returned(plain, commits=1)
    plain.sh('rm -f "$HOME"/ran-*')
    acquire(plain)
    (path / "new").write_text("x")
    give_back(plain, path, "--confirm-preserved")
    rows(plain)
    assert list((plain.root / "home").glob("ran-*")) == []


def test_no_fetch(plain: World) -> None:
    folder = a_git_that(plain, 'echo "$*" >> "$HOME/called"')
    plain.sh('cd "$R"; git remote add origin /nowhere')
    data = acquire(plain, PATH=folder)
    give_back(plain, data["path"], PATH=folder)
    called = (plain.root / "home/called").read_text()
    assert "worktree add" in called
    assert not re.search(r"\b(fetch|pull|remote update|ls-remote|stash|rebase|cherry-pick|prune)\b", called)

"""`wt merge` against open files and conflicts: a refusal leaves every byte as it was, and says what to do."""
from __future__ import annotations

import json
import os
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from tests.worlds import World
from tests.wt.merges import COMMIT, DIVERGED, against, left_over, whole
from tests.wt.test_enter import done, small, tip, wt

# --- open files are never overwritten --------------------------------------------------------------------------------

IN_THE_WAY = [
    ("an edit", "echo mine > src/app.py", ["src/app.py"]), ("staged", "echo mine > src/app.py; git add .", ["src/app.py"]),
    ("deleted", "rm src/app.py; echo mine > src/app.py.mine; echo mine > new", ["new"]),
    ("untracked", "echo mine > new", ["new"]), ("untracked, and the same", "echo n > new", ["new"]),
    ("ignored", "echo new >> .git/info/exclude; echo mine > new", ["new"]),
    ("a folder of ignored files", "echo new/ >> .git/info/exclude; mkdir new; echo mine > new/mine", ["new"]),
    ("an edit that git is not to see", "git update-index --assume-unchanged src/app.py; echo mine > src/app.py", ["src/app.py"]),
    ("skip-worktree", "git update-index --skip-worktree src/app.py; echo mine > src/app.py", ["src/app.py"]),
    ("with a stash by itself", "git config merge.autoStash true; echo mine > src/app.py", ["src/app.py"]),
]


@pytest.mark.parametrize("how", ["fast-forward", "merge"])
@pytest.mark.parametrize(("script", "names"), [row[1:] for row in IN_THE_WAY], ids=[row[0] for row in IN_THE_WAY])
def test_open_files_in_the_way(ready: World, script: str, names: list[str], how: str) -> None:
    if how == "merge":
        ready.sh(DIVERGED)
    ready.sh(script, cwd=ready.R)
    before, index = whole(ready), ready.git("ls-files", "-v", "-s")
    foreseen = done(ready, "merge", "x", "--dry-run")["open_files"]
    assert (whole(ready), [name.rstrip("/") for name in foreseen]) == (before, names)
    ran = wt(ready, "merge", "x")
    document, now = json.loads(ran.stderr), whole(ready)
    assert (ran.returncode, document["code"], document["details"]["files"]) == (1, "open-files", names)
    kept = document["details"]["result"]
    assert (kept or "").removeprefix("refs/") == ("worktree-guard/merged/wt+x" if how == "merge" else "")
    for one in (before, now):
        one["git"].pop("index")  # git has looked at the files again, and notes when
    if kept:
        assert ready.git("rev-parse", f"{kept}^2") == tip(ready, "wt/x")
        del now["git"][kept]
    assert (now, ready.git("ls-files", "-v", "-s"), left_over(ready)) == (before, index, [])
    ready.sh(document["hint"].partition(" puts ")[0])
    data = done(ready, "merge", "x")
    assert (data["how"], ready.git("for-each-ref", "refs/worktree-guard/merged/")) == (how, "")
    assert ("+mine" if "mine" in script else "+n") in ready.git("stash", "show", "-p", "--include-untracked").splitlines()


# --- conflicts -------------------------------------------------------------------------------------------------------

CONFLICTS = [
    ("content", 'cd "$R"; echo "value = 3" > src/app.py', ["src/app.py"]),
    ("deleted there", 'cd "$R"; git rm -q src/app.py; echo k > k', ["src/app.py"]),
    ("both made it", 'cd "$R"; echo other > new', ["new"]),
    ("a file and a folder", 'cd "$R"; mkdir new; echo k > new/k', ["new~wt"]),
    ("a name with a blank", f'cd "$W"; echo w > "a ü"; {COMMIT} w; cd "$R"; echo r > "a ü"', ["a ü"]),
    ("a resolution learned before", 'cd "$R"; git config rerere.enabled true; mkdir .git/rr-cache; echo "value = 3" > src/app.py',
     ["src/app.py"]),
]


@pytest.mark.parametrize("words", [(), ("--squash",)], ids=["merge", "squash"])
@pytest.mark.parametrize(("script", "names"), [row[1:] for row in CONFLICTS], ids=[row[0] for row in CONFLICTS])
def test_a_conflict_leaves_every_byte_as_it_was(ready: World, script: str, names: list[str], words: tuple[str, ...]) -> None:
    ready.sh(f"{script}; {COMMIT} r; echo open > open; echo s > s.env; echo staged > staged; git add staged")
    document = against(ready, "x", *words, status=1)
    assert document["code"] == "conflict"
    assert [name.partition("HEAD")[0] for name in document["details"]["files"]] == names or names == ["new~wt"]
    way, again = document["hint"].partition(",")[0], document["hint"].partition("then ")[2]
    assert (way, again) == (f"git -C {ready.W} merge main", shlex.join(["wt", "merge", "x", *words]))
    ready.sh(f"git commit -qm staged; {way} >/dev/null || true; cd $W; git checkout -q wt/x -- . ; {COMMIT} solved", cwd=ready.R)
    assert done(ready, *again.split()[1:])["how"] == ("squash" if words else "fast-forward")


def test_submodules_conflict_or_come_along(plain_root: Path) -> None:
    world = small(plain_root)
    world.sh(f"""git init -q lib; cd lib; for n in 1 2 3; do echo $n > f; {COMMIT} $n; done
                 cd "$R"; git submodule --quiet add ../lib lib; {COMMIT} sub""")
    world = replace(world, W=Path(done(world, "new", "x")["path"]))
    done(world, "authorize-main", "--reason", "r")
    world.sh(f"git submodule --quiet update --init; git -C lib checkout -q HEAD~1; {COMMIT} back; {DIVERGED}", cwd=world.W)
    assert done(world, "merge", "x")["how"] == "merge"
    assert world.git("ls-tree", "main", "lib").split()[2] == world.git("rev-parse", "HEAD", cwd=world.W / "lib")
    world.sh(f"git -C lib checkout -q HEAD~1; {COMMIT} w", cwd=world.W)
    world.sh(f"git submodule --quiet update; git -C lib commit -q --allow-empty -m r; {COMMIT} r", cwd=world.R)
    document = against(world, "x", status=1)
    assert (document["code"], document["details"]["files"]) == ("conflict", ["lib"])


@pytest.fixture
def plain_root(tmp_path: Path) -> Path:
    return Path(os.path.realpath(tmp_path))


def test_a_sparse_main_checkout_stays_sparse(diverged: World) -> None:
    diverged.sh("git sparse-checkout set --no-cone /src/", cwd=diverged.R)
    assert done(diverged, "merge", "x")["how"] == "merge"
    assert sorted(path.name for path in diverged.R.iterdir() if not path.name.startswith(".")) == ["src"]
    assert diverged.git("ls-tree", "--name-only", "main") == "new\nr\nsrc"

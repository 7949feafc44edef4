"""Are the rows of tests/cases true? Each command is run, without the guard, in a copy of its world.

What is refused must do harm there, or say in `harm` why that cannot be seen. What passes must leave alone what is not the caller's,
and destroys no content but that of the files in `loses`.
"""
from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.git_worlds import FILES, GitWorlds, Row, rows
from tests.worlds import World

PROTECTED = ("main", "master", "trunk", "release", "develop")
GUARDED_KEYS = re.compile(r"^(core\.(bare|worktree|hookspath|repositoryformatversion)|extensions\..*|gc\..*|remote\..*\.(mirror|push))=")
UNDER_WAY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_START", "rebase-merge", "rebase-apply", "sequencer")
# What a call that is bound to nothing, or has a person's leave by word or by settings, may change all the same.
FREE = {**dict.fromkeys(("unbound", "free", "fresh", "nested-free", "declared", "main-write-allow"), ("R", "main here")),
        "authorised": ("R", "main here", "main there")}
# Where the harm of a write must be, by the rule that refuses it.
PLACES = {**dict.fromkeys(("use-worktree-path", "only-in-main", "main-protected", "guard-settings", "submodule-missing"), "R"),
          "other-worktree": "W2"}
MOST_UNSEEN = 0.2  # of the refused rows may have no harm to see
SETTLED = ("gitdir", "commondir", "HEAD")  # of a worktree's own folder in .git
ENTRIES = ("log", "--walk-reflogs", "--format=%H %gs", "refs/stash")
HELD = ("rev-list", "--objects", "--no-object-names", "--filter=object:type=blob", "--filter-provided-objects", "--all",
        "--indexed-objects")

State = dict[str, Any]
Look = Callable[[World], State]


# --- what is looked at -----------------------------------------------------------------------------------------------

def guarded(world: World) -> State:
    """What nobody may change who was not asked to: another checkout, main on both sides, what all worktrees share."""
    git, here, there = world.R / ".git", refs(world, world.R / ".git"), refs(world, world.root / "origin.git")
    return {
        "R": checkout(world, world.R, git, here), "W2": checkout(world, world.W2, git / "worktrees/y", here),
        "main here": here.get("refs/heads/main"), "main there": there.get("refs/heads/main"),
        "wt/y here": here.get("refs/heads/wt/y"), "shared config": shared_config(world),
        "where W is": entry(git / "worktrees/x")["at"], "entry of W2": entry(git / "worktrees/y"),
    }


def worth_keeping(world: World) -> State:
    """What a refusal may be about besides: other branches, commits, logs, the leaves of a person, and where W stands."""
    git, remote = world.R / ".git", world.root / "origin.git"
    here, there = refs(world, git), refs(world, remote)
    head = text(git / "worktrees/x/HEAD")
    return {
        "protected here": only(here, PROTECTED), "protected there": only(there, PROTECTED),
        "branches of worktrees": [f"refs/heads/wt/{name}" in found for name in "xy" for found in (here, there)],
        "replaced": {name: value for name, value in here.items() if name.startswith("refs/replace/")},
        "W on a protected branch": head if head.removeprefix("ref: refs/heads/").strip() in PROTECTED else "",
        "another checkout on a protected branch": sorted(path.parent.name for path in git.glob("worktrees/*/HEAD")
                                                         if text(path).removeprefix("ref: refs/heads/").strip() in PROTECTED),
        "logs": [text(git / name) for name in ("logs/HEAD", "logs/refs/heads/main", "logs/refs/heads/wt/y", "worktrees/y/logs/HEAD")],
        "leaves": {path.name: text(path) for pattern in ("*.json", "*/*.json") for path in (git / "worktree-guard").glob(pattern)},
        "entry of W": entry(git / "worktrees/x"),
    }


def untouched(world: World) -> State:
    return {"pointers": [text(path / ".git") for path in (world.W, world.W2)], "hooks": files(world.R / ".git/hooks")}


def by_hand(world: World) -> State:
    """What only git, `wt` and a person write in .git."""
    git = world.R / ".git"
    plain = [path for path in git.iterdir() if path.is_file() and path.name != "index"] if git.exists() else []
    return {
        **untouched(world), "git's files": {path.name: text(path) for path in plain}, "refs": refs(world, git),
        "git's folders": {name: files(git / name) for name in ("hooks", "info", "worktree-guard")},
        "worktrees": {str(path): text(path) for name in SETTLED for path in git.glob(f"worktrees/*/{name}")},
        "index": (git / "index").exists(),
    }


def treasure(world: World) -> State:
    """What can be lost: commits that a ref or a HEAD holds, entries of the stash, and contents held by those, an index or a file."""
    git = str(world.R / ".git")
    entries = lines(world, git, *ENTRIES) if (world.R / ".git/refs/stash").exists() else set()
    stashed = sorted(line.partition(" ")[0] for line in entries)
    return {"commits": lines(world, git, "rev-list", "--exclude=refs/stash", "--all"), "entries": entries,
            "contents": lines(world, git, *HELD, *stashed) | contents(world.root)}


def contents(root: Path) -> set[str]:
    """Of every file in every checkout, and outside of them."""
    found: set[str] = set()
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.endswith(".git")]
        paths = [Path(folder, name) for name in names]
        found.update(blob(path) for path in paths if path.is_file() and not path.is_symlink())
    return found


def kept(world: World) -> State:
    """What must not get fewer: commits that a ref holds (W's own branch aside, which is the caller's), and objects."""
    git, remote = str(world.R / ".git"), str(world.root / "origin.git")
    return {
        "commits": lines(world, git, "rev-list", "--single-worktree", "--exclude=refs/heads/wt/x", "--all"),
        "commits there": lines(world, remote, "rev-list", "--all"),
        "objects": lines(world, git, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)"),
    }


def checkout(world: World, root: Path, gitdir: Path, here: dict[str, str]) -> State:
    head = text(gitdir / "HEAD").strip()
    return {"HEAD": head, "commit": here.get(head.removeprefix("ref: ")), "index": asked(world, root, "ls-files", "-s"),
            "files": files(root), "under way": [name for name in UNDER_WAY if (gitdir / name).exists()]}


def files(root: Path) -> dict[str, str]:
    """What lies there by name: git's own name for a file's content, its mode and time; other worktrees are left out."""
    found = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git" and (folder == str(root) or not Path(folder, name, ".git").exists())]
        for name in (*folders, *names):
            if name != ".git":
                found[str(Path(folder, name).relative_to(root))] = described(Path(folder, name))
    return found


def described(path: Path) -> str:
    if path.is_symlink():
        return f"-> {path.readlink()}"
    if not path.is_file():
        return "folder"
    seen = path.stat()
    return f"{blob(path)} {seen.st_mode:o} {seen.st_mtime_ns}"


def blob(path: Path) -> str:
    data = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def entry(folder: Path) -> State:
    """A worktree as git lists it."""
    pointer = text(folder / "gitdir").strip()
    return {"at": pointer, "there": Path(pointer).exists(), "locked": (folder / "locked").exists()}


def refs(world: World, gitdir: Path) -> dict[str, str]:
    said = lines(world, str(gitdir), "for-each-ref", "--format=%(refname) %(objectname)%(symref)")
    return dict(line.split(" ", 1) for line in said)


def only(found: dict[str, str], names: tuple[str, ...]) -> dict[str, str]:
    return {name: found[f"refs/heads/{name}"] for name in names if f"refs/heads/{name}" in found}


def shared_config(world: World) -> list[str]:
    said = lines(world, "", "config", "--file", str(world.R / ".git/config"), "--list")
    return sorted(line for line in said if GUARDED_KEYS.match(line))


def text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def lines(world: World, gitdir: str, *words: str) -> set[str]:
    return set(asked(world, world.root, *([f"--git-dir={gitdir}"] if gitdir else []), *words).splitlines())


def asked(world: World, folder: Path, *words: str) -> str:
    """What git says there; a checkout that is broken or gone answers in its own way, which is a difference too."""
    if not folder.exists():
        return "gone"
    done = subprocess.run(["git", *words], env=world.env, cwd=folder, capture_output=True, text=True, timeout=20, check=False)
    return done.stdout if done.returncode == 0 else f"{done.stdout}exit {done.returncode}"


# --- before and after ------------------------------------------------------------------------------------------------

def run(world: World, row: Row) -> str:
    """The command as an agent's shell runs it; what it left in the background is waited for."""
    done = subprocess.run(["bash", "-c", world.fill(row.command) + "\nwait"], env=world.env, cwd=world.fill(row.cwd),
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20, check=False)
    return f"{row.command}\n{row.why}\nexit {done.returncode}\n{done.stdout}{done.stderr}"


def changed(old: State, new: State) -> list[str]:
    """What differs; of sets only what has got fewer."""
    return [name for name, value in old.items() if fewer(value, new[name])]


def fewer(value: Any, now: Any) -> bool:
    return bool(value - now) if isinstance(value, set) else value != now


def free(name: str, row: Row) -> bool:
    return name in FREE.get(row.world, ())


def looks(row: Row) -> tuple[Look, ...]:
    """Where the harm of a refused row must be."""
    if row.file == "writes":
        return (guarded, by_hand, worth_keeping)
    if row.file == "discards":
        return (treasure,) if row.rule == "discard" else (guarded, worth_keeping, treasure)
    return (guarded, worth_keeping, kept)


REFUSED = [row for row in rows() if row.refused]
PASSING = [row for row in rows() if not row.refused and row.file == "git"]
KEEPING = [row for row in rows() if not row.refused and row.file != "git"]


def before(git_worlds: GitWorlds, row: Row, wanted: tuple[Look, ...]) -> tuple[World, list[State]]:
    """The row's world and what is in it. Without a `prep` of its own it looks as it did the last time."""
    world = git_worlds.world(row.world, row.prep)
    known = {} if row.prep else git_worlds.seen.setdefault(row.world, {})
    for look in wanted:
        if look not in known:
            known[look] = look(world)
    git_worlds.spoilt()
    return world, [known[look] for look in wanted]


@pytest.mark.parametrize("row", REFUSED, ids=[row.id for row in REFUSED])
def test_what_is_refused_does_harm(git_worlds: GitWorlds, row: Row) -> None:
    world, states = before(git_worlds, row, looks(row))
    said = run(world, row)
    harm: list[str] = []
    for look, state in zip(looks(row), states, strict=True):
        harm = harm or changed(state, look(world))
    if row.harm:
        assert not harm, f"its harm can be seen, in {harm}: the row needs no excuse\n{said}"
    else:
        assert harm, said
        assert row.file != "writes" or PLACES.get(row.rule, harm[0]) in harm, said


@pytest.mark.parametrize("row", PASSING, ids=[row.id for row in PASSING])
def test_what_passes_leaves_alone_what_is_not_its_own(git_worlds: GitWorlds, row: Row) -> None:
    world, (state,) = before(git_worlds, row, (guarded,))
    said = run(world, row)
    assert [name for name in changed(state, guarded(world)) if not free(name, row)] == [], said


@pytest.mark.parametrize("row", KEEPING, ids=[row.id for row in KEEPING])
def test_what_passes_loses_only_what_it_names(git_worlds: GitWorlds, row: Row) -> None:
    settled = by_hand if row.file == "writes" else untouched
    world, (state, inner, had) = before(git_worlds, row, (guarded, settled, treasure))
    named = {blob(Path(world.fill(name))) for name in row.loses if name != "commits"}
    said = run(world, row)
    assert [name for name in changed(state, guarded(world)) if not free(name, row)] == [], said
    assert set(changed(inner, settled(world))) <= {"refs", "worktrees"}, said  # which git may change
    now = treasure(world)
    gone = {name: had[name] - now[name] for name in had}
    assert gone["contents"] == named, said
    assert bool(gone["commits"]) == ("commits" in row.loses), said
    assert row.world in FREE or [line for line in gone["entries"] if "wt/x" not in line] == [], said


def test_few_refusals_have_no_harm_to_see() -> None:
    for file in FILES:
        refused = [row for row in REFUSED if row.file == file]
        unseen = [row.id for row in refused if row.harm]
        assert len(unseen) <= MOST_UNSEEN * len(refused), unseen

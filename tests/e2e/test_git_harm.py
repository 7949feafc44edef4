"""Are the rows of tests/cases/git.jsonl true? Each command is run, without the guard, in a copy of its world.

What is refused must do harm there, or say in `harm` why that cannot be seen; what passes must leave alone what is not the caller's.
"""
from __future__ import annotations

import hashlib
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.git_worlds import GitWorlds, Row, rows
from tests.worlds import World

PROTECTED = ("main", "master", "trunk", "release", "develop")
GUARDED_KEYS = re.compile(r"^(core\.(bare|worktree|hookspath|repositoryformatversion)|extensions\..*|gc\..*|remote\..*\.(mirror|push))=")
UNDER_WAY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_START", "rebase-merge", "rebase-apply", "sequencer")
# What a call that is bound to nothing, or has a person's leave, may change all the same.
FREE = {"unbound": ("R", "main here"), "fresh": ("R", "main here"), "authorised": ("R", "main here", "main there")}
MOST_UNSEEN = 0.2  # of the refused rows may have no harm to see

State = dict[str, object]


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


def kept(world: World) -> dict[str, set[str]]:
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
    found = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            path = Path(folder, name)
            if name != ".git":
                found[str(path.relative_to(root))] = hashlib.sha1(path.read_bytes()).hexdigest()
    return found


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
    return [name for name, value in old.items() if new[name] != value]


def lost(old: dict[str, set[str]], new: dict[str, set[str]]) -> list[str]:
    return [name for name, value in old.items() if value - new[name]]


def free(name: str, row: Row) -> bool:
    return name in FREE.get(row.world, ())


REFUSED = [row for row in rows() if row.refused]
PASSING = [row for row in rows() if not row.refused]


def before(git_worlds: GitWorlds, row: Row) -> tuple[World, State, State, dict[str, set[str]]]:
    """The row's world and what is in it. Without a `prep` of its own it looks as it did the last time."""
    world = git_worlds.world(row.world, row.prep)
    if row.prep:
        seen = (guarded(world), worth_keeping(world), kept(world))
    else:
        if row.world not in git_worlds.seen:
            git_worlds.seen[row.world] = (guarded(world), worth_keeping(world), kept(world))
        seen = git_worlds.seen[row.world]
    git_worlds.spoilt()
    return world, *seen


@pytest.mark.parametrize("row", REFUSED, ids=[row.id for row in REFUSED])
def test_what_is_refused_does_harm(git_worlds: GitWorlds, row: Row) -> None:
    world, state, more, had = before(git_worlds, row)
    said = run(world, row)
    harm = changed(state, guarded(world)) or changed(more, worth_keeping(world)) or lost(had, kept(world))
    if row.harm:
        assert not harm, f"its harm can be seen, in {harm}: the row needs no excuse\n{said}"
    else:
        assert harm, said


@pytest.mark.parametrize("row", PASSING, ids=[row.id for row in PASSING])
def test_what_passes_leaves_alone_what_is_not_its_own(git_worlds: GitWorlds, row: Row) -> None:
    world, state, _, _ = before(git_worlds, row)
    said = run(world, row)
    assert [name for name in changed(state, guarded(world)) if not free(name, row)] == [], said


def test_few_refusals_have_no_harm_to_see() -> None:
    unseen = [row.id for row in REFUSED if row.harm]
    assert len(unseen) <= MOST_UNSEEN * len(REFUSED), unseen

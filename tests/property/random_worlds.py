"""Random worlds and what people and `wt` do in them, for laws about what is kept.

R has a remote and two worktrees that `wt` made (a and b), one that somebody else made (f, outside of R), and whatever of TRAITS.
"""
from __future__ import annotations

import contextlib
import os
from pathlib import Path

from hypothesis import strategies as st

from tests.worlds import World
from tests.wt.test_enter import done, small, wt
from tests.wt.test_restore import targets_of_links, there

# In the worktree; {n} is another word each time. What has no room for it (no branch, no folder) stays as it is.
TRAITS = {
    "edit": "echo {n} > src/app.py",
    "staged": "echo {n} > staged; git add staged; echo {n}{n} > staged",
    "to be added": "echo {n} > later; git add -N later",
    "untracked": "mkdir -p new; echo {n} > 'new/a {n}'",
    "ignored": "echo {n} > .env; mkdir -p cache; echo {n} > cache/{n}",
    "deleted": "rm -f src/app.py",
    "commit": "echo {n} > own; git add own; git commit -qm {n}",
    "detached": "git checkout -q --detach",
    "amended": "git checkout -q --detach; git commit -q --allow-empty -m {n}; git commit -q --amend --allow-empty -m b",
    "pushed": "echo {n} > own; git add own; git commit -qm {n}; git push -q origin HEAD",
    "squashed": """echo {n} > own; git add own; git commit -qm {n}; tip=$(git rev-parse HEAD); cd "$R"; git merge -q --squash $tip
                   git commit -qm {n}""",
    "orphan": "git checkout -q --orphan {n}; git reset -q",
    "skipped": "git update-index --skip-worktree src/app.py; echo {n} > src/app.py",
    "assumed": "git update-index --assume-unchanged src/app.py; echo {n} > src/app.py",
    "link out": 'ln -sfn "$OUT" out; ln -sfn src in; ln -sfn "$OUT/{n}" cold',
    "conflict": """git stash -q; echo {n} > both; git add both; git commit -qm ours; git checkout -q --detach HEAD~1; echo t{n} > both
                   git add both; git commit -qm theirs; git merge -q @{{-1}} || true""",
    "rebase": """git stash -q -u; echo {n} > src/app.py; git commit -qam mine; echo x{n} > one; git add one; git commit -qm one
                 git checkout -q -b on-{n} HEAD~2; echo o{n} > src/app.py; git commit -qam onto; git checkout -q -
                 git rebase -q on-{n} || true""",
    "pick": """git stash -q -u; git checkout -q --detach; echo {n} > src/app.py; git commit -qam {n}; git checkout -q HEAD~1
               echo p{n} > src/app.py; git commit -qam p; git cherry-pick @{{-1}} || true""",
    "bisect": "git commit -q --allow-empty -m {n}; git commit -q --allow-empty -m {n}; git bisect start -q HEAD HEAD~2",
    "stash": "echo {n} > src/app.py; git stash -q",
    "submodule": """git submodule --quiet add "$OUT/module" sub; git commit -qm sub; echo {n} > sub/open; cd sub
                    git commit -q --allow-empty -m {n}""",
    "nested": "git init -q nest; cd nest; echo {n} > f; git add f; git commit -qm {n}; echo {n}{n} > g",
    "locked": "git worktree lock --reason '{living}' .",
    "locked by the dead": "git worktree lock --reason 'pid 4194305 start 1' .",
    "by a person": "git worktree lock .",
    "empty": "rm -rf ..?* .[!.]* *",
    "gone": 'cd "$R"; rm -rf "$OLDPWD"',
    "no pointer": "rm -f .git",
}
WORDS = ("changes", "ignored", "commits")
NO_BYTES = b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"  # what the index has of a file that is only marked to be added
worktrees = st.sampled_from(["a", "a", "b", "f"])
discards = st.sampled_from([WORDS] * 6 + [(), *((word,) for word in WORDS)])
traits = st.lists(st.tuples(worktrees, st.sampled_from(sorted(TRAITS))), min_size=2, max_size=7)


# What happens to {at}, a worktree. A person's own steps: "work" writes a file that was not there, "commit" commits all. Some only lead
# anywhere one behind the other.
ENTER, COMMIT, REMOVE, MERGE = ("enter", "{at}"), ("commit",), ("remove", "--foreign", "{at}"), ("merge", "{at}")
LEAVE_TO_MERGE = ("authorize-main", "--reason", "r")
ACTS = [
    (ENTER,), (("enter", "{at}", "--session", "s1"),), (("new", "{name}-2"),), (("new", "{name}", "--reuse"),), (("work",),), (COMMIT,),
    (("leave", "--all"),), (("leave", "{at}"),), (("snapshot", "{at}"),), (("status",),), (("setup", "{at}"),),
    (("doctor", "--fix", "--yes"),), (("remove", "{at}"),), (REMOVE,), (REMOVE, ENTER), (REMOVE, ("new", "{name}", "--reuse")),
    (REMOVE, ("restore", "{name}")), (REMOVE, ("restore", "{at}"), ("work",)), (("restore",),), (("clean", "--apply"),),
    (("leave", "--all"), ENTER, ("leave", "{at}", "--remove")), (ENTER, ("leave", "--remove")),
    (COMMIT, LEAVE_TO_MERGE, MERGE), (COMMIT, LEAVE_TO_MERGE, (*MERGE, "--squash", "--remove")), (COMMIT, MERGE, ("clean", "--apply"))]
DISCARDING = ("remove", "leave")
acts = st.lists(st.tuples(st.sampled_from(ACTS), worktrees, discards), min_size=3, max_size=7)


def base(root: Path) -> World:
    """The world that all of them begin with."""
    world = small(root)
    world.sh("""git init -q --bare origin.git; git init -q "$OUT/module"; cd "$OUT/module"; echo m > m; git add m; git commit -qm m
             echo theirs > "$OUT/theirs"; cd "$R"; git remote add origin "$R/../origin.git"
             printf '.env\\ncache/\\n' > .gitignore; git add .; git commit -qm ignore; git push -q -u origin main
             git worktree add -q -b f "$OUT/f"; echo mine > open; echo 3 > src/app.py; git add src; echo 4 > src/app.py""")
    for name in ("a", "b"):
        done(world, "new", name)
    return world


def place(world: World, name: str) -> Path:
    return world.OUT / "f" if name == "f" else world.R / ".worktrees" / name


def script(trait: str, n: int) -> str:
    return TRAITS[trait].format(n=f"v{n}", living=f"pid {os.getpid()}")


def furnished(world: World, chosen: list[tuple[str, str]]) -> None:
    for n, (name, trait) in enumerate(chosen):
        if (place(world, name) / ".git").exists():  # else git would work in the main checkout
            with contextlib.suppress(AssertionError):  # one trait may leave no room for another
                world.sh(f"set -e; {script(trait, n)}", cwd=place(world, name))


def by_hand(world: World, verb: str, name: str, n: int) -> None:
    """A person's step, where there is a worktree to do it in."""
    path = place(world, name)
    if not (path / ".git").exists():
        return
    (path / f"later-{n}").write_text(f"later {n}")
    if verb == "commit":
        with contextlib.suppress(AssertionError):
            world.sh("git add -A; git commit -qm later", cwd=path)


def by_wt(world: World, words: tuple[str, ...], name: str, discard: tuple[str, ...]) -> tuple[int, str]:
    """-> exit status, all that it said"""
    filled = [word.format(at=place(world, name), name=name) for word in words]
    if words[0] in DISCARDING and "--all" not in words and (words[0] == "remove" or "--remove" in words):
        filled += [word for one in discard for word in ("--discard", one)]
    ran = wt(world, *filled)
    return ran.returncode, f"wt {' '.join(filled)}\n{ran.stdout}{ran.stderr}"


def held(world: World, *but: str) -> set[bytes]:
    """Every byte of a file in a worktree or in the trash, every object that git is held to keep, also in repositories inside of these."""
    return (there(world, *but) | targets_of_links(world) | objects_inside(world)) - {NO_BYTES}


def objects_inside(world: World) -> set[bytes]:
    """The objects of submodules and of repositories that lie in a worktree, wherever these are now."""
    found = set()
    for at, folders, _ in os.walk(world.root):
        if Path(at).name == "objects" and Path(at) != world.R / ".git/objects":
            found |= {os.fsencode(f"{Path(inner).name}/{name}") for inner, _, files in os.walk(at) for name in files}
            folders[:] = []
    return found


def main_checkout(world: World) -> tuple[str, ...]:
    """HEAD, index and files of the main checkout."""
    return (world.git("rev-parse", "HEAD"), world.git("symbolic-ref", "HEAD"), world.git("ls-files", "-s"), world.git("stash", "list"),
            world.sh("find . -path ./.git -prune -o -path ./.worktrees -prune -o -type f -print -exec cat {} \\;", cwd=world.R))

"""`wt lease` killed by SIGKILL at every point at which the disk has changed: no lease that nobody can return, none handed out twice."""
from __future__ import annotations

import json
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import Worlds
from tests.worlds import World
from tests.wt.killing import Killer, prepare
from tests.wt.test_enter import done, small, wt
from tests.wt.test_kills import hook_answers, leftovers
from tests.wt.test_remove import listed

ACQUIRE = ("lease", "write", "acquire", "--holder", "h")
OURS = {".git", "treehouse"}  # git's folder, and receipts
ONE_OF = '{"pool": {"size": 1}}'
MOVED_ON = 'cd "$R"; echo "value = 2" > src/app.py; echo c > src/c.py; rm src/b.py; git add -A; git commit -qm on'
WORK = "echo 2 > src/app.py; git add .; echo 3 > src/app.py; echo new > new; git commit -qm own; echo 4 > src/app.py; echo i > x.log"


@dataclass(frozen=True)
class Row:
    """A command on a pool of one; `recipe`: what comes before it, `wt` commands and scripts (those run in the workspace)."""

    name: str
    words: tuple[str, ...]
    least: int
    recipe: tuple[tuple[str, ...] | str, ...] = ()


def place(world: World) -> Path:
    return world.R / ".worktrees/pool-1"


RETURN = ("lease", "write", "return", "--workspace", "{P}")
ROWS = (
    Row("acquire, the pool grows", ACQUIRE, 8),
    Row("acquire at the same commit", ACQUIRE, 3, (ACQUIRE, RETURN)),
    Row("acquire at another commit", ACQUIRE, 3, (ACQUIRE, RETURN, MOVED_ON)),
    Row("return", RETURN, 3, (ACQUIRE,)),
    Row("return with work", (*RETURN, "--confirm-preserved"), 5, (ACQUIRE, WORK)),
)


def words(world: World, given: tuple[str, ...]) -> list[str]:
    return [word.replace("{P}", str(place(world))) for word in given]


def built(row: Row) -> Callable[[Path], World]:
    def build(root: Path) -> World:
        world = small(root)
        prepare(world)
        world.sh(f"""cd "$R"; rm -rf .git/hooks; printf '*.log\\n' > .gitignore; echo '*.py filter=stop' > .gitattributes
                 echo 'b = 1' > src/b.py; git add -A; git commit -qm more; echo '{ONE_OF}' > .worktree-guard.json""")
        for step in row.recipe:
            if isinstance(step, tuple):
                done(world, *words(world, step))
            else:
                world.sh(step, cwd=place(world))
        return world
    return build


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_killed_at_any_point_the_lease_is_somebody_s_or_over(worlds: Worlds, killer: Killer, row: Row) -> None:
    world = worlds.fresh(f"lease, {row.name}", built(row))
    held = objects(world)
    whole = killer.run(world, *words(world, row.words))
    assert whole.status == 0, whole.stderr
    assert sum(point.kind != "in git" for point in whole.points) >= row.least, "fewer than there were: does the harness still see them?"
    wrong = {}
    for point in whole.points:
        worlds.fresh(f"lease, {row.name}", built(row))
        ended = killer.run(world, *words(world, row.words), stop=point)
        assert ended.status == -signal.SIGKILL, (point, ended)
        try:
            judge(world, held)
        except AssertionError as fault:
            wrong[point] = fault
    assert not wrong, f"{len(wrong)} of {len(whole.points)}\n" + "\n\n".join(f"{point}\n{fault}" for point, fault in wrong.items())


def judge(world: World, held: set[str]) -> None:
    """Whoever comes next: reads, gives back what is leased, acquires, and gives that back as well."""
    assert held <= objects(world), "lost by the kill"
    hook_answers(world)
    rows = done(world, "lease", "read", "status")["workspaces"]
    assert {row["path"] for row in rows} <= set(listed(world)), "a workspace that git does not list"
    for row in rows:
        assert (row["status"] == "leased") == bool(row["lease_id"]) <= (Path(row["path"]) / "out/treehouse/lease.json").exists(), row
        if row["lease_id"]:
            assert row["note"] is None, row
            back = done(world, "lease", "write", "return", "--workspace", row["path"], "--confirm-preserved")
            assert (back["returned"], back["lease_id"]) == (True, row["lease_id"])
    assert held <= objects(world), "lost by the return"
    acquired = done(world, *ACQUIRE)
    assert world.git("rev-parse", "HEAD", cwd=Path(acquired["path"])) == world.git("rev-parse", "HEAD") == acquired["prepared_head"]
    assert world.git("status", "--porcelain", cwd=Path(acquired["path"])) == ""
    second = json.loads(wt(world, *ACQUIRE).stderr)
    assert second["code"] == "none-free", "handed out twice"
    done(world, "lease", "write", "return", "--workspace", acquired["path"])
    assert held <= objects(world), "lost by the next one"
    assert len(listed(world)) == 2 and leftovers(world) == []


def objects(world: World) -> set[str]:
    """All that refs and checkouts hold, by git's names of it: commits, files of commits, files that lie there (ignored ones too)."""
    heads = [file.read_text().strip() for file in world.R.glob(".git/worktrees/*/HEAD")]  # of zeros, where git was just beginning
    words = ("rev-list", "--objects", "--no-object-names", "--glob=refs/*", *(head for head in heads if head.strip("0")))
    found = set(world.git(*words).split())
    files = [path for root in listed(world) for path in Path(root).rglob("*") if path.is_file() and not OURS & set(path.parts)]
    return found | set(world.git("hash-object", "--no-filters", "--", *map(str, files)).split())

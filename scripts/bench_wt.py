"""What `wt` costs beside the git commands it stands for, as ratios of wall time, interleaved in one run.

    python3 scripts/bench_wt.py [--files 20000] [--runs 7] [--only TEXT] [--json]

Each run of ours is followed by one of git on the same repository, both begin with everything written out (sync), medians are compared.
`--files 100000` shows a large repository.
"""
from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WT = str(ROOT / "scripts/wt")
WORKTREES = 20
Work = Callable[[int], None]


@dataclass(frozen=True)
class Row:
    """`ours` and `theirs` do the n-th of the same thing; `before` makes both ready, `after` clears up; neither of the two is timed."""

    name: str
    budget: float
    ours: Work
    theirs: Work
    before: Work = lambda n: None
    after: Work = lambda n: None


class Bench:
    """A scratch repository with many files, and what is done with it."""

    def __init__(self, root: Path, files: int) -> None:
        self.root, self.main, self.files = root, root / "app", files
        (root / "home").mkdir(parents=True)
        (root / "home/.gitconfig").write_text("[user]\n name=t\n email=t@example.invalid\n[gc]\n auto=0\n[core]\n fsmonitor=false\n")
        self.env = {"PATH": os.environ["PATH"], "HOME": str(root / "home"), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8"}
        self.main.mkdir()
        filled(self.main, files)
        (self.main / ".gitignore").write_text("node_modules/\n.worktrees/\n")
        for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "base")):
            self.run("git", *words)

    def run(self, *words: str, cwd: Path | None = None) -> None:
        done = subprocess.run(words, cwd=cwd or self.main, env=self.env, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode:
            raise SystemExit(f"{' '.join(words)}: {done.stderr.decode()}")

    def wt(self, *words: str) -> None:
        self.run(WT, *words)

    def git(self, *words: str) -> None:
        self.run("git", *words)

    def rows(self) -> list[Row]:
        trees = [f"s{n}" for n in range(WORKTREES)]

        def statuses(_: int) -> None:
            for name in trees:
                self.git("-C", f".worktrees/{name}", "status")

        def made(n: int) -> None:
            self.git("worktree", "add", "-q", "-b", f"old{n}", f"../old{n}")
            self.wt("new", f"done{n}")

        def all_trees(n: int) -> None:
            for name in trees if n == 0 else ():
                self.git("worktree", "add", "-q", "-b", name, f".worktrees/{name}")

        return [
            Row("new / git worktree add", 1.15, lambda n: self.wt("new", f"w{n}"),
                lambda n: self.git("worktree", "add", "-q", "-b", f"g{n}", f"../g{n}")),
            Row("remove / git worktree remove", 1.0, lambda n: self.wt("remove", f"done{n}"),
                lambda n: self.git("worktree", "remove", f"../old{n}"), before=made),
            Row("copying a folder / cp -a", 1.0, self.copied, lambda n: self.run("cp", "-a", "node_modules", f"../c{n}"),
                before=self.with_modules),
            Row("acquire, same commit / worktree add", 0.25, self.acquire, self.added, before=self.pooled, after=self.give_back),
            Row("acquire, 100 files away / worktree add", 0.4, self.acquire, self.added, before=self.moved_on, after=self.give_back),
            Row("return / status -uall, worktree add", 1.2, self.give_back, self.status_and_added, before=self.acquire),
            Row(f"status of {WORKTREES} / {WORKTREES} x git status", 0.7, lambda n: self.wt("status"), statuses, before=all_trees),
        ]

    def acquire(self, _: int) -> None:
        self.wt("lease", "write", "acquire", "--holder", "bench")

    def give_back(self, _: int) -> None:
        self.wt("lease", "write", "return", "--workspace", str(self.main / ".worktrees/pool-1"))

    def added(self, _: int) -> None:
        self.git("worktree", "add", "-q", "--detach", f"../a{time.monotonic_ns()}")

    def status_and_added(self, n: int) -> None:
        """What a return saves the next one: a new worktree."""
        self.git("status", "-uall")
        self.added(n)

    def pooled(self, n: int) -> None:
        """One ready workspace, at the commit of the main checkout."""
        if n == 0 and not (self.main / ".worktrees/pool-1").exists():
            self.acquire(n)
            self.give_back(n)

    def moved_on(self, n: int) -> None:
        """The main checkout is a hundred files away from where the workspace stands."""
        self.pooled(n)
        for name in range(100):
            (self.main / f"d{name}/f{name * 100}.txt").write_text(f"another line {n}\n" * 100)
        self.git("commit", "-q", "-a", "-m", str(n))

    def with_modules(self, n: int) -> None:
        """An ignored folder in the main checkout, and a worktree that has none of it.

        Nothing is deleted in between, as in most rows: ext4 gives no number of a file away that was deleted in the last 5 s, and looking
        for another one costs 6 x.
        """
        here = self.main / ".worktrees/copies/node_modules"
        if n == 0:
            filled(self.main / "node_modules", 20_000)
            self.wt("new", "copies")
            (self.main / ".worktreeinclude").write_text("node_modules/\n")
        else:
            here.rename(self.root / f"old{n}")

    def copied(self, _: int) -> None:
        self.wt("setup", "copies")


def filled(folder: Path, files: int) -> None:
    """Source-like files of some 2 kB, a hundred a folder."""
    for n in range(files):
        if n % 100 == 0:
            (folder / f"d{n // 100}").mkdir(parents=True)
        (folder / f"d{n // 100}" / f"f{n}.txt").write_text(f"line of file {n}\n" * 100)


def timed(work: Work, n: int) -> float:
    os.sync()
    begun = time.perf_counter()
    work(n)
    return time.perf_counter() - begun


def measured(row: Row, runs: int) -> dict[str, float]:
    found: dict[str, list[float]] = {"ours": [], "theirs": []}
    for n in range(runs + 1):
        row.before(n)
        order = (("ours", row.ours), ("theirs", row.theirs))
        for name, work in order if n % 2 else reversed(order):
            found[name].append(timed(work, n))
        row.after(n)
    ours, theirs = (statistics.median(found[name][1:]) for name in ("ours", "theirs"))  # the first warms the disk
    return {"ours_s": ours, "theirs_s": theirs, "ratio": ours / theirs, "budget": row.budget}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=20_000, help="tracked files of the repository")
    parser.add_argument("--runs", type=int, default=7, help="runs of each command a row (at least 7)")
    parser.add_argument("--only", default="", help="only rows whose name has this text")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    scratch = Path(os.path.realpath(tempfile.mkdtemp(prefix="wt-bench-")))
    try:
        results = {}
        for n, name in enumerate(row.name for row in Bench(scratch / "names", 1).rows()):
            if chosen.only in name:  # each in a repository of its own: status looks at every worktree that another row has made
                results[name] = measured(Bench(scratch / str(n), chosen.files).rows()[n], max(7, chosen.runs))
    finally:
        shutil.rmtree(scratch)
    if chosen.json:
        print(json.dumps(results, indent=1))
        return 0
    print(f"{chosen.files} files{'':28} {'ours':>7} {'theirs':>7} {'ratio':>6} {'at most':>8}")
    for name, found in results.items():
        over = "  over" if found["ratio"] > found["budget"] else ""
        print(f"{name:39} {found['ours_s']:6.2f}s {found['theirs_s']:6.2f}s {found['ratio']:6.2f} {found['budget']:8.2f}{over}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

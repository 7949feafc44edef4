"""A copy of a worktree's index, to build trees in: the index that git and people use is neither written, refreshed nor locked."""
from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from guard.wt import git
from guard.wt.create import NO_HOOKS

GITLINK = "160000"
LONG = 600.0  # seconds: gigabytes of new files are hashed and packed
# Nothing that makes git believe an entry without looking at its file, and nothing of the copy shared with the real index. Without
# core.sparseCheckout `git add` takes new files outside of the sparse part too; what is absent there keeps its own mark.
SETTINGS = ("core.fsmonitor=false", "core.untrackedCache=false", "core.splitIndex=false", "core.trustctime=true", "core.checkStat=default",
            "core.sparseCheckout=false", "core.safecrlf=false", "add.ignoreErrors=false")
PLAIN = (*NO_HOOKS, *(word for setting in SETTINGS for word in ("-c", setting)))


@dataclass(frozen=True)
class Entry:
    """One entry of an index: `tag` as `git ls-files -v` gives it (S: skip-worktree, small letter: assume-unchanged), `stage` 0 to 3."""

    tag: str
    mode: str
    oid: str
    stage: int
    path: str


@dataclass
class IndexCopy:
    """`git` runs a git command on the copy, at the root of the worktree; what git warns of is kept in `warnings`."""

    root: Path
    file: Path
    warnings: list[str] = field(default_factory=list)

    def git(self, *words: str, given: bytes | None = None) -> str:
        """What the command prints. GitError where it fails."""
        more = {"GIT_INDEX_FILE": str(self.file), "GIT_LITERAL_PATHSPECS": "0", "GIT_ICASE_PATHSPECS": "0"}
        done = git.attempt(*PLAIN, *words, cwd=self.root, timeout=LONG, given=given, more=more)
        said = [line.partition("warning: ")[2] for line in git.lines(os.fsdecode(done.stderr)) if line.startswith("warning: ")]
        self.warnings += [line for line in said if line not in self.warnings]
        return git.answer(done, words)

    def names(self, *words: str) -> list[str]:
        """What a command with -z prints."""
        return [name for name in self.git(*words).split("\0") if name]

    def entries(self) -> list[Entry]:
        found = []
        for line in self.names("ls-files", "-v", "-s", "-z"):  # "H 100644 <oid> 0\tpath"
            facts, _, path = line.partition("\t")
            tag, mode, oid, stage = facts.split(" ")
            found.append(Entry(tag, mode, oid, int(stage), path))
        return found

    def resolve(self, unmerged: list[Entry]) -> None:
        """Unmerged entries become one: ours where there is one, else theirs, else the base's. So no path is forgotten."""
        best = {entry.path: entry for entry in sorted(unmerged, key=lambda entry: (2, 3, 1).index(entry.stage), reverse=True)}
        rows = [f"0 {'0' * len(entry.oid)}\t{path}\0{entry.mode} {entry.oid}\t{path}\0" for path, entry in best.items()]
        if rows:
            self.git("update-index", "--replace", "-z", "--index-info", given=os.fsencode("".join(rows)))

    def unhide(self, entries: list[Entry]) -> None:
        """Takes off the marks that keep git from looking at a file. Skip-worktree stays where there is no file: it is not deleted."""
        assumed = [entry.path for entry in entries if entry.tag.islower()]
        skipped = [entry.path for entry in entries if entry.tag in "Ss" and os.path.lexists(self.root / entry.path)]
        for option, paths in (("--no-assume-unchanged", assumed), ("--no-skip-worktree", skipped)):
            if paths:
                self.git("update-index", option, "-z", "--stdin", given=os.fsencode("\0".join(paths)))

    def tree(self) -> str:
        """The copy as a tree object."""
        return self.git("write-tree")


@contextmanager
def index_copy(root: Path) -> Iterator[IndexCopy]:
    """A copy of the index of the worktree at `root`, in a folder of its own that goes at the end, whatever happens."""
    real = git.ask("rev-parse", "--path-format=absolute", "--git-path", "index", cwd=root)
    with tempfile.TemporaryDirectory(prefix="wt-snapshot-", ignore_cleanup_errors=True) as folder:
        copy = Path(folder) / "index"
        try:
            with Path(real).open("rb") as source, copy.open("wb") as target:
                shutil.copyfileobj(source, target)
                seen = os.fstat(source.fileno())
            # A file as young as its index may have been changed since: git looks into it, by the index's own time (racy-git.txt).
            os.utime(copy, ns=(seen.st_mtime_ns, seen.st_mtime_ns))
        except FileNotFoundError:  # nothing was ever added
            pass
        yield IndexCopy(root, copy)

"""Bad surroundings made for tests, so that the superuser feels them too: permissions that hold, full disks, another git, another disk."""
from __future__ import annotations

import errno
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from guard.wt import receipts
from tests.worlds import ROOT, World
from tests.wt.test_snapshot import files

# Before a command: the superuser may do no more than the owner of a file (prctl(2), PR_CAPBSET_DROP of CAP_DAC_OVERRIDE and
# CAP_DAC_READ_SEARCH). For everybody else, and where there is no prctl, it changes nothing.
AS_THE_OWNER = [sys.executable, "-I", "-c", """import ctypes, os, sys
for capability in (1, 2):
    getattr(ctypes.CDLL(None), "prctl", lambda *_: 0)(24, capability, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])"""]
LOCKS = ("lock", "merging.lock", "audit.jsonl")  # of ours: empty files that stay, and a log


def small_files_only(kilobytes: int) -> list[str]:
    """Before a command: no file may grow larger (RLIMIT_FSIZE), for git as well, which the system ends where it tries."""
    return ["/bin/bash", "-c", f'ulimit -f {kilobytes}; exec "$@"', "bash"]


def wt_behind(world: World, before: list[str], *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The real `wt`, started by the words `before` it."""
    return subprocess.run([*before, str(ROOT / "scripts/wt"), words[0], "--json", *words[1:]], cwd=cwd or world.R, env=world.env,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)


def everything(world: World) -> dict[str, object]:
    """All that a refused command must leave as it was: refs, worktrees, every file of every checkout, and what wt has written down.

    But for the ref in which a merge is kept that could not be brought in, and what an acquire leaves: a list without entries, and the
    line that hides receipts.
    """
    common = Path(world.git("rev-parse", "--path-format=absolute", "--git-common-dir"))
    refs = [line for line in world.git("for-each-ref").splitlines() if "refs/worktree-guard/merged/" not in line]
    ours = {str(path): path.read_bytes() for path in sorted((common / "worktree-guard").rglob("*"))
            if path.is_file() and path.name not in LOCKS and b": []" not in path.read_bytes()[:40]}
    return {"refs": refs, "worktrees": world.git("worktree", "list", "--porcelain"), "HEAD": world.git("rev-parse", "HEAD"),
            "status": world.git("status", "--porcelain"), "files": files(world.R), "outside": files(world.OUT), "ours": ours,
            "exclude": (common / "info/exclude").read_text().replace(f"{receipts.HIDDEN}\n", ""),
            "git's locks": sorted(str(path) for path in common.rglob("*.lock") if path.name not in LOCKS)}


@contextmanager
def closed(*folders: Path) -> Iterator[None]:
    """Folders that may not be written, for `AS_THE_OWNER`."""
    modes = {path: path.stat().st_mode for path in folders}
    try:
        for path, mode in modes.items():
            path.chmod(mode & ~0o222)
        yield
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


def below(folder: Path) -> list[Path]:
    """The folder and all folders in it."""
    return [folder, *(path for path in folder.rglob("*") if path.is_dir() and not path.is_symlink())]


def a_git_that(world: World, script: str) -> str:
    """A PATH with a git that runs this script first, and then is the real one."""
    folder = world.root / "another-git"
    folder.mkdir(exist_ok=True)
    (folder / "git").write_text(f"#!/bin/sh\n{script}\nexec {shlex.quote(str(shutil.which('git')))} \"$@\"\n")
    (folder / "git").chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def says(words: str, *commands: str) -> str:
    """For `a_git_that`: these commands fail with these words."""
    patterns = "|".join(f'*" {command} "*' for command in commands)
    return f'case " $* " in {patterns}) echo {shlex.quote(words)} >&2; exit 128 ;; esac'


OLD = """case " $* " in *" version "*) echo "git version 2.20.1"; exit ;; *" --path-format=absolute "*)
    echo --path-format=absolute; echo .git; exit ;; esac"""  # as that one answers: it prints what it does not know


@contextmanager
def another_disk(monkeypatch: pytest.MonkeyPatch, world: World) -> Iterator[Path]:
    """A folder on another file system than the world: memory, where there is such a one, else one that no rename leads to."""
    memory = Path("/dev/shm")
    real = memory.is_dir() and os.access(memory, os.W_OK) and memory.stat().st_dev != world.root.stat().st_dev
    with tempfile.TemporaryDirectory(dir=memory if real else world.root) as folder, monkeypatch.context() as patch:
        if not real:
            rename = os.rename

            def within_one_disk(source: str, target: str) -> None:
                if str(source).startswith(folder) != str(target).startswith(folder):
                    raise OSError(errno.EXDEV, "Invalid cross-device link")
                rename(source, target)
            patch.setattr(os, "rename", within_one_disk)
        yield Path(os.path.realpath(folder))

"""One `wt` command in a process of its own, and its end by SIGKILL at any of its fault points.

The points come from the run itself: what the process makes, opens for writing, moves or deletes (audit events), each fsync, each git it
starts; and inside of git each change of a ref and each file with a filter (by a hook and a smudge filter that say where git is).
A server that has loaded `wt` forks a process for each run: 30 ms instead of 300. Run as `python -m tests.wt.killing`, it is that server.
"""
from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tests.worlds import ROOT, World

CHANGES = {"open", "os.chmod", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.truncate", "os.utime",
           "shutil.copyfile", "shutil.copytree", "shutil.move", "shutil.rmtree"}
BELOW = {"os.remove", "os.rmdir"}  # the last of their arguments is that folder
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# Called by git as a hook or as a filter, with what it is about: a line in the log; the line that shall be the last ends the group.
INSIDE = """#!/bin/sh
echo "${0##*/} $1" >> "$KILL_LOG"
[ "$(grep -c '' "$KILL_LOG")" = "$KILL_LINE" ] && kill -9 0
case $0 in *smudge) exec cat ;; *) exec cat > /dev/null ;; esac
"""
NEVER = -1


class Point(NamedTuple):
    """Where a run may be ended. `kind` "before" the n-th event; "opened": the same, its file made or cut to nothing; "in git": line n."""

    kind: str
    number: int
    said: str


@dataclass
class Run:
    """What became of it: `status` is negative for a signal; `points` are those it has passed."""

    status: int
    stdout: str
    stderr: str
    points: list[Point]


class Killer:
    """The server, seen from a test."""

    def __init__(self) -> None:
        words = [sys.executable, "-I", "-c", "import sys; sys.path.insert(0, sys.argv[1]); from tests.wt.killing import serve; serve()"]
        self.server = subprocess.Popen([*words, str(ROOT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, world: World, *words: str, stop: Point | None = None, far: bool = False) -> Run:
        """The command up to `stop`, or to its end. Nothing of it runs any more when this returns. `far`: the trash is on another disk."""
        assert self.server.stdin and self.server.stdout
        wanted = {"words": words, "env": world.env, "cwd": str(world.R), "root": str(world.root), "stop": stop, "far": far}
        self.server.stdin.write(json.dumps(wanted) + "\n")
        self.server.stdin.flush()
        told = json.loads(self.server.stdout.readline())
        return Run(told["status"], told["stdout"], told["stderr"], [Point(*point) for point in told["points"]])

    def close(self) -> None:
        with self.server:
            assert self.server.stdin
            self.server.stdin.close()


def prepare(world: World) -> None:
    """The filter that says which file git is about to write. Files take part by an attribute: `* filter=stop`."""
    world.sh('git config --file home/.gitconfig filter.stop.smudge "\\"\\$KILL_FOLDER/smudge\\" %f"')


# --- the server ------------------------------------------------------------------------------------------------------

def serve() -> None:
    import psutil  # noqa: F401 - loaded before the first fork, as all that a command needs

    from guard.wt import cli, repository  # noqa: F401

    for path in (ROOT / "guard/wt/commands").glob("[!_]*.py"):
        cli.command(path.stem)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("reference-transaction", "smudge"):
            (Path(folder) / name).write_text(INSIDE)
            (Path(folder) / name).chmod(0o755)
        for line in sys.stdin:
            sys.stdout.write(json.dumps(one(json.loads(line), Path(folder))) + "\n")
            sys.stdout.flush()


def one(wanted: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Forks, and waits until the process and all that it has started are gone: they hold the other end of a pipe."""
    for name in ("stdout", "stderr", "points", "log"):
        (folder / name).write_text("")
    alive, held = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(alive)
        child(wanted, folder, held)
    os.close(held)
    while os.read(alive, 1):
        pass
    os.close(alive)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    points = [json.loads(line) for line in (folder / "points").read_text().splitlines()]
    inside = [("in git", n, line) for n, line in enumerate((folder / "log").read_text().splitlines(), 1)]
    return {"status": status, "stdout": (folder / "stdout").read_text(), "stderr": (folder / "stderr").read_text(),
            "points": [*points, *inside]}


def child(wanted: dict[str, Any], folder: Path, held: int) -> None:
    """The same as scripts/wt does, under a watch. Does not return."""
    status = 99
    try:
        os.setpgid(0, 0)
        for fd, name in ((0, os.devnull), (1, folder / "stdout"), (2, folder / "stderr")):
            os.dup2(os.open(name, os.O_RDWR), fd)
        kind, number, _ = wanted["stop"] or ("", NEVER, "")
        os.environ.clear()
        os.environ.update(wanted["env"], KILL_FOLDER=str(folder), KILL_LOG=str(folder / "log"),
                          KILL_LINE=str(number if kind == "in git" else NEVER))
        tempfile.tempdir = str(folder)  # what a killed one leaves there goes with the server
        os.chdir(wanted["cwd"])
        sys.argv = ["wt", *wanted["words"]]
        if wanted["far"]:
            os.rename = across  # type: ignore[assignment]
        status = watched(Watch(wanted["root"], folder / "points", kind, number), folder, held)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


RENAME = os.rename


def across(source: Any, target: Any) -> None:
    """os.rename where the worktrees and git's folder are on two disks."""
    if (".git" in Path(source).parts) != (".git" in Path(target).parts):
        raise OSError(errno.EXDEV, "Invalid cross-device link")
    RENAME(source, target)


def watched(watch: Watch, folder: Path, held: int) -> int:
    from guard.wt.cli import entry

    fsync, popen = os.fsync, subprocess.Popen

    def synced(fd: int) -> None:
        watch.reached("fsync", "")
        fsync(fd)

    class Started(popen):  # type: ignore[type-arg, misc, valid-type]
        """git with our hooks: they see what it does, and change nothing."""

        def __init__(self, words: Any, **more: Any) -> None:
            watch.reached("starts", str(words)[:100])
            if words[0] == "git":
                ours = ("-c", f"core.hooksPath={folder}")
                words = ["git", *ours, *(ours[1] if word == "core.hooksPath=/dev/null" else word for word in words[1:])]
            super().__init__(words, pass_fds=(held,), **more)

    os.fsync, subprocess.Popen = synced, Started  # type: ignore[assignment, misc]
    sys.addaudithook(watch.audit)
    try:
        entry()
    except SystemExit as end:
        watch.reached("ends", "")
        return int(end.code or 0)


class Watch:
    """Counts what the process is about to do to the world, and ends it there. A point is where the world has changed since the last."""

    def __init__(self, root: str, points: Path, kind: str, number: int) -> None:
        self.root, self.kind, self.number = root, kind, number
        self.points = os.open(points, os.O_WRONLY | os.O_APPEND)
        self.count, self.looking = 0, False
        self.last = fingerprint(root)

    def audit(self, event: str, args: tuple[Any, ...]) -> None:
        if self.looking or event not in CHANGES or not isinstance(args[0], (str, bytes, os.PathLike)):
            return
        path = os.path.abspath(os.fsdecode(args[0]))  # noqa: PTH100 - a link is not followed
        below = event in BELOW and isinstance(args[-1], int) and args[-1] >= 0  # named from an open folder, as rmtree does it
        if not (below or path.startswith(self.root + os.sep)) or (event == "open" and not args[2] & WRITING):
            return
        self.reached(event, os.fsdecode(args[0]) if below else os.path.relpath(path, self.root))
        if event == "open" and args[2] & (os.O_CREAT | os.O_TRUNC) and not args[2] & os.O_EXCL:
            self.opened(path, args[2])

    def reached(self, event: str, said: str) -> None:
        self.count += 1
        if self.kind == "before" and self.number == self.count:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.number != NEVER:
            return
        self.looking = True
        seen = fingerprint(self.root)
        if seen != self.last:
            self.tell("before", f"{event} {said}".strip())
        self.last, self.looking = seen, False

    def opened(self, path: str, flags: int) -> None:
        """What is written comes later than the opening: between them, the file is new or empty."""
        if self.kind == "opened" and self.number == self.count:
            self.looking = True
            os.open(path, flags, 0o600)
            os.kill(os.getpid(), signal.SIGKILL)
        if self.number == NEVER and (not Path(path).exists() or Path(path).stat().st_size):
            self.tell("opened", os.path.relpath(path, self.root))

    def tell(self, kind: str, said: str) -> None:
        os.write(self.points, json.dumps([kind, self.count, said]).encode() + b"\n")


def fingerprint(root: str) -> int:
    """Of all names, kinds, sizes and times below a folder: equal where nothing has happened. Of a folder only that it is there."""
    seen: list[tuple[Any, ...]] = []
    for at, folders, names in os.walk(root):
        seen += [(at, name) for name in folders]
        for name in names:
            told = Path(at, name).lstat()
            seen.append((at, name, told.st_ino, told.st_mode, told.st_size, told.st_mtime_ns))
    return hash(tuple(sorted(seen)))


if __name__ == "__main__":
    serve()

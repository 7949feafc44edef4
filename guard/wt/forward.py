"""A checkout and its branch forward to a later commit: whole, or not at all, and no open file is overwritten.

git looks at everything first, then writes files, then the index, then the ref. What ends it in between (a smudge filter without
its network, a full disk, Ctrl-C, a hook that refuses the ref) leaves the files half way: then they are put back.
"""
from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from guard.wt import git
from guard.wt.create import NO_HOOKS
from guard.wt.errors import WtError
from guard.wt.remains import is_folder

LONG = 600.0  # seconds: the repository's own hooks may test what was merged
LOOKED_ONLY = re.compile("^Aborting$", re.M)  # git's last word where it has refused before it wrote anything (unpack-trees.c)
Print = tuple[int, int, int, int]


@dataclass(frozen=True)
class Seen:
    """A checkout before git touches it: what is staged, ORIG_HEAD, each file that git might write (None: not there), and each folder
    that it might make or take away, with whether it is there.
    """

    staged: bytes
    orig: str
    files: dict[str, Print | None]
    folders: dict[str, bool]


def forward(root: Path, before: str, result: str, said: str) -> str:
    """-> what git has against it, "" for nothing. Where it has something, the checkout is as it was. `said`: for the reflog."""
    seen = looked_at(root, before, result)
    words = ("merge", "--ff-only", "--no-squash", "--no-overwrite-ignore", "--no-autostash", "--no-stat", result)
    try:
        done = git.attempt(*words, cwd=root, timeout=LONG, reads=False, more={"GIT_REFLOG_ACTION": said})
        against = (os.fsdecode(done.stderr).strip() or f"exit status {done.returncode}") if done.returncode else ""
    except WtError as late:
        against = late.said
    if not against or git.ask_or("", "rev-parse", "-q", "--verify", "HEAD", cwd=root) == result:
        return ""  # the second: all was done, and a hook behind it (post-merge) hung or was ended
    if not LOOKED_ONLY.search(against):
        put_back(root, before, result, seen)
    git.attempt(*NO_HOOKS, "update-ref", *(("ORIG_HEAD", seen.orig) if seen.orig else ("-d", "ORIG_HEAD")), cwd=root, reads=False)
    return against


def looked_at(root: Path, before: str, result: str) -> Seen:
    names = git.ask("diff-tree", "-r", "-z", "--name-only", before, result, "--", cwd=root).split("\0")[:-1]
    folders = {*names, *(str(parent) for name in names for parent in Path(name).parents)}
    return Seen(staged(root, before), git.ask_or("", "rev-parse", "-q", "--verify", "ORIG_HEAD", cwd=root),
                {name: print_of(root / name) for name in names}, {name: is_folder(root / name) for name in folders})


def staged(root: Path, before: str) -> bytes:
    return git.attempt("diff-index", "--cached", "--raw", "-z", before, "--", cwd=root).stdout


def print_of(path: Path) -> Print | None:
    """What tells whether somebody has written it since. git makes every file anew."""
    try:
        found = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size, found.st_mode


def put_back(root: Path, before: str, result: str, seen: Seen) -> None:
    """Only what was written: git had found all of it as the index has it, or not there."""
    if staged(root, before) != seen.staged:
        git.do(*NO_HOOKS, "read-tree", "-m", "-u", result, before, cwd=root)  # files and index were done, the ref was refused
        return
    written = [name for name, was in seen.files.items() if print_of(root / name) != was]
    known = set(git.ask("ls-files", "-z", cwd=root).split("\0"))
    for name in written:
        if name not in known and not is_folder(root / name):
            (root / name).unlink(missing_ok=True)
    for name in sorted(seen.folders, key=len, reverse=True):
        if not seen.folders[name] and is_folder(root / name):
            with contextlib.suppress(OSError):
                (root / name).rmdir()  # where nothing is in it
    given = b"".join(os.fsencode(name) + b"\0" for name in written if name in known and not is_folder(root / name))
    words = ("checkout-index", "-f", "-z", "--stdin")  # no -u: a git that was killed has left the index locked
    git.answer(git.attempt(*words, cwd=root, timeout=LONG, reads=False, given=given), words)
    git.attempt(*NO_HOOKS, "update-index", "-q", "--refresh", cwd=root, reads=False)

"""Why git could not write, where its words tell: a code of its own for the usual reasons, and what mends them."""
from __future__ import annotations

import os
import re
import shlex

from guard.wt.errors import WtError

# (pattern of git's stderr, code, hint with what the pattern's group has found). git says these in English under LC_ALL=C.UTF-8
# (guard/wt/git.py); strerror(3) gives the rest.
CAUSES = (
    (r"No space left|quota exceeded|File too large|(?:died of|ended by) signal 25\b", "disk-full",  # 25: SIGXFSZ, of `ulimit -f`
     "make room on the disk, then the same again; wt status shows how things stand"),
    (r"Read-only file system|Permission denied|Operation not permitted|insufficient permission", "read-only",
     "under a sandbox, allow writing to the repository and its .git folder, or run wt in your own terminal"),
    (r"couldn't write '.*\.lock'|unable to write file '?[^:]*$", "disk-full",  # git does not say why: it could make it, not fill it
     "make room on the disk, then the same again; wt status shows how things stand"),
    (r"Unable to create '(.*\.lock)': File exists", "locked-by-git",
     "another git is at work there: wait for it, then the same again; if none is, rm {} and then the same again; wt status"),
    (r"failed to read (.*)[/\\]commondir", "half-written",
     "another git is making a worktree there: the same again; if none is, it was killed: put {} aside, then the same again; wt status"),
    (r"No usable temporary directory", "no-temporary-folder",
     "make room in the folder for temporary files, or name another one in TMPDIR; then the same again; wt status"),
    (r"[Ff]ile ?name too long", "too-long", "a shorter name: wt enter NAME; or a shorter worktree_parent in .worktree-guard.json"),
)


def cause(said: str) -> tuple[str, str, str] | None:
    """-> (the line that tells, code, hint)"""
    for pattern, code, hint in CAUSES:
        found = next((found for line in said.split("\n") if (found := re.search(pattern, line))), None)
        if found:
            return found.string, code, hint.format(*map(shlex.quote, found.groups()))
    return None


def of_system(fault: OSError, doing: str = "") -> WtError | None:
    """The refusal for what the system would not do, in its own words behind those of what we were `doing`; None for no usual reason."""
    found = cause(f"{os.strerror(fault.errno or 0)}\n{fault}")  # Windows writes the second line in the language of its user
    said = f"{fault.filename}: {fault.strerror}" if fault.filename and fault.strerror else str(fault)
    return found and WtError(f"{doing}: {said}" if doing else said, code=found[1], hint=found[2])

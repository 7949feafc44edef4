"""Copying one file or folder as it is: mode, times, links. By the system's own tool where that is quicker, else by Python."""
from __future__ import annotations

import os
import shutil
import stat
import sys
from pathlib import Path

from guard.wt import git, streams
from guard.wt.errors import WtError
from guard.wt.picking import is_special
from guard.wt.remains import is_folder, is_link

# It shares blocks where the file system can. Elsewhere, and where it does not know these options, Python copies.
TOOLS = {"linux": "cp -a --reflink=auto", "darwin": "cp -c -R -P -p"}
MANY = "find . -mindepth 1 -maxdepth 1 -print0 | xargs -0 -n {each} -P {jobs} sh -c 'exec {tool} \"$@\" \"$0\"' \"$0\""
FEW, SMALL = 20, 1_000_000  # files of a folder, bytes of a file: up to here a process costs more than it saves
TICK = 10_000_000  # ns: a file system's clock lags behind ours by up to one tick of the kernel


def copied(source: Path, copy: Path) -> str:
    """Copies a file, a link or a folder. -> "" or why it cannot be copied."""
    try:
        (folder_copied if is_folder(source) else file_copied)(source, copy)
    except shutil.Error as fault:  # a list of (source, target, what was said)
        return str(fault.args[0][0][2])
    except (OSError, WtError) as fault:
        return str(fault)
    return ""


def file_copied(source: Path, copy: Path) -> None:
    tool = TOOLS.get(sys.platform)
    if tool is None or is_small(source) or ran([*tool.split(), str(source), str(copy)], copy.parent):
        shutil.copy2(source, copy, follow_symlinks=False)


def is_small(path: Path) -> bool:
    return is_link(path) or (path.is_file() and path.stat().st_size <= SMALL)


def folder_copied(source: Path, copy: Path) -> None:
    """Several processes share what is in it, since it is the kernel that takes the time: two need 0.6 of the time of one."""
    copy.mkdir(0o700)
    names = os.listdir(source)  # noqa: PTH208 - names, not paths
    tool = None if len(names) <= FEW and all(is_small(source / name) for name in names) else TOOLS.get(sys.platform)
    said = ""
    if tool is not None:
        jobs = min(4, os.cpu_count() or 1)
        each = min(200, 1 + len(names) // (4 * jobs))
        said = ran(["sh", "-c", MANY.format(each=each, jobs=jobs, tool=tool), str(copy)], source)
    if tool is None or (said and not any(copy.iterdir())):  # a tool that does not know our options makes nothing
        shutil.copytree(source, copy, symlinks=True, ignore=special_ones, dirs_exist_ok=True)
    elif said:
        raise OSError(said)
    shutil.copystat(source, copy)


def ran(words: list[str], cwd: Path) -> str:
    """-> "" or the first thing it said before it failed. An interrupt ends all of its processes."""
    heard: list[bytes] = []
    status = streams.streamed(words, cwd=cwd, env=git.clean_environment(), on_line=heard.append)
    return "" if status == 0 else os.fsdecode((heard or [b"exit status %d" % status])[0]).rstrip("\n").removeprefix("cp: ")


def special_ones(folder: str, names: list[str]) -> set[str]:
    """What Python cannot copy, or would wait for."""
    return {name for name in names if is_special(Path(folder) / name)}


def changed_since(path: Path, moment: int) -> bool:
    """Something in a file or folder was written after `moment` (ns), or it is gone. By ctime, which nobody sets back."""
    waiting = [str(path)]
    try:
        while waiting:
            at = waiting.pop()
            seen = os.lstat(at)
            if (seen.st_mtime_ns if os.name == "nt" else seen.st_ctime_ns) >= moment - TICK:
                return True
            if stat.S_ISDIR(seen.st_mode) and not is_link(Path(at)):
                with os.scandir(at) as entries:
                    waiting += [entry.path for entry in entries]
    except FileNotFoundError:
        return True
    except OSError:
        return False  # what cannot be looked at was not copied either
    return False

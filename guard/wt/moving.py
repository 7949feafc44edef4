"""A folder to another place: by rename, or where that is another file system by a copy that is compared before anything is deleted."""
from __future__ import annotations

import errno
import filecmp
import os
import shutil
from pathlib import Path

from guard.edge.records import is_text
from guard.wt.models import Link
from guard.wt.remains import is_folder, is_link, leads_out

OTHER_DISK = (errno.EXDEV, 17)  # 17: ERROR_NOT_SAME_DEVICE of Windows, by `winerror`


def moved(source: Path, target: Path) -> bool:
    """False: renamed. True: copied, the source is still there. OSError where neither works; then `target` is not there."""
    try:
        source.rename(target)
        return False
    except OSError as fault:
        if fault.errno != errno.EXDEV and getattr(fault, "winerror", None) not in OTHER_DISK:
            raise
    partial = target.with_name(f".{target.name}.partial")
    gone(partial)
    try:
        shutil.copytree(source, partial, symlinks=True)
        different = next((name for name in below(source) if not same(source / name, partial / name)), None)
        if different is not None:
            raise OSError(errno.EIO, "changed while it was copied", str(source / different))
    except (OSError, shutil.Error) as fault:
        gone(partial)
        raise fault if isinstance(fault, OSError) and fault.errno else OSError(errno.EIO, f"cannot be copied: {fault}") from None
    partial.rename(target)
    return True


def below(folder: Path) -> list[Path]:
    """Everything in it, as paths from it; a folder comes behind what it holds. Links are not followed."""
    found = []
    for at, folders, names in os.walk(folder, topdown=False):
        found += [(Path(at) / name).relative_to(folder) for name in (*names, *folders)]
    return found


def same(one: Path, two: Path) -> bool:
    if is_link(one) or is_link(two):
        return is_link(one) and is_link(two) and os.readlink(one) == os.readlink(two)  # noqa: PTH115
    if one.is_dir():
        return two.is_dir()
    return one.is_file() and two.is_file() and filecmp.cmp(one, two, shallow=False)


def emptied(source: Path, copy: Path) -> list[str]:
    """Deletes what the copy has to the byte, and the folder when nothing else is in it. -> what stays, since it was written meanwhile."""
    stays = []
    for name in below(source):
        path = source / name
        if is_folder(path):
            if not any(path.iterdir()):
                path.rmdir()
        elif same(path, copy / name):
            path.unlink()
        else:
            stays.append(str(name))
    if source.is_dir() and not any(source.iterdir()):
        source.rmdir()
    return stays


def gone(folder: Path) -> None:
    """Deletes a folder of ours, also where folders in it are read-only (Go keeps its modules so). What a link leads to stays."""
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return
    except PermissionError:
        for at, _, _ in os.walk(folder):
            Path(at).chmod(0o700)
        shutil.rmtree(folder)


def links_out(root: Path) -> list[Link]:
    """The links at the top of a worktree that lead out of it."""
    found = []
    for path in sorted(root.iterdir()):
        if leads_out(root, path) and all(is_text(text) for text in (path.name, os.readlink(path))):  # noqa: PTH115
            found.append(Link(name=path.name, target=os.readlink(path), folder=path.is_dir()))  # noqa: PTH115
    return found


def cut(root: Path, links: list[Link]) -> None:
    """Takes the links off, and nothing that they lead to."""
    for link in links:
        path = root / link.name
        if is_link(path):
            path.unlink() if path.is_symlink() else path.rmdir()  # a junction is a folder to the system


def tied(root: Path, links: list[Link]) -> None:
    """Puts the links back that are not there."""
    for link in links:
        if not os.path.lexists(root / link.name):
            (root / link.name).symlink_to(link.target, target_is_directory=link.folder)

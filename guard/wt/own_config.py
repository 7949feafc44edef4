"""What git keeps for one worktree alone (git-config(1), --worktree; git-sparse-checkout(1)): a holder's ends with its lease."""
from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from pathlib import Path

from guard.wt import git, worktrees
from guard.wt.create import NO_HOOKS
from guard.wt.errors import UsageError
from guard.wt.index_copy import PLAIN
from guard.wt.repository import Repository

CONFIG, SPARSE = "config.worktree", "info/sparse-checkout"
STATUS = ("status", "--porcelain=v1", "--untracked-files=all", "--ignore-submodules=none", "--no-renames", "-z")
BYTES = "latin-1"  # a text for each byte, so that a record holds whatever is there


def found(admin: Path) -> dict[str, str]:
    """Each of the two files that is there, and its content. `git worktree add` copies those of the main checkout (git 2.36)."""
    return {name: (admin / name).read_bytes().decode(BYTES) for name in (CONFIG, SPARSE) if (admin / name).is_file()}


def made_with(repository: Repository, path: Path) -> dict[str, str] | None:
    """What was there when the worktree was made; None where nobody knows."""
    record = worktrees.record_of(repository, path)
    return record.own if record else None


def put_back(repository: Repository, path: Path, admin: Path) -> None:
    """As it was when the worktree was made. UsageError, with nothing changed, where git sees open files only without the holder's own."""
    made, now = made_with(repository, path), found(admin)
    if made is None or without_blank(made) == without_blank(now):
        return
    open_now = without(admin, path, made)
    if open_now:
        os.utime(admin / "index", (1, 1))  # git looks into each file from now on, so that these can be committed
        raise hides(path, open_now, now.get(CONFIG, ""))
    for name in (CONFIG, SPARSE):
        replaced(admin / name, made.get(name))
    if SPARSE in made and made.get(SPARSE) != now.get(SPARSE):
        git.do(*NO_HOOKS, "sparse-checkout", "reapply", cwd=path)


def without_blank(files: dict[str, str]) -> dict[str, str]:
    """git leaves an empty file behind when the last setting is taken out."""
    return {name: text for name, text in files.items() if text.strip()}


def without(admin: Path, path: Path, made: dict[str, str]) -> list[str]:
    """`git status` as it were without the holder's own, with a look into each file: they may be written under other rules than count then
    (core.autocrlf, a filter). git looks into those that are not older than its index (racy-git.txt), so a copy is made as old as can be.
    """
    with tempfile.TemporaryDirectory(prefix="wt-config-", ignore_cleanup_errors=True) as folder:
        copy = Path(folder)
        for file in (admin / "HEAD", admin / "index", *admin.glob("sharedindex.*")):
            shutil.copyfile(file, copy / file.name)
        os.utime(copy / "index", (1, 1))
        (copy / "commondir").write_bytes(os.fsencode(os.path.realpath(admin.parent.parent)) + b"\n")
        if CONFIG in made:
            (copy / CONFIG).write_bytes(made[CONFIG].encode(BYTES))
        done = git.attempt(*PLAIN, *STATUS, cwd=path, timeout=git.SLOW, more={"GIT_DIR": folder, "GIT_WORK_TREE": str(path)})
        return [line for line in git.answer(done, STATUS).split("\0") if line]


def replaced(file: Path, text: str | None) -> None:
    """In one step, and never through a link."""
    if text is None:
        file.unlink(missing_ok=True)
        return
    file.parent.mkdir(exist_ok=True)
    fresh = file.with_name(file.name + ".new")
    fresh.write_bytes(text.encode(BYTES))
    fresh.replace(file)


def hides(path: Path, open_now: list[str], config: str) -> UsageError:
    where = shlex.quote(str(path))
    return UsageError(f"{path} has a configuration of its own, which hides what is open: {', '.join(line[3:] for line in open_now[:5])}",
                      code="own-config", details={"changes": open_now, "config": config},
                      hint=f"git -C {where} config --worktree --list shows it: take that out of it, and commit what is open; "
                           f"then wt lease write return --workspace {where}")


def at_fault(repository: Repository, path: Path, admin: Path | None) -> str:
    """The holder's own file that may be why git does not work there (core.bare, core.worktree, a line that is none); "" for none."""
    made = made_with(repository, path)
    if admin is None or made is None or not os.path.lexists(admin / CONFIG):
        return ""
    same = (admin / CONFIG).is_file() and found(admin).get(CONFIG, "") == made.get(CONFIG, "")
    return "" if same else str(admin / CONFIG)

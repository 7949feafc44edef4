"""The receipt of a lease, in the leased workspace: who holds it proves it by this file. Not to be edited, moved or copied."""
from __future__ import annotations

import contextlib
import json
import os
import stat
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from msgspec import convert, to_builtins

from guard.edge import wire
from guard.wt import git
from guard.wt.errors import UsageError, WtError
from guard.wt.models import Strict

PLACE = Path("out/treehouse/lease.json")  # where Treehouse has it, so that its users' scripts find it
HIDDEN = "/out/treehouse/"  # by the repository's info/exclude
IGNORE = ".gitignore"  # beside it: the nearest one counts, whatever the repository's own say (gitignore(5))
ALL = "*\n"
SCHEMA = 2
MOST = 100_000  # bytes: a receipt has 400


@dataclass(frozen=True)
class Identity:
    """Both have to fit: an id alone is copied with a receipt."""

    lease_id: str
    lease_holder: str


class Receipt(Strict, frozen=True, kw_only=True):
    schema_version: int = SCHEMA
    path: str
    lease_id: str
    lease_holder: str
    acquired_at: str
    source_head: str

    @property
    def identity(self) -> Identity:
        return Identity(self.lease_id, self.lease_holder)


class BadReceipt(Exception):
    """Why a receipt does not count, in words."""


def moment() -> str:
    """Now, to the millisecond, as Treehouse writes it."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def read(workspace: Path) -> Receipt:
    """BadReceipt where there is none, or where it is not one of ours."""
    file = workspace / PLACE
    try:
        if not in_place(workspace):
            raise BadReceipt(f"{file} is a link to another place")
        given = wire.loads(content(file))
        version = given.get("schema_version") if isinstance(given, dict) else None
        if version != SCHEMA or isinstance(version, (bool, float)):
            raise BadReceipt(f"{file} has schema_version {version}, and {SCHEMA} is needed")
        receipt = convert(given, Receipt)
    except FileNotFoundError:
        raise BadReceipt(f"{file} is not there") from None
    except OSError as fault:
        raise BadReceipt(f"{file} cannot be read: {fault}") from None
    except ValueError as fault:
        raise BadReceipt(f"{file} is no receipt: {str(fault).splitlines()[0]}") from None
    if not all((receipt.lease_id, receipt.lease_holder.strip(), receipt.path)):
        raise BadReceipt(f"{file} has an empty field")
    return receipt


def content(file: Path) -> bytes:
    """Of a plain file: a pipe of that name would keep us waiting."""
    handle = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))
    with os.fdopen(handle, "rb") as opened:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise BadReceipt(f"{file} is no plain file")
        return opened.read(MOST)


def in_place(workspace: Path) -> bool:
    """No link on the way to it leads elsewhere."""
    return Path(os.path.realpath(workspace / PLACE)) == Path(os.path.realpath(workspace)) / PLACE


def can_lie(workspace: Path) -> bool:
    """Nothing but folders is on the way to it."""
    file = workspace / PLACE
    above = all(folder.is_dir() for folder in (file.parent.parent, file.parent) if os.path.lexists(folder))
    return above and in_place(workspace) and not file.is_dir()


def must_have_room(root: Path, commit: str) -> None:
    """UsageError where the commit itself has something at the receipt's place, or a file or link on the way to it."""
    folder = PLACE.parent.as_posix()
    words = ("ls-tree", "--full-tree", "-z", "--name-only", commit, "--", PLACE.parts[0], f"{folder}/")
    for name in git.answer(git.attempt(*words, cwd=root), words).split("\0"):
        if name == PLACE.parts[0] or f"{name}/".startswith(f"{folder}/"):
            raise UsageError(f"{commit[:9]} has {name} in it, where the receipt of a lease has to lie ({PLACE.as_posix()})",
                             code="no-room-for-receipt", hint="move that, commit, and wt lease write acquire again; or wt enter NAME")


def write(workspace: Path, receipt: Receipt) -> Path:
    """-> where it is. It comes to its place whole, and git ignores it. WtError or OSError where it cannot."""
    file = workspace / PLACE
    if not in_place(workspace):
        raise WtError(f"{file} is, or lies below, a link", code="no-room-for-receipt", hint="wt lease read status; wt enter NAME")
    file.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError), file.with_name(IGNORE).open("x", encoding="utf-8") as ignore:
        ignore.write(ALL)
    fresh = file.with_name("lease.json.new")
    fresh.unlink(missing_ok=True)
    with fresh.open("x", encoding="utf-8") as handle:
        handle.write(json.dumps(to_builtins(receipt), indent=2) + "\n")
        handle.flush()
        os.fsync(handle.fileno())
    fresh.chmod(0o644)
    fresh.replace(file)
    return file


def is_of(workspace: Path, identity: Identity) -> bool:
    try:
        return read(workspace).identity == identity
    except BadReceipt:
        return False


def only_ours(workspace: Path, name: str) -> bool:
    """An ignored file or folder of a workspace that holds nothing but what we have put there."""
    if name.rstrip("/") not in (str(one) for one in (PLACE.with_name(IGNORE), PLACE, *PLACE.parents)):
        return False
    below = [file for file in (workspace / name).rglob("*") if not file.is_dir() or file.is_symlink()] or [workspace / name]
    return all(file in (workspace / PLACE, workspace / PLACE.with_name(IGNORE)) and not file.is_symlink() for file in below)


def is_there(workspace: Path) -> bool:
    return in_place(workspace) and os.path.lexists(workspace / PLACE)


def drop(workspace: Path) -> bool:
    """The receipt, and its folders where they are empty then. -> it was there, and is gone"""
    file, there = workspace / PLACE, is_there(workspace)
    if not os.path.lexists(file.parent.parent) or not in_place(workspace):
        return False
    with contextlib.suppress(OSError):
        file.with_name("lease.json.new").unlink(missing_ok=True)
        file.unlink(missing_ok=True)
        if file.with_name(IGNORE).read_bytes() == ALL.encode():
            file.with_name(IGNORE).unlink()
    for folder in (file.parent, file.parent.parent):
        with contextlib.suppress(OSError):
            folder.rmdir()
    return there and not is_there(workspace)

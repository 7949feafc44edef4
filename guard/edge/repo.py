"""git's own files, read by hand: which checkout a path lies in, where its common dir is, what it has checked out.

Formats: gitrepository-layout(5) and git-worktree(1), "DETAILS". Asking git would cost a process, twice the whole budget.
"""
from guard.core.model import Record
from guard.core.paths import absolute, inside, join, parent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SMALL = 65536


class Checkout(Record):
    """A folder with a `.git`: the main checkout of a repository, or one of its linked worktrees.

    `bare`: neither; a bare repository keeps its worktrees around itself, and this folder holds them.
    """

    __slots__ = ("bare", "common", "gitdir", "linked", "root")
    DEFAULTS = {"bare": False}
    root: str
    gitdir: str
    common: str
    linked: bool
    bare: bool


def checkout_of(disk: "Any", path: str) -> "Checkout | None":
    """The checkout with the nearest `.git` at or above `path` (absolute). None outside every repository."""
    path = disk.existing(path)
    while True:
        found = checkout_at(disk, path)
        if found is not None:
            return found
        above = parent(path, disk.FLAVOUR)
        if above == path:
            return None
        path = above


def checkout_at(disk: "Any", root: str) -> "Checkout | None":
    """The checkout whose root is exactly this folder. A broken `.git` is none, as for git."""
    pointer = join(root, ".git", disk.FLAVOUR)
    kind = disk.kind(pointer)
    if kind == "link":
        pointer = disk.real(pointer)
        kind = disk.kind(pointer)
    if kind is None:
        return None
    gitdir = pointer if kind == "folder" else _after_gitdir(disk, pointer, root)
    if not gitdir or disk.kind(join(gitdir, "HEAD", disk.FLAVOUR)) is None:
        return None
    common = common_of(disk, gitdir)
    linked = common != gitdir
    return Checkout(root=root, gitdir=gitdir, common=common, linked=linked, bare=not linked and work_tree(disk, common)[0])


def _after_gitdir(disk: "Any", pointer: str, root: str) -> str:
    try:
        said = disk.read(pointer, SMALL) or ""
    except OSError:
        return ""
    if not said.startswith("gitdir: "):
        return ""
    return str(disk.real(absolute(said[8:].rstrip("\r\n"), root, "", disk.FLAVOUR)))


def common_of(disk: "Any", gitdir: str) -> str:
    """`gitdir` itself, or what its `commondir` file names: then it belongs to a linked worktree."""
    try:
        said = (disk.read(join(gitdir, "commondir", disk.FLAVOUR), SMALL) or "").rstrip("\r\n")
    except OSError:
        said = ""
    return str(disk.real(absolute(said, gitdir, "", disk.FLAVOUR))) if said else gitdir


def work_tree(disk: "Any", common: str) -> "tuple[bool, str]":
    """(is it bare, its main checkout's root: "" when bare or not told), from core.bare and core.worktree."""
    config = _core(disk, join(common, "config", disk.FLAVOUR))
    if config.get("extensions.worktreeconfig") == "true":
        config.update(_core(disk, join(common, "config.worktree", disk.FLAVOUR)))
    # A main checkout has an index: with one, core.bare was flipped by accident and its files still need a guard.
    if config.get("core.bare") == "true" and disk.kind(join(common, "index", disk.FLAVOUR)) is None:
        return True, ""
    if config.get("core.worktree"):
        return False, absolute(config["core.worktree"], common, "", disk.FLAVOUR)
    if common.endswith(disk.FLAVOUR.sep + ".git"):
        return False, parent(common, disk.FLAVOUR)
    return False, ""


def _core(disk: "Any", path: str) -> "dict[str, str]":
    """The settings of [core] and [extensions]; includes and odd quoting are left to git."""
    found: "dict[str, str]" = {}
    section = ""
    try:
        text = disk.read(path, SMALL) or ""
    except OSError:
        return found
    for line in map(str.strip, text.split("\n")):
        if line.startswith("["):
            section = line[1:].partition("]")[0].strip().lower()
        elif section in ("core", "extensions") and line and line[0] not in "#;":
            name, sign, value = line.partition("=")
            value = value.strip().strip('"')
            known = value.lower() in ("yes", "on", "1", "true") or not sign
            found[f"{section}.{name.strip().lower()}"] = "true" if known else value
    return found


def submodule_host(disk: "Any", inner: Checkout) -> "Checkout | None":
    """The checkout that holds this one as a submodule: its git folder lies in the host's `modules`."""
    if disk.FLAVOUR.sep + "modules" + disk.FLAVOUR.sep not in inner.gitdir:
        return None
    outer = checkout_of(disk, parent(inner.root, disk.FLAVOUR))
    return outer if outer is not None and inside(inner.gitdir, outer.common, disk.FLAVOUR) else None


def head(disk: "Any", gitdir: str) -> "str | None":
    """The branch checked out, "" when detached, None when HEAD cannot be read."""
    try:
        said = disk.read(join(gitdir, "HEAD", disk.FLAVOUR), SMALL)
    except OSError:
        return None
    if said is None:
        return None
    return said[16:].rstrip("\r\n") if said.startswith("ref: refs/heads/") else ""


def rebasing(disk: "Any", gitdir: str) -> bool:
    """A rebase or bisect is why HEAD is detached."""
    names = ("rebase-merge", "rebase-apply", "BISECT_LOG")
    return any(disk.kind(join(gitdir, name, disk.FLAVOUR)) for name in names)


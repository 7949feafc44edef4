"""The work in a workspace that is given back: found, kept in refs, and taken out. Ignored files stay: a pool's caches are its point."""
from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

from guard.wt import gate, git, held, keeping, own_config, remains, snapshots, workspaces
from guard.wt.create import NO_HOOKS
from guard.wt.errors import UsageError, WtError
from guard.wt.index_copy import Entry
from guard.wt.names import slug
from guard.wt.remains import Remains
from guard.wt.repository import Repository
from guard.wt.workspaces import QUIET

REFS = "refs/worktree-guard/returned/"
QUIT = {"bisect": ("bisect", "reset", "HEAD")}  # plain `bisect reset` goes back to where it began; the others have --quit, which stays
ROUNDS = 2  # the second is for what only the .gitignore of the first had hidden


@dataclass(frozen=True)
class Work:
    """What a workspace holds that would go with it: lines of `git status`, a half-done operation, commits that no other ref holds.

    `head` is where it is, `out_of_reach` names what of the changes no snapshot can hold.
    """

    head: str
    changes: list[str]
    operation: str
    commits: list[str]
    out_of_reach: list[str]
    unmerged: list[Entry]

    def __bool__(self) -> bool:
        return bool(self.changes or self.operation or self.commits)


@dataclass
class Kept:
    """The refs that were made on the way."""

    refs: list[str] = field(default_factory=list)


def work_in(repository: Repository, path: Path, start: str) -> Work:
    """Files that the index hides (skip-worktree, assume-unchanged) are looked at too. UsageError where git works there no more.

    The commit it was leased at (`start`) is not of its own making, whatever has become of the branch that had it.
    """
    look = workspaces.seen(path)
    if look is None:
        raise UsageError(f"{path} is no worktree any more", code="no-worktree", hint="wt lease read status; wt enter PATH mends it")
    lines, found = workspaces.changes(path), remains.remains(path)
    named = {line[3:] for line in lines}
    lines += [f" M {name}" for name in found.open if name not in named]
    branch = git.ask_or("", "symbolic-ref", "-q", "HEAD", cwd=path)
    elsewhere = look.head in ("", start) or branch.startswith("refs/heads/") or bool(held.holders(repository, look.head, ""))
    operation = remains.operation(look.admin)
    patches = [f"the patches of a git am that is half done ({look.admin / 'rebase-apply'})"] if operation == "am" else []
    return Work(look.head, lines, operation, [] if elsewhere else held.only_there(repository, look.head, ""),
                patches + out_of_reach(path, lines, found), [entry for entry in found.unmerged if entry.mode.startswith("100")])


def out_of_reach(path: Path, lines: list[str], found: Remains) -> list[str]:
    """Repositories of their own (and what is left of one), submodules that are not as they were committed, and ignored files in the place
    of what git has at HEAD: it would be put back over them.
    """
    modules = {os.path.relpath(module, path) for module in found.submodules}
    open_modules = {os.path.relpath(inner.root, path) for inner in remains.with_submodules(found) if inner.open}
    nested = [line[3:] for line in lines if line[:2] == "??" and line.endswith("/")]
    deleted = [line[3:] for line in lines if "D" in line[:2]]
    over = [ignored for ignored in found.ignored if any(same_place(ignored.rstrip("/"), name) for name in deleted)]
    return sorted({*nested, *repositories(path, nested), *over, *open_modules, *(line[3:] for line in lines if line[3:] in modules)})


def same_place(one: str, other: str) -> bool:
    """The same path, or one of them lies in the other."""
    return one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")


def repositories(path: Path, known: list[str]) -> list[str]:
    """Whatever else is called .git in new folders, which `git clean` would take away: git names no file in it, and no snapshot has one."""
    words = (*QUIET, "ls-files", "--others", "--exclude-standard", "--directory", "-z")
    new = [path / name for name in git.answer(git.attempt(*words, cwd=path), words).split("\0") if name.endswith("/") and name not in known]
    return [os.path.relpath(os.path.join(folder, ".git"), path)  # noqa: PTH118
            for top in new for folder, folders, files in os.walk(top) if ".git" in (*folders, *files)]


def empty(repository: Repository, path: Path, work: Work, kept: Kept) -> None:
    """Keeps all of the work in refs, and takes it out of the workspace. UsageError, with nothing changed, for what no ref can hold.

    In each round exactly what the snapshot has is taken out: `git clean` while the same files are ignored as before, then `git reset`.
    """
    if work.out_of_reach:
        raise UsageError(f"{path} holds what no snapshot can keep: {gate.shown(work.out_of_reach)}", code="cannot-keep",
                         details={"paths": work.out_of_reach},
                         hint=f"commit and push it, or move it out; then wt lease write return --workspace {shlex.quote(str(path))}")
    if not work.head:
        raise UsageError(f"{path} is on a branch without a commit", code="no-commit",
                         hint=f"commit there, or git -C {shlex.quote(str(path))} checkout --detach COMMIT; wt lease read status")
    name = f"{REFS}{slug(path.name)}-{datetime.now(timezone.utc).strftime('%Y%m%dT%H%M%S.%fZ')}"  # one return of it at a time
    keep_beside(repository, path, work, f"{name}-more", kept)
    keep(repository, path, work.head, name, kept)
    quit_all(path)
    for number in range(1, ROUNDS + 1):
        git.do(*QUIET, "clean", "--quiet", "-f", "-d", cwd=path)
        workspaces.unhide(path)
        git.do(*QUIET, *NO_HOOKS, "reset", "--quiet", "--hard", cwd=path)
        left = workspaces.changes(path)
        if not left:
            break
        if number < ROUNDS:
            keep(repository, path, work.head, f"{name}-{number + 1}", kept)
    quit_all(path)
    if left or workspaces.hidden(path):
        raise WtError(f"{path} cannot be emptied, and all of it is kept in {kept.refs[-1]}: {gate.shown([line[3:] for line in left])}",
                      code="not-emptied", details={"changes": left, "snapshots": kept.refs},
                      hint="take that away by hand; wt lease read status says who holds what")


def quit_all(path: Path) -> None:
    """A bisect may be half done, and a cherry-pick in it. Not every one ends while files are in conflict."""
    look = workspaces.seen(path)
    for word in dict.fromkeys(word for name, word in remains.OPERATIONS.items() if look and (look.admin / name).exists()):
        git.attempt(*QUIET, *NO_HOOKS, *QUIT.get(word, (word, "--quit")), cwd=path, reads=False)


def whole_again(repository: Repository, path: Path, admin: Path) -> None:
    """No marks of the holder keep the next one from seeing all files: neither in the index, nor as a sparse checkout of its own."""
    own, made = admin / own_config.SPARSE, own_config.made_with(repository, path)
    made_sparse = own_config.SPARSE in made if made is not None else (repository.common / own_config.SPARSE).exists()
    if own.exists() and not made_sparse:
        git.do(*QUIET, *NO_HOOKS, "sparse-checkout", "disable", cwd=path)
        own.unlink()
    workspaces.unhide(path)


def keep(repository: Repository, path: Path, head: str, ref: str, kept: Kept) -> None:
    """The open files, and with them the commits; the commits alone where nothing is open."""
    taken = snapshots.take(repository, path, f"returned {path.name} @ {head[:9]}", ref)
    if not taken.ref:
        git.do(*NO_HOOKS, "update-ref", ref, head, "", cwd=repository.at)
    kept.refs.append(ref)


def keep_beside(repository: Repository, path: Path, work: Work, ref: str, kept: Kept) -> None:
    """What only a half-done operation names: it is ended, and its commits may be on no branch. Of a conflict: all sides."""
    commits = keeping.forgotten(path, "") if work.operation else []
    if commits or work.unmerged:
        tree = keeping.tree_of(path, work.unmerged) if work.unmerged else git.ask("rev-parse", f"{work.head}^{{tree}}", cwd=path)
        what = work.operation or "a conflict"
        made = snapshots.committed(path, tree, [work.head, *commits], f"{what} of {path.name} @ {work.head[:9]}")
        git.do(*NO_HOOKS, "update-ref", ref, made, "", cwd=repository.at)
        kept.refs.append(ref)

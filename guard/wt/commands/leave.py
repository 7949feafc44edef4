"""wt leave: ends a binding and says what is left behind. The worktree stays as it is."""
from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from guard.wt import bindings, git, worktrees
from guard.wt.errors import UsageError
from guard.wt.models import Binding
from guard.wt.repository import Repository
from guard.wt.sessions import caller

HELP = "end the binding; the worktree and its branch stay"
STDIN = {"path": "name", "session_id": "session", "sessionId": "session"}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="the worktree to leave (default: the one you are bound to)")
    parser.add_argument("--session", metavar="ID", help="end this session's binding")
    parser.add_argument("--all", action="store_true", help="end every binding of this repository")


def run(repository: Repository, args: argparse.Namespace) -> dict[str, Any]:
    """-> left: [{session, path, name, branch, base, ahead, commits, open, gone}]"""
    who = caller(args.session)
    with repository.store.locked():
        ending = chosen(repository, args, who.session)
        bindings.unbind(repository, ending)
        once = {(b.session, b.path): b for b in ending}
        return {"left": [left(repository, b) for b in once.values()]}


def chosen(repository: Repository, args: argparse.Namespace, session: str | None) -> list[Binding]:
    """The bindings to end. Without a session (a person's terminal) that is the repository's active one, whoever made it."""
    held = [b for b in repository.store.bindings() if b.active]
    if args.all:
        found = held
    elif session is not None:
        found = [b for b in held if b.session == session]
    else:
        state = repository.store.load(repository.store.path("state.json"), Binding)
        found = [b for b in held if args.name or b == state or (state and state.active and b.session == state.session)]
    if args.name:
        found = [b for b in found if named(repository, b, args.name)]
    if not found and not args.all:
        what = f"the worktree {args.name}" if args.name else "any worktree"
        whom = f"session {session} is" if session else "this repository is"
        raise UsageError(f"{whom} not bound to {what}", code="not-bound",
                         hint="wt status shows who is bound; wt leave --all ends every binding")
    return found


def named(repository: Repository, binding: Binding, name: str) -> bool:
    places = [repository.here / Path(name).expanduser(), repository.home / Path(name).expanduser()]
    prefix = repository.loaded.settings.branch_prefix
    return Path(binding.path).name == name or binding.branch in (name, prefix + name) or any(
        bindings.same_place(binding.path, place) for place in places)


def left(repository: Repository, binding: Binding) -> dict[str, Any]:
    """What stays behind: commits ahead of the base, open files. A folder that is gone loses its registration, never its branch."""
    path = Path(binding.path)
    gone = not path.is_dir()
    if gone:
        forget(repository, path)
    at, tip = (repository.at, binding.branch) if gone else (path, "HEAD")
    commits = git.ask_or("", "log", "--oneline", "-10", f"{binding.base}..{tip}", "--", cwd=at).splitlines() if binding.base and tip else []
    apart = worktrees.distance(at, binding.base, tip) if binding.base and tip else None
    return {"session": binding.session, "path": binding.path, "name": path.name, "branch": binding.branch, "base": binding.base,
            "ahead": apart[1] if apart else None, "commits": commits, "open": None if gone else open_files(path), "gone": gone}


def open_files(path: Path) -> dict[str, int] | None:
    """None where git cannot tell: the folder is there, but is no worktree any more."""
    try:
        return worktrees.open_work(path)
    except git.GitError:
        return None


def forget(repository: Repository, path: Path) -> None:
    for entry in worktrees.listing(repository):
        if bindings.same_place(entry.path, path) and entry.locked is None and not entry.main and not entry.there:
            git.attempt("worktree", "remove", "--", str(entry.path), cwd=repository.at, reads=False)


def lines(data: dict[str, Any]) -> list[str]:
    if not data["left"]:
        return ["Nobody was bound."]
    return [line for one in data["left"] for line in told(one)]


def told(one: dict[str, Any]) -> list[str]:
    whom = f" (session {one['session']})" if one["session"] else ""
    counts = [f"{count} {kind}" for kind, count in (one["open"] or {}).items() if count]
    said = [f"Left {one['name']}{whom}."]
    if one["ahead"]:
        said.append(f"  {one['ahead']} commit(s) ahead of {one['base']}:")
        said += [f"    {line}" for line in one["commits"]]
    if counts:
        said.append(f"  open files: {', '.join(counts)}; they stay in {one['path']}")
    if one["gone"]:
        return [*said, f"  its folder is gone; the branch {one['branch']} is kept: wt enter {one['name']} --branch {one['branch']}"]
    return [*said, f"  back again: wt enter {one['path']}"]

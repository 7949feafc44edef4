"""wt leave: ends a binding and says what is left behind. The worktree stays as it is, unless it shall go as well."""
from __future__ import annotations

import argparse
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

from guard.wt import bindings, git, inspection, lost, open_work, removal, removing, terminal, worktrees
from guard.wt.commands import remove
from guard.wt.errors import UsageError
from guard.wt.models import Binding
from guard.wt.presence import presence
from guard.wt.removing import Asked
from guard.wt.repository import Repository
from guard.wt.sessions import Caller, caller, session_id

STDIN = {"path": "name", "session_id": "session", "sessionId": "session", "action": "action"}  # the last: as zcode-worktree-guard has it


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="the worktree to leave (default: the one you are bound to)")
    parser.add_argument("--session", metavar="ID", type=session_id, help="end this session's binding")
    parser.add_argument("--all", action="store_true", help="end every binding of this repository")
    parser.add_argument("--remove", action="store_true", help="remove the worktree as well, as wt remove does")
    remove.discard_argument(parser)
    parser.add_argument("--keep-branch", action="store_true", help="with --remove: the branch stays, merged or not, with all its commits")
    remove.skip_argument(parser)
    parser.set_defaults(action="")


def run(repository: Repository, args: argparse.Namespace) -> dict[str, Any]:
    """-> left: [{session, path, name, branch, base, ahead, commits, open, gone, kept, back}], removed (as wt remove says it, or None),
    still: the path that now binds the caller
    """
    if args.action not in ("", "keep", "remove"):
        raise UsageError(f"the action on stdin is {args.action!r}, neither keep nor remove", code="bad-stdin",
                         hint="wt leave, or wt leave --remove")
    args.remove |= args.action == "remove"
    who, tell = caller(args.session), terminal.narration(json=args.json)
    first = removing.torn_down(repository, asked(repository, args, who), tell) if args.remove else None
    with repository.store.locked():
        ending = chosen(repository, args, who)
        once = {(b.session, b.path): b for b in ending}
        removed = half_removed(repository, ending)
        goes = to_remove(repository, ending) if args.remove and not removed else None
        told = [left(repository, b) for b in once.values()] if goes else []
        if first and goes:
            removed = removing.now(repository, replace(first, name=str(goes), ending=ending), tell)
        bindings.unbind(repository, ending)
        still = bindings.of_caller(repository, who)
        return {"left": told or [left(repository, b) for b in once.values()], "removed": removed, "still": still.path if still else None}


def half_removed(repository: Repository, ending: list[Binding]) -> dict[str, Any] | None:
    """A removal that was killed comes to its end first: what git still has of the worktree belongs to the trash. -> what was removed"""
    over = removal.recover(repository)
    return next((told for b in ending if (told := removing.unfinished(repository, b.path, over))), None)


def asked(repository: Repository, args: argparse.Namespace, who: Caller) -> Asked:
    """The removal that --remove asks for."""
    with repository.store.locked():
        ending = chosen(repository, args, who)
    goes = to_remove(repository, ending)
    return Asked(str(goes or ""), who, args.discard, keep=args.keep_branch, skip_teardown=args.skip_teardown or goes is None, ending=ending,
                 way=again(args))


def again(args: argparse.Namespace) -> str:
    """The command as it was given, for a cure to add its option to."""
    words = [args.name] if args.name else []
    words += ["--session", args.session] if args.session else []
    return shlex.join(["wt", "leave", *words, *(["--all"] if args.all else []), "--remove"])


def to_remove(repository: Repository, ending: list[Binding]) -> Path | None:
    """The one worktree that is left; None where there is none, or its folder is gone, so that leaving is all there is to do.

    UsageError for several.
    """
    paths = {Path(b.path) for b in ending}
    if not paths:
        return None
    if len(paths) > 1:
        raise UsageError(f"that would leave {len(paths)} worktrees, and one at a time is removed", code="ambiguous",
                         hint="wt leave NAME --remove; wt status shows who is bound")
    path = paths.pop()
    return None if is_gone(repository, path) else path


def is_gone(repository: Repository, path: Path) -> bool:
    """Nothing is there, or an empty folder. What cannot be looked at is not gone."""
    seen = presence(repository, path)
    return seen in ("gone", "away") or (seen == "there" and inspection.empty(path))


def chosen(repository: Repository, args: argparse.Namespace, who: Caller) -> list[Binding]:
    """The bindings to end. A person's terminal ends the repository's active one, whoever made it; so does a session without its own."""
    held = [b for b in repository.store.bindings() if b.active]
    own = [b for b in held if b.session == who.session]
    if args.all:
        found = held
    elif who.session is None:
        state = repository.store.load(repository.store.path("state.json"), Binding)
        found = [b for b in held if args.name or (state and state.active and b.session == state.session)]
    else:
        found = own or [b for b in held if b.session is None and not args.session]
    if args.name:
        found = [b for b in found if named(repository, b, args.name)]
    if not found and not args.all:
        what = f"the worktree {args.name}" if args.name else "any worktree"
        whom = f"session {who.session} is" if who.session else "this repository is"
        raise UsageError(f"{whom} not bound to {what}", code="not-bound",
                         hint="wt status shows who is bound; wt leave --all ends every binding")
    return found


def named(repository: Repository, binding: Binding, name: str) -> bool:
    prefix = repository.loaded.settings.branch_prefix
    if Path(binding.path).name == name or binding.branch in (name, prefix + name):
        return True
    try:
        places = [repository.here / worktrees.expanded(name), repository.home / worktrees.expanded(name)]
    except UsageError:
        return False
    return any(bindings.same_place(binding.path, place) for place in places)


def left(repository: Repository, binding: Binding) -> dict[str, Any]:
    """What stays behind: commits ahead of the base, open files. A folder that is gone loses its registration, never its branch."""
    path = Path(binding.path)
    entry = next((e for e in worktrees.listing(repository) if bindings.same_place(e.path, path) and not e.main), None)
    seen = presence(repository, path)
    sound = seen == "there" and lost.is_worktree(path)
    branch = entry.branch if entry else binding.branch
    at, tip = (path, "HEAD") if sound else (repository.at, branch or (entry.head if entry else ""))
    base = binding.base
    commits = git.lines(git.ask_or("", "log", "--oneline", "-10", f"{base}..{tip}", "--", cwd=at)) if base and tip else []
    apart = worktrees.distance(at, base, tip) if base and tip else None
    gone = is_gone(repository, path)
    kept = forgotten(repository, entry) if entry and gone else ""
    back = f"wt enter {shlex.quote(str(path))}"
    plain = seen == "there" and not gone and not sound and entry is None
    if plain:
        back = f"wt enter {shlex.quote(path.name + '-2')} --branch {shlex.quote(branch)}"
    elif gone and not kept and not worktrees.record_of(repository, path):
        back = f"wt enter {shlex.quote(path.name)} --branch {shlex.quote(branch)}"
    return {"session": binding.session, "path": binding.path, "name": path.name, "branch": branch, "base": base,
            "ahead": apart[1] if apart else None, "commits": commits, "open": open_work.or_none(path) if sound else None,
            "gone": gone, "plain": plain, "kept": kept, "back": back}


def forgotten(repository: Repository, entry: worktrees.Worktree) -> str:
    """Drops the registration of a worktree whose folder is gone. Says why where it stays: it is locked, or it still holds work."""
    if entry.locked is not None:
        return f"it is locked ({entry.locked or 'no reason given'})"
    if not lost.at_home(repository, entry.path):
        return "its disk may only be away"
    work = lost.holds_work(repository, entry)
    if not work:
        git.attempt("worktree", "remove", "--", str(entry.path), cwd=repository.at, reads=False)
    return f"git still holds {work}" if work else ""


def lines(data: dict[str, Any]) -> list[str]:
    said = [line for one in data["left"] for line in told(one, data["removed"] is not None)] or ["Nobody was bound."]
    said += remove.lines(data["removed"]) if data["removed"] else []
    if data["still"]:
        said.append(f"Still bound, by the repository's own binding, to {data['still']}: wt leave ends that as well.")
    return said


def told(one: dict[str, Any], removed: bool) -> list[str]:
    whom = f" (session {one['session']})" if one["session"] else ""
    counts = [f"{count} {kind}" for kind, count in (one["open"] or {}).items() if count]
    said = [f"Left {one['name']}{whom}."]
    if removed:
        return said
    if one["ahead"]:
        said.append(f"  {one['ahead']} commit(s) ahead of {one['base']}:")
        said += [f"    {line}" for line in one["commits"]]
    if counts:
        said.append(f"  open files: {', '.join(counts)}; they stay in {one['path']}")
    if one["gone"]:
        why = f"; it stays registered, since {one['kept']}" if one["kept"] else f"; the branch {one['branch']} is kept"
        said.append(f"  its folder is gone{why}")
    if one["plain"]:
        said.append(f"  {one['path']} is an ordinary folder now and stays; the branch {one['branch']} is kept")
    return [*said, f"  back again: {one['back']}"]

"""wt native: a client's own worktrees (`claude --worktree`, EnterWorktree, isolated subagents) are made and removed as ours are.

https://code.claude.com/docs/en/hooks#worktreecreate: stdout is the path and nothing else. Claude Code 2.1.332 sends the name, or the path
of the one to remove, its session and the folder where it stands.
"""
from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from guard.wt import bindings, git, removing, terminal, worktrees
from guard.wt.commands import enter
from guard.wt.errors import UsageError
from guard.wt.removing import Asked
from guard.wt.repository import Repository, open_repository
from guard.wt.sessions import caller


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("event", choices=("create", "remove"), help="what the client asks for")


def run(repository: Repository, args: argparse.Namespace) -> dict[str, Any]:
    """-> path; of a creation also what wt new says, of a removal `removed`: what wt remove says, None where it was gone"""
    document = json.loads(sys.stdin.buffer.read() or b"{}")  # a client closes its end
    key = "name" if args.event == "create" else "worktree_path"
    wanted = document.get(key) if isinstance(document, dict) else None
    if not isinstance(wanted, str) or not wanted.strip():
        raise UsageError(f"the event has no {key}", code="bad-stdin", hint="wt new NAME, wt remove NAME")
    return created(repository, wanted) if args.event == "create" else removed(repository, wanted)


def created(repository: Repository, name: str) -> dict[str, Any]:
    """A worktree of that name; one that is there already, if nobody else is bound to it, else one of the next name."""
    there = worktrees.find(repository, name)
    session = caller().session
    taken = there is not None and any(b.session != session for b in bindings.of_worktree(repository, there.path))
    left = there is None and f"{repository.loaded.settings.branch_prefix}{name}" in git.lines(git.ask_or(
        "", "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/", cwd=repository.at))
    wish = argparse.Namespace(name=name, base=base(repository), branch="", pr=None, reuse=False, unique=taken or left, title="",
                              keep_failed=False, dry_run=False, json=False)
    return enter.found_or_made(repository, wish)


def base(repository: Repository) -> str:
    """A helper of a session that works in a worktree goes on from there; everybody else from the main checkout."""
    here = next((entry for entry in worktrees.listing(repository) if not entry.main and repository.stands_in(entry.path)), None)
    return (here.branch or here.head) if here else ""


def removed(repository: Repository, path: str) -> dict[str, Any]:
    """Through the gate, by its full path. Ignored files go to the trash with it and commits stay on the branch; open work keeps it here.

    The client has asked its user about the rest, and its own process may still stand there.
    """
    import psutil  # 40 ms, which only a removal pays

    os.chdir(repository.home)
    repository = open_repository(repository.home)
    if worktrees.at(repository, path) is None:
        return {"path": path, "removed": None}
    who = caller()
    ending = [one for one in bindings.of_worktree(repository, Path(path)) if who.session is not None and one.session == who.session]
    client = frozenset(process.pid for process in psutil.Process().parents())
    asked = Asked(path, who, ("ignored", "commits"), foreign=True, ending=ending, leaving=client)
    return {"path": path, "removed": removing.removed(repository, asked, terminal.narration(json=True))}


def lines(data: dict[str, Any]) -> list[str]:
    return [data["path"]]

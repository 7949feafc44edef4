"""wt trust: shows the commands that the repository wants to be run, and accepts them; a person's."""
from __future__ import annotations

import argparse
from typing import Any

from guard.wt import project_commands, terminal, trust
from guard.wt.errors import UsageError
from guard.wt.repository import Repository


def arguments(parser: argparse.ArgumentParser) -> None:
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--accept", dest="action", action="store_const", const="accept", default="show",
                      help="let exactly these commands run")
    ways.add_argument("--revoke", dest="action", action="store_const", const="revoke", help="accept nothing of this repository any more")


def run(repository: Repository, args: argparse.Namespace) -> dict[str, Any]:
    """-> action (show, accept, revoke), commands[]: {kind, command, file, new}, trusted, changed (others were accepted), asked, warnings[]

    The commands are read once: what is accepted is what was shown.
    """
    project = project_commands.project(repository)
    data = described(repository, project)
    if args.action == "revoke":
        with repository.store.locked():
            trust.revoke(repository)
            repository.store.note("revoke-trust")
        return {**data, "action": "revoke", "trusted": trust.trusted(repository, project), "changed": False, "asked": False}
    asks = args.action == "show" and not data["trusted"] and not args.json and terminal.person()
    if args.action == "show" and not (asks and terminal.says_yes("\n".join([*table(data), "Let exactly these commands run?"]))):
        return {**data, "action": "show", "asked": asks}
    if not project.steps:
        raise UsageError("this repository has no commands of its own", code="no-commands",
                         hint='name some in .worktree-guard.json, such as {"setup": "make deps"}; wt trust shows them')
    with repository.store.locked():
        trust.accept(repository, project)
        repository.store.note("trust", commands="; ".join(step.command for step in project.steps))
    return {**data, "action": "accept", "trusted": True, "changed": False, "asked": asks}


def described(repository: Repository, project: project_commands.Project) -> dict[str, Any]:
    before, faults = trust.accepted(repository), trust.kept()[1]
    known, trusted = {command for one in before for command in one.commands}, trust.trusted(repository, project)
    rows = [{"kind": step.kind, "command": step.command, "file": step.file, "new": not trusted and step.command not in known}
            for step in project.steps]
    return {"commands": rows, "trusted": trusted, "changed": bool(before) and not trusted,
            "warnings": [*repository.loaded.warnings, *project.warnings, *faults]}


def lines(data: dict[str, Any]) -> list[str]:
    if data["action"] == "revoke":
        return ["Nothing of this repository is accepted any more: its commands do not run."]
    if data["asked"]:  # the table is on the terminal already
        return ["Accepted: they run from now on."] if data["trusted"] else ["Not accepted: none of them runs."]
    return [*table(data), verdict(data)]


def table(data: dict[str, Any]) -> list[str]:
    said = [f"warning: {printable(warning)}" for warning in data["warnings"]]
    for file in dict.fromkeys(row["file"] for row in data["commands"]):
        said.append(f"{printable(file)} wants to run:")
        for row in data["commands"]:
            if row["file"] == file:
                first, *more = map(printable, row["command"].splitlines())
                said.append(f"  {row['kind']:12}  {first}{'  (new)' if row['new'] and data['changed'] else ''}")
                said += [f"{'':16}{line}" for line in more]
    return said


def verdict(data: dict[str, Any]) -> str:
    if not data["commands"]:
        return "This repository has no commands of its own that would run here."
    if data["trusted"]:
        return "Accepted: exactly these commands run. They are shown here, the scripts that they call are not."
    why = "They have changed since they were accepted" if data["changed"] else "Nobody has accepted them"
    return f"{why}: none of them runs. A person accepts them: wt trust --accept"


def printable(text: str) -> str:
    """Nothing that a terminal would obey instead of show: a command must not hide itself."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)

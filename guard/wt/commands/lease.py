"""wt lease: a pool of ready worktrees. Two words before what is done: whoever approves `wt lease read` has approved no write."""
from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from guard.wt import acquiring, leases, returning
from guard.wt.cli import opened
from guard.wt.errors import MISSING, UsageError, WtError
from guard.wt.repository import Repository
from guard.wt.sessions import caller, recordable

if TYPE_CHECKING:
    import argparse

USAGE = """wt lease read status
wt lease write acquire [--holder H]
wt lease write return --workspace P [--confirm-preserved]"""
NO_WAY_AROUND = "tell the person. Install nothing, and make no worktree by other means, unless the person asks for one for this task."
# (access, verb) -> its options: name -> whether it takes a value
GRAMMAR: dict[tuple[str, str], dict[str, bool]] = {
    ("read", "status"): {},
    ("write", "acquire"): {"--holder": True},
    ("write", "return"): {"--workspace": True, "--confirm-preserved": False},
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command line hands the words over as they are (cli.OWN_WORDS)."""


def run(repository: Repository | None, args: argparse.Namespace) -> dict[str, Any]:
    """-> what leases.status, acquiring.acquired or returning.returned say; {usage} for --help. Wrong words start no program at all."""
    operation, given = parsed(args.words)
    try:
        return done(repository or opened(), operation, given) if operation in GRAMMAR else {"usage": USAGE}
    except WtError as fault:
        if fault.status == MISSING:  # who reads it is an agent
            fault.hint = f"{NO_WAY_AROUND} For the person: {fault.hint}"
        raise


def parsed(words: list[str]) -> tuple[tuple[str, str], dict[str, str]]:
    """Which operation, with which options. UsageError for everything that is not exactly one of the three."""
    words = [word for word in words if word != "--json"]
    if "--help" in words or "-h" in words:
        return ("", "help"), {}
    operation = (words[0], words[1]) if len(words) > 1 else (" ".join(words), "")
    options = GRAMMAR.get(operation)
    if options is None:
        raise wrong(f"{' '.join(words[:2]) or 'nothing'} is no operation on leases")
    given: dict[str, str] = {}
    rest = iter(words[2:])
    for word in rest:
        name, has_value, value = word.partition("=")
        if name not in options:
            raise wrong(f"{' '.join(operation)} has no option {word}")
        if name in given:
            raise wrong(f"{name} is given twice")
        if options[name] and not has_value:
            value = next(rest, "--")
            if value.startswith("--"):
                raise wrong(f"{name} needs a value")
        elif not options[name] and has_value:
            raise wrong(f"{name} takes no value")
        given[name] = value
    if operation == ("write", "return") and "--workspace" not in given:
        raise wrong("write return needs --workspace")
    return operation, given


def done(repository: Repository, operation: tuple[str, str], given: dict[str, str]) -> dict[str, Any]:
    if operation == ("read", "status"):
        return leases.status(repository)
    if operation == ("write", "acquire"):
        return acquiring.acquired(repository, recordable(caller()), given.get("--holder"))
    return returning.returned(repository, given["--workspace"], preserved="--confirm-preserved" in given)


def wrong(said: str) -> UsageError:
    return UsageError(f"{said}\n{USAGE}", code="usage", hint="wt lease --help")


def lines(data: dict[str, Any]) -> list[str]:
    return json.dumps(data, indent=2).splitlines()

"""wt clean: removes every worktree that is ours, merged, clean and nobody's any more. It only says so until --apply."""
from __future__ import annotations

import argparse
from typing import Any

from guard.wt import causes, cleaning, gate, git, removal, removing, terminal, trash, worktrees
from guard.wt.cleaning import Verdict
from guard.wt.commands import remove
from guard.wt.create import NO_HOOKS
from guard.wt.errors import WtError
from guard.wt.removing import Asked
from guard.wt.repository import Repository
from guard.wt.sessions import Caller, caller
from guard.wt.terminal import Tell

FETCH_SECONDS = 60.0  # for each remote
WORDS = {"remove": "would go", "removed": "removed", "keep": "stays", "failed": "failed"}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--merged", action="store_true", help="those whose work is in their base; this is the default")
    parser.add_argument("--include-new", action="store_true", help="also those without commits of their own, if older than a day")
    parser.add_argument("--fetch", action="store_true", help="ask the remotes first what has been merged there")
    parser.add_argument("--apply", action="store_true", help="remove them; without it nothing is changed")
    remove.skip_argument(parser)


def run(repository: Repository, args: argparse.Namespace) -> dict[str, Any]:
    """-> dry_run, worktrees[]: {name, path, branch, action (remove, removed, keep, failed), code, why, trash}, swept[] (ids of the trash
    whose seven days are over; in a dry run, those that would go), warnings[], wrong (how many failed)
    """
    who, warnings = caller(), fetched(repository) if args.fetch else []
    rows = [planned(case_of(repository, entry, who), args.include_new) for entry in worktrees.listing(repository) if not entry.main]
    swept = [entry.id for entry in trash.old(repository)]
    if args.apply:
        with repository.store.locked():
            swept = trash.sweep(repository)
        tell = terminal.narration(json=args.json)
        rows = [applied(repository, row, Asked(row["path"], who, skip_teardown=args.skip_teardown), args.include_new, tell)
                if row["action"] == "remove" else row for row in rows]
    warnings += [f"{row['name']}: {said}" for row in rows for said in row.get("warnings", ())]
    told = [{name: value for name, value in row.items() if name not in ("head", "warnings")} for row in rows]
    return {"dry_run": not args.apply, "worktrees": told, "swept": swept, "warnings": warnings,
            "wrong": sum(row["action"] == "failed" for row in rows)}


def fetched(repository: Repository) -> list[str]:
    """Brings every remote up to date, and forgets none of its branches. -> those that could not be asked, which removes nothing."""
    warnings = []
    for remote in git.ask_or("", "remote", cwd=repository.at).splitlines():
        try:
            git.do(*NO_HOOKS, "fetch", "--quiet", "--no-prune", "--no-recurse-submodules", "--", remote, cwd=repository.at,
                   timeout=FETCH_SECONDS)
        except WtError as fault:
            warnings.append(f"{remote} could not be asked: {fault.said}")
    return warnings


def case_of(repository: Repository, entry: worktrees.Worktree, who: Caller) -> gate.Case:
    return gate.Case(repository, entry, worktrees.record_of(repository, entry.path), who, str(entry.path))


def planned(case: gate.Case, include_new: bool) -> dict[str, Any]:
    verdict = cleaning.judged(case, include_new=include_new)
    return {"name": case.entry.name, "path": str(case.path), "branch": case.entry.branch, "head": case.entry.head, "trash": None,
            **worded(verdict, "remove")}


def worded(verdict: Verdict, action: str) -> dict[str, str]:
    return {"action": action if verdict.goes else "keep", "code": verdict.code, "why": verdict.why}


def applied(repository: Repository, row: dict[str, Any], asked: Asked, include_new: bool, tell: Tell) -> dict[str, Any]:
    """Judges it again and removes it, in one lock: between two of them others can go on. One that fails does not stop the rest."""
    try:
        asked = removing.torn_down(repository, asked, tell)
        with repository.store.locked():
            removal.recover(repository)
            entry = next((one for one in worktrees.listing(repository) if str(one.path) == row["path"]), None)
            if entry is None:
                return {**row, **worded(cleaning.vanished(), "removed")}
            case = asked.case(repository, entry)
            verdict = cleaning.changed_since(case, row["head"]) or cleaning.judged(case, include_new=include_new)
            gone = removing.taken_away(case, []) if verdict.goes else removing.UNTOUCHED
            return {**row, **worded(verdict, "removed"), "trash": gone["trash"], "warnings": [*asked.warnings, *gone["warnings"]]}
    except (WtError, OSError) as fault:
        told = causes.of_system(fault) if isinstance(fault, OSError) else fault
        return {**row, "action": "failed", "code": getattr(told, "code", "os-error"), "why": str(told or fault)}


def lines(data: dict[str, Any]) -> list[str]:
    rows = data["worktrees"]
    wide = [max((len(cell) for cell in column), default=0) for column in zip(*(named(row) for row in rows), strict=True)]
    said = []
    for action, title in WORDS.items():
        chosen = [row for row in rows if row["action"] == action]
        said += [f"{title[0].upper()}{title[1:]}:"] if chosen else []
        said += ["  " + "  ".join([*(cell.ljust(width) for cell, width in zip(named(row), wide, strict=True)), because(row)])
                 for row in chosen]
    said += [] if rows else ["There are no worktrees beside the main checkout."]
    said += [f"Warning: {warning}" for warning in data["warnings"]]
    return [*said, *what_next(data)]


def named(row: dict[str, Any]) -> tuple[str, str]:
    return row["name"], row["branch"] or "(detached)"


def because(row: dict[str, Any]) -> str:
    return row["why"] if row["action"] in ("remove", "removed") else f"{row['code']}: {row['why']}"


def what_next(data: dict[str, Any]) -> list[str]:
    due = f"{len(data['swept'])} worktree(s) that were removed more than 7 days ago"
    done = {row["action"] for row in data["worktrees"]}
    if data["dry_run"]:
        said = [f"Would be swept from the trash: {due}."] if data["swept"] else []
        return [*said, "Nothing was changed. Do it: wt clean --apply" if said or "remove" in done else "Nothing to clean."]
    said = [f"Swept from the trash: {due}."] if data["swept"] else []
    return [*said, "Back again, for 7 days: wt restore NAME"] if "removed" in done else said or ["Nothing to clean."]

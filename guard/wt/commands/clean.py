"""wt clean: removes every worktree that is ours, merged, clean and nobody's any more. It only says so until --apply."""
from __future__ import annotations

import argparse
from typing import Any

from guard.wt import causes, cleaning, gate, git, project_commands, removal, removing, terminal, trash, worktrees
from guard.wt.cleaning import Verdict
from guard.wt.commands import remove
from guard.wt.create import NO_HOOKS
from guard.wt.errors import WtError
from guard.wt.removing import Asked
from guard.wt.repository import Repository
from guard.wt.sessions import caller
from guard.wt.table import GAP, shortened, spelt_out, width
from guard.wt.terminal import Tell

FETCH = ("fetch", "--quiet", "--no-prune", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")
FETCH_SECONDS = 60.0  # for each remote
TITLES = {"remove": "Would go", "removed": "Removed", "keep": "Stay", "failed": "Could not be removed"}
WIDEST = 40  # columns of a name or a branch
KEPT = {**removing.UNTOUCHED, "branch_deleted": False}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--merged", action="store_true", help="those whose work is in their base; this is the default")
    parser.add_argument("--include-new", action="store_true", help="also those without commits of their own, if older than a day")
    parser.add_argument("--fetch", action="store_true", help="ask the remotes first what has been merged there")
    parser.add_argument("--apply", action="store_true", help="remove them; without it nothing is changed")
    remove.skip_argument(parser)


def run(repository: Repository, args: argparse.Namespace) -> dict[str, Any]:
    """-> dry_run, worktrees[]: {name, path, branch, action (remove, removed, keep, failed), code, why, hint (what helps, "" for nothing),
    branch_deleted (or would be), trash}, swept[] (ids of the trash whose seven days are over; in a dry run, those that would go),
    warnings[], wrong (how many failed)
    """
    who, warnings = caller(), fetched(repository) if args.fetch else []
    swept = tidied(repository) if args.apply else [entry.id for entry in trash.old(repository)]
    linked = [entry for entry in worktrees.listing(repository) if not entry.main]
    rows = [planned(Asked(str(entry.path), who).case(repository, entry), args.include_new) for entry in linked]
    if args.apply:
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
    for remote in git.lines(git.ask_or("", "remote", cwd=repository.at)):
        if writes_over_branches(repository, remote):
            warnings.append(f"{remote} was not asked: by remote.{remote}.fetch, its branches would be written over those here")
            continue
        try:
            git.do(*NO_HOOKS, *FETCH, "--", remote, cwd=repository.at, timeout=FETCH_SECONDS)
        except WtError as fault:
            warnings.append(f"{remote} could not be asked: {fault.said}")
    return warnings


def writes_over_branches(repository: Repository, remote: str) -> bool:
    """A mirror (`git clone --mirror`, `+refs/*:refs/*`) fetches into our own branches, and commits that only they have would be lost."""
    said = git.lines(git.ask_or("", "config", "--get-all", f"remote.{remote}.fetch", cwd=repository.at))
    targets = [spec.partition(":")[2] for spec in said if not spec.startswith("^")]
    return any(target and not target.startswith("refs/remotes/") for target in targets)


def tidied(repository: Repository) -> list[str]:
    """Ends removals that were interrupted, and sweeps the trash. -> the ids that were swept"""
    with repository.store.locked():
        removal.recover(repository)
        return trash.sweep(repository)


def planned(case: gate.Case, include_new: bool) -> dict[str, Any]:
    verdict = cleaning.judged(case, include_new=include_new)
    return {"name": case.entry.name, "path": str(case.path), "branch": case.entry.branch, "head": case.entry.head, "trash": None,
            "branch_deleted": verdict.goes and case.fate.goes, **worded(verdict, "remove")}


def worded(verdict: Verdict, action: str) -> dict[str, str]:
    return {"action": action if verdict.goes else "keep", "code": verdict.code, "why": verdict.why, "hint": verdict.hint}


def applied(repository: Repository, row: dict[str, Any], asked: Asked, include_new: bool, tell: Tell) -> dict[str, Any]:
    """Runs its teardown if it still goes, judges it once more and removes it. One that fails does not stop the rest."""
    try:
        tears_down = not asked.skip_teardown and project_commands.project(repository).commands("teardown")
        if tears_down and judged_again(repository, row, asked, include_new)[1].goes:
            asked = removing.torn_down(repository, asked, tell)
        with repository.store.locked():  # for the last look and the removal: between two worktrees others can go on
            case, verdict = judged_again(repository, row, asked, include_new)
            gone = removing.taken_away(case, []) if case and verdict.goes else KEPT
        return {**row, **worded(verdict, "removed"), "branch_deleted": gone["branch_deleted"], "trash": gone["trash"],
                "warnings": [*asked.warnings, *gone["warnings"]]}
    except (WtError, OSError) as fault:
        told = causes.of_system(fault) or WtError(str(fault), code="os-error") if isinstance(fault, OSError) else fault
        return {**row, "action": "failed", "code": told.code, "why": told.said, "hint": told.hint, "branch_deleted": False}


def judged_again(repository: Repository, row: dict[str, Any], asked: Asked, include_new: bool) -> tuple[gate.Case | None, Verdict]:
    entry = worktrees.at(repository, row["path"])
    if entry is None:
        return None, cleaning.vanished()
    case = asked.case(repository, entry)
    return case, cleaning.changed_since(case, row["branch"], row["head"]) or cleaning.judged(case, include_new=include_new)


# --- for people ------------------------------------------------------------------------------------------------------

def lines(data: dict[str, Any]) -> list[str]:
    rows = data["worktrees"]
    cells = [[shortened(spelt_out(cell), WIDEST) for cell in (row["name"], row["branch"] or "(detached)")] for row in rows]
    wide = [max(map(width, column)) for column in zip(*cells, strict=True)]
    said = []
    for action, title in TITLES.items():
        chosen = [(row, GAP.join(cell + " " * (most - width(cell)) for cell, most in zip(named, wide, strict=True)))
                  for row, named in zip(rows, cells, strict=True) if row["action"] == action]
        said += [f"{title}:"] if chosen else []
        for row, named in chosen:
            said.append(f"{GAP}{named}{GAP}{spelt_out(because(row))}")
            said += [f"{GAP}{' ' * width(named)}{GAP}{spelt_out(row['hint'])}"] if action == "failed" and row["hint"] else []
    said += [] if rows else ["There are no worktrees beside the main checkout."]
    said += [f"Warning: {spelt_out(warning)}" for warning in data["warnings"]]
    return [*said, *what_next(data)]


def because(row: dict[str, Any]) -> str:
    goes = row["action"] in ("remove", "removed")
    return f"{row['why']}{'; its branch stays' if goes and not row['branch_deleted'] else ''}"


def what_next(data: dict[str, Any]) -> list[str]:
    rows, due = data["worktrees"], f"{len(data['swept'])} worktree(s) that were removed more than 7 days ago"
    done = {row["action"] for row in rows}
    said = [f"{'Would be swept' if data['dry_run'] else 'Swept'} from the trash: {due}."] if data["swept"] else []
    if data["dry_run"] and (said or "remove" in done):
        said.append("Nothing was changed yet. Do it: wt clean --apply")
    elif "removed" in done:
        said.append("Back again, for 7 days: wt restore NAME")
    elif not said and "failed" not in done:
        said.append("Nothing to clean.")
    if any(row["code"] == "new" and row["action"] == "keep" for row in rows):
        said.append("Also those without commits, once they are a day old: wt clean --include-new")
    return said + (["What keeps one, and the way out: wt remove NAME --dry-run"] if "keep" in done else [])

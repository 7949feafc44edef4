"""Links from a worktree to folders of the main checkout, which all worktrees share then; hidden from git, to which a link is no folder."""
from __future__ import annotations

import os
from pathlib import Path

from guard.wt import git, hiding, picking
from guard.wt.include import Outcome, Rule, literally, skipped
from guard.wt.picking import Pick
from guard.wt.place import Place
from guard.wt.remains import is_link, leads_out
from guard.wt.repository import Repository


def link(repository: Repository, place: Place, given: list[Rule]) -> list[Outcome]:
    """Links what the rules name; a link is hidden before it is made."""
    picks = picking.picked(place.main, given)
    judged = {(pick.rule, pick.at): judge(place, pick) for pick in picks}
    outcomes = [outcome for outcome in judged.values() if outcome is not None]
    wanted = {name.rstrip("/"): rule.line for (rule, name), outcome in judged.items() if outcome is None}
    seen = visible(place.path, list(wanted))
    for name, line in wanted.items():
        source, target = place.main / name, place.path / name
        try:
            if name in seen:
                hiding.hide(repository, "/" + literally(name))
            if not os.path.lexists(target):
                place.made_parents(name)
                tied(source, target)
            outcomes.append(Outcome(line, name, "linked", "", f"leads to {source}"))
        except OSError as fault:
            outcomes.append(skipped(line, name, "failed", str(fault)))
    return picking.unused(place.main, given, picks) + outcomes


def judge(place: Place, pick: Pick) -> Outcome | None:
    """Why something is not linked; None where it is, or is already."""
    line, name = pick.rule.line, pick.at.rstrip("/")
    source, target = place.main / name, place.path / name
    if pick.at != pick.name:
        return skipped(line, name, "tracked", "git tracks files in it, so each worktree has its own")
    if leads_out(place.main, source):
        return skipped(line, name, "unsafe", "a link that leads out of the main checkout")
    if place.path.is_relative_to(source):
        return skipped(line, name, "unsafe", "holds the worktree itself")
    obstacle = place.obstacle(name)
    if obstacle is not None:
        return skipped(line, name, *obstacle)
    if os.path.lexists(target):
        ours = is_link(target) and os.path.realpath(target) == os.path.realpath(source)
        return None if ours else skipped(line, name, "conflict", "something else is there, and stays")
    if place.tracks(name):
        return skipped(line, name, "tracked", "the branch of the worktree has it, so it comes from there")
    return None


def visible(path: Path, names: list[str]) -> set[str]:
    """Those that `git status` there would show: a pattern that ends in / fits folders, and no links."""
    if not names:
        return set()
    done = git.attempt("check-ignore", "-z", "--stdin", cwd=path, given=os.fsencode("\0".join(names) + "\0"))
    return set(names) - set(os.fsdecode(done.stdout).split("\0"))


def tied(source: Path, target: Path) -> None:
    """A link; on Windows a junction for a folder, for which no right is needed."""
    if os.name == "nt" and source.is_dir():
        import _winapi

        _winapi.CreateJunction(str(source), str(target))  # type: ignore[attr-defined,unused-ignore]
    else:
        target.symlink_to(source)

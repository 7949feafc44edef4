"""What a new worktree gets from the main checkout beside git's files: only what git does not track, never over what is there."""
from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from guard.core.model import SETTINGS_FILES
from guard.wt import duplicating, linking, picking, staging
from guard.wt.include import Outcome, Reason, Rule, State, rules, skipped
from guard.wt.picking import Pick
from guard.wt.place import Place, same
from guard.wt.remains import leads_out
from guard.wt.repository import Repository

TRIES = 2  # a file that is written while it is copied gets a second chance
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Entry:
    """A file, or a folder with all that is in it, that is copied in one step. `name` is its path from the root."""

    rule: Rule
    name: str

    def skipped(self, reason: Reason, said: str) -> Outcome:
        return skipped(self.rule.line, self.name, reason, said)

    def is_there(self, state: State, said: str) -> Outcome:
        return Outcome(self.rule.line, self.name, state, "", said)


def furnish(repository: Repository, path: Path, tell: Tell) -> list[Outcome]:
    """Copies and links into the worktree at `path` what the rules of the main checkout name. The second time changes nothing.

    `tell` hears what is about to take a while. One line that cannot be done keeps no other from being done.
    """
    main = repository.main
    if main is None or os.path.realpath(path) == os.path.realpath(main):
        return []
    staging.swept(path)
    found, outcomes = rules(main, repository.loaded.settings.sync)
    if found:
        place = Place(main, path, picking.tracked(path))
        links = linking.link(repository, place, [rule for rule in found if rule.link])
        linked = {one.name for one in links if one.state == "linked"}
        outcomes += links + copy(place, [rule for rule in found if not rule.link], linked, tell)
    order = {rule.line: at for at, rule in reversed(list(enumerate(found)))}
    return sorted(outcomes, key=lambda one: (order.get(one.line, -1), one.name))


def copy(place: Place, given: list[Rule], linked: set[str], tell: Tell) -> list[Outcome]:
    """Copies what the rules name, but for what is a link already."""
    picks = picking.picked(place.main, given)
    outcomes, wanted = picking.unused(place.main, given, picks), []
    for entry, known in (pair for pick in picks for pair in carved(place, pick, linked)):
        outcome = known or judged(place, entry)
        if outcome is None:
            wanted.append(entry)
        else:
            outcomes.append(outcome)
    if not wanted:
        return outcomes
    try:
        with staging.stage(place.path) as folder:
            return outcomes + [brought(place, entry, folder / str(n), tell) for n, entry in enumerate(wanted)]
    except OSError as fault:
        return outcomes + [entry.skipped("failed", str(fault)) for entry in wanted]


def carved(place: Place, pick: Pick, linked: set[str]) -> Iterator[tuple[Entry, Outcome | None]]:
    """What was picked, without what must not come along; and what became of that."""
    name = pick.name.rstrip("/")
    whole = Entry(pick.rule, name)
    if any(name == one or name.startswith(one + "/") for one in linked):
        yield whole, whole.is_there("linked", "there already, through a link")
    elif place.path.is_relative_to(place.main / name):
        yield whole, whole.skipped("unsafe", "holds the worktree itself")
    else:
        own = repositories(place.main, name) if name != pick.name else []
        settings = [one for one in SETTINGS_FILES if one != pick.rule.pattern.strip("/") and os.path.lexists(place.main / one)]
        for part in without(place.main, name, {*linked, *own, *settings}):
            entry = Entry(pick.rule, part)
            if part in own:
                yield entry, entry.skipped("unsafe", "a repository or a worktree of its own")
            elif part in settings:
                yield entry, entry.skipped("unsafe", "the guard reads the main checkout's alone; a line that is just its name copies it")
            elif part not in linked:
                yield entry, None


def repositories(main: Path, name: str) -> list[str]:
    """The folders in a folder that hold a `.git`, itself included; what is in them is not looked at."""
    found = []
    for at, folders, files in os.walk(main / name):
        if ".git" in folders or ".git" in files:
            found.append(Path(at).relative_to(main).as_posix())
            folders.clear()
    return found


def without(main: Path, name: str, apart: set[str]) -> Iterator[str]:
    """A folder in as few parts as set those apart that shall be."""
    if name in apart or not any(one.startswith(name + "/") for one in apart):
        yield name
    else:
        for child in sorted(os.listdir(main / name)):  # noqa: PTH208 - names, not paths
            yield from without(main, f"{name}/{child}", apart)


def judged(place: Place, entry: Entry) -> Outcome | None:
    """Why an entry is not copied; None where it is."""
    source, target = place.main / entry.name, place.path / entry.name
    obstacle = place.obstacle(entry.name)
    if obstacle is not None:
        return entry.skipped(*obstacle)
    if picking.is_special(source):
        return entry.skipped("unsafe", "neither a file nor a folder")
    if leads_out(place.main, source):
        return entry.skipped("unsafe", "a link that leads out of the main checkout")
    if os.path.lexists(target):
        try:
            alike = same(source, target)
        except OSError as fault:
            return entry.skipped("failed", str(fault))
        if alike:
            return entry.is_there("kept", "there already, the same")
        return entry.skipped("conflict", "other content is there, and stays")
    if place.tracks(entry.name):
        return entry.skipped("tracked", "the branch of the worktree has it, so it comes from there")
    return None


def brought(place: Place, entry: Entry, aside: Path, tell: Tell) -> Outcome:
    """Copies an entry out of sight, to `aside`, then moves it to its place. What was written meanwhile is copied once more."""
    source = place.main / entry.name
    if source.is_dir():
        tell(f"copying {entry.name} …")
    try:
        for _ in range(TRIES):
            began = time.time_ns()
            fault = duplicating.copied(source, aside)
            changed = duplicating.changed_since(source, began)
            if not fault and not changed:
                return settled(place, entry, aside)
            staging.dropped(aside)  # it may have filled the disk
            if not changed:
                return entry.skipped("failed", fault)
            time.sleep(2 * duplicating.TICK / 1e9)  # until what was written counts as old
        return entry.skipped("source_changed", "written while it was copied")
    except FileExistsError:
        return entry.skipped("conflict", "there by now, and stays")
    except OSError as trouble:
        return entry.skipped("failed", str(trouble))


def settled(place: Place, entry: Entry, copy: Path) -> Outcome:
    """Moves a copy to its place, unless something came into its way meanwhile."""
    outcome = judged(place, entry)
    if outcome is None:
        place.made_parents(entry.name)
        staging.moved(copy, place.path / entry.name)
    return outcome or entry.is_there("copied", "copied")

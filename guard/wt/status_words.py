"""`wt status` for people: the cells of its table, and below it everything that a cell is too short for."""
from __future__ import annotations

from datetime import datetime
from typing import Any

from guard.core.judge import quoted
from guard.wt import trouble
from guard.wt.colour import painted
from guard.wt.spans import age, ago, left
from guard.wt.table import Paint, plain, spelt_out, table

Row = dict[str, Any]
# title, and how narrow it may become: what names and reasons take is given first
COLUMNS = {"": 1, "NAME": 8, "BRANCH": 8, "BASE": 6, "COMMITS": 9, "UNCOMMITTED": 17, "BOUND": 10, "AGE": 6, "PORT": 5, "NOTES": 12}
KINDS = {"modified": "modified", "untracked": "new", "conflicted": "in conflict"}
STALE = {  # of a binding whose worktree has no row, or no trouble of its own
    "gone": "Its folder is gone: wt enter {path} makes it again, wt leave ends the binding.",
    "unreadable": "Its folder cannot be looked at: ls -ld {path} shows why; wt leave ends the binding.",
    "unknown": "git does not know it any more: wt leave ends the binding; what is in the folder stays.",
    "detached": "It is on a detached HEAD: git -C {path} switch {branch}",
    "protected": "It is on a protected branch: git -C {path} switch {branch}",
}


def told(data: dict[str, Any], at: datetime, *, colour: bool = False) -> list[str]:
    """All of it, as it reads at this time."""
    own = data["binding"]["path"] if data["binding"] else None
    rows = [cells(one, own, at) for one in data["worktrees"]]
    below = [*binding_words(data, at), *row_words(data), *leave_words(data), *trash_words(data), *trouble_words(data)]
    return [*table(list(COLUMNS), list(COLUMNS.values()), rows, painter(rows) if colour else plain), "", *map(spelt_out, below)]


def cells(one: Row, own: str | None, at: datetime) -> list[str]:
    return ["*" if one["path"] == own else "", "main checkout" if one["main"] else one["name"], one["branch"] or "(detached)",
            short_commit(one["base"] or ""), commits(one), opened(one), ", ".join(short(bound) for bound in one["bound_by"]),
            age(one["created_at"], at), str(one["port"] or ""), ", ".join(notes(one))]


def short_commit(base: str) -> str:
    """A worktree may have been made from a commit instead of a branch."""
    return base[:9] if len(base) in (40, 64) and not base.strip("0123456789abcdef") else base


def commits(one: Row) -> str:
    """`+3 -1`: ahead and behind of the base."""
    return " ".join([f"{sign}{one[way]}" for sign, way in (("+", "ahead"), ("-", "behind")) if one[way]])


def opened(one: Row) -> str:
    if one["dirty"] is None:
        return "" if one["stale"] else "?"
    return ", ".join(f"{one['dirty'][kind]} {word}" for kind, word in KINDS.items() if one["dirty"][kind])


def short(bound: str) -> str:
    return bound if len(bound) <= 12 else bound[:8] + "…"


def notes(one: Row) -> list[str]:
    said = [one["stale"]] if one["stale"] else []
    if one["strayed"]:
        said.append("branch missing" if one["strayed"]["missing"] else "on a protected branch")
    if one["making"]:
        said.append("being set up" if one["making"] == "running" else "setup unfinished")
    if one["locked"] is not None and one["stale"] != "locked, missing":
        said.append("locked")
    return said + handed_out(one)


def handed_out(one: Row) -> list[str]:
    """To whom `wt lease` has given it, or for which task it is."""
    if one["lane"]:
        kept = ", retained-dirty" if one["lane"]["status"] == "retained-dirty" else ""
        return [f"lane {one['lane']['run']} {one['lane']['task']}{kept}"]
    if one["lease"]:
        gone = ", which has ended" if one["lease"]["owner"] == "gone" else ""
        return [f"leased by {short(one['lease']['lease_holder'])}{gone}"]
    return ["free, of the pool"] if one["source"] == "pool" else []


def painter(rows: list[list[str]]) -> Paint:
    """Titles dim, the caller's own worktree bold, notes yellow, and red where the worktree is not usable."""
    def paint(title: str, number: int, text: str) -> str:
        if number == 0:
            return painted(text, "dim")
        if title == "NOTES":
            return painted(text, "red" if text.startswith(("missing", "locked, ", "damaged", "unreadable", "branch")) else "yellow")
        return painted(text, *(["bold"] if rows[number - 1][0] else []))
    return paint


def binding_words(data: dict[str, Any], at: datetime) -> list[str]:
    own = data["binding"]
    ended = [one for one in data["sessions"] if not one["enforced"]]
    said = [f"Ended: session {short(one['session'])} was in {one['path']}{since(one, at)}" for one in ended]
    if own is None:
        others = sum(one["enforced"] for one in data["sessions"])
        whose = f" but {others} session{'s' if others > 1 else ''} of others" if others else ""
        main = "protected; wt enter NAME" if data["mode"] == "protect" else "open to you" if others else "open"
        return [f"Mode {data['mode']}, nothing bound{whose}: the main checkout is {main}.", *said]
    whom = f"session {short(own['session'])}" if own["session"] else "everybody here"
    works = f"{whom} works in {own['name']} ({own['path']}), branch {own['branch'] or '(detached)'}{since(own, at)}"
    return [f"Mode {data['mode']}. Bound: {works}.", *stale_words(data), *said]


def since(binding: dict[str, Any], at: datetime) -> str:
    said = ago(binding["entered_at"], at)
    return f", entered {said}" if said else ""


def stale_words(data: dict[str, Any]) -> list[str]:
    """What is wrong with the caller's binding, and the command that mends it, where its row does not say so already."""
    own = data["binding"]
    if any(one["path"] == own["path"] and trouble.of(one, data["worktrees"]) for one in data["worktrees"]):
        return []
    words = STALE.get(own["condition"])
    return [words.format(path=quoted(own["path"]), branch=quoted(own["branch"]))] if words else []


def cure_of_binding(data: dict[str, Any]) -> list[str]:
    """What is wrong with the caller's binding and the way out, by its row or by itself."""
    path, rows = data["binding"]["path"], data["worktrees"]
    return [said for one in rows if one["path"] == path and (said := trouble.of(one, rows))] or stale_words(data)


def row_words(data: dict[str, Any]) -> list[str]:
    rows = data["worktrees"]
    return [f"{one['name']}: {said}" for one in rows for said in (trouble.of(one, rows), lock_reason(one)) if said]


def lock_reason(one: Row) -> str:
    return f"locked ({one['locked']})" if one["locked"] and one["stale"] != "locked, missing" else ""


def leave_words(data: dict[str, Any]) -> list[str]:
    said = []
    for a in data["authorisations"]:
        what = f" ({a['only']} only)" if a["only"] else ""
        whom = f" by session {short(a['session'])}" if a["session"] else ""
        once = " in one call," if a["once"] else ""
        said.append(f"Main may be written{what}{whom}{once} {left(a['minutes_left'])}: {a['reason']}. End it: wt revoke-main")
    return said + [f"Allowed {left(p['minutes_left'])}: {p['path']} ({p['reason']}). End it: wt allow --clear" for p in data["allowed"]]


def trash_words(data: dict[str, Any]) -> list[str]:
    """How much there is to bring back, and what is on its way and was interrupted."""
    trash, said = data["trash"], []
    if trash["count"]:
        many = trash["count"] > 1
        what, which = (f"{trash['count']} removed worktrees", "the oldest") if many else ("1 removed worktree", "it")
        when = {0: "today", 1: "in 1 day"}.get(trash["days_left"], f"in {trash['days_left']} days")
        said.append(f"{what} in the trash, {which} goes {when}: wt restore --list")
    return said + [f"Half removed or half restored: {one['path']}. wt restore {one['id']} brings it back." for one in trash["half_way"]]


def trouble_words(data: dict[str, Any]) -> list[str]:
    said = [f"Setting: {warning}" for warning in data["settings"]["warnings"]]
    said += [f"Spoilt state, kept aside: {path}" for path in data["spoilt"]]
    said += [f"Record dropped: {one['name']} ({one['path']}), {one['why']}." for one in data["reconciled"] if one["dropped"]]
    counted: dict[str, list[str]] = {}
    for fault in data["faults"]:
        counted.setdefault(str(fault.get("fault")), []).append(str(fault.get("at")))
    return said + [f"Fault of the hook ({len(times)} x, last {times[-1]}): {text}" for text, times in counted.items()]

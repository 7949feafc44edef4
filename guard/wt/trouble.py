"""What is wrong with a worktree, in words, and the command that mends it. For `wt status` and `wt doctor`."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from guard.core.judge import quoted
from guard.wt import strayed

Row = dict[str, Any]  # of survey.row


def of(one: Row, rows: list[Row]) -> str:
    """"" where nothing is. `rows`: all worktrees, so that the command means no other."""
    words = TROUBLE.get(one["stale"])
    if words is not None:
        return words(one, called(one, rows))
    if one["strayed"]:
        return strayed.words(one["strayed"])
    return f"setup unfinished, its maker is gone: wt setup {called(one, rows)}" if one["making"] == "unfinished" else ""


def called(one: Row, rows: list[Row]) -> str:
    """How a command names it: by its name, where that can mean no other one and is no option or path, else by its path."""
    alike = [row for row in rows if one["name"] in (row["name"], row["branch"])]
    return quoted(one["path"] if len(alike) > 1 or one["name"].startswith(("-", ".", "~")) else one["name"])


def missing(one: Row, name: str) -> str:
    end = "wt leave ends the binding" if one["bound_by"] else f"wt remove {name} takes it off the list"
    return f"its folder is gone: wt enter {name} makes it again, {end}."


def locked_missing(one: Row, name: str) -> str:
    end = ", wt leave ends the binding" if one["bound_by"] else ""
    return (f"locked ({one['locked'] or 'no reason given'}), and its folder is missing. Bring its disk back; if it is gone for good, "
            f"wt doctor --fix unlocks it and wt enter {name} makes it again{end}.")


def damaged(_: Row, name: str) -> str:
    return f"git does not work in its folder any more: wt enter {name} mends it."


def unreadable(one: Row, _: str) -> str:
    path = quoted(one["path"])
    return f"its folder cannot be read, so it counts as there: mend the permissions of {path}, or bring its disk back."


TROUBLE: dict[str | None, Callable[[Row, str], str]] = {
    "missing": missing, "locked, missing": locked_missing, "damaged": damaged, "unreadable": unreadable}

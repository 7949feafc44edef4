"""What `wt doctor` finds in the state of the repository it stands in, and what a finding is."""
from __future__ import annotations

import argparse
import re
from datetime import timedelta
from typing import Any

from guard.wt import bringing_in, emptying, git, snapshots, status_words, trouble
from guard.wt.commands import status
from guard.wt.models import moment
from guard.wt.repository import Repository

KEPT_IN = (snapshots.REFS, bringing_in.BACKUPS, emptying.REFS)
OLD = timedelta(days=30)
DAY = re.compile(r"-(\d{8})T\d{6}")
Finding = dict[str, Any]
Row = dict[str, Any]  # of survey.row


def finding(check: str, state: str, said: str, cure: str = "", *, fix: str | None = None, fixed: bool = False) -> Finding:
    """`state`: good, note or wrong; `fix`: the name of what `wt doctor --fix` can do about it."""
    return {"check": check, "state": state, "said": said, "cure": cure, "fix": fix, "fixed": fixed}


def state(repository: Repository) -> list[Finding]:
    """A binding that leads nowhere, worktrees in trouble, state that could not be read, faults of the hook."""
    seen = status.run(repository, argparse.Namespace(session=None))
    own, found = seen["binding"], []
    if own and own["condition"] in status_words.STALE:
        cure = " ".join(status_words.cure_of_binding(seen))
        found.append(finding("binding", "wrong", f"bound to {own['path']}: {own['condition']}", cure))
    found += troubled(seen["worktrees"], but=own["path"] if found else "")
    cure = "look at it, then delete it; wt enter makes a new one"
    found += [finding("state", "wrong", f"spoilt: {path}", cure) for path in seen["spoilt"]]
    found += [finding("settings", "wrong", warning, "mend that field; wt status") for warning in seen["settings"]["warnings"]]
    if seen["faults"]:
        last = seen["faults"][-1]
        found.append(finding("faults", "note", f"the hook's last fault: {last.get('fault')} ({last.get('at')})", "wt status"))
    return found + old_refs(repository)


def old_refs(repository: Repository) -> list[Finding]:
    """Work that was kept on the way of something else stays until a person drops it. Its name ends with the time."""
    names = git.lines(git.ask_or("", "for-each-ref", "--format=%(refname)", *KEPT_IN, cwd=repository.at))
    days = sorted(found[-1] for found in (DAY.findall(name) for name in names) if found)
    old = [day for day in days if day < moment(-OLD)[:10].replace("-", "")]
    if not old:
        return []
    cure = f"git for-each-ref {' '.join(KEPT_IN)} shows them; git update-ref -d REF drops one"
    return [finding("kept work", "note", f"{len(old)} of the refs that keep work are older than {OLD.days} days", cure)]


def troubled(rows: list[Row], but: str) -> list[Finding]:
    """Those that are not as they should be, and that --fix does not mend. (It does where one is locked and its folder is missing.)"""
    return [finding("worktree", "note", f"{one['path']} is in trouble", said) for one in rows
            if one["stale"] != "locked, missing" and one["path"] != but and (said := trouble.of(one, rows))]

"""What `wt clean` may take: what is ours, merged, and passes the gate of every removal. When in doubt a worktree stays."""
from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from guard.wt import bindings, gate, git, held, trash
from guard.wt.errors import WtError
from guard.wt.gate import Case
from guard.wt.models import moment
from guard.wt.presence import presence

YOUNG = timedelta(days=1)
NEW, LATER = "no commits of its own yet", "wt clean --include-new, once it is a day old"
# What git writes into a log for a commit that was made there, and not only come to: "commit (amend): …", "pull --rebase o b (pick): …".
WRITTEN = re.compile(r"(commit|cherry-pick|revert|am)\b|[^:]*rebase[^:]*\((pick|reword|edit|squash|fixup|continue)\)")


@dataclass(frozen=True)
class Verdict:
    """Whether it `goes`, why in words, and a code for programs: of the way it was merged, or of what stands against it, with what helps."""

    goes: bool
    code: str
    why: str
    hint: str = ""


def judged(case: Case, *, include_new: bool = False) -> Verdict:
    """The first thing that stands against it; else how it was merged."""
    try:
        for check in CHECKS:
            stays = check(case)
            if stays is not None:
                return stays
        found = merged(case)
    except WtError as refusal:  # damaged, or git cannot look
        return stay(refusal.code, refusal.said, refusal.hint)
    except OSError as fault:  # somebody is at work in it
        return stay("unreadable", str(fault))
    return old_enough(case) if found.code == "new" and include_new else found


def stay(code: str, why: str, hint: str = "") -> Verdict:
    return Verdict(False, code, why, hint)


def ours(case: Case) -> Verdict | None:
    return None if case.record is not None and case.record.owned else stay("foreign", "wt did not make it", gate.foreign_way(case))


def there(case: Case) -> Verdict | None:
    gone = presence(case.repository, case.path) in ("gone", "away")
    way = f"wt remove {case.quoted} forgets it, wt enter {case.quoted} makes it again"
    return stay("missing", "its folder is gone", way) if gone else None


def whole(case: Case) -> Verdict | None:
    """Neither half made, nor half removed or restored."""
    if case.record is not None and case.record.making is not None:
        return stay("being-made", "its making has not come to its end", f"wt setup {case.quoted}, unless another wt still makes it")
    half = trash.half_way(case.repository, case.path)
    if half is None:
        return None
    code, why = ("half-removed", "its removal was interrupted") if half.step == "removing" else ("half-restored", "it is half restored")
    return stay(code, why, f"wt restore {half.id} brings it back whole")


def unlocked(case: Case) -> Verdict | None:
    """Even by a process that has ended: whoever locks a worktree means those who clean up."""
    reason = case.entry.locked
    way = f"git worktree unlock {case.quoted}, if that holds no longer"
    return None if reason is None else stay("locked", f"it is locked ({reason or 'no reason given'})", way)


def unbound(case: Case) -> Verdict | None:
    """By nobody, the caller neither."""
    held_by = bindings.of_worktree(case.repository, case.path)
    return stay("bound", gate.who_works(held_by), f"wt leave {case.quoted}, when that work is over") if held_by else None


def through_the_gate(case: Case) -> Verdict | None:
    found = [one for one in gate.findings(case) if not one.discard or one.discard not in case.discard]
    return stay(found[0].code, "; ".join(one.said for one in found), found[0].cure) if found else None


def on_a_branch(case: Case) -> Verdict | None:
    """Of its own: a checkout of `release` is there to stay, however often that is merged."""
    branch = case.entry.branch
    if not branch:
        return stay("detached", "its HEAD is detached", f"git -C {case.quoted} switch BRANCH, or wt remove {case.quoted}")
    if branch == case.base or branch in bindings.protected(case.repository, case.base):
        return stay("protected", f"{branch} is a protected branch", f"wt remove {case.quoted}")
    return None


def not_restored(case: Case) -> Verdict | None:
    """A person wanted it back as it is. With another commit it is judged anew."""
    came_back_at = case.record.restored_head if case.record else ""
    again = bool(came_back_at) and came_back_at == case.entry.head
    return stay("restored", "somebody brought it back from the trash just so", f"wt remove {case.quoted}") if again else None


CHECKS: tuple[Callable[[Case], Verdict | None], ...] = (
    whole, ours, there, unlocked, unbound, through_the_gate, on_a_branch, not_restored)


def merged(case: Case) -> Verdict:
    """By ancestry if it has commits of its own, else by its content. That it was pushed, or is on another branch, does not count."""
    repository, head = case.repository, case.entry.head
    if not head.strip("0"):
        return stay("new", NEW, LATER)
    places = held.places(repository, case.entry.branch, case.base)
    for place in places:
        if git.holds("merge-base", "--is-ancestor", head, place, cwd=repository.at):
            if came_from_the_side(case, place) or written_here(case):
                return Verdict(True, "merged", f"merged: {place} has all of it")
            return stay("new", NEW, LATER)
    taken = next((said for place in places if (said := held.taken_over(repository, head, place))), "")
    if taken:
        return Verdict(True, "merged", taken)
    way = f"wt merge {case.quoted}; or wt clean --fetch, if it was merged elsewhere"
    return stay("not-merged", f"not merged into {' or '.join(places) or 'anything known'}", way)


def came_from_the_side(case: Case, place: str) -> bool:
    """A merge brought it there: it is not on the main line of that place. False where git cannot tell."""
    since = case.record.base_commit if case.record else ""
    if not since or since == case.entry.head:
        return False
    line = git.ask_or("", "rev-list", "--first-parent", place, f"^{since}", "--", cwd=case.repository.at).split()
    return bool(line) and case.entry.head not in line


def written_here(case: Case) -> bool:
    """A commit on the way from its start to its tip was made in this worktree, or on its branch, says a log. Else it was only updated."""
    since = case.record.base_commit if case.record else ""
    rows = [row for name in ("HEAD", f"refs/heads/{case.entry.branch}")
            for row in git.lines(git.ask_or("", "log", "-g", "--format=%H %gs", name, "--", cwd=case.path))]
    made = {row.partition(" ")[0] for row in rows if WRITTEN.match(row.partition(" ")[2])}
    return bool(since) and bool(made & set(git.ask_or("", "rev-list", case.entry.head, f"^{since}", "--", cwd=case.repository.at).split()))


def old_enough(case: Case) -> Verdict:
    """A new one goes only when asked for, and not on its first day."""
    made = case.record.created_at if case.record else ""
    if not made or made > moment(-YOUNG):
        return stay("young", f"{NEW}, and made less than a day ago", f"wt remove {case.quoted}")
    return Verdict(True, "new", f"{NEW}, and older than a day")


def changed_since(case: Case, branch: str, head: str) -> Verdict | None:
    """It was planned on another branch, or at another commit."""
    now = case.entry
    if (now.branch, now.head) == (branch, head):
        return None
    return stay("changed", f"it has moved on to {now.branch or 'a detached HEAD'} @ {now.head[:9]} meanwhile", "wt clean looks at it anew")


def vanished() -> Verdict:
    return stay("gone", "somebody else has removed it meanwhile")

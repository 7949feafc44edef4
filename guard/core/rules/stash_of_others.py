"""The stash is one for all worktrees: entries of others stay theirs.

    git stash pop       of another worktree's entry   deny
    git stash drop      of one's own                  ask
    git stash clear     while others have entries     deny
    git stash push                                    pass + note
"""
from guard.core.judge import question, refuse
from guard.core.model import ALLOW, MAIN, Answer, Effect, Facts
from guard.core.rules import bound, standing, typed


def answer(effect: Effect, facts: Facts) -> "Answer | None":
    if not standing(facts) or (facts.place == MAIN and bound(facts)):
        return None
    verb = effect.flags[0]
    if verb == "push":
        return Answer(kind=ALLOW, note="The stash is shared by all worktrees; a commit on your branch is safer.")
    others = {branch: path for branch, path in facts.held if branch and path != facts.root}
    entries = facts.named
    pushed = int(effect.refs[1]) if facts.lost and len(effect.refs) > 1 else 0  # its own, made just before
    if verb == "clear":
        foreign = [branch for branch in entries if branch in others]
        if foreign:
            return refused(effect, foreign[0], others[foreign[0]])
        return dropped(effect, len(entries) + pushed) if entries or pushed else None
    number = entry_number(effect.refs[0]) - pushed
    if number < 0:
        return dropped(effect, 1) if verb == "drop" else None
    branch = entries[number] if number < len(entries) else ""
    if branch in others:
        return refused(effect, branch, others[branch])
    return dropped(effect, 1) if verb == "drop" and number < len(entries) else None


def entry_number(entry: str) -> int:
    """stash@{2}, 2 -> 2"""
    digits = entry.rpartition("{")[2].rstrip("}")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 6 else 0


def refused(effect: Effect, branch: str, path: str) -> Answer:
    return refuse("stash-of-others", typed(effect), f"that entry was made on {branch}, in {path}; the stash is shared by all worktrees.",
                  "git stash list  (shows whose entries those are)")


def dropped(effect: Effect, many: int) -> Answer:
    what = "an entry" if many == 1 else f"{many} entries"
    return question("discard", typed(effect), f"{what} of the stash would be gone, perhaps the only copy.",
                    "git stash show -p  (shows what is in it)")

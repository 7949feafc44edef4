"""Throwing away what is held nowhere else. Asked only when something would really be lost.

    git reset --hard            with open changes     ask
    git checkout .              with open changes     ask
    git clean -fd               with untracked files  ask
    git reset --hard            nothing open          pass
    git checkout -- one-file                          pass
"""
from guard.core.judge import question, quoted
from guard.core.model import OWN, Answer, Effect, Facts
from guard.core.rules import standing, typed


def answer(effect: Effect, facts: Facts) -> "Answer | None":
    if facts.place != OWN or not facts.lost or not standing(facts):
        return None
    names = ", ".join(facts.named)
    more = facts.lost - len(facts.named) if not any(" commit" in name for name in facts.named) else 0
    why = f"it would throw away what is held nowhere else: {names}{f' and {more} more' if more > 0 else ''}." if names else (
        "it would throw away open work, perhaps: git did not say in time.")
    return question("discard", typed(effect), why, instead(effect, facts))


def instead(effect: Effect, facts: Facts) -> str:
    """First what keeps it and changes nothing. Not the stash: that is one for all worktrees."""
    keep = f"wt snapshot {quoted(facts.root)}"
    if facts.foreign:
        return f"{keep}  (keeps a copy of everything, conflicts included; a person decides about the rest)"
    if any(" commit" in name for name in facts.named):
        more = f"; {keep} keeps the open changes" if facts.lost > 1 and len(facts.named) > 1 else ""
        return f"git branch keep-NAME  (holds the commits{more}; then the same command)"
    if "ignored" in effect.flags:
        from guard.core.cleaning import again
        return f"{again(effect, 'n')}  (shows what would go; ignored files are in no commit and no stash)"
    return f"{keep}  (keeps all of it in a ref, untracked files too, and changes nothing; a commit on your branch holds it as well)"

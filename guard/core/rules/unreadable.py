"""A command that the reader cannot follow to its end. Setting `unreadable`: ask, pass or deny.

    echo 'unclosed                         pass
    git push origin main 'unclosed         ask
"""
from guard.core.model import Answer, Effect, Facts
from guard.core.rules import choose, home


def answer(effect: Effect, facts: Facts) -> "Answer | None":
    text = effect.refs[0]
    if not facts.named and not names_git(text):
        return None
    said = text.strip().partition("\n")[0][:80]
    return choose(home(facts).settings.unreadable, "unreadable", said, f"the command cannot be followed to its end: {effect.said}.",
                  "split it into shorter commands, or write it to a file with a here-document first.")


def names_git(text: str) -> bool:
    """The word git stands in it."""
    at = text.find("git")
    while at >= 0:
        before, after = text[at - 1:at], text[at + 3:at + 4]
        if not (before.isalnum() or (before and before in "._-")) and not (after.isalnum() or after in ("_", ".", "h")):
            return True
        at = text.find("git", at + 3)
    return False

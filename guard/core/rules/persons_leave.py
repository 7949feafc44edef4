"""Commands of `wt` that are a person's to give. An agent that could loosen the guard would have none.

    wt authorize-main --reason x    ask
    wt allow docs --reason x        ask
    wt trust --accept               ask; wt trust, which shows, passes
    wt leave                        ask when a person or another session made the binding
    wt enter x                      ask when another living session works there
    wt status                       pass
"""
from guard.core.judge import question
from guard.core.model import Answer, Effect, Facts
from guard.core.rules import typed
from guard.core.shell import HOLE

LOOSENS = {"authorize-main": "it lets the main checkout be written", "allow": "it lets a protected path be written",
           "trust": "it lets the repository's own commands run", "uninstall": "it takes the guard away"}


def answer(effect: Effect, facts: Facts) -> "Answer | None":
    line = typed(effect)
    if effect.verb in LOOSENS and not shows(effect):
        return question("persons-leave", line, f"{LOOSENS[effect.verb]}, which only a person may decide.",
                   "the person runs it in a terminal of their own.")
    if facts.foreign and effect.verb in ("leave", "exit"):
        return question("persons-leave", line, "a person or another session made this binding.",
                   "wt status  (shows who; wt enter NAME takes a worktree of your own)")
    if facts.foreign:
        return question("persons-leave", line, "another living session works in that worktree.", "wt enter NAME  (a name of your own)")
    return None


def shows(effect: Effect) -> bool:
    """`wt trust` without `--accept`, which could also stand in a word that nobody can know. Ending a trust loosens nothing."""
    return effect.verb == "trust" and not any(word == "--accept" or HOLE in word for word in effect.words)

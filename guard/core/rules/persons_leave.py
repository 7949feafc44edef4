"""Commands of `wt` that are a person's to give. An agent that could loosen the guard would have none.

    wt authorize-main --reason x    ask
    wt allow docs --reason x        ask
    wt leave                        ask when a person or another session made the binding
    wt enter x                      ask when another living session works there
    wt status                       pass
"""
from guard.core.judge import question
from guard.core.model import Answer, Effect, Facts
from guard.core.rules import typed

LOOSENS = {"authorize-main": "it lets the main checkout be written", "allow": "it lets a protected path be written",
           "trust": "it lets commands of the settings file run", "uninstall": "it takes the guard away"}


def answer(effect: Effect, facts: Facts) -> "Answer | None":
    line = typed(effect)
    if effect.verb in LOOSENS:
        return question("persons-leave", line, f"{LOOSENS[effect.verb]}, which only a person may decide.",
                   "the person runs it in a terminal of their own.")
    if facts.foreign and effect.verb in ("leave", "exit"):
        return question("persons-leave", line, "a person or another session made this binding.",
                   "wt status  (shows who; wt enter NAME takes a worktree of your own)")
    if facts.foreign:
        return question("persons-leave", line, "another living session works in that worktree.", "wt enter NAME  (a name of your own)")
    return None

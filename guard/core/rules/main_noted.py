"""Programs that see, or may change, the main checkout while the work is elsewhere: they pass, and the model is told.

    npm test             in the main checkout   pass + note
    python gen.py R/src  from the worktree      pass + note
    ls                   in the worktree        pass
"""
from guard.core.judge import quoted
from guard.core.model import ALLOW, LOST, MAIN, Answer, Effect, Facts
from guard.core.rules import authorised, bound, home


def answer(effect: Effect, facts: Facts) -> "Answer | None":
    own = bound(facts)
    if own is None or authorised(facts) or own.condition in LOST:
        return None
    if facts.place == MAIN:
        return Answer(kind=ALLOW, note=f"This runs in the main checkout {home(facts).main}; your worktree is elsewhere: "
                      f"cd {quoted(own.path)}")
    if facts.named:
        return Answer(kind=ALLOW, note=f"{facts.named[0]} is the main checkout's copy; your worktree is {own.path}.")
    return None

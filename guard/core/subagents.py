"""Starting helpers and the client's own worktrees: a prompt that names R's paths, EnterWorktree while bound."""
from guard.core.files import PASS
from guard.core.judge import quoted, refuse
from guard.core.model import ALLOW, ENTER, OWN, Answer, Effect, Facts


def answer(effect: Effect, facts: Facts) -> Answer:
    repository = facts.repository
    bound = repository.binding if repository else None
    if repository is None or bound is None:
        return PASS
    if effect.kind == ENTER:
        if facts.place == OWN or bound.source not in ("session", "repository"):
            return PASS
        return refuse("leave-first", f"EnterWorktree of {effect.path or effect.tail or 'a new worktree'}",
                      f"this session is bound to {bound.path}.", f"stay there (cd {quoted(bound.path)}), or leave it first: " +
                      ("wt leave" if bound.source == "session" else "whoever made the binding runs wt leave."))
    if names(effect.path, repository.main, bound.path):
        return Answer(kind=ALLOW, note=f"The prompt names the main checkout; a helper should use your worktree's paths: {bound.path}")
    return PASS


def names(text: str, main: str, own: str) -> bool:
    """Does the text name a path of the main checkout that is not one of the (perhaps nested) worktree?"""
    at = text.find(main) if main else -1
    while at >= 0:
        after = text[at + len(main):at + len(main) + 1]
        if not text.startswith(own, at) and not (after.isalnum() or (after and after in "-_.")):
            return True
        at = text.find(main, at + 1)
    return False

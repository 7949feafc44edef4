"""Taking worktrees away: they may hold the only copy of something. (git-worktree(1), remove, move, unlock, prune)

    git worktree remove --force W2    deny
    git worktree move W2 elsewhere    deny
    git worktree prune                ask while something is prunable
    git worktree list                 pass
    git clean -ffdx                   deny where it takes worktrees; with one f git leaves them alone
"""
from guard.core.judge import question, quoted, refuse
from guard.core.model import Answer, Effect, Facts
from guard.core.rules import typed

WHY = {"remove": "git deletes ignored files with it, and with --force uncommitted work as well.",
       "move": "whoever is bound to it would lose it.",
       "unlock": "a lock says that somebody works there, or that its disk is away."}


def answer(effect: Effect, facts: Facts) -> "Answer | None":
    verb = effect.flags[0]
    if verb == "clean":
        return clean(effect, facts) if facts.named else None
    if verb == "prune":
        if not facts.named:
            return None
        names = ", ".join(facts.named[:3]) + (", ..." if len(facts.named) > 3 else "")
        return question("worktree-removal", typed(effect),
                   f"git would forget {names}: index, HEAD and unreferenced commits, though the folder may come back.",
                   "git worktree repair  (once the folder is back where it was; git worktree lock keeps one that is away)")
    if verb == "remove" and effect.refs and "\0" not in effect.refs[0]:
        return refuse("worktree-removal", typed(effect), WHY[verb], f"wt remove {quoted(effect.refs[0])}  (looks first what only it holds)")
    return refuse("worktree-removal", typed(effect), WHY[verb], "wt status  (shows who works in each worktree and what it holds)")


def clean(effect: Effect, facts: Facts) -> Answer:
    """The way out is the same with one f: git then skips repositories that lie below, and what is in them."""
    from guard.core.cleaning import again
    many = f" and {len(facts.named) - 1} more" if len(facts.named) > 1 else ""
    return refuse("worktree-removal", typed(effect), f"it would take away {facts.named[0]}{many}, with whatever exists only there.",
                  f"{again(effect, 'f')}  (with one f git leaves worktrees alone; wt remove NAME takes one away)")

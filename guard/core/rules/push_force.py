"""Forced pushes, and taking away the remote copy of a worktree's branch.

    git push --force origin wt/x             ask
    git push --force-with-lease origin wt/x  pass
    git push origin --delete wt/y            deny
"""
from guard.core.judge import question, quoted, refuse
from guard.core.model import Answer, Effect, Facts
from guard.core.rules import short, standing, typed


def answer(effect: Effect, facts: Facts) -> "Answer | None":
    specs = effect.refs[1:]
    gone = [short(spec.lstrip("+").lstrip(":")) for spec in specs if "delete" in effect.flags or spec.lstrip("+")[:1] == ":"]
    for branch, path in facts.held:
        if branch and branch in gone:
            return refuse("worktree-branch", typed(effect),
                          f"{branch} is the branch of the worktree {path}; its remote copy may be the only other one.",
                          "wt status  (shows what that worktree holds; the remote branch goes after it)")
    forced = "force" in effect.flags or any(spec[:1] == "+" for spec in specs)
    if not forced or not standing(facts) or gone:
        return None
    plain = " ".join([quoted(spec.lstrip("+")) for spec in specs if "\0" not in spec]) or quoted(facts.head or "HEAD")
    return question("force-push", typed(effect), "a plain force takes away whatever others have pushed to that branch meanwhile.",
               f"git push --force-with-lease {remote_of(effect)} {plain}".rstrip())


def remote_of(effect: Effect) -> str:
    return quoted(effect.refs[0]) if effect.refs and effect.refs[0] and "\0" not in effect.refs[0] else "origin"

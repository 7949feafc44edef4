"""What is refused of a shell command, in one ordered table: the first rule of its kind that has an answer wins, else it passes.

A rule is a module with `answer(effect, facts)` that gives an Answer or None; RULES says for which kinds it is asked.
"""
from guard.core.model import (
    BRANCH,
    CHANGE,
    CONFIG,
    ELSEWHERE,
    HISTORY,
    PERSON,
    PUSH,
    RUN,
    UNHOOKED,
    UNREAD,
    WORKTREE,
    Answer,
    Effect,
    Facts,
)

RULES = (
    (PUSH, "push_to_protected"),
    (PUSH, "push_force"),
    (BRANCH, "stale"),
    (BRANCH, "protected_branch"),
    (BRANCH, "branch_in_use"),
    (BRANCH, "merge_of_others"),
    (CHANGE, "stale"),
    (CHANGE, "wrong_checkout"),
    (WORKTREE, "worktree_removal"),
    (CONFIG, "shared_config"),
    (HISTORY, "history"),
    (UNHOOKED, "skipped_hooks"),
    (PERSON, "persons_leave"),
    (RUN, "main_noted"),
    (UNREAD, "unreadable"),
)


def answer(effect: Effect, facts: Facts) -> Answer:
    if facts.repository is None or facts.place == ELSEWHERE:
        return Answer(kind="allow")
    for kind, module in RULES:
        if kind == effect.kind:
            rule = __import__(f"guard.core.rules.{module}", fromlist=["answer"])
            found: "Answer | None" = rule.answer(effect, facts)
            if found is not None:
                return found
    return Answer(kind="allow")

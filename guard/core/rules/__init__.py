"""What is refused of a shell command, in one ordered table: the first rule of its kind that has an answer wins, else it passes.

A rule is a module with `answer(effect, facts)` that gives an Answer or None; RULES says for which kinds it is asked.
"""
from guard.core import judge
from guard.core.judge import question, refuse, working_in
from guard.core.model import (
    BRANCH,
    CHANGE,
    CONFIG,
    DISCARD,
    ELSEWHERE,
    HISTORY,
    LOST,
    MAIN,
    OWN,
    PERSON,
    PUSH,
    RUN,
    STASH,
    UNHOOKED,
    UNKNOWN,
    UNREAD,
    WORKTREE,
    Answer,
    Binding,
    Effect,
    Facts,
    Repository,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def at_unknown_place(e: Effect, f: Facts) -> bool:
    return f.place == UNKNOWN and bound(f) is not None


def always(e: Effect, f: Facts) -> bool:
    return True


def worktree_is_gone(e: Effect, f: Facts) -> bool:
    own = bound(f)
    return own is not None and own.condition in LOST


def not_plainly_ours(e: Effect, f: Facts) -> bool:
    own = bound(f)
    return f.place != OWN or (own is not None and own.condition != "there")


def forced_or_deleting(e: Effect, f: Facts) -> bool:
    return "force" in e.flags or bool(f.held) or any(ref[:1] == "+" for ref in e.refs)


def merging(e: Effect, f: Facts) -> bool:
    return "merge" in e.flags


def naming(e: Effect, f: Facts) -> bool:
    return "merge" not in e.flags


def about_main(e: Effect, f: Facts) -> bool:
    return bound(f) is not None and (f.place == MAIN or bool(f.named))


RULES: "tuple[tuple[str, str, Callable[[Effect, Facts], bool]], ...]" = (
    # kind     rule                   is it worth a look? Each rule that is not costs a module less
    (PUSH,     "push_to_protected",   always),
    (PUSH,     "push_force",          forced_or_deleting),
    (BRANCH,   "unknown_place",       at_unknown_place),
    (BRANCH,   "protected_branch",    naming),
    (BRANCH,   "branch_in_use",       naming),
    (BRANCH,   "merge_of_others",     merging),
    (CHANGE,   "stale",               worktree_is_gone),
    (CHANGE,   "unknown_place",       at_unknown_place),
    (CHANGE,   "wrong_checkout",      not_plainly_ours),
    (DISCARD,  "discard",             always),
    (STASH,    "stash_of_others",     always),
    (WORKTREE, "worktree_removal",    always),
    (CONFIG,   "shared_config",       always),
    (HISTORY,  "history",             always),
    (UNHOOKED, "skipped_hooks",       always),
    (PERSON,   "persons_leave",       always),
    (RUN,      "main_noted",          about_main),
    (UNREAD,   "unreadable",          always),
)


def answer(effect: Effect, facts: Facts) -> Answer:
    if facts.repository is None or facts.place == ELSEWHERE:
        return Answer(kind="allow")
    for kind, module, worth in RULES:
        if kind == effect.kind and worth(effect, facts):
            rule = __import__(f"guard.core.rules.{module}", fromlist=["answer"])
            found: "Answer | None" = rule.answer(effect, facts)
            if found is not None:
                return found
    return Answer(kind="allow")


# --- what the rules share -------------------------------------------------------------------------------------------



def home(facts: Facts) -> Repository:
    assert facts.repository is not None  # rules/__init__ asks no rule otherwise
    return facts.repository


def bound(facts: Facts) -> "Binding | None":
    return home(facts).binding


def standing(facts: Facts) -> bool:
    """Bound, or standing in a linked worktree: then main is not this call's affair."""
    return bound(facts) is not None or facts.place not in (MAIN, UNKNOWN)


def authorised(facts: Facts) -> bool:
    return bool(home(facts).authorisation)


def spending(facts: Facts) -> Answer:
    """Passes by a person's leave; one that is good for a single call is used up."""
    return Answer(kind="allow", spends=home(facts).authorisation if home(facts).once else "")


def choose(setting: str, rule: str, what: str, why: str, instead: str) -> "Answer | None":
    """The answer that a setting names: pass, ask or deny."""
    if setting == "pass":
        return None
    return (refuse if setting == "deny" else question)(rule, what, why, instead)


def passed(rule: str) -> Answer:
    """Passes, and the audit says by which rule."""
    return Answer(kind="allow", rule=rule)


def typed(effect: Effect) -> str:
    return judge.typed(effect.said)


def in_worktree(effect: Effect, facts: Facts) -> str:
    """The same command, in the bound worktree. Loaded for a refusal alone."""
    from guard.core.remedies import same_command
    return same_command(effect, facts)


def where(facts: Facts) -> str:
    own = bound(facts)
    return f"you work in {working_in(own)}" if own else "this session is in no worktree"


def short(ref: str) -> str:
    """A branch's name from any way to write it: refs/heads/x, heads/x, x."""
    for prefix in ("refs/heads/", "heads/"):
        if ref.startswith(prefix):
            return ref[len(prefix):]
    return ref


def covers(target: str, protected: "tuple[str, ...]") -> bool:
    """Is the target a protected branch, or a pattern that one fits?"""
    name = short(target)
    if "*" in name:
        before, _, after = name.partition("*")
        return any(one.startswith(before) and one.endswith(after) and len(one) >= len(before) + len(after) for one in protected)
    return name in protected

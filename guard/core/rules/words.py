"""What the rules share: the three parts of a refusal, and the command as it would be right."""
from guard.core.files import quoted, refuse, working_in
from guard.core.model import ASK, DENY, MAIN, UNKNOWN, Answer, Binding, Effect, Facts, Repository

LONGEST = 160  # of a command that is repeated


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


def ask(rule: str, what: str, why: str, instead: str) -> Answer:
    return refuse(rule, what, why, instead).but(kind=ASK)  # type: ignore[no-any-return]


def choose(setting: str, rule: str, what: str, why: str, instead: str) -> "Answer | None":
    """The answer that a setting names: pass, ask or deny."""
    if setting == "pass":
        return None
    return refuse(rule, what, why, instead).but(kind=DENY if setting == "deny" else ASK)  # type: ignore[no-any-return]


def typed(effect: Effect) -> str:
    """The command as it was given, shortened."""
    line = " ".join(["git", *[quoted(word) for word in effect.words]]) if effect.said.startswith("git ") else effect.said
    return line if len(line) <= LONGEST else line[:LONGEST] + "..."


def in_worktree(effect: Effect, facts: Facts) -> str:
    """The same git command, pointed at the bound worktree."""
    own = bound(facts)
    assert own is not None
    line = " ".join([quoted(word) for word in effect.words])
    if not line or len(line) > LONGEST or "..." in line or "\n" in line or "\0" in line:
        return f"cd {quoted(own.path)}"
    return f"git -C {quoted(own.path)} {line}"


def where(facts: Facts) -> str:
    own = bound(facts)
    return f"you work in {working_in(own)}" if own else "this session is in no worktree"


def short(ref: str) -> str:
    """A branch's name from any way to write it: refs/heads/x, heads/x, x."""
    for prefix in ("refs/heads/", "heads/"):
        if ref.startswith(prefix):
            return ref[len(prefix):]
    return ref


__all__ = ["Answer", "quoted", "refuse", "working_in"]

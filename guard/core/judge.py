"""A call's verdict from the answers for its effects: the strictest wins, moves are made together, notes are joined."""
from guard.core.model import (
    ALLOW,
    ASK,
    DENY,
    ENTER,
    MENTION,
    READ,
    REWRITE,
    SEARCH,
    SERVER,
    WRITE,
    Abilities,
    Answer,
    Binding,
    Call,
    Effect,
    Facts,
    Verdict,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ANSWERS = {READ: "files", SEARCH: "files", WRITE: "files", SERVER: "servers", MENTION: "subagents", ENTER: "subagents"}  # else: rules


def judge(call: Call, effects: "list[Effect]", facts: "list[Facts]", can: Abilities) -> Verdict:
    """Pure. `facts` stand beside `effects`, one each."""
    steps = [(e, f, settled(step(call, e, f, can), f, can)) for e, f in zip(effects, facts)]
    new: "Any" = call.input
    for e, _, found in steps:
        if found.kind == REWRITE:
            new = put(new, e.at, arrived(e, found.to))
    for kind in (DENY, ASK):
        for _, f, found in steps:
            if found.kind == kind:  # what a person agrees to still moves as it should
                moved = new if kind == ASK and new != call.input else None
                return Verdict(kind=kind, rule=found.rule, reason=found.reason, paths=(f.path,), input=moved)
    notes, rules, paths, spends = [], [], [], ""
    for _, f, found in steps:
        if found.kind == REWRITE:
            rules.append(found.rule)
        if found.note and found.note not in notes:
            notes.append(found.note)
        if (found.kind == REWRITE or found.note) and f.path not in paths:
            paths.append(f.path)
        if found.kind == ALLOW and found.rule:
            rules.append(found.rule)  # a question that the owner answered beforehand
        spends = spends or found.spends
    moved = new != call.input
    return Verdict(kind=REWRITE if moved else ALLOW, input=new if moved else None, rule=rules[0] if rules else "",
                   note=" ".join(notes) if can.notes else "", paths=tuple(paths), spends=spends)


def step(call: Call, effect: Effect, facts: Facts, can: Abilities) -> Answer:
    """One effect's answer, as this client can carry it out: where a rewrite would be spoilt, the right path is named instead."""
    room = __import__(f"guard.core.{ANSWERS.get(effect.kind, 'rules')}", fromlist=["answer"])
    found: Answer = room.answer(effect, facts)
    if found.kind == REWRITE and effect.kind == WRITE and not effect.at:
        return in_the_worktree(effect, facts, found)
    if found.kind != REWRITE or arrived(effect, found.to) == effect.path + effect.tail:
        return found if found.kind != REWRITE else Answer(kind=ALLOW)
    if can.moves and call.tool not in can.steered and not (call.tool in can.steered_if_there and facts.to_there):
        return found
    from guard.core.files import binding
    field = str(effect.at[-1])
    first = " (Read it under that path first)" if facts.to_there else ""
    return refuse("use-worktree-path", f"{effect.said} of {facts.path}",
                  f"you work in the worktree {working_in(binding(facts))}; this path is the main checkout's.",
                  f"{effect.said} with {field} {arrived(effect, found.to)}{first}")


def in_the_worktree(effect: Effect, facts: Facts, found: Answer) -> Answer:
    """A command cannot be moved: it is told how it would be right."""
    from guard.core.files import binding
    from guard.core.remedies import does, same_write
    return refuse("use-worktree-path", typed(effect.said),
                  f"it would {does(effect)} {facts.path} in the main checkout; you work in {working_in(binding(facts))}.",
                  same_write(effect, facts, found.to))


def settled(found: Answer, facts: Facts, can: Abilities) -> Answer:
    """A question as the owner and the client would have it (setting `asks`); anything else as it is."""
    asks = facts.repository.settings.asks if facts.repository else "ask"
    if found.kind == ASK and asks == "pass":
        return Answer(kind=ALLOW, rule=found.rule)
    if found.kind == ASK and (asks == "deny" or not can.asks):
        return Answer(kind=DENY, rule=found.rule, reason=found.reason + "\n(Nobody can be asked here, so it is refused.)")
    return found


def arrived(effect: Effect, to: str) -> str:
    """The moved path as it goes into the input: with the separator the caller ended it with, and what followed it."""
    last = effect.path[-1:]
    if last in ("/", "\\") and not to.endswith(last) and not effect.tail:
        to += last
    return to + effect.tail


def put(value: "Any", at: "tuple[Any, ...]", new: str) -> "Any":
    """A copy of `value` with the place at these keys changed."""
    if not at:
        return new
    copy: "Any" = value[:] if isinstance(value, list) else dict(value)
    inner = copy.get(at[0]) if isinstance(copy, dict) else copy[at[0]]
    copy[at[0]] = put(inner, at[1:], new)
    return copy


LONGEST = 160  # of a command that is repeated


# --- words of every refusal -----------------------------------------------------------------------------------------

def refuse(rule: str, what: str, why: str, instead: str) -> Answer:
    """A refusal in its three parts: what, why, and what to call instead."""
    return Answer(kind=DENY, rule=rule, reason=f"{what} refused: {why}\nInstead: {instead}\n(worktree-guard: {rule})")


def question(rule: str, what: str, why: str, instead: str) -> Answer:
    """The same three parts, for a person to decide."""
    return Answer(kind=ASK, rule=rule, reason=f"{what} needs a person's word: {why}\nInstead: {instead}\n(worktree-guard: {rule})")


def working_in(bound: Binding) -> str:
    return f"{bound.path}, branch {bound.head or bound.branch}" if bound.head or bound.branch else bound.path


def quoted(word: str) -> str:
    """A word as a shell would take it."""
    plain = word and all(c.isalnum() or c in "/._-+=:@%," for c in word)
    return word if plain else "'" + word.replace("'", "'\\''") + "'"


def typed(said: str) -> str:
    """A command as it was given, on one line, shortened."""
    first, broken, _ = said.strip().partition("\n")
    line = first + " ..." if broken else first
    return line if len(line) <= LONGEST else line[:LONGEST] + "..."

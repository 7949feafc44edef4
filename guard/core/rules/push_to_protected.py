"""Pushing to a protected branch, in whatever words. (git-push(1), <refspec>)

    git push origin HEAD:main         deny
    git push origin +wt/x:refs/heads/main   deny
    git push --all                    deny
    gh pr merge 12                    deny
    git push -u origin wt/x           pass
    git push origin main-menu         pass
"""
from guard.core.judge import question, quoted, refuse
from guard.core.model import LOST, Answer, Effect, Facts
from guard.core.rules import authorised, bound, choose, covers, home, passed, spending, typed

RULE = "push-to-protected"


def answer(effect: Effect, facts: Facts) -> "Answer | None":
    targets = destinations(effect, facts)
    hits = [name for name in targets if name == "*" or covers(name, facts.protected)]
    if not hits:
        if any("\0" in name for name in targets):
            return choose(home(facts).settings.unresolved, "unresolved", typed(effect),
                          "which branch it pushes to cannot be known beforehand.", "write the branch's name out.") or passed("unresolved")
        return None
    if authorised(facts):
        return spending(facts)
    names = ", ".join([name for name in dict.fromkeys(hits) if name != "*"])
    deletes = "delete" in effect.flags or any(spec.lstrip("+")[:1] == ":" and spec.strip("+:") for spec in effect.refs[1:])
    does = "merge into" if "merge" in effect.flags else "delete" if deletes else "push to"
    why = f"it would {does} {names}, which is protected here ({', '.join(facts.protected)})." if names else (
        f"it would push every branch, protected ones ({', '.join(facts.protected)}) among them.")
    if "merge" in effect.flags:
        return (refuse if home(facts).used or bound(facts) else question)(RULE, typed(effect), why, merged_by_a_person(effect, facts))
    if not home(facts).used and not bound(facts):
        return question(RULE, typed(effect), why, "git switch -c NAME  (then push that branch, and open a pull request)")
    return refuse(RULE, typed(effect), why, instead(effect, facts))


def instead(effect: Effect, facts: Facts) -> str:
    own, remote = bound(facts), effect.refs[0] if effect.refs and "\0" not in effect.refs[0] else ""
    branch = (own.head or own.branch) if own else facts.head or ""
    gone = own is not None and own.condition in LOST
    if "/" in remote or remote == ".":
        remote = "origin"
    if not branch or gone or branch in facts.protected or "\0" in branch:
        return "wt enter NAME  (commit there, and push that branch; a person can allow main: wt authorize-main --reason '...')"
    at = f"git -C {quoted(own.path)} " if own else "git "
    return (f"{at}push -u {quoted(remote or 'origin')} {quoted(branch)}  (then open a pull request; "
            "a person can allow main: wt authorize-main --reason '...')")


def merged_by_a_person(effect: Effect, facts: Facts) -> str:
    """gh pr merge: the branch is pushed and the pull request open; what is left is not the agent's to do."""
    number = next((" " + quoted(word) for word in effect.words[3:] if word.isdigit() or "/pull/" in word), "")
    own = bound(facts)
    name = own.path.replace("\\", "/").rpartition("/")[2] if own else ""
    leave = f"wt authorize-main --only merge --reason '...'; then wt merge {quoted(name)}" if own else "wt authorize-main --reason '...'"
    return f"gh pr view{number}  (a person merges it, or runs {leave})"


def destinations(effect: Effect, facts: Facts) -> "list[str]":
    """The refs on the other side that would change; "*" for all of them."""
    if "merge" in effect.flags:  # gh pr merge: into the branch the pull request is for, which nobody here knows to be another
        return list(facts.protected[:1]) if not facts.foreign else []
    if "all" in effect.flags or "branches" in effect.flags or "mirror" in effect.flags:
        return ["*"]
    specs = list(effect.refs[1:])
    if not [spec for spec in specs if spec not in (":", "+:")]:
        if specs:
            return ["*"]
        return [] if "tags" in effect.flags else by_settings(effect.refs[0] if effect.refs else "", facts)
    found = []
    for spec in specs:
        source, colon, target = spec.lstrip("+").partition(":")
        target = target if colon else source
        if spec[:1] == "^" or not target:
            continue
        found.append((facts.head or "") if target in ("HEAD", "@") else target)
    return found


def by_settings(remote: str, facts: Facts) -> "list[str]":
    """Where a push without refspec goes: remote.<name>.push, else push.default. (git-config(1))"""
    config = facts.config or {}
    head = facts.head or ""

    def last(name: str) -> str:
        return config[name][-1] if config.get(name) else ""

    remote = remote or last(f"branch.{head}.pushremote") or last("remote.pushdefault") or last(f"branch.{head}.remote") or "origin"
    if last(f"remote.{remote}.mirror") == "true":
        return ["*"]
    given = config.get(f"remote.{remote}.push", [])
    if given:
        return [(spec.lstrip("+").rpartition(":")[2] or "*").replace("HEAD", head) for spec in given]
    default = last("push.default") or "simple"
    if default == "matching":
        return ["*"]
    if default in ("upstream", "tracking"):
        return [last(f"branch.{head}.merge") or head]
    return [] if default == "nothing" else [head]

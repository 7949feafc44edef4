"""Pushing to a protected branch, in whatever words. (git-push(1), <refspec>)

    git push origin HEAD:main         deny
    git push origin +wt/x:refs/heads/main   deny
    git push --all                    deny
    git push -u origin wt/x           pass
    git push origin main-menu         pass
"""
from guard.core.judge import question, quoted, refuse
from guard.core.model import Answer, Effect, Facts
from guard.core.rules import authorised, bound, choose, home, short, spending, typed

RULE = "push-to-protected"


def answer(effect: Effect, facts: Facts) -> "Answer | None":
    targets = destinations(effect, facts)
    hits = [name for name in targets if name == "*" or covers(name, facts.protected)]
    if not hits:
        if any("\0" in name for name in targets):
            return choose(home(facts).settings.unresolved, "unresolved", typed(effect),
                          "which branch it pushes to cannot be known beforehand.", "write the branch's name out.")
        return None
    if authorised(facts):
        return spending(facts)
    names = ", ".join([("every branch" if name == "*" else name) for name in dict.fromkeys(hits)])
    why = f"it would push to {names}, which is protected here ({', '.join(facts.protected)})."
    if not home(facts).used and not bound(facts):
        return question(RULE, typed(effect), why, "git switch -c NAME  (then push that branch, and open a pull request)")
    return refuse(RULE, typed(effect), why, instead(effect, facts))


def instead(effect: Effect, facts: Facts) -> str:
    own, remote = bound(facts), effect.refs[0] if effect.refs and "\0" not in effect.refs[0] else ""
    branch = (own.head or own.branch) if own else facts.head or ""
    if not branch or branch in facts.protected:
        return "wt enter NAME  (commit there, and push that branch; a person can allow main: wt authorize-main --reason '...')"
    at = f"git -C {quoted(own.path)} " if own else "git "
    return (f"{at}push -u {quoted(remote or 'origin')} {quoted(branch)}  (then open a pull request; "
            "a person can allow main: wt authorize-main --reason '...')")


def covers(target: str, protected: "tuple[str, ...]") -> bool:
    """Is the target a protected branch, or a pattern that one fits?"""
    name = short(target)
    if "*" in name:
        before, _, after = name.partition("*")
        return any(one.startswith(before) and one.endswith(after) and len(one) >= len(before) + len(after) for one in protected)
    return name in protected


def destinations(effect: Effect, facts: Facts) -> "list[str]":
    """The refs on the other side that would change; "*" for all of them."""
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

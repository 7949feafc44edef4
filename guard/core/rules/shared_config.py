"""Settings of the repository that every worktree obeys. (git-config(1))

    git config core.bare true           deny
    git config core.hooksPath /dev/null deny
    git config core.bare false          pass
    git config gc.auto 0                ask
    git config user.name me             pass
"""
from guard.core.judge import question, refuse
from guard.core.model import Answer, Effect, Facts
from guard.core.rules import authorised, typed

BREAKING = {"core.bare": "every checkout of this repository stops working while it is set.",
            "core.worktree": "it sends every git command of the repository to that folder.",
            "core.hookspath": "it takes the hooks away from every worktree."}
ASKED = ("extensions.", "gc.")


def answer(effect: Effect, facts: Facts) -> "Answer | None":
    key, value = effect.refs[0].lower(), effect.refs[1].lower()
    if key in BREAKING and not repairs(effect, key, value):
        return refuse("shared-config", typed(effect), f"{effect.refs[0]} is shared by all worktrees: {BREAKING[key]}",
                      f"git config --get {effect.refs[0]}  (shows it; a person may change it)")
    if authorised(facts):
        return None
    mirrors = key.startswith("remote.") and key.rpartition(".")[2] in ("mirror", "push")
    if (key.startswith(ASKED) or mirrors or key in ("core.", "core")) and not ("unset" in effect.flags and "section" not in effect.flags):
        return question("shared-config", typed(effect), f"{key} is shared by all worktrees of the repository.",
                        "git config --list --show-origin  (shows where it is set)")
    return None


def repairs(effect: Effect, key: str, value: str) -> bool:
    return "unset" in effect.flags or (key == "core.bare" and value in ("false", "no", "off", "0"))

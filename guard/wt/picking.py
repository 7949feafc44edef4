"""Which files of the main checkout the rules name. git matches, since the patterns are its own; pathspec says which rule it was."""
from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from guard.wt import git
from guard.wt.include import Outcome, Reason, Rule, compiled, in_bytes, skipped
from guard.wt.remains import is_link

LITERAL = {"GIT_LITERAL_PATHSPECS": "1", "GIT_ICASE_PATHSPECS": "0", "GIT_GLOB_PATHSPECS": "0", "GIT_NOGLOB_PATHSPECS": "0"}
LONG = 600.0  # seconds: a pattern without a slash is looked for everywhere


@dataclass(frozen=True)
class Pick:
    """An untracked or ignored file, or a folder (then `name` ends in /) of which git tracks nothing. `at`: what the rule itself fits."""

    rule: Rule
    at: str
    name: str


def picked(main: Path, rules: list[Rule]) -> list[Pick]:
    """What the rules name, as few as possible: a folder that is named as a whole is one. The last rule that fits decides, as in git."""
    last = next((rule for rule in reversed(rules) if not rule.takes_back), None)
    if last is None:
        return []
    decide = decider(rules)
    names = untracked(main, rules)
    above = {name[:at + 1] for name in names for at, char in enumerate(name[:-1]) if char == "/"}
    found: list[Pick] = []
    for name in names:
        if found and found[-1].name.endswith("/") and name.startswith(found[-1].name):
            continue
        decided = decide(name)
        if decided is None and name in above:
            continue  # git also lists a folder in which everything is named; what is in it follows
        found.append(Pick(*(decided or (last, name)), name))
    return found


def untracked(main: Path, rules: list[Rule]) -> list[str]:
    """By `git ls-files`, sorted. It goes into a folder only where a pattern may lead, and into no other repository."""
    patterns = [word for rule in rules for word in ("-x", trimmed(rule.pattern))]
    done = git.attempt("-c", "core.bare=false", "ls-files", "--others", "--ignored", "--directory", "-z", *patterns, "--", *starts(rules),
                       cwd=main, timeout=LONG, more=LITERAL)
    return sorted(filter(None, git.answer(done, ["ls-files"]).split("\0")))


def trimmed(pattern: str) -> str:
    """Without blanks at its end, which git drops in a file of patterns alone; a backslash keeps one."""
    while pattern.endswith(" ") and not pattern.endswith("\\ "):
        pattern = pattern[:-1]
    return pattern


def tracked(root: Path) -> list[str]:
    """Everything in the index of a checkout, sorted."""
    return sorted(filter(None, git.ask("-c", "core.bare=false", "ls-files", "-z", cwd=root).split("\0")))


def starts(rules: list[Rule]) -> list[str]:
    """Where to look, as literal paths; nothing (everywhere) where a pattern may fit at any depth."""
    found = set()
    for rule in rules:
        if not rule.takes_back:
            parts = rule.pattern.rstrip(" ").rstrip("/").split("/")
            plain = parts[:next((n for n, part in enumerate(parts) if set(part) & set("*?[\\ ")), len(parts))]
            if len(parts) == 1 or not any(plain):
                return []
            found.add("/".join(plain).strip("/"))
    return sorted(found)


def decider(rules: list[Rule]) -> Callable[[str], tuple[Rule, str] | None]:
    """A function from a name to the rule that decides about it, and the part of the name that it fits."""
    spec = compiled(rules)
    assert spec is not None  # each was compiled alone

    @cache
    def one(name: str) -> Rule | None:
        result = spec.check_file(in_bytes(name))
        return rules[result.index] if result.include and result.index is not None else None

    def decide(name: str) -> tuple[Rule, str] | None:
        cuts = [at + 1 for at, char in enumerate(name) if char == "/" and at + 1 < len(name)]
        return next(((rule, name[:cut]) for cut in [*cuts, len(name)] if (rule := one(name[:cut])) is not None), None)

    return decide


def unused(main: Path, rules: list[Rule], picks: list[Pick]) -> list[Outcome]:
    """Why a rule names nothing at all. One that names only what others have named or taken back is no matter."""
    idle = nameless(main, rules, picks)
    names = tracked(main) if idle else []
    return [skipped(rule.line, "", *why_unused(main, rule, names)) for rule in idle]


def nameless(main: Path, rules: list[Rule], picks: list[Pick]) -> list[Rule]:
    """Rules that name nothing, although the others are taken away: what takes back, and those that were picked by, again and again."""
    used = {pick.rule for pick in picks}
    rest = [rule for rule in rules if not rule.takes_back and rule not in used]
    return rest if len(rest) in (0, len(rules)) else nameless(main, rest, picked(main, rest))


def why_unused(main: Path, rule: Rule, names: list[str]) -> tuple[Reason, str]:
    if fits_any(rule, names):
        return "tracked", "git tracks what it names: that comes from the branch"
    literal = rule.pattern.replace("\\", "").rstrip("/")
    place = main / literal.lstrip("/")
    if is_special(place):
        return "unsafe", "neither a file nor a folder"
    if literal.startswith("/") and os.path.lexists(literal) and not os.path.lexists(place):
        return "invalid", "leads out of the main checkout; a leading / means the main checkout itself"
    if os.path.lexists(place):
        for above in reversed(place.relative_to(main).parents[:-1]):
            if is_link(main / above):
                return "unsafe", f"{above.as_posix()} is a link; nothing is taken from behind one"
            if os.path.lexists(main / above / ".git"):
                return "unsafe", f"{above.as_posix()} is a repository or a worktree of its own"
    return "missing", "nothing fits it"


def fits_any(rule: Rule, names: list[str]) -> bool:
    decide = decider([rule])
    return any(decide(name) is not None for name in names)


def is_special(path: Path) -> bool:
    """A socket, a pipe, a device."""
    try:
        kind = stat.S_IFMT(path.lstat().st_mode)
    except (OSError, ValueError):
        return False
    return kind not in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK)

"""The same `git clean` once more, for the words of a refusal: as a dry run, or with one f where it had two.

    git clean -fdx -e keep docs     again(e, "n")    git clean -ndx -e keep -- docs
    git clean -ffdX                 again(e, "f")    git clean -fdX
"""
from guard.core.judge import LONGEST, quoted
from guard.core.model import DISCARD, Effect
from guard.core.shell import HOLE


def again(effect: Effect, letter: str) -> str:
    options = [flag[7:] for flag in effect.flags if flag[:7] == "option "]
    letters = "".join([c for c in "dxX" if "-" + c in options])
    if letter == "n" and "ignored" in effect.flags and letters in ("", "d"):
        letters += "x"  # the same text has changed what is ignored
    words = [quoted(word) for word in options if word not in ("-d", "-x", "-X")]
    paths = effect.refs[1:] if effect.kind == DISCARD else effect.refs  # in front of a discard's stands a commit
    at = f"git -C {quoted(effect.path)}" if "-C" in effect.around and HOLE not in effect.path else "git"
    short = f"{at} clean -{letter}{letters}"
    line = " ".join([short, *words, *(["--", *map(quoted, paths)] if paths else [])])
    return line if len(line) <= LONGEST and "\n" not in line and "..." not in line else short

"""Going round the repository's own checks. Setting `skip_hooks`: ask, pass or deny.

    git commit --no-verify -m x              ask
    git -c core.hooksPath=/dev/null commit   ask
    git commit -m 'say --no-verify'          pass
"""
from guard.core.judge import quoted
from guard.core.model import Answer, Effect, Facts
from guard.core.rules import bound, choose, home, typed


def answer(effect: Effect, facts: Facts) -> "Answer | None":
    if bound(facts) is None:
        return None
    words = [quoted(word) for word in effect.words if not word.startswith("--no-verif")]
    short = len(words) < len(effect.words) and len(words) < 6 and "\n" not in "".join(words)
    again = "git " + " ".join(words) if short else f"git {effect.verb}  (with the hooks)"
    return choose(home(facts).settings.skip_hooks, "skipped-hooks", typed(effect),
                  "skipping the repository's own checks is a person's decision.", again)

"""What a `find` would take away of the worktrees below its start: its expression, tried on paths that stand for them.

    find . -name '*.pyc' -delete                         none: a file of just any name is not deleted
    find . -mindepth 1 -delete                           all of them
    find . -name __pycache__ -exec rm -rf {} +           none: no folder above a worktree has that name
    find . -mtime +30 -exec rm -rf {} +                  all of them: a folder may be that old
    find . -path ./.worktrees -prune -o -exec rm -rf {} +    none

An effect's refs: where it starts as typed, the number of the action among its words ("": what it prints), and these.
"""
from guard.core.model import Effect, Facts
from guard.core.programs.expressions import PROGRAMS, YES, Path, Search

ANY_NAME = ("quux.zk", "jiffy.vw")  # what fits both fits any, as far as anybody needs to know
DEEP = list("abcdefgh")
MOST_LEFT_OUT = 3


def taken(effect: Effect, facts: Facts) -> "tuple[str, ...]":
    """Those of facts.named that would go."""
    typed, action, *words = effect.refs
    search, start, main = Search(action, words), start_of(facts), facts.repository.main if facts.repository else ""
    return tuple([root for root in facts.named if goes(search, typed, below(root, start), root == main, effect.flags)])


def goes(search: Search, typed: str, parts: "list[str]", is_main: bool, flags: "tuple[str, ...]") -> bool:
    """Of a worktree that find starts in, the files are judged by their place; only all of it at once goes."""
    whole = "tree" in flags and "fed" in flags  # -delete takes no folder that holds something
    if whole and as_folder(search, typed, parts):
        return True
    if parts or is_main:
        return takes(search, typed, parts, is_main, whole)
    return "tree" in flags and not whole


def start_of(facts: Facts) -> str:
    return facts.path[:-4] if facts.path[-3:] == "..." else facts.path


def below(root: str, start: str) -> "list[str]":
    return [part for part in (root[len(start):] if root.startswith(start) else root).replace("\\", "/").split("/") if part]


def as_folder(search: Search, typed: str, parts: "list[str]") -> bool:
    """`rm -rf` of the worktree's folder, or of one above it."""
    first = 1 if typed.rstrip("/").rpartition("/")[2] in ("", ".", "..") else 0  # rm refuses . and ..
    for n in range(len(parts) + 1):
        reached = search.reaches(Path(typed, parts[:n], folder=True))
        if reached and n >= first:
            return True
        if search.pruned == YES:
            break
    return False


def takes(search: Search, typed: str, parts: "list[str]", is_main: bool, whole: bool) -> bool:
    """Each file in it, whatever its name is, or what makes it a worktree: .git, which in the main checkout is everybody's folder."""
    git = [*parts, ".git"]
    if (whole or not is_main) and hit(search, typed, git, folder=is_main):
        return True
    inside = git if is_main else parts
    return any(all(hit(search, typed, [*inside, *deeper, name]) for name in ANY_NAME) for deeper in ([], DEEP))


def hit(search: Search, typed: str, parts: "list[str]", folder: bool = False) -> bool:
    """Is the action done to that path for certain?"""
    for n in range(len(parts)):
        search.reaches(Path(typed, parts[:n], folder=True))
        if search.pruned == YES:
            return False
    return search.reaches(Path(typed, parts, folder)) == YES


def remedy(effect: Effect, facts: Facts) -> str:
    """The same find, told to leave alone what the worktrees lie in; "" where little would be left of it."""
    said, typed, start = effect.said, effect.refs[0], start_of(facts)
    at = min([place for place in (said.find(" " + word) for word in ("-delete", *PROGRAMS)) if place > 0], default=0)
    lie_in = dict.fromkeys([(below(root, start) or [".git"])[0] for root in facts.named])
    if not at or "\n" in said or len(lie_in) > MOST_LEFT_OUT or any(len(below(root, start)) == 1 for root in facts.named):
        return ""
    from guard.core.judge import quoted
    without = "".join([f" -not -path {quoted(typed.rstrip('/') + '/' + name + '*')}" for name in lie_in])
    return f"{said[:at]}{without}{said[at:]}"

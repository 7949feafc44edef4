"""The call to make instead: the same command where it belongs, so that it does there what it was meant to do.

    git commit -m x  in R           git -C W commit -m x
    git apply x.patch  in R         git -C W apply R/x.patch      a file that it reads lies where it lay
    git commit -F - <<EOF  in R     cd W, then the same command   what flows into it cannot be repeated here
    git merge wt/x  in R            wt merge x                    in W there would be nothing to merge
    gh pr checkout 7  in R          cd W && gh pr checkout 7      only git has a -C
"""
from guard.core.judge import LONGEST, quoted
from guard.core.model import OTHER, Binding, Effect, Facts
from guard.core.shell import HOLE

OPEN_WORK = ("reset", "clean", "restore", "checkout", "stash")  # what is meant by them lies where they were called
GOES_ON = ("--abort", "--continue", "--quit", "--skip")  # and by these as well
BRINGS_IN = ("merge", "rebase", "cherry-pick", "pull", "reset")
# Verbs whose operands are files that are only read, and the options that stand before a value; then options whose value is such a file.
READS_FILES = ("apply", "am")
VALUES = ("-p", "-C", "--exclude", "--include", "--directory", "--whitespace", "--patch-format", "--quoted-cr", "--empty")
FILE_OPTIONS = {"commit": ("-F", "--file", "-t", "--template", "--pathspec-from-file"), "merge": ("-F", "--file"),
                "add": ("--pathspec-from-file",), "apply": ("--build-fake-ancestor",)}
THERE = ", then the same command"


def own(facts: Facts) -> Binding:
    assert facts.repository is not None and facts.repository.binding is not None  # only the bound are told where they belong
    return facts.repository.binding


def branch_of(facts: Facts) -> str:
    return own(facts).head or own(facts).branch


def main_of(facts: Facts) -> str:
    return facts.repository.main if facts.repository else ""


# --- commands that change a checkout ---------------------------------------------------------------------------------

def same_command(effect: Effect, facts: Facts) -> str:
    """The same, in the bound worktree."""
    at = facts.to if facts.to and facts.to_there else own(facts).path
    if brings_own(effect, facts):
        return bringing_in(facts) if facts.place != OTHER else push(facts, "  (whoever works there takes it from that branch)")
    if effect.verb == "gh":
        line = line_of([quoted(word) for word in effect.words])
        whole = line and not effect.input and not effect.around
        return f"cd {quoted(at)} && {line}{own_checkout(effect)}" if whole else f"cd {quoted(at)}{THERE}"
    if effect.verb in OPEN_WORK or any(word in GOES_ON for word in effect.words):
        there = facts.root if facts.place == OTHER else "the main checkout"
        return f"cd {quoted(own(facts).path)}  (what lies open in {there} is somebody else's)"
    base = based(effect, facts)
    line = line_of([*placed(effect, facts), *base, *fed(effect)])
    pointed = [option for option in effect.around if option != "more"]
    flows = effect.input == "-" or stdin_by_name(effect)
    if not line or "more" in effect.around or (flows and not pointed):
        return f"cd {quoted(at)}{THERE}{' without ' + ' and '.join(pointed) if pointed else ''}"
    return f"git -C {quoted(at)} {line}{'  (with the same input)' if flows else how_to_pull(effect) if base else ''}"


def line_of(words: "list[str]") -> str:
    """The words as one line; "" where they cannot be repeated."""
    line = " ".join(words)
    return "" if len(line) > LONGEST or "..." in line or "\n" in line or HOLE in line else line


def own_checkout(effect: Effect) -> str:
    """A pull request has a worktree of its own, where that is wanted."""
    number = next((word for word in effect.words[3:] if word.isdigit()), "")
    return f"  (or wt enter NAME --pr {number}: a worktree for it)" if effect.words[1:3] == ("pr", "checkout") and number else ""


def stdin_by_name(effect: Effect) -> bool:
    """It reads what flows in, and nothing of that is in this text."""
    return not effect.input and any(word in ("-", "-F-", "--file=-", "/dev/stdin") for word in effect.words[1:])


def fed(effect: Effect) -> "list[str]":
    return ["<", quoted(effect.input)] if effect.input[:1] not in ("", "-") else []


def placed(effect: Effect, facts: Facts) -> "list[str]":
    """The words, quoted: paths of the main checkout are the worktree's, files that are only read stay where they are."""
    main, path, found, after = main_of(facts), own(facts).path, [], ""
    options = FILE_OPTIONS.get(effect.verb, ())
    for n, word in enumerate(effect.words):
        name, sign, value = word.partition("=")
        if after in options or (n and effect.verb in READS_FILES and word[:1] != "-" and after not in VALUES):
            found.append(file_at(word, effect.path))
        elif sign and name in options:
            found.append(f"{name}={file_at(value, effect.path)}")
        elif word[:2] in options and word[:2] != "--" and len(word) > 2:
            found.append(word[:2] + file_at(word[2:], effect.path))
        else:
            found.append(quoted(path + word[len(main):] if main and word.startswith(main + "/") else word))
        after = "-" + word[-1] if word[:1] == "-" and word[1:2] != "-" and word[1:].isalpha() else word  # -aF file
    return found


def file_at(word: str, folder: str) -> str:
    """A file by its whole path. A pattern stays one: it was the shell's."""
    if word in ("-", "") or word[:1] in ("/", "\\", "~") or word[1:2] == ":":
        return quoted(word)
    while word[:2] == "./":
        word = word[2:]
    sep = "\\" if "\\" in folder else "/"
    plain = "".join([c for c in word if c not in "*?[]"])
    return quoted(folder) + sep + word if plain != word and quoted(plain or "x") == (plain or "x") else quoted(folder + sep + word)


# --- branches --------------------------------------------------------------------------------------------------------

def brings_own(effect: Effect, facts: Facts) -> bool:
    """It would bring one's own branch into another one: in W that is nothing at all."""
    name, operands = branch_of(facts), [word for word in effect.words[1:] if word[:1] != "-"]
    if effect.verb == "rebase" and operands[1:] == [name]:
        return False  # git rebase main wt/x: moves one's own
    return bool(name) and effect.verb in BRINGS_IN and any(word in (name, "refs/heads/" + name, "origin/" + name) for word in operands)


def bringing_in(facts: Facts) -> str:
    name = own(facts).path.replace("\\", "/").rpartition("/")[2]
    return (f"wt merge {quoted(name)}  (a person allows it: wt authorize-main --only merge --reason '...'; "
            f"or git -C {quoted(own(facts).path)} push -u origin {quoted(branch_of(facts))}, and open a pull request)")


def push(facts: Facts, why: str) -> str:
    return f"git -C {quoted(own(facts).path)} push -u origin {quoted(branch_of(facts) or 'HEAD')}{why}"


def based(effect: Effect, facts: Facts) -> "list[str]":
    """What a bare `git pull` needs in W, whose branch follows none: the remote and the branch that the work began from."""
    if effect.verb != "pull" or len(effect.refs) > 1:
        return []
    remote, branch = base_of(facts)
    return [*([] if effect.refs else [quoted(remote)]), quoted(branch)]


def how_to_pull(effect: Effect) -> str:
    """git refuses to choose where both have commits of their own, as a worktree's branch mostly has. (git-pull(1))"""
    chosen = any(word.startswith(("--rebase", "--no-rebase", "--ff", "--no-ff", "-r")) for word in effect.words[1:])
    return "" if chosen else "  (with --no-rebase or --rebase where both have new commits)"


def base_of(facts: Facts) -> "tuple[str, str]":
    """(remote, branch): origin/main is main of origin where the binding protects it by that name."""
    base, names = own(facts).base, own(facts).protected
    remote, slash, branch = base.partition("/")
    if slash and branch in names and base not in names:
        return remote, branch
    is_commit = len(base) > 6 and not base.strip("0123456789abcdef")
    return "origin", (facts.head or names[0]) if not base or base == "HEAD" or is_commit else base


# --- files that a command writes -------------------------------------------------------------------------------------

def same_write(effect: Effect, facts: Facts, to: str) -> str:
    """The command with the worktree's path in it, or in the folder that is the worktree's twin of where it ran."""
    main, path, said = main_of(facts), own(facts).path, effect.said
    moved, folder = with_root(said, main, path) if main else said, twin(effect, facts, to)
    if moved != said:
        if "\n" in moved or len(moved) > LONGEST or moved[:4] == "... ":
            return f"the same command with {path} in place of {main}"
        there = f"cd {quoted(folder)} && " if folder and effect.path not in said else ""  # this path is a relative one
        return there + moved + ("  (with the same input)" if effect.input == "-" else "")
    if not folder and HOLE not in to:
        return f"{does(effect)} {to}, the same file in your worktree."
    lies = f"  (what it reads is {effect.input})" if effect.input[:1] not in ("", "-") and effect.input not in said else ""
    return f"cd {quoted(folder or path)}{THERE}{lies}"


def does(effect: Effect) -> str:
    return "delete" if "remove" in effect.flags else "write"


def twin(effect: Effect, facts: Facts, to: str) -> str:
    """The worktree's copy of the folder that the command ran in; "" where that is not below the main checkout."""
    folder, main = effect.words[0] if effect.words else "", main_of(facts)
    below = effect.path[len(folder):] if folder and effect.path.startswith(folder + "/") else ""
    if below and to.endswith(below):
        return to[:-len(below)]
    return own(facts).path + folder[len(main):] if main and (folder + "/").startswith(main + "/") and (
        not (folder + "/").startswith(own(facts).path + "/")) else ""


def with_root(line: str, main: str, path: str) -> str:
    """The line with the main checkout's root changed for the worktree's, where it is a whole path or the start of one."""
    parts = line.split(main)
    joined = parts[0]
    for part in parts[1:]:
        joined += (path if part[:1] in ("/", "", " ", '"', "'", ")", ";") else main) + part
    return joined

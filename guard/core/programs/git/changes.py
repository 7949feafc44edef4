"""Verbs that change the files, the index or the HEAD of the checkout they run in, and nothing else."""
from guard.core.model import UNHOOKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.programs.git import Git

THROWING = frozenset(("restore", "reset", "clean", "rm", "cherry-pick", "revert", "am", "read-tree",
                      "checkout-index"))
READING = {"bisect": ("log", "visualize", "view", "help"), "submodule": ("status", "summary"),
           "sparse-checkout": ("list", "check-rules")}
DRY = {"add": ("-n", "--dry-run"), "commit": ("--dry-run", "--short", "--porcelain"), "rm": ("-n", "--dry-run"), "mv": ("-n", "--dry-run"),
       "clean": ("-n", "--dry-run"), "apply": ("--check", "--stat", "--numstat", "--summary"), "am": ("--show-current-patch",)}


def run(git: "Git") -> None:
    first = next((word for word in git.words if word[:1] != "-"), "")
    if first in READING.get(git.verb, ()):
        return
    if git.verb == "submodule" and first == "foreach":
        foreach(git)
        return
    if git.verb == "bisect" and first == "run":
        started(git, git.words[git.words.index("run") + 1:])
    plain = git.words[:git.words.index("--")] if "--" in git.words else git.words
    if any(word in DRY.get(git.verb, ()) for word in plain) or dry_cluster(git.verb, plain):
        return
    if git.verb in ("commit", "am") and skips_hooks(git.verb, plain):
        git.add(UNHOOKED)
    git.changes()
    if git.verb in ("add", "stage", "commit"):
        kept(git)
    elif git.verb in THROWING:
        from guard.core.programs.git import discards
        if git.verb in discards.VERBS:
            discards.VERBS[git.verb](git)
        elif "--abort" in plain:
            discards.abort(git)
        elif (git.verb == "read-tree" and "-u" in plain) or (git.verb == "checkout-index" and has_force(plain) and has_all(plain)):
            discards.whole_tree(git)


def kept(git: "Git") -> None:
    """What a commit, or a stash, of this text has put away before."""
    shell = git.command.shell
    if git.verb == "commit":
        clusters = [word.partition("m")[0] for word in git.words if word[:1] == "-" and word[:2] != "--"]
        everything = any("a" in cluster for cluster in clusters) or "--all" in git.words
        shell.committed = True
        shell.saved = shell.saved | {"staged"} | ({"changes"} if everything or shell.all_added else set())
        shell.saved = shell.saved | ({"untracked"} if shell.all_added else set())
    elif git.verb in ("add", "stage") and any(word in ("-A", "--all", ".", ":/") for word in git.words):
        shell.all_added = True


def has_all(words: "list[str]") -> bool:
    return any(word == "--all" or (word[:1] == "-" and word[:2] != "--" and "a" in word) for word in words)


def has_force(words: "list[str]") -> bool:
    return any(word == "--force" or (word[:1] == "-" and word[:2] != "--" and "f" in word) for word in words)


def dry_cluster(verb: str, words: "list[str]") -> bool:
    """git clean -nd: the n of a cluster."""
    clusters = [word for word in words if word[:1] == "-" and word[:2] != "--"]
    return verb in ("clean", "add", "rm") and any("n" in word.partition("e")[0] for word in clusters)


def skips_hooks(verb: str, words: "list[str]") -> bool:
    """--no-verify, and commit's -n, alone or in a cluster before a letter that takes a value."""
    for n, word in enumerate(words):
        before = words[n - 1] if n else ""
        cluster_takes = before[:1] == "-" and before[:2] != "--" and before[-1:] in "mFCct"
        if n and (cluster_takes or before in ("--message", "--file", "--author", "--date")):
            continue
        if word.startswith("--no-veri"):
            return True
        if verb == "commit" and word[:1] == "-" and word[:2] != "--":
            letters = word[1:]
            for stop in "mFCctSu":
                letters = letters.partition(stop)[0]
            if "n" in letters:
                return True
    return False


def foreach(git: "Git") -> None:
    """git submodule foreach [--recursive] command: in each submodule, which is another repository."""
    words = git.words[git.words.index("foreach") + 1:]
    while words and words[0] in ("--recursive", "--quiet", "-q", "--"):
        words = words[1:]
    shell = git.command.shell
    kept, shell.in_submodule = shell.in_submodule, True
    started(git, ["sh", "-c", " ".join(words)])
    shell.in_submodule = kept


def started(git: "Git", words: "list[str]") -> None:
    from guard.core import programs
    if words:
        inner = git.command.but(words)
        inner.folders = git.folders
        programs.start_program(inner)

"""Verbs that change the files, the index or the HEAD of the checkout they run in, and nothing else."""
from guard.core.model import UNHOOKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.programs.git import Git

READING = {"stash": ("list", "show", "create"), "bisect": ("log", "visualize", "view", "help"), "submodule": ("status", "summary"),
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
    plain = git.words[:git.words.index("--")] if "--" in git.words else git.words
    if any(word in DRY.get(git.verb, ()) for word in plain) or dry_cluster(git.verb, plain):
        return
    if git.verb in ("commit", "am") and skips_hooks(git.verb, plain):
        git.add(UNHOOKED)
    git.changes()


def dry_cluster(verb: str, words: "list[str]") -> bool:
    """git clean -nd: the n of a cluster."""
    clusters = [word for word in words if word[:1] == "-" and word[:2] != "--"]
    return verb in ("clean", "add", "rm") and any("n" in word.partition("e")[0] for word in clusters)


def skips_hooks(verb: str, words: "list[str]") -> bool:
    """--no-verify, and commit's -n, alone or in a cluster before a letter that takes a value."""
    for n, word in enumerate(words):
        if n and words[n - 1] in ("-m", "-F", "-C", "-c", "-t", "--message", "--file", "--author", "--date"):
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
    from guard.core import programs
    from guard.core.shell import HOLE
    words = git.words[git.words.index("foreach") + 1:]
    while words and words[0] in ("--recursive", "--quiet", "-q", "--"):
        words = words[1:]
    if words:
        inner = git.command.but(["sh", "-c", " ".join(words)])
        inner.folders = tuple([git.command.path(HOLE, folder) for folder in git.folders])
        programs.start_program(inner)

"""Verbs about what all worktrees of a repository share: the worktree list, the configuration, the history.

(git-worktree(1), git-config(1), git-remote(1), git-init(1), git-reflog(1), git-gc(1), git-filter-branch(1), git-replace(1))
"""
from guard.core.model import BRANCH, CONFIG, HISTORY, STASH, WORKTREE
from guard.core.programs.git import parsed
from guard.core.shell import HOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.programs.git import Git

CONFIG_OPTIONS = ("f/file= blob= global system local worktree add replace-all get get-all get-regexp get-urlmatch unset unset-all "
                  "remove-section rename-section l/list e/edit type= bool int bool-or-int path expiry-date z/null name-only show-origin "
                  "show-scope fixed-value default= comment= all append regexp= url= value= get-color get-colorbool includes no-includes")
NOT_SHARED = ("global", "system", "file", "blob", "worktree", "get", "get-all", "get-regexp", "get-urlmatch", "list", "get-color",
              "get-colorbool")
ADD_WORKTREE = "f/force b= B= d/detach checkout no-checkout lock reason= q/quiet track? guess-remote orphan relative-paths"


def run(git: "Git") -> None:
    VERBS[git.verb](git)


def worktree(git: "Git") -> None:
    if not git.words:
        return
    verb, words = git.words[0], git.words[1:]
    if verb == "add":
        found = parsed(words, ADD_WORKTREE)
        for path in found.operands[:1]:
            git.command.shell.has_made(path, git.folders)
            for folder in git.folders:
                git.command.shell.heads[git.command.path(path, folder)] = found.flags.get("b") or found.flags.get("B") or HOLE
        for option in ("b", "B"):
            if option in found.flags:
                git.add(BRANCH, (found.flags[option],), ("create", *(("force",) if option == "B" else ())))
        if found.has("force") and found.operands and not found.has("b", "B", "detach"):  # without a name it is the folder's
            name = found.operands[1] if len(found.operands) > 1 else found.operands[0].rstrip("/").rpartition("/")[2]
            git.add(BRANCH, (name,), ("checkout", "ignore-other-worktrees"))
    elif verb in ("remove", "move", "unlock", "prune"):
        found = parsed(words, "f/force n/dry-run v/verbose expire=")
        names = (found.operands + (found.paths or []))[:2]
        of_this_text = names and all(git.command.path(names[0], folder) in git.command.shell.folders_made for folder in git.folders)
        if not found.has("dry-run") and not of_this_text:
            git.add(WORKTREE, tuple(names), (verb, *(("force",) if found.has("force") else ())))


def config(git: "Git") -> None:
    found = parsed(git.words, CONFIG_OPTIONS)
    words = found.operands + (found.paths or [])
    if len(words) > 1 and not found.has("get", "unset", "file"):
        key, value = words[-2:] if words[0] == "set" else words[:2]
        git.command.shell.settings[key.lower()] = value
    where = found.flags.get("file", "").rpartition("/")
    if where[2] in ("config", "config.worktree") and where[0]:
        git.git_dir = where[0]  # by its path, but it is a repository's own all the same
    elif found.has(*NOT_SHARED):
        return
    verb = words[0] if words and words[0] in ("set", "unset", "get", "list", "edit", "remove-section", "rename-section") else ""
    words = words[1:] if verb else words
    if verb in ("get", "list", "edit") or found.has("edit") or not words:
        return
    if verb == "unset" or found.has("unset", "unset-all"):
        git.add(CONFIG, (words[0], ""), ("unset",))
    elif verb in ("remove-section", "rename-section") or found.has("remove-section", "rename-section"):
        git.add(CONFIG, (words[0] + ".", ""), ("unset", "section"))
    elif len(words) > 1:
        git.add(CONFIG, (words[0], words[1]))


def init(git: "Git") -> None:
    """With GIT_DIR pointing into a repository that is there, git writes core.bare and core.worktree anew."""
    git.command.shell.made = True
    for path in parsed(git.words, "b/initial-branch= template= separate-git-dir= object-format= ref-format= shared? q/quiet bare").operands:
        git.made_repository(path)
        if path.rstrip("/").rpartition("/")[2] == ".git":
            git.git_dir = path
    if git.git_dir:
        git.add(CONFIG, ("core.bare", "true"))


def remote(git: "Git") -> None:
    words = [word for word in git.words if word not in ("-v", "--verbose")]
    if words[:1] == ["add"] and any(word.startswith("--mirror") for word in words):
        git.add(CONFIG, ("remote.*.mirror", "true"))


def reflog(git: "Git") -> None:
    """Expiring by the clock is what gc does by itself; by hand it takes the last way back to lost commits."""
    if git.words[:1] == ["delete"] and any(word.startswith(("stash@", "refs/stash")) for word in git.words):
        git.add(STASH, (next(word for word in git.words if "stash" in word), "0"), ("drop",))
    by_hand = any(word.startswith(("--expire", "--rewrite")) for word in git.words)
    if git.words[:1] == ["expire"] and by_hand and not any(word in ("-n", "--dry-run") for word in git.words):
        git.add(HISTORY)


def collect(git: "Git") -> None:
    words = [word for word in git.words if word.startswith("--prune") or word == "--no-prune"]
    set_by = git.settings.get("gc.pruneexpire", "") if not words else ""
    if (words and words[-1] in ("--prune=now", "--prune=all", "--prune=0")) or set_by in ("now", "all"):
        git.add(HISTORY)


def prune(git: "Git") -> None:
    later = any(word.startswith("--expire") and not word.endswith(("now", "all")) for word in git.words)
    if not later and not any(word in ("-n", "--dry-run") for word in git.words):
        git.add(HISTORY)


def rewrite(git: "Git") -> None:
    if not any(word in ("--dry-run", "--analyze") for word in git.words):
        git.add(HISTORY)


def replace(git: "Git") -> None:
    if git.words and not any(word in ("-l", "--list") for word in git.words):
        git.add(HISTORY)


VERBS = {"worktree": worktree, "config": config, "init": init, "remote": remote, "reflog": reflog, "gc": collect, "maintenance": collect,
         "prune": prune, "filter-branch": rewrite, "filter-repo": rewrite, "replace": replace}

"""What git throws away: changes that were never committed, untracked files, commits that nothing else holds.

(git-checkout(1), git-restore(1), git-reset(1), git-clean(1), git-rm(1)) Flags of the effect: changes (against the index), staged,
untracked, ignored, commits. What was saved before in the same text is not lost any more. One file by its name is a person's slip to
make; a folder, a pattern or everything is looked at.
"""
from guard.core.model import DISCARD, WORKTREE
from guard.core.programs.git import parsed
from guard.core.shell import HOLE, as_written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.programs.git import Git

RESTORE = ("s/source= S/staged W/worktree p/patch q/quiet ours theirs m/merge conflict= ignore-unmerged overlay no-overlay "
           "pathspec-from-file=")
RESET = "soft mixed hard merge keep q/quiet p/patch N/intent-to-add pathspec-from-file= refresh no-refresh recurse-submodules"
CLEAN = "d f/force i/interactive n/dry-run q/quiet e/exclude= x X"
RM = "f/force n/dry-run r cached ignore-unmatch sparse q/quiet pathspec-from-file="


def throws(git: "Git", flags: "tuple[str, ...]", paths: "list[str]", by_tree: str = "") -> None:
    """Emits the effect, less what this text has saved before. `by_tree`: the commit it goes to."""
    saved = git.command.shell.saved
    left = tuple([flag for flag in flags if flag not in saved])
    if left:
        unknown = HOLE in by_tree or (git.command.shell.committed and any(mark in by_tree for mark in "~^@"))
        made = ("made",) if git.command.shell.committed and "commits" in left else ()
        named = ["." if HOLE in path else as_written(path) for path in paths]  # any path at all
        git.add(DISCARD, ("" if unknown else by_tree, *named), (*left, *made))


def one_file(git: "Git", paths: "list[str]") -> bool:
    """Every path is a file by its own name: no folder, no pattern."""
    shell = git.command.shell
    return bool(paths) and all(plain(path) and not shell.world.is_folder(git.command.path(path, git.folders[0])) for path in paths)


def plain(path: str) -> bool:
    return HOLE not in path and not any(c in path for c in "*?[\1\2\3") and path[:1] != ":" and path[-1:] != "/" and path not in (".", "..")


def checkout_paths(git: "Git", tree: str, paths: "list[str]") -> None:
    if not one_file(git, paths):
        throws(git, ("changes", "staged") if tree else ("changes",), paths)


def one_side(git: "Git", paths: "list[str]") -> None:
    """--ours, --theirs. Files whose names nobody knows here are those in conflict: `git diff --diff-filter=U | xargs ...`."""
    if all(HOLE in path or one_file(git, [path]) for path in paths):
        throws(git, ("unmerged",) if HOLE in "".join(paths) or not paths else (), [])
    else:
        checkout_paths(git, "", paths)


def restore(git: "Git") -> None:
    found = parsed(git.words, RESTORE)
    paths = found.operands + (found.paths or [])
    if found.has("ours", "theirs"):
        return one_side(git, paths)
    if found.has("staged"):
        git.command.shell.unstaged = True
    if found.has("patch") or (found.has("staged") and not found.has("worktree")) or not paths or one_file(git, paths):
        return
    throws(git, ("changes", "staged") if found.has("source", "staged") else ("changes",), paths)


def reset(git: "Git") -> None:
    found = parsed(git.words, RESET)
    target = found.operands[0] if found.operands else "HEAD"
    if found.has("hard"):
        throws(git, ("changes", "staged", *(("commits",) if target != "HEAD" else ())), [], target)
    elif found.has("merge"):
        throws(git, ("staged", *(("commits",) if target != "HEAD" else ())), [], target)
    elif not found.has("soft", "keep"):
        git.command.shell.unstaged = True
    if found.has("keep") and target != "HEAD":
        throws(git, ("commits",), [], target)


def clean(git: "Git") -> None:
    found = parsed(git.words, CLEAN)
    if found.has("dry-run", "interactive") or not (found.has("force") or git.settings.get("clean.requireforce", "") == "false"):
        return
    flags = ["untracked", *(["unsure"] if git.command.shell.unstaged else [])]
    if found.has("x", "X") or git.command.shell.ignores_changed or "core.excludesfile" in git.settings:
        flags.append("ignored")
    options = ["-" + letter for letter in "dxX" if found.has(letter)]
    options += [word for pattern in found.every.get("exclude", []) for word in ("-e", as_written(pattern))]
    paths = found.operands + (found.paths or [])
    if one_file(git, paths):
        return
    flags += ["option " + option for option in options]
    if len(found.every.get("force", [])) > 1:  # one f leaves nested repositories alone, worktrees among them (git-clean(1), -f)
        git.add(WORKTREE, tuple(["." if HOLE in path else as_written(path) for path in paths]), ("clean", *flags))
    throws(git, tuple(flags), paths)


def remove(git: "Git") -> None:
    """git rm looks itself whether a change would be lost, unless it is forced."""
    found = parsed(git.words, RM)
    paths = found.operands + (found.paths or [])
    if not found.has("cached", "dry-run"):
        git.command.shell.ignores_changed = True
    if found.has("force") and not found.has("cached", "dry-run") and not one_file(git, paths):
        throws(git, ("changes", "staged"), paths)


def whole_tree(git: "Git") -> None:
    """checkout -f, switch --discard-changes, read-tree --reset -u: everything open goes."""
    throws(git, ("changes", "staged"), [])


def abort(git: "Git") -> None:
    """merge, rebase, cherry-pick --abort: conflicts that somebody has worked on."""
    throws(git, ("resolved",), [])


def branch_moved(git: "Git", branch: str, to: str) -> None:
    """checkout -B, branch -f, update-ref: what only that branch holds."""
    if HOLE not in branch:
        throws(git, ("commits", "branch " + branch), [], to or "HEAD")


VERBS = {"restore": restore, "reset": reset, "clean": clean, "rm": remove}

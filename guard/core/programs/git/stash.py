"""git stash: one stack for all worktrees of a repository. (git-stash(1))"""
from guard.core.model import STASH
from guard.core.programs.git import parsed
from guard.core.shell import as_written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.programs.git import Git

OPTIONS = "u/include-untracked a/all k/keep-index S/staged p/patch q/quiet m/message= index pathspec-from-file= no-include-untracked"
READING = ("list", "show", "create", "store")


def run(git: "Git") -> None:
    found = parsed(git.words, OPTIONS)
    verb = found.operands[0] if found.operands else "push"
    shell = git.command.shell
    if verb in READING:
        return
    git.changes()
    entry = found.operands[1] if len(found.operands) > 1 else "0"
    if verb in ("pop", "apply", "drop", "clear", "branch"):
        if verb == "branch":
            entry = found.operands[2] if len(found.operands) > 2 else "0"
        git.add(STASH, (entry, str(shell.stashed), *shell.stash_asks), ("pop" if verb == "branch" else verb,))
        if verb != "apply":
            shell.stashed = max(shell.stashed - 1, 0)
        if verb != "drop":
            shell.saved = shell.saved - {"changes", "staged", "untracked"}  # it lies open again
        return
    git.add(STASH, (), ("push",))
    paths = (found.paths or []) + found.operands[1 if verb == "push" else 0:]
    if found.has("patch") or "changes" in shell.saved:
        return  # nobody knows whether it saves anything; or there is nothing left to save
    shell.stashed += 1
    untracked = ("untracked",) if found.has("include-untracked", "all") else ()
    kinds = ("staged",) if found.has("staged") else ("changes", "staged", *untracked)
    shell.stash_asks = (" ".join(kinds), *[as_written(path) for path in paths])
    if not paths and not found.has("staged"):
        shell.saved = shell.saved | set(kinds) | ({"ignored"} if found.has("all") else set())

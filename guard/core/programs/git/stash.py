"""git stash: one stack for all worktrees of a repository. (git-stash(1))"""
from guard.core.model import STASH
from guard.core.programs.git import parsed

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
        git.add(STASH, (entry, str(shell.stashed)), ("pop" if verb == "branch" else verb,))
    else:
        git.add(STASH, (), ("push",))
        shell.stashed += 1
        if not found.has("patch", "staged") and not found.paths and len(found.operands) < 2:
            untracked = {"untracked"} if found.has("include-untracked", "all") else set()
            shell.saved = shell.saved | {"changes", "staged"} | untracked | ({"ignored"} if found.has("all") else set())

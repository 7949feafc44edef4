"""gh, where it does what git push and git checkout do: `gh pr merge`, `gh repo sync`, `gh pr checkout`. (cli.github.com/manual)"""
from guard.core.model import BRANCH, PUSH
from guard.core.programs.git import Git
from guard.core.shell import HOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.shell.run import Command


def run(command: "Command") -> str:
    words = [word for word in command.argv[1:] if word[:1] != "-"]
    git = Git(command)
    git.verb, git.words = "gh", command.argv[1:]
    if "--help" in command.argv or "-R" in command.argv or "--repo" in command.argv:  # -R: another repository, by name
        return HOLE
    if words[:2] == ["pr", "merge"] and "--disable-auto" not in command.argv:
        git.add(PUSH, ("origin",), ("merge",))
    elif words[:2] == ["pr", "checkout"]:
        git.changes()
        git.checks_out(HOLE)
    elif words[:2] == ["repo", "sync"] and len(words) == 2:
        git.add(BRANCH, ("main",), ("move", "force") if "--force" in command.argv else ("move",))
    return HOLE

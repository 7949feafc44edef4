"""gh, where it does what git push and git checkout do: `gh pr merge`, `gh repo sync`, `gh pr checkout`. (cli.github.com/manual)"""
from guard.core.model import BRANCH, PUSH
from guard.core.programs.git import Git
from guard.core.programs.writers import operands, value_of
from guard.core.shell import HOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.shell.run import Command


def run(command: "Command") -> str:
    words = operands(command.argv[1:], ["-R", "--repo"])
    git = Git(command)
    git.verb, git.words = "gh", command.argv[1:]
    if "--help" in command.argv:
        return HOLE
    if words[:2] == ["pr", "merge"] and "--disable-auto" not in command.argv:
        named = repository(command, words[2:])
        git.add(PUSH, ("origin",), ("merge", *(("of " + named,) if named and HOLE not in named else ())))
    elif words[:2] == ["pr", "checkout"]:
        git.changes()
        git.checks_out(HOLE)
    elif words[:2] == ["repo", "sync"] and len(words) == 2:
        git.add(BRANCH, ("main",), ("move", "force") if "--force" in command.argv else ("move",))
    return HOLE


def repository(command: "Command", words: "list[str]") -> str:
    """The one that is named: by -R, by the pull request's address, by GH_REPO; "" for the one it stands in."""
    address = next((word.partition("/pull/")[0] for word in words if "/pull/" in word), "")
    return address or value_of(command.argv[1:], "-R", "--repo") or command.variable("GH_REPO")

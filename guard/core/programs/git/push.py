"""git push, and what else sends refs. (git-push(1))"""
from guard.core.model import PUSH, UNHOOKED
from guard.core.programs.git import parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.programs.git import Git

OPTIONS = ("f/force d/delete n/dry-run q/quiet v/verbose u/set-upstream o/push-option= repo= exec= receive-pack= all branches mirror tags "
           "follow-tags prune no-verify verify force-with-lease? force-if-includes signed? recurse-submodules= atomic porcelain progress "
           "thin 4/ipv4 6/ipv6 P/prefix= m/message= b/branch= onto= rejoin squash annotate=")

FLAGS = ("force", "delete", "all", "branches", "mirror", "tags", "force-with-lease", "prune")


def run(git: "Git") -> None:
    found = parsed(git.words, OPTIONS)
    operands = found.operands + (found.paths or [])
    if git.verb == "subtree":
        if operands[:1] != ["push"]:
            if operands[:1] in (["add"], ["merge"], ["pull"]):
                git.changes()
            return
        operands = operands[1:]
    if found.has("no-verify"):
        git.add(UNHOOKED)
    if found.has("dry-run"):
        return
    remote = found.flags.get("repo", "")
    if operands and not remote:
        remote, operands = operands[0], operands[1:]
    made = git.command.shell.folders_made
    if remote and "/" in remote and all(git.command.path(remote, folder) in made for folder in git.folders):
        return  # a repository that the same text has made
    flags = tuple([flag for flag in found.flags if flag in FLAGS])
    git.add(PUSH, (remote, *tags_as_refs(operands)), flags)


def tags_as_refs(operands: "list[str]") -> "list[str]":
    """`tag NAME` is refs/tags/NAME."""
    found: "list[str]" = []
    for word in operands:
        if found and found[-1] == "tag":
            found[-1] = "refs/tags/" + word
        else:
            found.append(word)
    return found

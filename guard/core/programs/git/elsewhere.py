"""git clone: makes a repository of its own, in a folder that was not there before."""
from guard.core.programs.git import parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.programs.git import Git

OPTIONS = ("b/branch= o/origin= u/upload-pack= depth= c/config= j/jobs= reference= reference-if-able= separate-git-dir= shallow-since= "
           "shallow-exclude= filter= template= server-option= bundle-uri= revision=")


def run(git: "Git") -> None:
    operands = parsed(git.words, OPTIONS).operands
    if operands:
        name = operands[0].rstrip("/").rpartition("/")[2].rpartition(":")[2]
        folder = operands[1] if len(operands) > 1 else name[:-4] if name.endswith(".git") else name
        git.made_repository(folder)
        git.command.shell.write(folder, git.command.said, (), git.folders)

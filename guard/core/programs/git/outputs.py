"""Reading verbs that write a file when told to: archive, diff, format-patch, bundle. (git-archive(1), git-diff(1), git-format-patch(1))"""
from guard.core.programs.writers import operands, value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.programs.git import Git


def run(git: "Git") -> None:
    words = git.words
    if git.verb == "bundle":
        paths = operands(words, [])[1:2] if words[:1] == ["create"] else []
    elif git.verb == "format-patch":
        paths = [] if "--stdout" in words else [value_of(words, "-o", "--output-directory") or "."]
    else:
        out = value_of(words, "-o", "--output") if git.verb == "archive" else value_of(words, "--output")
        paths = [out] if out else []
    for path in paths:
        git.command.shell.write(path, git.command.said, (), git.folders)

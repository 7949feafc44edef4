"""The rare questions that only git can answer, with a bound on the wait. Everything else is read from git's files."""
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SECONDS = 2.0

# `git rev-parse --local-env-vars` of git 2.39: what would point git at another repository than the one we name.
LOCAL_VARIABLES = frozenset((
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT", "GIT_OBJECT_DIRECTORY", "GIT_DIR",
    "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE", "GIT_INDEX_FILE", "GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX", "GIT_SHALLOW_FILE", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_INTERNAL_SUPER_PREFIX"))


def ignored(disk: "Any", root: str, path: str) -> "bool | None":
    """Would git ignore this file of the checkout at `root`? None when git does not say. (git-check-ignore(1): exit 0 yes, 1 no)"""
    words = ["git", "-c", "core.fsmonitor=false", "-C", root, "check-ignore", "-q", "--", path]
    return {0: True, 1: False}.get(disk.status_of(words, SECONDS, LOCAL_VARIABLES))


def alias(disk: "Any", root: str, verb: str) -> str:
    """What an alias stands for, "" when there is none. (git-config(1), alias.*)"""
    status, said = disk.output_of(["git", "-C", root, "config", "--get", "alias." + verb], SECONDS, LOCAL_VARIABLES)
    return said.rstrip("\n") if status == 0 else ""


SENDING = r"^(push\.default|push\.autosetupremote|remote\..*\.(push|mirror)|remote\.pushdefault|branch\..*\.(remote|merge|pushremote))$"


def sending(disk: "Any", root: str) -> "dict[str, list[str]] | None":
    """The settings that decide where a push without refspec goes; None when git does not say. (git-push(1), push.default)"""
    status, said = disk.output_of(["git", "-C", root, "config", "-z", "--get-regexp", SENDING], SECONDS, LOCAL_VARIABLES)
    if status not in (0, 1):  # 1: none of them is set
        return None
    found: "dict[str, list[str]]" = {}
    for line in said.split("\0"):
        name, _, value = line.partition("\n")
        if name:
            found.setdefault(name, []).append(value)
    return found


def lost(disk: "Any", root: str, refs: "tuple[str, ...]") -> "int | None":
    """How many commits no ref would hold any more if these went away. None when git does not say."""
    without = [word for ref in refs for word in ("--exclude=" + ref,)]
    words = ["git", "-C", root, "rev-list", "--count", "--ignore-missing", *refs, "--not", *without, "--all"]
    status, said = disk.output_of(words, SECONDS, LOCAL_VARIABLES)
    return None if status is None else int(said) if said.strip().isdigit() else 0  # not there: git refuses

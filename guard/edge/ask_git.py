"""The rare question that only git can answer, with a bound on the wait. Everything else is read from git's files."""
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

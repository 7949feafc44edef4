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


SENDING = r"^(push\.default|push\.autosetupremote|remote\..*\.(push|mirror|url)|remote\.pushdefault|branch\..*\.(remote|merge|pushremote))$"


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


def thrown_away(disk: "Any", folder: str, refs: "tuple[str, ...]", flags: "tuple[str, ...]") -> "tuple[int, tuple[str, ...], bool] | None":
    """(how much would be lost, the first names, is a conflict open) of a command that discards; None when git does not say.

    `refs`: the commit it goes to, then paths. (git-status(1), Short Format; git-clean(1), -n; git-rev-list(1))
    """
    start = ["git", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "-C", folder]
    names: "list[str]" = []
    unmerged, commits = "resolved" in flags or "unmerged" in flags, 0
    if "changes" in flags or "staged" in flags:
        changed = changes(disk, start, refs[1:], flags)
        if changed is None:
            return None
        names += changed[0]
        unmerged = unmerged or changed[1]
    for kind, ask in (("untracked", untracked), ("resolved", worked_on), ("unmerged", settled)):
        if kind in flags or (kind == "untracked" and "ignored" in flags):
            found = ask(disk, folder, start, refs[1:], flags)
            if found is None:
                return None
            names += found
    if "commits" in flags:
        counted = commits_of(disk, start, refs[0], flags)
        if counted is None:
            return None
        commits = counted + ("made" in flags)
        names += ["a commit made just before" if "made" in flags else f"{commits} commit{'s' if commits > 1 else ''}"] if commits else []
    if "unsure" in flags and not names:
        return None
    return len(names) - bool(commits) + commits, tuple(names[:3]), unmerged


def changes(disk: "Any", start: "list[str]", paths: "tuple[str, ...]", flags: "tuple[str, ...]") -> "tuple[list[str], bool] | None":
    """(tracked files whose content is held nowhere else, is there a conflict)."""
    words = [*start, "status", "--porcelain=v1", "-z", "-uno", "--no-renames", "--", *paths]
    status, said = disk.output_of(words, SECONDS, LOCAL_VARIABLES)
    if status != 0:
        return None if status is None else ([], False)
    lines = [line for line in said.split("\0") if line]
    lost = [line[3:] for line in lines
            if ("staged" in flags and line[:1] in KEPT_NOWHERE) or ("changes" in flags and line[1:2] in KEPT_NOWHERE)]
    return lost, any("U" in line[:2] for line in lines)


def untracked(disk: "Any", folder: str, start: "list[str]", paths: "tuple[str, ...]", flags: "tuple[str, ...]") -> "list[str] | None":
    """What `git clean` would remove, folders without a file left out."""
    found = cleaned(disk, [*start, "clean", "-n"], paths, flags)
    return found and [name for name in found if name[-1:] != "/" or holds_files(disk, f"{folder}/{name}", 6)]


def cleaned(disk: "Any", start: "list[str]", paths: "tuple[str, ...]", flags: "tuple[str, ...]") -> "list[str] | None":
    """What a dry run of `git clean` names, from the folder it runs in; None when git does not say."""
    options = [flag[7:] for flag in flags if flag[:7] == "option "]
    words = [*start, *options, *(["-x"] if "ignored" in flags and "-X" not in options else []), "--", *paths]
    status, said = disk.output_of(words, SECONDS, LOCAL_VARIABLES)
    if status is None:
        return None
    return [line[13:].strip('"') for line in said.splitlines() if line.startswith("Would remove ")]


def cleaned_whole(disk: "Any", folder: str, paths: "tuple[str, ...]", flags: "tuple[str, ...]") -> "list[str] | None":
    """What `git clean -ff` would remove, nested repositories included."""
    start = ["git", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "-C", folder]
    return cleaned(disk, [*start, "clean", "-nff"], paths, flags)


def commits_of(disk: "Any", start: "list[str]", target: str, flags: "tuple[str, ...]") -> "int | None":
    """How many commits nothing would hold any more, if the branch went to `target` ("": nobody knows where to)."""
    branch = next((flag[7:] for flag in flags if flag[:7] == "branch "), "")
    tip = "refs/heads/" + branch if branch else "HEAD"
    branch = branch or disk.output_of([*start, "symbolic-ref", "-q", "HEAD"], SECONDS, LOCAL_VARIABLES)[1].strip()[11:]
    but = ["--exclude=" + branch] if branch else []  # without refs/heads/ before --branches
    words = [*start, "rev-list", "--count", tip, "--not", *([target] if target else []), *but, "--branches", "--tags", "--remotes"]
    status, said = disk.output_of(words, SECONDS, LOCAL_VARIABLES)
    return None if status is None else int(said) if said.strip().isdigit() else 0


def worked_on(disk: "Any", folder: str, start: "list[str]", paths: "tuple[str, ...]", flags: "tuple[str, ...]") -> "list[str] | None":
    """Conflicted files without markers, changed after they were staged, or resolved and staged. (git-ls-files(1), --resolve-undo)"""
    rows = status_rows(disk, start)
    if rows is None:
        return None
    top, git_dir = (disk.output_of([*start, "rev-parse", what], SECONDS, LOCAL_VARIABLES)[1].rstrip("\n")
                    for what in ("--show-toplevel", "--absolute-git-dir"))
    if not any(disk.kind(f"{git_dir}/{name}") for name in UNDER_WAY):
        return []
    found = []
    for marks, name in rows:
        if in_conflict(marks):
            found += [name] if without_markers(disk, f"{top}/{name}") else []
        elif marks[1:] in ("M", "T"):
            found.append(name)
    undo = disk.output_of([*start, "ls-files", "--resolve-undo", "--full-name"], SECONDS, LOCAL_VARIABLES)[1]
    return list(dict.fromkeys(found + [line.partition("\t")[2] for line in undo.splitlines()]))


def settled(disk: "Any", folder: str, start: "list[str]", paths: "tuple[str, ...]", flags: "tuple[str, ...]") -> "list[str] | None":
    """Conflicted files without markers, which one side's version would replace."""
    rows = status_rows(disk, start)
    if rows is None:
        return None
    top = disk.output_of([*start, "rev-parse", "--show-toplevel"], SECONDS, LOCAL_VARIABLES)[1].rstrip("\n")
    return [name for marks, name in rows if in_conflict(marks) and without_markers(disk, f"{top}/{name}")]


def status_rows(disk: "Any", start: "list[str]") -> "list[tuple[str, str]] | None":
    """(the two letters, the path from the top) of each tracked file that is open; None where git does not say."""
    status, said = disk.output_of([*start, "status", "--porcelain=v1", "-z", "-uno", "--no-renames"], SECONDS, LOCAL_VARIABLES)
    return None if status is None else [(line[:2], line[3:]) for line in said.split("\0")]


def in_conflict(marks: str) -> bool:
    return "U" in marks or marks in ("AA", "DD")


def without_markers(disk: "Any", path: str) -> bool:
    text = disk.content_or(path, "")
    return text is not None and "<<<<<<< " not in text


def holds_files(disk: "Any", path: str, depth: int) -> bool:
    """A folder with anything but folders in it."""
    kind = disk.kind(path.rstrip("/"))
    return kind != "folder" or depth == 0 or any(holds_files(disk, f"{path.rstrip('/')}/{name}", depth - 1) for name in disk.names(path))


UNDER_WAY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")
KEPT_NOWHERE = ("M", "A", "T", "U", "R", "C")  # a deletion loses nothing: the file is in the index or in HEAD

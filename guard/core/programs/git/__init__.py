"""git: where it runs, which verb, and what that verb would change. (git(1), and the page of each verb)

`run` takes off the global options and follows aliases; VERBS names the module that knows a verb. A verb that is not there only reads.
"""
from guard.core.model import CHANGE, DISCARD, PUSH, UNHOOKED, Effect
from guard.core.shell import HOLE, as_written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from guard.core.shell.run import Command

MOST_ALIASES = 10
MOST_SHOWN = 40  # words of a command in a message
VALUES = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env", "--attr-source",
          "--list-cmds")
VERBS = {
    "push": "push", "send-pack": "push", "subtree": "push", "http-push": "push",
    "checkout": "branches", "switch": "branches", "branch": "branches", "update-ref": "branches", "symbolic-ref": "branches",
    "fetch": "branches", "pull": "branches", "merge": "branches", "rebase": "branches", "worktree": "shared", "config": "shared",
    "init": "shared", "clone": "elsewhere", "reflog": "shared", "gc": "shared", "prune": "shared", "maintenance": "shared",
    "filter-branch": "shared",
    "filter-repo": "shared", "replace": "shared", "remote": "shared", "stash": "stash", "bisect": "changes", "submodule": "changes",
    "archive": "outputs", "diff": "outputs", "show": "outputs", "log": "outputs", "format-patch": "outputs", "bundle": "outputs",
    "notes": "", "tag": ""}
CHANGES = frozenset((
    "add", "stage", "am", "apply", "checkout-index", "cherry-pick", "clean", "commit", "merge-file", "merge-index", "merge-recursive", "mv",
    "read-tree", "reset", "restore", "revert", "rm", "sparse-checkout", "update-index", "mergetool", "citool", "gui", "quiltimport", "svn",
    "p4"))
READS = frozenset((
    "annotate", "archive", "blame", "bugreport", "bundle", "cat-file", "check-attr", "check-ignore", "check-mailmap", "check-ref-format",
    "cherry", "column", "commit-graph", "commit-tree", "count-objects", "credential", "daemon", "describe", "diagnose", "diff",
    "diff-files", "diff-index", "diff-tree", "difftool", "fast-export", "fast-import", "fetch-pack", "fmt-merge-msg", "for-each-ref",
    "for-each-repo", "format-patch", "fsck", "get-tar-commit-id", "gitk", "gitweb", "grep", "hash-object", "help", "hook", "imap-send",
    "index-pack", "instaweb", "interpret-trailers", "log", "ls-files", "ls-remote", "ls-tree", "mailinfo", "mailsplit", "merge-base",
    "merge-tree", "mktag", "mktree", "multi-pack-index", "name-rev", "pack-objects", "pack-refs", "patch-id", "range-diff", "receive-pack",
    "repack", "request-pull", "rerere", "rev-list", "rev-parse", "scalar", "send-email", "shortlog", "show", "show-branch", "show-index",
    "show-ref", "status", "stripspace", "unpack-file", "unpack-objects", "update-server-info", "upload-archive", "upload-pack", "var",
    "verify-commit", "verify-pack", "verify-tag", "version", "whatchanged", "write-tree", "lfs", "credential-cache", "credential-store",
    "backfill", "repo", "last-modified", "history"))


class Git:
    """One call of git, global options taken off: verb, its words, the folders it runs in, and where it was pointed at."""

    __slots__ = ("command", "folders", "git_dir", "settings", "verb", "words", "work_tree")

    def __init__(self, command: "Command") -> None:
        self.command, self.folders, self.verb = command, command.folders, ""
        self.words: "list[str]" = []
        self.git_dir, self.work_tree = command.variable("GIT_DIR"), command.variable("GIT_WORK_TREE")
        self.settings: "dict[str, str]" = {**command.shell.settings, **dict(given_settings(command))}

    @property
    def typed(self) -> "tuple[str, ...]":
        return (self.verb, *[as_written(word) for word in self.words[:MOST_SHOWN]])

    def add(self, kind: str, refs: "tuple[str, ...]" = (), flags: "tuple[str, ...]" = ()) -> None:
        """One effect for each folder it may run in."""
        shell = self.command.shell
        if shell.in_submodule and kind != CHANGE:
            return  # its branches, pushes and settings are another repository's
        for folder in self.folders:
            if self.is_new(folder, kind):
                continue
            git_dir = self.command.path(self.git_dir, folder) if self.git_dir else ""
            files = self.command.path(self.work_tree, folder) if self.work_tree else folder
            for at in [git_dir, ""] if git_dir and self.work_tree and kind == CHANGE else [git_dir]:  # HEAD and index here, files there
                shell.add(Effect(kind=kind, path=files, verb=self.verb, said=self.command.said, refs=tuple(refs), flags=tuple(flags),
                                 words=self.typed, git_dir=at, head=self.head(folder), entered=shell.entered, input=shell.input,
                                 around=self.around(),
                                 settings=tuple(self.settings.items()) if kind == PUSH else ()))

    def around(self) -> "tuple[str, ...]":
        """What stands before the verb: what points it to a place, and whether there is more. Skipped hooks are nobody's to repeat."""
        command, found = self.command, []
        if self.folders is not command.folders:  # -C of the same folder as well
            found.append("-C")
        for given, option, variable in ((self.git_dir, "--git-dir", "GIT_DIR"), (self.work_tree, "--work-tree", "GIT_WORK_TREE")):
            if given:
                found.append(variable if given == command.variable(variable) else option)
        more = [name for name in command.environment if name not in ("GIT_DIR", "GIT_WORK_TREE")]
        if more or any(key != "core.hookspath" and key not in command.shell.settings for key in self.settings):
            found.append("more")
        return tuple(found)

    def made_repository(self, path: str) -> None:
        """git init, git clone: one of its own, where nothing has been before."""
        shell = self.command.shell
        shell.has_made(path, self.folders)
        new = [shell.absolute(path, folder) for folder in self.folders]
        shell.repositories.update([at for at in new if HOLE not in at and not shell.world.is_there(at)])

    def is_new(self, folder: str, kind: str) -> bool:
        """In a repository that this text has made, or a worktree: there is nothing yet that could be lost."""
        shell = self.command.shell
        if any(folder == path or folder.startswith(path + "/") for path in shell.repositories):
            return True
        return kind in (CHANGE, DISCARD) and folder in shell.heads and folder in shell.folders_made

    def head(self, folder: str) -> str:
        """The branch that this text has checked out there before, "" if it has not."""
        heads = self.command.shell.heads
        return heads.get(self.top(folder), "") if heads else ""

    def top(self, folder: str) -> str:
        shell = self.command.shell
        return folder if HOLE in folder or folder in shell.folders_made else shell.world.top(folder) or folder

    def checks_out(self, branch: str) -> None:
        """From here on that branch is HEAD's."""
        for folder in self.folders:
            self.command.shell.heads[self.top(folder)] = branch if len(self.folders) == 1 else HOLE

    def changes(self, flags: "tuple[str, ...]" = ()) -> None:
        self.add(CHANGE, (), flags)


def run(command: "Command", deep: int = 0) -> str:
    git = Git(command)
    given = command.argv[1:]
    name = command.argv[0].replace("\\", "/").rpartition("/")[2]
    if name.startswith("git-"):
        given = [name[4:].partition(".exe")[0], *given]
    given = global_options(git, given)
    if not given:
        return HOLE
    git.verb, git.words = given[0], given[1:]
    if git.verb in HOOKED and ("core.hookspath" in git.settings or told_to_skip(command)):
        git.add(UNHOOKED)
    if asks_for_help(git.words):
        return HOLE
    if git.verb in VERBS or git.verb in CHANGES or git.verb in READS:
        return followed(git)
    text = git.settings.get("alias." + git.verb.lower(), "")
    for folder in git.folders if not text else ():
        text = command.shell.world.alias(folder, git.verb) if HOLE not in git.verb else ""
        if text:
            break
    if text and deep < MOST_ALIASES:
        return expanded(git, command, text, deep)
    return HOLE


HOOKED = frozenset(("commit", "merge", "push", "rebase", "am", "cherry-pick", "revert", "checkout", "switch", "pull"))


NOTHING, OFF = ("", "0", "false", "no"), ("0", "false", "no", "off")
# Hook managers' own ways to go round the hooks: husky, lefthook, pre-commit, simple-git-hooks, overcommit.
SKIPPED_IF_OFF = ("HUSKY", "LEFTHOOK")
SKIPPED_IF_SET = ("SKIP", "HUSKY_SKIP_HOOKS", "LEFTHOOK_EXCLUDE", "SKIP_SIMPLE_GIT_HOOKS", "OVERCOMMIT_DISABLE")


def told_to_skip(command: "Command") -> bool:
    """By a variable of this text: what the person's environment holds is the person's choice."""
    given = dict(command.environment)
    given.update({name: str(command.shell.variables[name]) for name in command.shell.exported
                  if name not in given and name in command.shell.variables})
    return any(given.get(name, "").lower() in OFF for name in SKIPPED_IF_OFF) or any(
        given.get(name, "").lower() not in NOTHING and HOLE not in given[name] for name in SKIPPED_IF_SET)


def asks_for_help(words: "list[str]") -> bool:
    """`git VERB -h` and `--help`, and nothing happens."""
    plain = words[:words.index("--")] if "--" in words else words
    return "--help" in plain or "-h" in plain[:2]


def followed(git: "Git") -> str:
    module = VERBS.get(git.verb, "")
    if module == "outputs" and not any(word[:2] in ("-o", "--") or git.verb in ("bundle", "format-patch") for word in git.words):
        module = ""  # most of them only print
    if module:
        verbs = __import__(f"guard.core.programs.git.{module}", fromlist=["run"])
        verbs.run(git)
    elif git.verb in CHANGES:
        from guard.core.programs.git import changes
        changes.run(git)
    return printed(git)


NAMES_HEAD = (("branch", ["--show-current"]), ("rev-parse", ["--abbrev-ref", "HEAD"]), ("symbolic-ref", ["--short", "HEAD"]))


def printed(git: "Git") -> str:
    """What a few questions answer: `$(git branch --show-current)` is too common to be left unknown."""
    world, words = git.command.shell.world, [word for word in git.words if word not in ("-q", "--quiet", "--verify")]
    if len(git.folders) != 1 or HOLE in git.folders[0] or git.git_dir:
        return HOLE
    if (git.verb, words) in NAMES_HEAD:
        return (git.head(git.folders[0]) or world.head(git.folders[0]) or HOLE) + "\n"
    if git.verb == "symbolic-ref" and words[-1:] == ["refs/remotes/origin/HEAD"]:
        default = world.remote_head(git.folders[0])
        return (("" if "--short" in words else "refs/remotes/") + f"origin/{default}" if default else HOLE) + "\n"
    if (git.verb, words) in (("rev-parse", ["--show-toplevel"]), ("rev-parse", ["--show-cdup"])):
        return (world.top(git.folders[0]) or HOLE) + "\n"
    return HOLE


def global_options(git: "Git", given: "list[str]") -> "list[str]":
    """Takes -C, -c, --git-dir and their kin off; what is left begins with the verb."""
    command = git.command
    while given and (given[0][:1] == "-" or (given[0] == HOLE and len(given) > 1)):  # $FLAGS may be anything, or nothing
        word, given = given[0], given[1:]
        option, sign, value = word.partition("=")
        if word[:2] in ("-C", "-c") and len(word) > 2:
            option, value, sign = word[:2], word[2:], "="
        elif option in VALUES and not sign and option != "--exec-path":
            value, given = (given[0] if given else ""), given[1:]
        if option == "-C" and value:
            git.folders = tuple([command.path(value, folder) for folder in git.folders])
        elif option == "--git-dir":
            git.git_dir = value
        elif option == "--work-tree":
            git.work_tree = value
        elif option in ("-c", "--config-env"):
            key, _, setting = value.partition("=")
            git.settings[key.lower()] = setting if option == "-c" else command.variable(setting)
        elif option in ("--help", "-h", "--version", "-v", "--html-path", "--man-path", "--info-path"):
            return []
    return given


def given_settings(command: "Command") -> "list[tuple[str, str]]":
    """GIT_CONFIG_COUNT, GIT_CONFIG_KEY_n, GIT_CONFIG_VALUE_n (git-config(1), ENVIRONMENT)."""
    count = command.variable("GIT_CONFIG_COUNT")
    many = min(int(count), 16) if count.isascii() and count.isdigit() and len(count) < 4 else 0
    return [(command.variable(f"GIT_CONFIG_KEY_{n}").lower(), command.variable(f"GIT_CONFIG_VALUE_{n}")) for n in range(many)]


def expanded(git: "Git", command: "Command", text: str, deep: int) -> str:
    """`!text` is the shell's, run from the top of the checkout; anything else are words for git."""
    from guard.core.shell.builtins import shell_quoted
    if text[:1] == "!":
        inner = command.shell.copy()
        inner.functions = {}
        inner.folders = tuple([inner.world.top(folder) or folder if HOLE not in folder else folder for folder in git.folders])
        return inner.follow(" ".join([text[1:], *[shell_quoted(word) for word in git.words]]))
    from guard.core.programs.wrappers import unquoted
    other = command.but(["git", *unquoted(command, text), *git.words])
    other.folders = git.folders
    for name, value in (("GIT_DIR", git.git_dir), ("GIT_WORK_TREE", git.work_tree)):
        if value:
            other.environment[name] = value
    return run(other, deep + 1)


# --- options: long ones by any unambiguous beginning, short ones in clusters, operands in between (gitcli(7)) --------

class Options:
    """`flags`: long name (or letter) -> value, "" for none; `--no-x` takes x away. `paths`: what stands behind `--`, or None.

    `every`: value by value, for options that may be given more than once.
    """

    __slots__ = ("every", "flags", "operands", "paths")

    def __init__(self) -> None:
        self.flags: "dict[str, str]" = {}
        self.every: "dict[str, list[str]]" = {}
        self.operands: "list[str]" = []
        self.paths: "list[str] | None" = None

    def has(self, *names: str) -> bool:
        return any(name in self.flags for name in names)

    def give(self, name: str, value: str) -> None:
        self.flags[name] = value
        self.every.setdefault(name, []).append(value)


def parsed(words: "Iterable[str]", known: str) -> Options:
    """`known`: "f/force b= c/create=": a letter, a long name, or both; = for those that take a value, ? if only behind a `=`."""
    letters: "dict[str, str]" = {}
    valued: "set[str]" = set()
    longs = []
    for one in known.split():
        name = one.rstrip("=?")
        letter, slash, long = name.partition("/") if len(name) > 1 else (name, "", "")
        if not slash and len(name) > 1:
            letter, long = "", name
        long = long or letter
        if letter:
            letters[letter] = long
        if one[-1] == "=":
            valued.add(long)
        longs.append(long)
    found, rest = Options(), list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            found.paths = rest
            return found
        if word[:2] == "--":
            long_option(found, word[2:], rest, longs, valued)
        elif word[:1] == "-" and len(word) > 1:
            cluster(found, word[1:], rest, letters, valued)
        else:
            found.operands.append(word)
    return found


def long_option(found: Options, word: str, rest: "list[str]", longs: "list[str]", valued: "set[str]") -> None:
    name, sign, value = word.partition("=")
    negated = name.startswith("no-") and name not in longs
    if negated:
        name = name[3:]
    fits = [long for long in longs if long == name] or [long for long in longs if len(long) > 1 and long.startswith(name)]
    name = fits[0] if fits else name
    if negated:
        found.flags.pop(name, None)
        found.every.pop(name, None)
        return
    if name in valued and not sign:
        value = rest.pop(0) if rest else ""
    found.give(name, value)


def cluster(found: Options, word: str, rest: "list[str]", letters: "dict[str, str]", valued: "set[str]") -> None:
    for n, letter in enumerate(word):
        name = letters.get(letter, letter)
        if name in valued:
            found.give(name, word[n + 1:] or (rest.pop(0) if rest else ""))
            return
        found.give(name, "")

"""The words of the guard: call, effect, facts, verdict. Values only, no behaviour."""

TYPE_CHECKING = False  # `typing` costs 12 ms a call; type checkers read the name as true
if TYPE_CHECKING:
    from typing import Any


class Record:
    """A value with named fields. A hand-made stand-in for dataclasses, whose import costs 18 ms a call."""

    __slots__: "tuple[str, ...]" = ()
    DEFAULTS: "dict[str, Any]" = {}

    def __init__(self, **given: "Any") -> None:
        for name in self.__slots__:
            setattr(self, name, given.pop(name) if name in given else self.DEFAULTS[name])
        if given:
            raise TypeError(f"{type(self).__name__} has no {', '.join(given)}")

    def fields(self) -> "dict[str, Any]":
        return {name: getattr(self, name) for name in self.__slots__}

    def but(self, **changed: "Any") -> "Any":
        """The same value with some fields changed."""
        return type(self)(**dict(self.fields(), **changed))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and type(self) is type(other) and self.fields() == other.fields()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.fields().items())})"


class Fault(Exception):
    """Input or state that cannot be understood. The call passes, and the fault is written down."""


class Call(Record):
    """One tool call. `tool` is the client's usual name, `cwd` and `project` are absolute, ids are "" when not given."""

    __slots__ = ("agent", "call_id", "client", "cwd", "input", "project", "session", "tool")
    DEFAULTS = {"agent": "", "call_id": "", "client": "", "project": "", "session": ""}
    tool: str
    input: "dict[str, Any]"
    cwd: str
    session: str
    agent: str
    call_id: str
    client: str
    project: str


# Kinds of effect, a closed list. Which facts each needs is decided by edge/look.py from these alone.
READ, SEARCH, WRITE = "read", "search", "write"
SERVER = "server"    # a tool of an MCP server that writes without an absolute path: it lands where the server runs
MENTION = "mention"  # text for a subagent, which may name paths of the main checkout
ENTER = "enter"      # the client's own EnterWorktree
# Of shell commands; `path` is the folder where they run, HOLE ("\0") in it stands for what cannot be known.
CHANGE = "change"      # a git verb that changes files, index, HEAD or branch of the checkout there
PUSH = "push"          # refs: (remote, refspec, ...)
BRANCH = "branch"      # refs: the branches or refs it moves, deletes, checks out or merges; flags say which
WORKTREE = "worktree"  # git worktree remove, move, unlock, prune; refs: the worktree named
CONFIG = "config"      # refs: (key, value)
HISTORY = "history"    # what makes commits unreachable or rewrites them
DISCARD = "discard"    # throws away what was never committed, or commits that nothing else holds; refs: paths; flags say what
STASH = "stash"        # an entry of the stash, which all worktrees share; refs: the entry; flags: pop, apply, drop, clear, push
UNHOOKED = "unhooked"  # the repository's own hooks are skipped
PERSON = "person"      # wt, called by an agent; verb and refs as given
RUN = "run"            # a program of which nothing is known, or which only reads; refs: paths that it names
UNREAD = "unread"      # text that the reader gave up on; said: why, refs: (the text,)


class Effect(Record):
    """What a call would do: `path` as the caller wrote it, found `at` these keys of the input, `tail` kept behind a moved path.

    `makes`: the tool writes a whole file, so it also works where there is none yet. `said`: the word for messages.
    Of a shell command: `verb`, `refs` and `flags` (long options, and words of our own), `git_dir` where git was pointed at one,
    `words` as typed from the verb on, `head` the branch that the same text has checked out before, `settings` (key, value) of git's
    that it gave itself, `entered` the worktree it entered before. Of a write by shell: `flags` remove, tree (with all below it),
    below (what is below it), itself (a link, not what it leads to). For the words of a refusal: `input` is what flows into the
    command, a file's path or "-" for any other text, and `around` what stands before git's verb: the options that point it to a
    place (-C, --git-dir, GIT_DIR, ...), and "more" for others and for variables.
    """

    __slots__ = ("around", "at", "entered", "flags", "git_dir", "head", "input", "kind", "makes", "path", "refs", "said", "settings",
                 "tail", "verb", "words")
    DEFAULTS = {"around": (), "at": (), "entered": "", "flags": (), "git_dir": "", "head": "", "input": "", "makes": False, "path": "",
                "refs": (), "said": "", "settings": (), "tail": "", "verb": "", "words": ()}
    kind: str
    path: str
    at: "tuple[Any, ...]"
    tail: str
    makes: bool
    said: str
    verb: str
    refs: "tuple[str, ...]"
    flags: "tuple[str, ...]"
    git_dir: str
    words: "tuple[str, ...]"
    head: str
    settings: "tuple[tuple[str, str], ...]"
    entered: str
    input: str
    around: "tuple[str, ...]"


class Settings(Record):
    """What the owner may choose. One default each; the same table serves the reader here and the schema of `wt`."""

    __slots__ = ("asks", "branch_prefix", "implicit", "main_write_allow", "mcp_in_main", "mode", "on_fault",
                 "protected_branches", "skip_hooks", "stale", "symlink_dirs", "unreadable", "unresolved", "worktree_parent")
    DEFAULTS = {
        "mode": "open",                # open | protect: what an unbound session may do to the main checkout
        "implicit": True,              # a session started in a linked worktree is bound to it
        "stale": "deny",               # deny | open: writes while the bound worktree is gone
        "asks": "ask",                 # ask | deny | pass: what becomes of every question
        "on_fault": "pass",            # pass | ask: a fault of the guard itself
        "unreadable": "ask",           # ask | pass | deny: a command that the reader cannot follow and that names git or a worktree
        "unresolved": "pass",          # pass | ask | deny: a command whose target cannot be known
        "skip_hooks": "ask",           # ask | pass | deny: --no-verify and the like, while bound
        "protected_branches": (),      # instead of main, master and origin/HEAD's
        "main_write_allow": (),        # gitignore patterns of the main checkout that stay writable
        "mcp_in_main": ("serena", "backlog", "task-master-ai"),  # servers that keep files in the folder they started in
        "symlink_dirs": (),            # sync.symlink_dirs: links out of a worktree that are meant
        "worktree_parent": ".worktrees",
        "branch_prefix": "wt/",
    }
    mode: str
    implicit: bool
    stale: str
    asks: str
    on_fault: str
    unreadable: str
    unresolved: str
    skip_hooks: str
    protected_branches: "tuple[str, ...]"
    main_write_allow: "tuple[str, ...]"
    mcp_in_main: "tuple[str, ...]"
    symlink_dirs: "tuple[str, ...]"
    worktree_parent: str
    branch_prefix: str


SETTINGS_FILES = (".worktree-guard.json", ".zcode/worktree-guard.json", ".claude/worktree-guard.json")  # the first that is there counts
CHOICES = {"mode": ("open", "protect"), "stale": ("deny", "open"), "asks": ("ask", "deny", "pass"), "on_fault": ("pass", "ask"),
           "unreadable": ("ask", "pass", "deny"), "unresolved": ("pass", "ask", "deny"), "skip_hooks": ("ask", "pass", "deny")}
PROTECTED = ("main", "master")


class Binding(Record):
    """Who works where. `source`: agent, session, implicit, repository (in the order of the search).

    `condition`: there, gone (no folder), unreadable (nobody can tell), unknown (git does not list it), detached, protected (on a
    protected branch). The first three after "there" are LOST.
    `head` is the branch checked out now, "" when detached; `base` what the work began from, such as origin/main.
    """

    __slots__ = ("base", "branch", "condition", "head", "path", "protected", "source")
    DEFAULTS = {"base": "", "branch": "", "condition": "there", "head": "", "protected": PROTECTED}
    path: str
    source: str
    base: str
    branch: str
    protected: "tuple[str, ...]"
    condition: str
    head: str


class Repository(Record):
    """One git repository as a call sees it.

    `main`: the main checkout's root, "" for a bare one; `authorisation`: the id of a living leave to write it, `once` if for one
    call only; `servers_in_main`: the session, and so its MCP servers, started in the main checkout. `used`: `wt` has been here.
    """

    __slots__ = ("authorisation", "binding", "common", "main", "once", "servers_in_main", "settings", "used")
    DEFAULTS = {"authorisation": "", "binding": None, "main": "", "once": False, "servers_in_main": False, "used": False}
    common: str
    main: str
    binding: "Binding | None"
    settings: Settings
    authorisation: str
    once: bool
    servers_in_main: bool
    used: bool


# Places a path can lie in; core/files.py has the table.
GIT, ELSEWHERE, OTHER, OWN, MAIN, GONE = "git", "elsewhere", "other", "own", "main", "gone"
LOST = ("gone", "unreadable", "unknown")
UNKNOWN = "unknown"  # of a shell command: no telling which folder that is


class Facts(Record):
    """What the disk says about one effect.

    `path` absolute, links resolved; `place` one of the places above; `root` of the checkout it lies in and `rel` below it.
    `there`: it exists. `to`: the same file in the bound worktree, `to_there`: that exists, `to_leaves`: a link carries it out of W.
    `leaves`: it was reached through a link in W that leaves W. `allowed`: a living `wt allow` covers it.
    `submodule`: below the root, when it lies in one; `submodule_there`: the bound worktree has it initialised.
    `is_settings`: a write to one of the guard's settings files. `ignored`: git's answer, None when not asked or not known.
    Of a shell command, where its rule needs them: `head` the branch there, `protected` the names nobody may move, `held` which
    branch is checked out in which worktree, `config` what git would go by (None: it did not say), `lost` commits that no other
    ref holds, `named` what the command names elsewhere, `foreign` the binding is a person's or another session's, the
    repository none of ours.
    """

    __slots__ = ("allowed", "config", "foreign", "head", "held", "ignored", "is_settings", "leaves", "lost", "named", "path", "place",
                 "protected", "rel", "repository", "root", "submodule", "submodule_there", "there", "to", "to_leaves", "to_there")
    DEFAULTS = {"allowed": False, "config": None, "foreign": False, "head": None, "held": (), "ignored": None, "is_settings": False,
                "leaves": False, "lost": 0, "named": (), "path": "", "place": ELSEWHERE, "protected": (), "rel": "", "repository": None,
                "root": "", "submodule": "", "submodule_there": True, "there": False, "to": "", "to_leaves": False,
                "to_there": False}
    path: str
    place: str
    repository: "Repository | None"
    root: str
    rel: str
    there: bool
    to: str
    to_there: bool
    to_leaves: bool
    leaves: bool
    allowed: bool
    submodule: str
    submodule_there: bool
    is_settings: bool
    ignored: "bool | None"
    head: "str | None"
    protected: "tuple[str, ...]"
    held: "tuple[tuple[str, str], ...]"
    config: "dict[str, list[str]] | None"
    lost: int
    named: "tuple[str, ...]"
    foreign: bool


class Abilities(Record):
    """What a client honours. `steered`: tools whose rewrites it spoils, refused with the right path instead;

    `steered_if_there`: the same once the worktree has the file. `moves` is False where rewrites are dropped in silence.
    `hands_over`: a variable for the session's id, where the client's shell does not know it.
    """

    __slots__ = ("asks", "hands_over", "moves", "notes", "steered", "steered_if_there")
    DEFAULTS = {"asks": True, "hands_over": "", "moves": True, "notes": False, "steered": (), "steered_if_there": ()}
    moves: bool
    hands_over: str
    notes: bool
    asks: bool
    steered: "tuple[str, ...]"
    steered_if_there: "tuple[str, ...]"


ALLOW, REWRITE, DENY, ASK = "allow", "rewrite", "deny", "ask"


class Answer(Record):
    """The answer for one effect: allow, rewrite (`to` the path that would be right), deny or ask."""

    __slots__ = ("kind", "note", "reason", "rule", "spends", "to")
    DEFAULTS = {"note": "", "reason": "", "rule": "", "spends": "", "to": ""}
    kind: str
    to: str
    note: str
    rule: str
    reason: str
    spends: str


class Verdict(Record):
    """The answer to a call: allow, rewrite (with the whole new input), deny or ask (with a reason). A note is for the model.

    `rule` names the reason, `paths` what it was about (for the audit), `spends` an authorisation that was good for one call.
    """

    __slots__ = ("input", "kind", "note", "paths", "reason", "rule", "spends")
    DEFAULTS = {"input": None, "note": "", "paths": (), "reason": "", "rule": "", "spends": ""}
    kind: str
    rule: str
    reason: str
    note: str
    input: "dict[str, Any] | None"
    paths: "tuple[str, ...]"
    spends: str

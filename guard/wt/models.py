"""The schema of everything `wt` writes. guard/edge/records.py and settings.py read the same by hand; laws in tests keep them equal."""
from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from guard.edge.records import is_text


def moment(away: timedelta = timedelta()) -> str:
    """Now, or some time away from it, as all our records write it: UTC, ISO 8601 to the second."""
    return (datetime.now(timezone.utc) + away).strftime("%Y-%m-%dT%H:%M:%SZ")


def now() -> str:
    return moment()


def about(said: str, **more: Any) -> Meta:
    """What an editor shows of a field, by the JSON schema. `more` of it: a default that is made anew each time is not seen."""
    return Meta(description=said, extra_json_schema=more or None)


Version = Annotated[int, Meta(ge=1, le=1, description="of this file's form")]


class Strict(Struct, frozen=True):
    """No conversions: a number is not a text. Fields of a later version are kept out of our way."""

    def __post_init__(self) -> None:
        """ValueError for half of a surrogate pair and for a NUL, which JSON can write, and no path or name can hold."""
        if not all(can_be_written(getattr(self, name)) for name in self.__struct_fields__):
            raise ValueError("a text with a NUL, or with what UTF-8 cannot hold")


class Placed(Strict, frozen=True):
    """A record of `wt` alone that names a folder: in full, since from where another one would count nobody knows."""

    def __post_init__(self) -> None:
        super().__post_init__()
        path = getattr(self, "path", "")
        if isinstance(path, str) and not Path(path).is_absolute():
            raise ValueError(f"{path!r} is no path in full")


def can_be_written(value: Any) -> bool:
    return all(is_text(item) for item in (value if isinstance(value, list) else [value]) if isinstance(item, str))


class Binding(Strict, frozen=True, kw_only=True):
    """Who works in which worktree: state.json (the repository's) and sessions/<id>.json."""

    version: Version = 1
    active: bool = True
    path: str
    main: str = ""
    branch: str = ""
    base: str = ""
    protected: list[str] = field(default_factory=lambda: ["main", "master"])
    session: str | None = None
    client: str = ""
    client_pid: int | None = None
    client_started: str | None = None
    entered_at: str = ""
    by: str = ""
    ended_at: str | None = None


class Authorisation(Strict, frozen=True):
    """A person's leave to write the main checkout until `expires_at`."""

    id: str
    reason: str = ""
    created_at: str = ""
    expires_at: str = ""
    once: bool = False
    branch: str | None = None
    only: str | None = None
    session: str | None = None


class Overrides(Strict, frozen=True):
    version: Version = 1
    authorisations: list[Authorisation] = []


class Permit(Strict, frozen=True):
    """Leave for one path (and what lies in it) until `expires_at`."""

    path: str
    reason: str = ""
    created_at: str = ""
    expires_at: str = ""
    session: str | None = None


class Permits(Strict, frozen=True):
    version: Version = 1
    entries: list[Permit] = []


class Making(Strict, frozen=True):
    """The process that is still copying into a worktree and setting it up."""

    pid: int
    started: str = ""


class WorktreeRecord(Placed, frozen=True, kw_only=True):
    """What the creation of a worktree decided; observation never changes it.

    `source` "change-request" has its number in `change_request`; "adopted" was made by somebody else; "pool" is handed out by `wt lease`,
    "lane" by `wt lane`.
    `copied` are the ignored files that came from the main checkout, `making` is there until the last step of the creation has been taken.
    `own` is what git kept for a workspace of the pool alone when it was made (own_config.py), which each holder finds.
    `restored_head` is where a person wanted it back out of the trash: as long as it is there, `wt clean` leaves it alone.
    """

    version: Version = 1
    path: str
    owned: bool = True
    branch: str = ""
    base: str = ""
    base_commit: str = ""
    created_at: str = ""
    source: Literal["new-branch", "branch", "change-request", "adopted", "pool", "lane"] = "new-branch"
    title: str = ""
    change_request: int | None = None
    port: Annotated[int, Meta(ge=1, le=65535)] | None = None
    copied: list[str] = []
    making: Making | None = None
    own: dict[str, str] | None = None
    restored_head: str = ""


class Link(Strict, frozen=True):
    """A link at the top of a worktree that leads out of it: taken off before the folder moves, put back with it."""

    name: str
    target: str
    folder: bool = False


class Trashed(Strict, frozen=True, kw_only=True):
    """A removed worktree: trash/<id>/entry.json, beside `tree` (its folder) and `admin` (git's own part of it).

    It is written before the first step, so that whoever comes next knows what was begun. `ref` holds its commits and open files, `more`
    what only its logs and its half-done operation held; each is "" where there is nothing to hold. `pointer` is what its `.git` file said.
    `hollow`: its folder was gone already, and is made again from git's index when it comes back.
    """

    version: Version = 1
    id: str
    step: Literal["removing", "removed", "restoring"]
    path: str
    branch: str = ""
    head: str = ""
    base: str = ""
    at: str = ""
    order: Annotated[int, about("nanoseconds: which of two in one second came first")] = 0
    ref: str = ""
    more: str = ""
    admin: str = ""
    pointer: str = ""
    branch_goes: bool = False
    copied: bool = False
    hollow: bool = False
    links: list[Link] = []
    record: WorktreeRecord | None = None


class Sync(Strict, frozen=True):
    """What a new worktree gets from the main checkout beside git's files."""

    copy_files: Annotated[list[str], about("gitignore patterns of untracked and ignored files that are copied, such as .env")] = []
    symlink_dirs: Annotated[list[str], about("Links out of a worktree that are meant, such as node_modules")] = []
    submodules: Annotated[bool, about("Set the submodules up that the main checkout has set up")] = False


class PerPlatform(Strict, frozen=True):
    """Commands for the system at hand."""

    linux: str | list[str] = []
    macos: str | list[str] = []
    windows: str | list[str] = []


Commands = str | list[str] | PerPlatform


class Ports(Strict, frozen=True):
    """Where the port of a worktree comes from: what a script prints, else a range, else the system."""

    range: Annotated[str, Meta(pattern=r"^(\d{1,5}-\d{1,5})?$", description="such as 3000-3999")] = ""
    script: Annotated[str, about("a command that prints one port")] = ""


class PoolSize(Strict, frozen=True):
    """The worktrees that `wt lease` hands out."""

    size: Annotated[int, Meta(ge=1, le=1000, description="at most; the pool grows on demand")] = 16


MCP_IN_MAIN = ["serena", "backlog", "task-master-ai"]


class Settings(Strict, frozen=True):
    """.worktree-guard.json of the main checkout."""

    mode: Annotated[Literal["open", "protect"], about("protect: without a binding, writes to the main checkout are refused")] = "open"
    implicit: Annotated[bool, about("A session started in a linked worktree is bound to it")] = True
    stale: Annotated[Literal["deny", "open"], about("Writes to the main checkout while the bound worktree is gone")] = "deny"
    asks: Annotated[Literal["ask", "deny", "pass"], about("What becomes of every question")] = "ask"
    on_fault: Annotated[Literal["pass", "ask"], about("A fault of the guard itself")] = "pass"
    unreadable: Annotated[Literal["ask", "pass", "deny"],
                          about("A command that cannot be followed and names git or a worktree")] = "ask"
    unresolved: Annotated[Literal["pass", "ask", "deny"], about("A command whose target cannot be known beforehand")] = "pass"
    skip_hooks: Annotated[Literal["ask", "pass", "deny"], about("--no-verify and the like, while bound")] = "ask"
    protected_branches: Annotated[list[str], about("Instead of main, master and the remote's default branch")] = []
    main_write_allow: Annotated[list[str], about("gitignore patterns of the main checkout that stay writable")] = []
    mcp_in_main: Annotated[list[str], about("MCP servers that keep files in the folder they started in", default=MCP_IN_MAIN)] = field(
        default_factory=MCP_IN_MAIN.copy)
    worktree_parent: Annotated[str, about("Where new worktrees go, from the main checkout or absolute")] = ".worktrees"
    branch_prefix: Annotated[str, about("Put before a new worktree's name to make its branch")] = "wt/"
    sync: Sync = Sync()
    setup: Annotated[Commands, about("Commands that run in a new worktree, once wt trust has accepted them")] = []
    teardown: Annotated[Commands, about("The same before a worktree is removed")] = []
    ports: Ports = Ports()
    pool: PoolSize = PoolSize()

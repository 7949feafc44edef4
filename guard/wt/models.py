"""The schema of everything `wt` writes. guard/edge/records.py and settings.py read the same by hand; laws in tests keep them equal."""
from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, field_validator

from guard.edge.records import is_text


def moment(away: timedelta = timedelta()) -> str:
    """Now, or some time away from it, as all our records write it: UTC, ISO 8601 to the second."""
    return (datetime.now(timezone.utc) + away).strftime("%Y-%m-%dT%H:%M:%SZ")


def now() -> str:
    return moment()


Version = Annotated[int, Field(ge=1, le=1, description="of this file's form")]


class Strict(BaseModel):
    """No conversions: a number is not a text. Fields of a later version are kept out of our way."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")

    @field_validator("*")
    @classmethod
    def can_be_written(cls, value: Any) -> Any:
        """No half of a surrogate pair, which JSON can write and nothing else can hold."""
        if not all(is_text(item) for item in (value if isinstance(value, list) else [value]) if isinstance(item, str)):
            raise ValueError("no text that UTF-8 can hold")
        return value


class Binding(Strict):
    """Who works in which worktree: state.json (the repository's) and sessions/<id>.json."""

    version: Version = 1
    active: bool = True
    path: str
    main: str = ""
    branch: str = ""
    base: str = ""
    protected: list[str] = Field(default_factory=lambda: ["main", "master"])
    session: str | None = None
    client: str = ""
    client_pid: int | None = None
    client_started: str | None = None
    entered_at: str = ""
    by: str = ""
    ended_at: str | None = None


class Authorisation(Strict):
    """A person's leave to write the main checkout until `expires_at`."""

    id: str
    reason: str = ""
    created_at: str = ""
    expires_at: str = ""
    once: bool = False
    branch: str | None = None
    only: str | None = None
    session: str | None = None


class Overrides(Strict):
    version: Version = 1
    authorisations: list[Authorisation] = []


class Permit(Strict):
    """Leave for one path (and what lies in it) until `expires_at`."""

    path: str
    reason: str = ""
    created_at: str = ""
    expires_at: str = ""
    session: str | None = None


class Permits(Strict):
    version: Version = 1
    entries: list[Permit] = []


class Making(Strict):
    """The process that is still copying into a worktree and setting it up."""

    pid: int
    started: str = ""


class WorktreeRecord(Strict):
    """What the creation of a worktree decided; observation never changes it.

    `source` "change-request" has its number in `change_request`; "adopted" was made by somebody else; "pool" is handed out by `wt lease`,
    "lane" by `wt lane`.
    `copied` are the ignored files that came from the main checkout, `making` is there until the last step of the creation has been taken.
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
    port: int | None = Field(None, ge=1, le=65535)
    copied: list[str] = []
    making: Making | None = None
    restored_head: str = ""


class Link(Strict):
    """A link at the top of a worktree that leads out of it: taken off before the folder moves, put back with it."""

    name: str
    target: str
    folder: bool = False


class Trashed(Strict):
    """A removed worktree: trash/<id>/entry.json, beside `tree` (its folder) and `admin` (git's own part of it).

    It is written before the first step, so that whoever comes next knows what was begun. `ref` holds its commits and open files, `more`
    what only its logs and its half-done operation held; each is "" where there is nothing to hold. `pointer` is what its `.git` file said.
    """

    version: Version = 1
    id: str
    step: Literal["removing", "removed", "restoring"]
    path: str
    branch: str = ""
    head: str = ""
    base: str = ""
    at: str = ""
    order: int = Field(0, description="nanoseconds: which of two in one second came first")
    ref: str = ""
    more: str = ""
    admin: str = ""
    pointer: str = ""
    branch_goes: bool = False
    copied: bool = False
    links: list[Link] = []
    record: WorktreeRecord | None = None


class Sync(Strict):
    """What a new worktree gets from the main checkout beside git's files."""

    copy_files: list[str] = Field(default=[], description="gitignore patterns of untracked and ignored files that are copied, such as .env")
    symlink_dirs: list[str] = Field(default=[], description="Links out of a worktree that are meant, such as node_modules")
    submodules: bool = Field(default=False, description="Set the submodules up that the main checkout has set up")


class PerPlatform(Strict):
    """Commands for the system at hand."""

    linux: str | list[str] = []
    macos: str | list[str] = []
    windows: str | list[str] = []


Commands = str | list[str] | PerPlatform


class Ports(Strict):
    """Where the port of a worktree comes from: what a script prints, else a range, else the system."""

    range: str = Field("", pattern=r"^(\d{1,5}-\d{1,5})?$", description="such as 3000-3999")
    script: str = Field("", description="a command that prints one port")


class PoolSize(Strict):
    """The worktrees that `wt lease` hands out."""

    size: int = Field(16, ge=1, le=1000, description="at most; the pool grows on demand")


class Settings(Strict):
    """.worktree-guard.json of the main checkout."""

    mode: Literal["open", "protect"] = Field("open", description="protect: without a binding, writes to the main checkout are refused")
    implicit: bool = Field(True, description="A session started in a linked worktree is bound to it")
    stale: Literal["deny", "open"] = Field("deny", description="Writes to the main checkout while the bound worktree is gone")
    asks: Literal["ask", "deny", "pass"] = Field("ask", description="What becomes of every question")
    on_fault: Literal["pass", "ask"] = Field("pass", description="A fault of the guard itself")
    unreadable: Literal["ask", "pass", "deny"] = Field("ask", description="A command that cannot be followed and names git or a worktree")
    unresolved: Literal["pass", "ask", "deny"] = Field("pass", description="A command whose target cannot be known beforehand")
    skip_hooks: Literal["ask", "pass", "deny"] = Field("ask", description="--no-verify and the like, while bound")
    protected_branches: list[str] = Field([], description="Instead of main, master and the remote's default branch")
    main_write_allow: list[str] = Field([], description="gitignore patterns of the main checkout that stay writable",
                                        validation_alias=AliasChoices("main_write_allow", "main_write_whitelist"))
    mcp_in_main: list[str] = Field(["serena", "backlog", "task-master-ai"],
                                   description="MCP servers that keep files in the folder they started in")
    worktree_parent: str = Field(".worktrees", description="Where new worktrees go, from the main checkout or absolute")
    branch_prefix: str = Field("wt/", description="Put before a new worktree's name to make its branch")
    sync: Sync = Sync()
    setup: Commands = Field([], description="Commands that run in a new worktree, once wt trust has accepted them")
    teardown: Commands = Field([], description="The same before a worktree is removed")
    ports: Ports = Ports()
    pool: PoolSize = PoolSize()

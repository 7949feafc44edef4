"""Which worktree is this call bound to? First hit wins: agent, session, implicit, repository."""
from guard.core.model import Binding, Settings
from guard.core.paths import join
from guard.edge import records, repo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from guard.core.model import Call

SUBAGENTS = {"zcode": "sess_subagent_"}  # session ids a client gives its subagents; their parent is not told


def find(disk: "Any", call: "Call", common: str, settings: Settings, cwd: "repo.Checkout | None", project: "repo.Checkout | None",
         heard: "list[str]") -> "Binding | None":
    """The binding of `call` in the repository with this common dir."""
    if call.agent and _linked(disk, cwd, common) and not held_by_another(disk, common, cwd.root, call.session):  # type: ignore[union-attr]
        return _standing(disk, "agent", cwd)
    own = None
    if call.session:
        own = records.binding(disk, records.session_file(disk, common, call.session), heard)
        if own and own["session"] != call.session:
            own = None  # two ids that a disk without letter case takes for one
        if own and enforced(disk, own):
            return _bound(disk, own, "session", common)
    if settings.implicit and _linked(disk, project, common):
        return _standing(disk, "implicit", project)
    active = records.binding(disk, records.state_file(disk, common), heard)
    if active and own and active["session"] == call.session:
        return None  # this session's own record is the truth about it: ended
    if active and enforced(disk, active) and _binds(active, call):
        return _bound(disk, active, "repository", common)
    return None


def held_by_another(disk: "Any", common: str, root: str, session: str) -> bool:
    """Is another living session bound to this worktree? Reads every session's record: only for calls that are bound to nothing else."""
    folder = records.sessions_folder(disk, common)
    for name in disk.names(folder):  # not state.json: a session's own record is the truth about it
        held = records.binding(disk, join(folder, name, disk.FLAVOUR), []) if name.endswith(".json") else None
        if held and held["session"] not in (None, session) and disk.same(held["path"], root) and enforced(disk, held):
            return True
    return False


def _linked(disk: "Any", checkout: "repo.Checkout | None", common: str) -> bool:
    return checkout is not None and checkout.linked and bool(disk.same(checkout.common, common))


def _binds(active: "dict[str, Any]", call: "Call") -> bool:
    """The active binding of the repository binds everybody, or, where a session is recorded, that one and its subagents."""
    if active["session"] is None or active["session"] == call.session:
        return True
    prefix = SUBAGENTS.get(call.client, "")
    return bool(prefix) and active["client"] == call.client and call.session.startswith(prefix)


def enforced(disk: "Any", record: "dict[str, Any]") -> bool:
    """Left, ended, or its client's process gone: shown by `wt status`, but it locks nobody out."""
    if not record["active"] or record["ended_at"]:
        return False
    if record["client_pid"] is None:
        return True
    started = disk.started(record["client_pid"])
    return started is not None and (not started or not record["client_started"] or started == record["client_started"])


def _standing(disk: "Any", source: str, checkout: "repo.Checkout | None") -> Binding:
    """Bound by where it stands, without a record: to whatever branch is checked out there."""
    assert checkout is not None
    return Binding(source=source, path=checkout.root, head=repo.head(disk, checkout.gitdir) or "")


def _bound(disk: "Any", record: "dict[str, Any]", source: str, common: str) -> Binding:
    bound = Binding(source=source, path=record["path"], branch=record["branch"], base=record["base"],
                    protected=tuple(record["protected"]))
    return bound.but(**condition(disk, bound, common))  # type: ignore[no-any-return]


def condition(disk: "Any", bound: Binding, common: str) -> "dict[str, str]":
    """Is the worktree still what it was when it was entered? (fields of Binding)"""
    if disk.kind(bound.path) is None:
        return {"condition": "gone" if disk.gone(bound.path) else "unreadable"}
    found = repo.checkout_at(disk, disk.real(bound.path))
    if found is None or not found.linked or not disk.same(found.common, common):
        return {"condition": "unknown"}
    branch = repo.head(disk, found.gitdir)
    if branch is None:
        return {"condition": "unknown"}
    if branch == bound.branch or not bound.branch:
        return {"head": branch}
    if not branch:
        return {} if repo.rebasing(disk, found.gitdir) else {"condition": "detached"}
    return {"condition": "protected" if branch in bound.protected else "there", "head": branch}

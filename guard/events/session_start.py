"""SessionStart: tells the model where it works, and makes `wt` know the session.

https://code.claude.com/docs/en/hooks#sessionstart: `additionalContext` reaches the model, lines added to CLAUDE_ENV_FILE are in the
environment of every later shell call. `source` is startup, resume, clear or compact.
"""
import sys

import guard
from guard.core.judge import quoted
from guard.core.paths import absolute, join, parent
from guard.edge import records, sessions
from guard.edge.look import Look
from guard.edge.sessions import process_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from guard.core.model import Call, Repository

A_DAY = 86400


def root(disk: "Any") -> str:
    """This installation's folder, with slashes: shells of every system take them."""
    return str(disk.real(absolute(guard.__file__, disk.folder(), "", disk.FLAVOUR))).replace("\\", "/").rpartition("/guard/")[0]


def answer(document: "dict[str, Any]", call: "Call", client: "ModuleType", disk: "Any") -> "dict[str, Any]":
    prepare(call, disk)
    look = Look(disk, call)
    repository = look.of_path(call.cwd, writes=False).repository
    if repository is None:
        return {}
    if call.session and document.get("source") in ("resume", "clear"):
        carry(document["source"], call, repository, disk)
        look = Look(disk, call)
        repository = look.of_path(call.cwd, writes=False).repository or repository
    said = " ".join([where(repository, command(disk)), *trouble(repository, look, disk)])
    return dict(client.tell("SessionStart", {"additionalContext": f"worktree-guard: {said}"}))


def where(repository: "Repository", wt: str) -> str:
    """Where this session works, in one line."""
    bound = repository.binding
    if bound is None:
        if repository.settings.mode == "protect":
            return f"the main checkout is protected and no worktree is bound; run `{wt} enter NAME` before you change files."
        return f"no worktree is bound, the main checkout is open. `{wt} enter NAME` gives this session a worktree of its own."
    if bound.condition == "unknown":
        return f"this session is bound to {bound.path}, which is no worktree any more. Run `{wt} leave`; what is in that folder stays."
    if bound.condition == "unreadable":
        return f"this session is bound to {bound.path}, which cannot be looked at. `{wt} status` says more; `{wt} leave` ends the binding."
    if bound.condition == "gone":
        again = f"Run `{wt} enter {quoted(bound.path)}` to make it again, or `{wt} leave`."
        return f"this session is bound to {bound.path}, which is gone. {again}"
    if bound.condition in ("detached", "protected"):
        back = f"git -C {quoted(bound.path)} switch {quoted(bound.branch)}"
        return f"this session works in {bound.path}, which has left its branch. Run `{back}`."
    branch = f" (branch {bound.head or bound.branch})" if bound.head or bound.branch else ""
    return f"this session works in the worktree {bound.path}{branch}. Use paths below it, and run `cd {quoted(bound.path)}` once."


def trouble(repository: "Repository", look: Look, disk: "Any") -> "list[str]":
    """What a person should hear of: state that could not be read, recent faults of the hook."""
    age = disk.age(join(records.folder(disk, repository.common), "faults.jsonl", disk.FLAVOUR))
    said = [f"Tell the person: {fault}." for fault in look.heard[:1]]
    return said or (["Tell the person that the guard had faults: `wt status` shows them."] if age is not None and age < A_DAY else [])


def carry(source: str, call: "Call", repository: "Repository", disk: "Any") -> None:
    """A resumed session has its binding back; after a clear it goes on under the new id, in the same process of the client."""
    pid, started = process_of(disk)
    if source == "resume":
        record = sessions.load(disk, repository.common, call.session)
        if record is None or not record["active"]:
            return
    else:
        record = sessions.of_process(disk, repository.common, pid, started) if pid else None
        if record is None or (repository.binding and repository.binding.source == "session"):
            return
    if record["session"] != call.session:  # that one will not come back
        sessions.save(disk, repository.common, {**record, "active": False, "ended_at": record["ended_at"] or disk.now()})
    sessions.save(disk, repository.common, {**record, "session": call.session, "ended_at": None,
                                            "client_pid": pid, "client_started": started})


def prepare(call: "Call", disk: "Any") -> None:
    """What later shell calls of the agent need: the session's id, `wt` on PATH, an environment for it. Never in the session's way."""
    try:
        export(call, disk)
        data = data_folder(disk)
        here = root(disk)
        if data and disk.kind(here + "/scripts/wt"):
            remember(disk, join(data, "python", disk.FLAVOUR), sys.executable)
            ready = disk.kind(here + "/.venv/ready") or disk.read(join(data, "set-up", disk.FLAVOUR)) == f"{guard.VERSION} {here}\n"
            if not ready and sys.version_info >= (3, 10):  # wt needs it; the hook does not
                disk.start_detached([sys.executable, "-I", here + "/guard/wt/environment.py", "--detached"])
    except (OSError, ValueError) as fault:
        disk.say(f"worktree-guard: wt could not be prepared: {fault}")


def export(call: "Call", disk: "Any") -> None:
    file = disk.variable("CLAUDE_ENV_FILE")
    if not file:
        return
    lines = [f"export WORKTREE_GUARD_SESSION={always_quoted(call.session)}"] if call.session else []
    scripts = root(disk) + "/scripts"
    if disk.kind(scripts + "/wt"):
        lines.append(f'export PATH="$PATH":{always_quoted(scripts)}')
    before = disk.content_or(file, "") or ""
    new = "".join(line + "\n" for line in lines if line not in before.split("\n"))  # a session starts again after each compaction
    text = ("" if before.endswith("\n") or not before or not new else "\n") + new
    disk.append(file, text.encode("utf-8", "surrogateescape"), 1 << 30)


def always_quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def command(disk: "Any") -> str:
    """`wt`, or `worktree-guard` where another program of that name comes first on PATH."""
    ours = root(disk) + "/scripts"
    for folder in disk.variable("PATH").split(";" if disk.FLAVOUR.sep == "\\" else ":"):
        if folder and folder != ours and disk.kind(folder + "/wt"):
            return "worktree-guard"
    return "wt"


def data_folder(disk: "Any") -> str:
    """The user's folder for this program's data, "" without a home. hooks/run and guard/wt/environment.py look there as well."""
    for name, below in (("XDG_DATA_HOME", ""), ("LOCALAPPDATA", ""), ("HOME", "/.local/share")):
        if disk.variable(name):
            return str(disk.variable(name).replace("\\", "/") + below + "/worktree-guard")
    return ""


def remember(disk: "Any", path: str, text: str) -> None:
    if text and disk.read(path) != text + "\n":
        disk.make_folders(parent(path, disk.FLAVOUR))
        disk.replace(path, text.encode("utf-8", "surrogateescape") + b"\n")

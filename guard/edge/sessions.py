"""A session's own record, as the client's events keep it: revived, carried over, ended."""
from guard.core.paths import join
from guard.edge import records, wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def load(disk: "Any", common: str, session: str) -> "dict[str, Any] | None":
    found = records.binding(disk, records.session_file(disk, common, session), [])
    return found if found and found["session"] == session else None


def save(disk: "Any", common: str, record: "dict[str, Any]") -> None:
    """Writes a record under its session's name. OSError where it cannot."""
    disk.make_folder(records.folder(disk, common))
    disk.make_folder(records.sessions_folder(disk, common))
    disk.replace(records.session_file(disk, common, record["session"]), wire.dumps(record) + b"\n")


def process_of(disk: "Any") -> "tuple[int | None, str | None]":
    """The client's process, as it tells its hooks (Claude Code: CLAUDE_PID), and when it began. (None, None) when not told or gone."""
    told = disk.variable("CLAUDE_PID")
    pid = int(told) if told.isascii() and told.isdigit() and len(told) < 12 else None
    started = disk.started(pid) if pid else None
    return (pid, started) if started is not None else (None, None)


def of_process(disk: "Any", common: str, pid: int, started: "str | None") -> "dict[str, Any] | None":
    """The newest record that a client's process left: after a clear it goes on under another session id."""
    folder = records.sessions_folder(disk, common)
    found = []
    for name in disk.names(folder):
        record = records.binding(disk, join(folder, name, disk.FLAVOUR), []) if name.endswith(".json") else None
        if record and record["client_pid"] == pid and record["client_started"] == started and record["active"]:
            found.append(record)
    return max(found, key=lambda record: record["entered_at"], default=None)

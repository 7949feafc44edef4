"""SessionEnd: the session's binding ends with it. It stays on record, so that a resumed session has it back."""
from guard.edge import sessions
from guard.edge.look import Look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from guard.core.model import Call


def answer(document: "dict[str, Any]", call: "Call", client: "ModuleType", disk: "Any") -> "dict[str, Any]":
    for folder in dict.fromkeys((call.cwd, call.project)):
        repository = Look(disk, call).of_path(folder, writes=False).repository if folder else None
        record = sessions.load(disk, repository.common, call.session) if repository and call.session else None
        if repository and record and record["active"] and not record["ended_at"]:
            ended = {**record, "ended_at": disk.now()}
            if document.get("reason") != "clear":  # after a clear the same process goes on, and finds its binding by its number
                ended.update(client_pid=None, client_started=None)
            sessions.save(disk, repository.common, ended)
    return {}

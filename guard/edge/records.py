"""State records in `<common dir>/worktree-guard`, as `wt` writes them. A record that does not fit counts as absent, and is heard."""
from guard.core.model import Fault
from guard.core.paths import join
from guard.edge import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VERSION = 1
_TEXT, _MAYBE, _FLAG, _TEXTS = (str,), (str, type(None)), (bool,), (list,)

# field: (types, default; no default: the field must be there)
BINDING: "dict[str, tuple[Any, ...]]" = {
    "version": ((int,), VERSION), "active": (_FLAG, True), "path": (_TEXT,), "main": (_TEXT, ""), "branch": (_TEXT, ""),
    "base": (_TEXT, ""), "protected": (_TEXTS, ["main", "master"]), "session": (_MAYBE, None), "client": (_TEXT, ""),
    "client_pid": ((int, type(None)), None), "client_started": (_MAYBE, None), "entered_at": (_TEXT, ""), "by": (_TEXT, ""),
    "ended_at": (_MAYBE, None),
}
AUTHORISATION: "dict[str, tuple[Any, ...]]" = {
    "id": (_TEXT,), "reason": (_TEXT, ""), "created_at": (_TEXT, ""), "expires_at": (_TEXT, ""), "once": (_FLAG, False),
    "branch": (_MAYBE, None), "only": (_MAYBE, None), "session": (_MAYBE, None),
}
PERMIT: "dict[str, tuple[Any, ...]]" = {
    "path": (_TEXT,), "reason": (_TEXT, ""), "created_at": (_TEXT, ""), "expires_at": (_TEXT, ""), "session": (_MAYBE, None),
}


def folder(disk: "Any", common: str) -> str:
    return join(common, "worktree-guard", disk.FLAVOUR)


def state_file(disk: "Any", common: str) -> str:
    """The repository's active binding."""
    return join(folder(disk, common), "state.json", disk.FLAVOUR)


def sessions_folder(disk: "Any", common: str) -> str:
    return join(folder(disk, common), "sessions", disk.FLAVOUR)


def session_file(disk: "Any", common: str, session: str) -> str:
    return join(sessions_folder(disk, common), file_of_session(session), disk.FLAVOUR)


# Names that Windows keeps for devices, with any extension.
DEVICES = frozenset(("CON", "PRN", "AUX", "NUL", *(name + digit for name in ("COM", "LPT") for digit in "0123456789")))


def _percent(char: str) -> str:
    return "".join(f"%{byte:02x}" for byte in char.encode("utf-8", "surrogatepass"))


def file_of_session(session: str) -> str:
    """A session's file name: safe everywhere, different for different ids, at most 100 characters."""
    safe = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else _percent(c) for c in session)
    if safe.upper() in DEVICES:
        safe = _percent(safe[0]) + safe[1:]
    if len(safe) > 90:
        mixed = 0xCBF29CE484222325  # FNV-1a, 64 bits: hashlib costs a library load
        for c in session:
            mixed = (mixed ^ ord(c)) * 0x100000001B3 % (1 << 64)
        safe = f"{safe[:70]}-{mixed:016x}"
    return safe + ".json"


def document(disk: "Any", path: str, heard: "list[str]") -> "dict[str, Any] | None":
    """The object in a state file; None when it is absent or spoilt."""
    try:
        text = disk.read(path)
        if text is None:
            return None
        found = wire.loads(text.encode("utf-8", "surrogateescape"))
        if not isinstance(found, dict):
            raise Fault("not an object")
        if found.get("version", VERSION) != VERSION or isinstance(found.get("version"), bool):
            raise Fault(f"written by another version ({found.get('version')})")
    except (OSError, ValueError, Fault) as fault:
        heard.append(f"{path}: {fault}; treated as absent")
        return None
    return found


def fitted(found: "Any", fields: "dict[str, tuple[Any, ...]]") -> "dict[str, Any]":
    """The fields of a record, defaults filled in. Fault when one has another type or must be there and is not."""
    if not isinstance(found, dict):
        raise Fault("not an object")
    record = {}
    for name, (types, *default) in fields.items():
        if name in found:
            value = found[name]
            texts = value if types is _TEXTS and isinstance(value, list) else [value] if isinstance(value, str) else []
            if type(value) not in types or (types is _TEXTS and not all(isinstance(item, str) for item in texts)):
                raise Fault(f"{name} is a {type(value).__name__}")
            if not all(map(is_text, texts)):
                raise Fault(f"{name} holds a NUL, or what UTF-8 cannot")
            record[name] = value
        elif default:
            record[name] = default[0]
        else:
            raise Fault(f"{name} is missing")
    return record


def is_text(value: str) -> bool:
    """Neither half of a surrogate pair nor a NUL, which JSON can write, and no path or name can hold."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in value


def binding(disk: "Any", path: str, heard: "list[str]") -> "dict[str, Any] | None":
    """A binding record (state.json or sessions/<id>.json)."""
    found = document(disk, path, heard)
    if found is None:
        return None
    try:
        return fitted(found, BINDING)
    except Fault as fault:
        heard.append(f"{path}: {fault}; treated as absent")
        return None


def living(disk: "Any", path: str, group: str, fields: "dict[str, tuple[Any, ...]]", session: str,
           heard: "list[str]") -> "list[dict[str, Any]]":
    """The entries of a list file that hold now for this session. One without an end counts as over."""
    found = document(disk, path, heard)
    entries = found.get(group, []) if found else []
    kept, now = [], disk.now()
    for entry in entries if isinstance(entries, list) else [entries]:
        try:
            record = fitted(entry, fields)
        except Fault as fault:
            heard.append(f"{path}: {fault}; that entry does not count")
            continue
        if lasts(record["expires_at"], now) and record["session"] in (None, session):
            kept.append(record)
    return kept


def lasts(end: str, now: str) -> bool:
    """Is this end still to come? A text that is no time of ours (2026-11-30T20:00:00Z) has come already."""
    return len(end) == 20 and end[:4].isdigit() and end[4:20:3] == "--T::Z" and end > now

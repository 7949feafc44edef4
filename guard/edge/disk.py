"""The only hot module that touches the system. Others are handed this module, or a made-up disk in tests."""
import sys
import time
from _thread import allocate_lock, start_new_thread

from guard.core.paths import MACOS, POSIX, WINDOWS, absolute, parent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    system: Any  # posix or nt, of which a type checker knows the one it runs on
elif sys.platform == "win32":
    import nt as system
else:
    import posix as system

FLAVOUR = WINDOWS if sys.platform == "win32" else MACOS if sys.platform == "darwin" else POSIX

READ_SECONDS = 1.5    # for a stdin that never closes
DECIDE_SECONDS = 6.0  # far inside the shortest time limit of a client (10 s)
MOST_BYTES = 4_000_000
MOST_LINKS = 40       # as the Linux kernel
_BINARY = getattr(system, "O_BINARY", 0) | getattr(system, "O_CLOEXEC", 0)


def _name(path: str) -> "str | bytes":
    """File names are UTF-8 whatever the locale says; bytes that are not survive as surrogates."""
    return path if FLAVOUR is WINDOWS else path.encode("utf-8", "surrogateescape")


# --- what is there ---------------------------------------------------------------------------------------------------

_kinds: "dict[str, str | None]" = {}


def kind(path: str) -> "str | None":
    """file, folder or link; None when there is nothing (or nothing we may see). Each path is asked once a call."""
    if path not in _kinds:
        try:
            mode = system.lstat(_name(path)).st_mode & 0o170000
            _kinds[path] = "link" if mode == 0o120000 else "folder" if mode == 0o040000 else "file"
        except (OSError, ValueError):
            _kinds[path] = None
    return _kinds[path]


def gone(path: str) -> bool:
    """Nothing has that name. What cannot be looked at (a closed folder above it, a server that is away) is not gone."""
    try:
        system.lstat(_name(path))
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        pass
    return False


def identity(path: str) -> "tuple[int, int] | None":
    """Device and inode behind links: equal for two spellings of one folder, whatever the disk thinks of letter case."""
    try:
        found = system.stat(_name(path))
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino)


def same(one: str, two: str) -> bool:
    if one == two:
        return True
    first = identity(one) if one and two else None
    return first is not None and first == identity(two)


_reals: "dict[str, str]" = {}


def real(path: str) -> str:
    """`path` with the links of its existing part resolved, once a call. A loop is left as it stands from where it begins."""
    if path not in _reals:
        _reals[path] = _real_on_windows(path) if FLAVOUR is WINDOWS else _real(path)
    return _reals[path]


def _real(path: str) -> str:
    done, rest, links = "/", path.split("/")[1:], 0
    while rest:
        part = rest.pop(0)
        if part in ("", "."):
            continue
        if part == "..":
            done = done.rpartition("/")[0] or "/"
            continue
        step = done + part if done == "/" else done + "/" + part
        found = kind(step)
        if found is None:
            return absolute("/".join([step, *rest]), "/", "", FLAVOUR)
        if found != "link":
            done = step
            continue
        links += 1
        if links > MOST_LINKS:
            return absolute("/".join([step, *rest]), "/", "", FLAVOUR)
        goal = system.readlink(_name(step)).decode("utf-8", "surrogateescape")
        if goal.startswith("/"):
            done = "/"
        rest = goal.split("/") + rest
    return done


def existing(path: str) -> str:
    """The longest part of an absolute path that is there: what lies below costs no further look, however deep."""
    if FLAVOUR is WINDOWS:
        while kind(path) is None and parent(path, FLAVOUR) != path:
            path = parent(path, FLAVOUR)
        return path
    at = 0
    while True:
        end = path.find("/", at + 1)
        if kind(path[:end] if end > 0 else path) is None:
            return path[:at] or "/"
        if end < 0:
            return path
        at = end


def _real_on_windows(path: str) -> str:
    at, tail = path, ""
    while True:
        try:
            found: str = system._getfinalpathname(at)  # the call behind os.path.realpath
        except (OSError, ValueError):
            above = parent(at, FLAVOUR)
            if above == at:
                return path
            tail = at[len(above):].strip("\\") + ("\\" + tail if tail else "")
            at = above
            continue
        if found[:8] == "\\\\?\\UNC\\":
            found = "\\\\" + found[8:]
        elif found[:4] == "\\\\?\\":
            found = found[4:]
        return found.rstrip("\\") + "\\" + tail if tail else found


_texts: "dict[str, str | None]" = {}


def read(path: str, most: int = MOST_BYTES) -> "str | None":
    """A file's text, None when there is none. OSError when it is there and cannot be read, or is larger than `most` bytes.

    Each file is read once a call.
    """
    if path not in _texts:
        _texts[path] = _read(path, most)
    return _texts[path]


def _read(path: str, most: int) -> "str | None":
    try:
        fd = system.open(_name(path), system.O_RDONLY | getattr(system, "O_NONBLOCK", 0) | _BINARY)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    try:
        data = _drain(fd, most)
    finally:
        system.close(fd)
    return data.decode("utf-8", "surrogateescape")


def content_or(path: str, unreadable: str) -> "str | None":
    """The same, with a text of the caller's for what is there and cannot be read."""
    try:
        return read(path)
    except OSError:
        return unreadable


def _drain(fd: int, most: int, waits: bool = False) -> bytes:
    chunks: "list[bytes]" = []
    size = 0
    while True:
        try:
            chunk = system.read(fd, 1 << 16)
        except BlockingIOError:  # a pipe with nothing in it yet: stdin is waited for (`watch` bounds that), a file is not
            if not waits:
                raise
            time.sleep(0.001)
            continue
        if not chunk:
            return b"".join(chunks)
        chunks.append(chunk)
        size += len(chunk)
        if size > most:
            raise OSError(f"more than {most} bytes")


def forget() -> None:
    """For a process that looks twice: what was seen before does not count any more."""
    _kinds.clear()
    _texts.clear()
    _reals.clear()


# --- what we leave behind --------------------------------------------------------------------------------------------

def make_folder(path: str) -> None:
    try:
        system.mkdir(_name(path), 0o700)
    except FileExistsError:
        pass


def make_folders(path: str) -> None:
    """The folder and those above it that are missing."""
    if kind(path) is None:
        make_folders(parent(path, FLAVOUR))
        make_folder(path)
        _kinds.pop(path, None)


def append(path: str, line: bytes, most: int) -> None:
    """Adds a line in one write. A file past `most` bytes becomes `path`.1 first, so two files are the bound."""
    flags = system.O_WRONLY | system.O_APPEND | system.O_CREAT | getattr(system, "O_NONBLOCK", 0) | _BINARY  # a pipe nobody reads
    fd = system.open(_name(path), flags, 0o600)
    try:
        mine = system.fstat(fd)
        if mine.st_size > most:
            system.close(fd)  # first: Windows renames no open file
            if system.stat(_name(path)).st_ino == mine.st_ino:  # else another hook has just done it
                system.replace(_name(path), _name(path + ".1"))
            fd = system.open(_name(path), flags, 0o600)
        system.write(fd, line)
    finally:
        system.close(fd)


def replace(path: str, data: bytes) -> None:
    """Puts a whole file in place of another in one step: readers see the old one or the new one."""
    fresh = f"{path}.{system.getpid()}.new"
    fd = system.open(_name(fresh), system.O_WRONLY | system.O_CREAT | system.O_TRUNC | _BINARY, 0o600)
    try:
        while data:
            data = data[system.write(fd, data):]
        system.fsync(fd)
    finally:
        system.close(fd)
    system.replace(_name(fresh), _name(path))
    _texts.pop(path, None)


def names(path: str) -> "list[str]":
    """What a folder holds, in no order; nothing where there is none."""
    try:
        return [name.decode("utf-8", "surrogateescape") if isinstance(name, bytes) else name for name in system.listdir(_name(path))]
    except (OSError, ValueError):
        return []


def age(path: str) -> "float | None":
    """Seconds since a file was changed; None when there is none."""
    try:
        return time.time() - float(system.stat(_name(path)).st_mtime)
    except (OSError, ValueError):
        return None


def claim(path: str, owner: str) -> bool:
    """Makes `path` with `owner` in it, once and whole. True for the maker, and for whoever comes again as the same owner."""
    _texts.pop(path, None)
    fresh = f"{path}.{system.getpid()}.new"
    fd = system.open(_name(fresh), system.O_WRONLY | system.O_CREAT | system.O_TRUNC | _BINARY, 0o600)
    try:
        system.write(fd, owner.encode("utf-8", "replace"))
    finally:
        system.close(fd)
    try:
        (system.rename if FLAVOUR is WINDOWS else system.link)(_name(fresh), _name(path))  # neither replaces what is there
        return True
    except FileExistsError:
        return bool(owner) and content_or(path, "") == owner
    finally:
        if kind(fresh) is not None:
            system.unlink(_name(fresh))


# --- the process and its surroundings --------------------------------------------------------------------------------

def now() -> str:
    """UTC as in all our records, 2026-11-30T20:00:00Z, so that text order is time order."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def variable(name: str) -> str:
    if FLAVOUR is WINDOWS:
        return next((str(value) for key, value in system.environ.items() if key.upper() == name.upper()), "")
    value: bytes = system.environ.get(name.encode(), b"")
    return value.decode("utf-8", "surrogateescape")


def home() -> str:
    return variable("USERPROFILE") if FLAVOUR is WINDOWS else variable("HOME")


def folder() -> str:
    """The process's own folder, "" when it is gone."""
    try:
        return str(system.getcwd())
    except OSError:
        return ""


def started(pid: int) -> "str | None":
    """When a process began; see edge/processes.py, which few calls need."""
    from guard.edge import processes
    return processes.started(pid)


def status_of(program: "list[str]", seconds: float, without: "frozenset[str]") -> "int | None":
    from guard.edge import processes
    return processes.status_of(program, seconds, without)


def output_of(program: "list[str]", seconds: float, without: "frozenset[str]") -> "tuple[int | None, str]":
    from guard.edge import processes
    return processes.output_of(program, seconds, without)


def start_detached(program: "list[str]") -> None:
    from guard.edge import processes
    processes.start_detached(program)


def read_input(most: int = 64_000_000) -> bytes:
    return _drain(0, most, waits=True)


def say(text: str) -> None:
    """One line on stderr, where the owner looks and no client reads an answer."""
    try:
        system.write(2, text.encode("utf-8", "backslashreplace") + b"\n")
    except OSError:
        pass


_right_to_answer = allocate_lock()  # half an answer would be worse than a late one: either `leave` has it, or `watch`


def leave(answer: bytes) -> None:
    """Writes the answer and ends the process at once: tearing the interpreter down costs 2 ms more."""
    _right_to_answer.acquire()
    view = memoryview(answer)
    while view:
        try:
            view = view[system.write(1, view):]
        except BlockingIOError:  # a full pipe set to O_NONBLOCK
            time.sleep(0.001)
        except OSError:
            break
    system._exit(0)


def watch(late: "Callable[[str], None]") -> "Callable[[], None]":
    """Calls `late` and ends the process when reading, then deciding, takes too long. Returns "I have read it".

    A thread, not a signal: Windows has it too, and it costs 0.1 ms.
    """
    reading = allocate_lock()
    reading.acquire()

    def wait() -> None:
        read = reading.acquire(True, READ_SECONDS)
        if read:
            time.sleep(DECIDE_SECONDS)
        if not _right_to_answer.acquire(False):
            return
        start_new_thread(give_up, ())
        late(f"no answer after {DECIDE_SECONDS:.0f} s" if read else "stdin stayed open")
        system._exit(0)

    def give_up() -> None:
        time.sleep(0.3)  # writing it down may hang as the call did
        system._exit(0)

    start_new_thread(wait, ())
    return reading.release

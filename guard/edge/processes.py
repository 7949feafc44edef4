"""Other processes: is one alive, what does one answer, start one and forget it. Few calls need this; disk.py loads it for them."""
import time

from guard.core.paths import WINDOWS
from guard.edge import disk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

system = disk.system


def started(pid: int) -> "str | None":
    """When a process began, as a text to compare (clock ticks since boot); "" where that is not told; None: no such process."""
    if disk.FLAVOUR is WINDOWS:
        return ""
    try:
        stat = disk.read(f"/proc/{pid}/stat")
        if stat is not None:
            return stat.rpartition(")")[2].split()[19]  # field 22 of proc(5); the name before it may hold anything
    except (OSError, IndexError):
        return ""
    if disk.kind("/proc/self/stat"):
        return None
    try:
        system.kill(pid, 0)
    except ProcessLookupError:
        return None
    except (OSError, OverflowError):
        pass  # somebody else's: alive
    return ""


def status_of(program: "list[str]", seconds: float, without: "frozenset[str]") -> "int | None":
    """Exit status of a program run without input, output and these variables; None when it cannot run or takes longer."""
    if disk.FLAVOUR is WINDOWS:
        return None  # nt has no bounded wait without subprocess (13 ms); unknown is a safe answer
    pid = spawned(program, without, silent())
    return None if pid is None else ended(pid, time.monotonic() + seconds)


def output_of(program: "list[str]", seconds: float, without: "frozenset[str]", most: int = 1_000_000) -> "tuple[int | None, str]":
    """The same, with what it printed."""
    if disk.FLAVOUR is WINDOWS:
        return None, ""
    end, (ours, theirs) = time.monotonic() + seconds, system.pipe()
    pid = spawned(program, without, [*silent(), (system.POSIX_SPAWN_DUP2, theirs, 1)])
    system.close(theirs)
    system.set_blocking(ours, False)
    chunks: "list[bytes]" = []
    pause = 0.0005
    try:
        while pid is not None and time.monotonic() < end and sum(map(len, chunks)) < most:
            try:
                chunk = system.read(ours, 1 << 16)
            except BlockingIOError:
                time.sleep(pause)
                pause = min(pause * 2, 0.02)
                continue
            if not chunk:
                break
            chunks.append(chunk)
    finally:
        system.close(ours)
    return (None if pid is None else ended(pid, end)), b"".join(chunks).decode("utf-8", "surrogateescape")


def spawned(program: "list[str]", without: "frozenset[str]", actions: "list[Any]") -> "int | None":
    env = {name: value for name, value in system.environ.items() if name.decode("utf-8", "replace") not in without}
    env[b"GIT_OPTIONAL_LOCKS"], env[b"LC_ALL"] = b"0", b"C"  # what git says is read: "Would remove" in any language
    try:
        return int(system.posix_spawnp(program[0], encoded(program), env, file_actions=actions))
    except (OSError, ValueError):  # not to be started, or a NUL in a word: what nobody knows is no question for git
        return None


def ended(pid: int, end: float) -> "int | None":
    """Exit status of a child; None when it was killed, by us at `end` if it was still there."""
    pause = 0.0005
    while True:
        found, status = system.waitpid(pid, system.WNOHANG)
        if found:
            return status >> 8 if not status & 127 else None
        if time.monotonic() > end:
            system.kill(pid, 9)
            system.waitpid(pid, 0)
            return None
        time.sleep(pause)
        pause = min(pause * 2, 0.02)


def start_detached(program: "list[str]") -> None:
    """Starts a program in a session of its own, without our input and output, and does not wait. OSError where it cannot."""
    if disk.FLAVOUR is WINDOWS:
        return  # nt has no spawn that survives the console; the first `wt` sets up instead
    try:
        system.posix_spawn(program[0], encoded(program), system.environ, file_actions=silent(), setsid=True)
    except NotImplementedError:  # a libc without POSIX_SPAWN_SETSID
        system.posix_spawn(program[0], encoded(program), system.environ, file_actions=silent(), setpgroup=0)


def encoded(program: "list[str]") -> "list[bytes]":
    return [word.encode("utf-8", "surrogateescape") for word in program]


def silent() -> "list[Any]":
    return [(system.POSIX_SPAWN_OPEN, fd, b"/dev/null", system.O_RDWR, 0) for fd in (0, 1, 2)]

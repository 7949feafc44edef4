"""The repository's own programs: their output is handed on while they run, and all that they started ends with them."""
from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from queue import Empty, Queue

from guard.wt.errors import WtError
from guard.wt.git import cannot_start

GRACE = 3.0  # seconds that a program has to end by itself, once asked to
DRAIN = 1.0  # seconds in which the last output of one that has ended arrives
LONG_LINE = 65536  # bytes: a progress bar may never end its line


def streamed(words: Sequence[str] | str, *, cwd: Path | str, env: Mapping[str, str], on_line: Callable[[bytes], None],
             timeout: float | None = None, both: bool = True) -> int:
    """One program whose output is handed on line by line as it comes. -> its exit status. `both`: what it prints on stderr as well.

    It gets a process group of its own, without a terminal that it could ask. All of that ends on an interrupt, when `on_line` fails,
    and (WtError) after `timeout` seconds.
    """
    try:
        child = subprocess.Popen(words, cwd=cwd, env=dict(env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT if both else None, start_new_session=True)
    except FileNotFoundError:
        raise cannot_start(words if isinstance(words, str) else words[0], cwd) from None
    lines: Queue[bytes] = Queue(1000)
    threading.Thread(target=_pump, args=(child, lines), daemon=True).start()
    try:
        with _ended_like_ctrl_c():
            for line in _as_they_come(child, lines, timeout):
                on_line(line)
    except subprocess.TimeoutExpired:
        end_all(child)
        shown = words if isinstance(words, str) else " ".join(words)
        raise WtError(f"{shown} took longer than {timeout:.0f} s", code="timeout", hint="wt status") from None
    except BaseException:
        end_all(child)
        raise
    return child.returncode


def _pump(child: subprocess.Popen[bytes], lines: Queue[bytes]) -> None:
    """In a thread: on Windows nothing waits for a pipe and a time at once. b"" is the end."""
    assert child.stdout is not None
    with child.stdout:
        while line := child.stdout.readline(LONG_LINE):
            lines.put(line)
    lines.put(b"")


def _as_they_come(child: subprocess.Popen[bytes], lines: Queue[bytes], timeout: float | None) -> Iterator[bytes]:
    """Until it has ended. A server that it leaves running may hold its output open, and is not waited for."""
    until = time.monotonic() + timeout if timeout else None
    ended = False
    while until is None or time.monotonic() < until:
        if not ended and child.poll() is not None:
            ended, until = True, time.monotonic() + DRAIN
        with contextlib.suppress(Empty):
            line = lines.get(timeout=0.1)
            if not line:
                child.wait(None if until is None else max(0.0, until - time.monotonic()))
                return
            yield line
    if not ended:
        raise subprocess.TimeoutExpired(child.args, timeout or 0)


@contextlib.contextmanager
def _ended_like_ctrl_c() -> Iterator[None]:
    """Inside, SIGTERM and SIGHUP end us as Ctrl-C does: a client's time limit must not leave half a setup running on its own."""
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    main = threading.current_thread() is threading.main_thread()
    names = [name for name in ("SIGTERM", "SIGHUP") if main and hasattr(signal, name)]
    numbers = [number for number in map(signal.Signals.__getitem__, names) if signal.getsignal(number) is signal.SIG_DFL]
    for number in numbers:
        signal.signal(number, interrupted)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)


def end_all(child: subprocess.Popen[bytes]) -> None:
    """Ends a program that `streamed` has started, and all that it started: asked first, then by force."""
    gone = False
    try:
        gone = os.name != "nt" and any(_left(child, how) for how in (signal.SIGINT, signal.SIGTERM))
    finally:
        if not gone:
            _killed(child)
        child.wait()


def _left(child: subprocess.Popen[bytes], how: signal.Signals) -> bool:
    """Asks its group to end. -> nobody of it is there any more"""
    until = time.monotonic() + GRACE
    try:
        os.killpg(child.pid, how)
        while time.monotonic() < until:
            over = child.poll() is not None
            os.killpg(child.pid, 0)
            if over and how is signal.SIGINT:
                break  # what a shell has put into the background does not hear that one
            time.sleep(0.02)
        return False
    except (ProcessLookupError, PermissionError):  # the second: macOS, while the last of them waits to be looked at
        return True


def _killed(child: subprocess.Popen[bytes]) -> None:
    if os.name != "nt":
        with contextlib.suppress(OSError):
            os.killpg(child.pid, signal.SIGKILL)
        return
    import psutil  # there are no process groups, and 40 ms are nothing here

    with contextlib.suppress(psutil.Error):
        for one in [*psutil.Process(child.pid).children(recursive=True), psutil.Process(child.pid)]:
            one.kill()

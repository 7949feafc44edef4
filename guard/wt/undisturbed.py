"""A few steps that belong together: Ctrl-C and a client's time limit wait until the last of them is done."""
from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def undisturbed() -> Iterator[None]:
    """Signals that would end us come into force behind it. A program that runs inside hears them, and its end is looked at as any other."""
    late: list[int] = []

    def kept(number: int, _: FrameType | None) -> None:
        late.append(number)

    here = threading.current_thread() is threading.main_thread()  # elsewhere none arrives
    names = [name for name in ("SIGINT", "SIGTERM", "SIGHUP") if here and hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in map(signal.Signals.__getitem__, names)}
    ours = [number for number, handler in before.items() if handler not in (signal.SIG_IGN, None)]  # nohup stays as it is
    try:
        for number in ours:
            signal.signal(number, kept)
        yield
    finally:
        for number in ours:
            signal.signal(number, before[number])
        if late:
            signal.raise_signal(late[0])

"""Stop what takes too long in this process."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType

AGAIN = 2.0  # seconds to the next stop, where one is caught within


class TimeIsUp(BaseException):
    """The time is up: no ``except Exception`` swallows it."""


@contextmanager
def stopped_after(seconds: float) -> Iterator[None]:
    """Raise ``TimeIsUp`` in what is done inside when its time is up, and again every two seconds.

    Python's own code is stopped, and native code that looks for signals. Outside of the main
    thread, and where the system has no timer, there is no limit. A timer that was set before goes
    on afterwards.

    Args:
        seconds: the time.

    Raises:
        TimeIsUp: where nothing inside catches it.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return
    is_on = True

    def stop(number: int, frame: FrameType | None) -> None:
        if is_on:
            raise TimeIsUp

    began = monotonic()
    before = signal.signal(signal.SIGALRM, stop)
    delay, interval = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        is_on = False
        left = max(delay - (monotonic() - began), 1e-6) if delay else 0.0
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL if before is None else before)
        signal.setitimer(signal.ITIMER_REAL, left, interval)

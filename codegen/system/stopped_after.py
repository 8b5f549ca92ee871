"""Stop what takes too long in this process."""

from __future__ import annotations

import ctypes
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, sleep
from types import FrameType

AGAIN = 2.0  # seconds to the next stop, where one is caught within
PAUSE = 1e-4  # seconds between two looks whether another thread has ended


class TimeIsUp(BaseException):
    """The time is up: no ``except Exception`` swallows it."""


@contextmanager
def stopped_after(seconds: float) -> Iterator[None]:
    """Raise ``TimeIsUp`` in what is done inside when its time is up, and again every two seconds.

    Python's own code is stopped; native code where it comes back to Python, and in the main thread
    where it looks for signals. A timer that was set before goes on afterwards.

    Args:
        seconds: the time.

    Raises:
        TimeIsUp: where nothing inside catches it.
    """
    is_main = threading.current_thread() is threading.main_thread()
    with _by_signal(seconds) if is_main and hasattr(signal, "SIGALRM") else _by_thread(seconds):
        yield


@contextmanager
def _by_signal(seconds: float) -> Iterator[None]:
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


@contextmanager
def _by_thread(seconds: float) -> Iterator[None]:
    """Where signals do not come: another thread watches the clock, and the interpreter raises the
    exception in this one.
    """
    here = threading.get_ident()
    begun, over, ended = threading.Event(), threading.Event(), threading.Event()
    raised = threading.Event()

    def watch() -> None:
        begun.wait()
        delay = seconds
        while not over.wait(delay):
            raised.set()
            _raise_in(here, TimeIsUp)
            delay = AGAIN
        ended.set()

    threading.Thread(target=watch, name="recipe time limit", daemon=True).start()
    try:
        begun.set()
        yield
    finally:
        while True:  # until nothing is raised here any more, whatever comes in between
            try:
                begun.set()
                over.set()
                # a join that is interrupted takes the thread for one that has ended
                while not ended.is_set():
                    sleep(PAUSE)
                if raised.is_set():
                    raised.clear()
                    # One more, in the place of one that did not come yet. To take that back would
                    # leave the interpreter looking for it: all threads slow down, and one that is
                    # profiled or traced never ends (CPython 3.11).
                    _raise_in(here, TimeIsUp)
                    while True:  # until it comes
                        sleep(PAUSE)
                break
            except TimeIsUp:
                continue


def _raise_in(thread: int, kind: type[BaseException]) -> None:
    """Let the interpreter raise an exception in a thread."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(kind))

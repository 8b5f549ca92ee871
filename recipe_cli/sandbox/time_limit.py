"""A time limit for what must run in this process: reading the file of a posterior, whose data need
not be copied from a child process or read twice.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from recipe import RecipeError
from recipe_cli.sandbox.child import no_answer
from recipe_cli.sandbox.process_limits import Limits


class _TimeIsUp(KeyboardInterrupt):
    """The limit is reached: an interruption, which no ``except Exception`` of a file swallows."""


@contextmanager
def within_seconds(where: str, limits: Limits) -> Iterator[None]:
    """Stop what is done inside after the seconds of the limits.

    Python's own code is stopped, and native code that looks for signals. Outside of the main
    thread, and where the system has no timer, there is no limit.

    Args:
        where: what the user typed, for the message.
        limits: its seconds are used; memory is not limited, as data may be mapped.

    Raises:
        RecipeError: when the time is up.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise _TimeIsUp

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, limits.seconds)
        yield
    except _TimeIsUp:
        raise RecipeError(no_answer(limits).sentence(where)) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

"""Signals whose exception is lost, because they came where Python cannot raise one, as in a
callback of a library.

This file imports nothing that takes time.
"""

from __future__ import annotations

import os
import signal
import sys
import types

RESEND_DELAY_SECONDS = 0.05  # before a signal that was lost is sent again

lost_signals: list[int] = []  # their numbers


def hear_lost_signals() -> None:
    """Send every signal again whose exception is lost from now on.

    Python hands a lost exception to ``sys.unraisablehook`` where a callback raised it, and to
    ``sys.excepthook`` where a library in C prints it and goes on, as Numba does while it is
    imported.
    """
    sys.unraisablehook, sys.excepthook = _unraisable, _printed


def _unraisable(unraisable: sys.UnraisableHookArgs) -> None:
    lost = unraisable.exc_value
    if isinstance(lost, KeyboardInterrupt):
        _send_again(lost)
    else:
        sys.__unraisablehook__(unraisable)


def _printed(
    kind: type[BaseException], lost: BaseException, traceback: types.TracebackType | None
) -> None:
    if isinstance(lost, KeyboardInterrupt):
        _send_again(lost)
    else:
        sys.__excepthook__(kind, lost, traceback)


def _send_again(lost: KeyboardInterrupt) -> None:
    """Send the signal of an exception again.

    The library that lost it may fail before the signal comes: ``lost_signals`` tells that its error
    is no fault.
    """
    import threading

    number = getattr(lost, "number", signal.SIGINT)  # codegen.system.signals tells the number
    lost_signals.append(number)
    getattr(lost, "lost", lambda: None)()
    timer = threading.Timer(RESEND_DELAY_SECONDS, os.kill, (os.getpid(), number))
    timer.daemon = True
    timer.start()

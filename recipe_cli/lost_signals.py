"""Signals whose exception is lost, because they came where Python cannot raise one, as in a
callback of a library.

This file imports nothing that takes time.
"""

from __future__ import annotations

import os
import signal
import sys

RESEND_DELAY_SECONDS = 0.05  # before a signal that was lost is sent again

lost_signals: list[int] = []  # their numbers


def send_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Send a signal again whose exception was lost; serves as ``sys.unraisablehook``.

    The library that called back may fail before the signal comes: ``lost_signals`` tells that its
    error is no fault.
    """
    import threading

    lost = unraisable.exc_value
    if not isinstance(lost, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
        return
    number = getattr(lost, "number", signal.SIGINT)  # codegen.system.signals tells the number
    lost_signals.append(number)
    getattr(lost, "lost", lambda: None)()
    timer = threading.Timer(RESEND_DELAY_SECONDS, os.kill, (os.getpid(), number))
    timer.daemon = True
    timer.start()

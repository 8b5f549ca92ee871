"""The line that a user sees while the libraries are loaded, which takes a second or two.

This file imports nothing that takes time.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from recipe_cli.interruption import end_at_once

ERASED_LINE = "\r\x1b[2K"


@contextmanager
def loading(what: str = "sympy and the language") -> Iterator[None]:
    """Show on a terminal that libraries are being loaded, and end at once if Ctrl-C comes
    meanwhile.

    Args:
        what: what is loaded, in words.
    """
    seen = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    interrupts = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if seen:
        _write(f"loading {what} ...")
    if interrupts:
        signal.signal(signal.SIGINT, end_at_once)
    try:
        yield
    finally:
        if interrupts:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if seen:
            _write(ERASED_LINE)


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()

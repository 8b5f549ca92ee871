"""Python's collector of cycles, which looks through all objects of the process again and again
while Numba makes many new ones: a seventh of the time of compiling a module.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class _Paused:
    """How many pauses there are now, and whether the collector was on before the first."""

    count: int = 0
    was_on: bool = False


_paused = _Paused()
_one_at_a_time = threading.Lock()


@contextmanager
def collector_paused() -> Iterator[None]:
    """Collect no cycles meanwhile; those that are left are collected later.

    Several threads may pause the collector at once: it goes on when the last of them is done, if it
    was on before the first.
    """
    with _one_at_a_time:
        if not _paused.count:
            _paused.was_on = gc.isenabled()
            gc.disable()
        _paused.count += 1
    try:
        yield
    finally:
        with _one_at_a_time:
            _paused.count -= 1
            if not _paused.count and _paused.was_on:
                gc.enable()

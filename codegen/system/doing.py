"""What a long computation is doing, said in one line to whoever shows it.

Work that has many stages in many functions says what it does by ``doing`` and how far it is by
``counted``; ``told`` says who hears it. Where nobody does, nothing is said.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

SECONDS = 0.2  # from one count to the next


@dataclass
class _Told:
    """Who is told, what is being done, and when a count was said last."""

    show: Callable[[str], None]
    text: str = ""
    last: float = -1.0


_TOLD: ContextVar[_Told | None] = ContextVar("told", default=None)


@contextmanager
def told(show: Callable[[str], None]) -> Iterator[None]:
    """Tell a function what is being done until the end of the block.

    Args:
        show: called with each new line.
    """
    token = _TOLD.set(_Told(show))
    try:
        yield
    finally:
        _TOLD.reset(token)


def doing(text: str) -> None:
    """Say what is being done, in a few words."""
    heard = _TOLD.get()
    if heard is not None:
        heard.text, heard.last = text, time.monotonic()
        heard.show(text)


def counted(done: int, total: int) -> None:
    """Say how much of it is done, now and then.

    Args:
        done: what is done.
        total: how much there is to do, as far as it is known.
    """
    heard = _TOLD.get()
    if heard is not None and time.monotonic() - heard.last >= SECONDS:
        heard.last = time.monotonic()
        heard.show(f"{heard.text}: {min(done, total):,} of {total:,}")

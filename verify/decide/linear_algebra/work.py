"""Counted work: a search that may be long stops after so many steps, the same on every machine.

A step is about a multiplication, or what takes as long.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class TooMuchWorkError(Exception):
    """A search has taken as many steps as it was given."""


_LEFT: ContextVar[list[int] | None] = ContextVar("steps_left", default=None)


@contextmanager
def at_most(steps: int) -> Iterator[None]:
    """Let the searches in the block of a ``with`` statement take so many steps in all."""
    token = _LEFT.set([steps])
    try:
        yield
    finally:
        _LEFT.reset(token)


def count(steps: int) -> None:
    """Take note of steps that are about to be made.

    Raises:
        TooMuchWorkError: if the search at hand was given fewer.
    """
    left = _LEFT.get()
    if left is not None:
        left[0] -= steps
        if left[0] < 0:
            raise TooMuchWorkError("the search was given up after the steps that it is given")

"""Counted work: a search that may be long stops after so many steps, the same on every machine.

A step is about a multiplication, or what takes as long. A search within another one spends the
steps of both.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


class TooMuchWorkError(Exception):
    """A search has taken as many steps as it was given."""


@dataclass
class Allowance:
    """The steps that a search may take, and those that it has taken.

    Attributes:
        steps: the number that it was given.
        spent: the number that it has taken, with those of searches within it.
        outer: the allowance of the search around it, or None.
    """

    steps: int
    outer: Allowance | None
    spent: int = 0


_AT_HAND: ContextVar[Allowance | None] = ContextVar("allowance", default=None)


@contextmanager
def at_most(steps: int) -> Iterator[Allowance]:
    """Let the searches in the block of a ``with`` statement take so many steps in all."""
    allowance = Allowance(steps, _AT_HAND.get())
    with _at_hand(allowance):
        yield allowance


@contextmanager
def apart() -> Iterator[None]:
    """Let the block of a ``with`` statement take no notice of the allowance at hand.

    What is remembered must not depend on who asked first, and how much that one had left. Its
    steps are counted when it is handed out.
    """
    with _at_hand(None):
        yield


@contextmanager
def _at_hand(allowance: Allowance | None) -> Iterator[None]:
    token = _AT_HAND.set(allowance)
    try:
        yield
    finally:
        _AT_HAND.reset(token)


def count(steps: int) -> None:
    """Take note of steps that are about to be made.

    Raises:
        TooMuchWorkError: if the search at hand, or one around it, was given fewer.
    """
    allowance, is_over = _AT_HAND.get(), False
    while allowance is not None:
        allowance.spent += steps
        is_over |= allowance.spent > allowance.steps
        allowance = allowance.outer
    if is_over:
        raise TooMuchWorkError("the search was given up after the steps that it is given")

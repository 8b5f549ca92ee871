"""Conditions between parameters under which a declaration is made, such as ``n + alpha >= 1``.

They reach the proofs of signs through a context, as those are asked in many places. Whatever is
remembered of a proof is remembered for the conditions that it was found under: ``cached``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

from sympy import Expr

from recipe.language.symbols import GENERIC
from recipe.language.text import text
from recipe.language.total import free_indexed, sum_over

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class ParameterCondition:
    """A condition ``e >= 0`` between parameters, or ``e > 0`` if it is strict.

    Attributes:
        e: the expression; of a vector parameter at the generic index, for every coordinate.
        is_strict: True for ``e > 0``.
        written: the condition as text, as a person would type it.
    """

    e: Expr
    is_strict: bool
    written: str

    def __str__(self) -> str:
        return self.written

    @property
    def negated(self) -> ParameterCondition:
        """The condition that fails, in every coordinate."""
        sign = ">=" if self.is_strict else ">"
        return ParameterCondition(-self.e, not self.is_strict, f"{text(-self.e)} {sign} 0")

    def rewritten(self, put: Callable[[Expr], Expr]) -> ParameterCondition:
        """The condition with ``put`` applied to its expression."""
        e = put(self.e)
        return (
            self
            if e == self.e
            else ParameterCondition(
                e, self.is_strict, f"{text(e)} {'>' if self.is_strict else '>='} 0"
            )
        )


# -- the conditions of the proof at hand
# --------------------------------------------------------------------------------------------------


_ASSUMED: ContextVar[tuple[ParameterCondition, ...]] = ContextVar("assumed", default=())


def assumed() -> tuple[ParameterCondition, ...]:
    """The conditions that hold in the current proof."""
    return _ASSUMED.get()


@contextmanager
def under(conditions: Iterable[ParameterCondition]) -> Iterator[None]:
    """Let these conditions, and no others, hold in the block of a ``with`` statement."""
    token = _ASSUMED.set(tuple(conditions))
    try:
        yield
    finally:
        _ASSUMED.reset(token)


def summed(condition: ParameterCondition) -> ParameterCondition | None:
    """The condition on the total of a vector condition, over all coordinates; None for a condition
    between numbers.
    """
    lengths = {s.length for s in free_indexed(condition.e) if s.label == GENERIC}
    if len(lengths) != 1:
        return None
    e = sum_over(condition.e.expand(), GENERIC, lengths.pop())
    return ParameterCondition(e, condition.is_strict, condition.written)


def cached(maxsize: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A cache for functions that ask for signs: it remembers a value for the conditions that hold
    when it is found.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @lru_cache(maxsize=maxsize)
        def remembered(_: tuple[ParameterCondition, ...], *args: Any) -> R:
            return function(*args)  # type: ignore[call-arg]

        @wraps(function)
        def call(*args: P.args, **named: P.kwargs) -> R:
            return function(*args, **named) if named else remembered(_ASSUMED.get(), *args)

        call.cache_info = remembered.cache_info  # type: ignore[attr-defined]
        call.cache_clear = remembered.cache_clear  # type: ignore[attr-defined]
        return call

    return decorate

"""Sets of signs, which stand for what is known of an expression, and their sums and products."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr

Signs = frozenset[int]
Ask = Callable[[Expr], Signs]  # proves the sign of any expression

POSITIVE, ZERO, NEGATIVE = frozenset({1}), frozenset({0}), frozenset({-1})
NOT_NEGATIVE, NOT_POSITIVE, ANY = frozenset({0, 1}), frozenset({-1, 0}), frozenset({-1, 0, 1})


def signs_of_sum(parts: list[Signs]) -> Signs:
    """The possible signs of a sum, from the possible signs of its summands."""
    together = frozenset().union(*parts)
    if together <= NOT_NEGATIVE or together <= NOT_POSITIVE:
        nonzero = any(0 not in p for p in parts)
        return together - ZERO if nonzero else together
    return ANY


def products(some: Signs, others: Signs) -> Signs:
    """The possible signs of a product, from those of its two factors."""
    return frozenset(a * b for a in some for b in others)

"""Proofs that an expression is zero, the quicker methods first.

Equal arguments, the canonical form that knows more relations, the product of conjugates, and
relations between arctangents or logarithms: each is a proof by itself, and they call each other.
"""

from __future__ import annotations

from sympy import Expr

from verify.decide.zero.by_others import by_others
from verify.decide.zero.canonical import is_zero
from verify.decide.zero.conjugates import vanishes_by_conjugates
from verify.decide.zero.equal_arguments import with_equal_arguments
from verify.decide.zero.errors import CannotDecideError
from verify.decide.zero.generic_values import with_free_labels
from verify.decide.zero.relations import without_related
from verify.decide.zero.thorough import Thorough

MAX_DEPTH = 3  # of questions that the answer to another one needs


def is_proved_zero(e: Expr, depth: int = 0) -> bool:
    """Return True if the expression is proved to be identically zero. False proves nothing."""
    if e == 0:
        return True
    if depth > MAX_DEPTH:
        return False
    # the argument of a function in a sum comes with the index that the sum binds
    (e,), _ = with_free_labels([by_others(e)])

    def ask(other: Expr) -> bool:
        return is_proved_zero(other, depth + 1)

    if _by_algebra(e):
        return True
    simpler = without_related(with_equal_arguments(e, ask), ask)
    return bool(simpler != e) and (simpler == 0 or _by_algebra(simpler))


def _by_algebra(e: Expr) -> bool:
    try:
        return is_zero(e, Thorough) or vanishes_by_conjugates(e, Thorough)
    except (CannotDecideError, RecursionError, ZeroDivisionError):
        return False

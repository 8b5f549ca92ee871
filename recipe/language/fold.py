"""Reflections of a discrete step: ``Fold`` puts a coordinate that left its interval back into it,
and ``FoldSign`` is the sign that its momentum then takes.

A path that is reflected at the ends of an interval is the image of a free path under a fold of the
line: ``lower + |x - lower|`` on a half line, a triangular wave between two ends, so that one step
may be reflected many times. The velocity of the free path keeps its sign, and the velocity of the
reflected path changes it with every reflection. Both functions may stand in update rules only:
neither is smooth, and the calculus refuses to differentiate them. (Skorokhod 1961, Theory Probab.
Appl. 6(3); as a scheme Bossy, Gobet & Talay 2004, J. Appl. Probab. 41(3).)
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Function, Interval, S, Symbol, oo

from recipe.language.errors import OutsideLanguageError, RecipeError


class _Folding(Function):
    """A function of a coordinate, which may lie anywhere, and of the two ends of its interval, one
    of which may be infinite.
    """

    nargs = 3

    @classmethod
    def eval(cls, e: Any, lower: Any, upper: Any) -> Expr | None:
        """Check the ends; return None, as nothing is evaluated."""
        if not (lower.is_number and upper.is_number and (lower < upper) == S.true) or (
            lower,
            upper,
        ) == (-oo, oo):
            raise RecipeError(
                f"{cls.__name__}({e}, {lower}, {upper}): the ends must be two numbers, the lower"
                " one first, and one may be infinite"
            )
        return None

    def _eval_is_real(self) -> bool:
        return True

    def _eval_derivative(self, s: Symbol) -> Expr:
        raise OutsideLanguageError(
            f"{self} is not smooth, and the calculus needs derivatives; it has its place in update"
            " rules only"
        )


class Fold(_Folding):
    """``Fold(e, lower, upper)``: the value ``e`` reflected at the ends until it lies between them.

    On a half line this is ``lower + |e - lower|`` (or ``upper - |upper - e|``), and between two
    finite ends a triangular wave. It is allowed in the rule of an ``Update`` only.

    Args:
        e: the new value of a block before it is reflected.
        lower, upper: two numbers, the lower one first; one of them may be infinite.

    Raises:
        RecipeError: where the ends are not two numbers in this order, or both are infinite.
        OutsideLanguageError: where it is differentiated, as it is not smooth.
    """


class FoldSign(_Folding):
    """``FoldSign(e, lower, upper)``: -1 where ``Fold(e, lower, upper)`` reflects an odd number of
    times, and 1 elsewhere.

    A momentum that carries the block over the edge is multiplied with it. Errors are those of
    ``Fold``.

    Args:
        e: the new value of the block before it is reflected, as in ``Fold``.
        lower, upper: the ends, as in ``Fold``.
    """


FOLDS = (Fold, FoldSign)


def ends_of(block: Any) -> tuple[Expr, Expr] | None:
    """The ends of the interval that a block lives on; None for the real line and for a simplex."""
    domain = block.domain
    if not isinstance(domain, Interval) or (domain.start, domain.end) == (-oo, oo):
        return None
    return domain.start, domain.end

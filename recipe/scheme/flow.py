"""The exact flow of a motion: where a block is after some time, with everything else at rest."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Mul, S, Symbol, exp, sqrt
from sympy.core.function import AppliedUndef

from recipe.language.phi import Phi
from recipe.scheme.pieces import Motion


@dataclass(frozen=True)
class Flow:
    """A normal law, exact for any time: its mean, a function of the block's value before, and its
    variance.
    """

    mean: Expr
    variance: Expr

    @property
    def deviation(self) -> Expr:
        """The root of the variance."""
        return sqrt(self.variance)


def flow(motion: Motion, time: Expr) -> Flow:
    """``mean = e^(l t) b + c (e^(l t) - 1) / l`` and ``variance = 2 D (e^(2 l t) - 1) / (2 l)`` for
    rate l, push c and noise D.
    """
    mean = exp(motion.rate * time) * motion.block + motion.push * growth(motion.rate, time)
    return Flow(mean, 2 * motion.noise * growth(2 * motion.rate, time))


def growth(rate: Expr, time: Expr) -> Expr:
    """``int_0^t e^(l s) ds``, by ``Phi`` where l may be zero."""
    if rate == 0:
        return time
    if _never_zero(rate):
        return (exp(rate * time) - 1) / rate
    return time * Phi(1, rate * time)


def _never_zero(e: Expr) -> bool:
    """Whether the expression is a product of numbers, and of symbols and functions that are
    declared to have a sign.
    """
    bases = (f.as_base_exp()[0] for f in Mul.make_args(e))
    return all(
        b != S.Zero and (b.is_Number or (isinstance(b, Symbol | AppliedUndef) and b.is_nonzero))
        for b in bases
    )

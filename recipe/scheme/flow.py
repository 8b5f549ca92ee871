"""The exact flow of one motion: the law of a block after some time, while all others rest."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Mul, S, Symbol, exp, sqrt
from sympy.core.function import AppliedUndef

from recipe.language.phi import Phi
from recipe.scheme.pieces import Motion


@dataclass(frozen=True)
class Flow:
    """A normal law, exact for any time.

    Attributes:
        mean: the mean, a function of the value of the block before.
        variance: the variance.
    """

    mean: Expr
    variance: Expr

    @property
    def deviation(self) -> Expr:
        """The standard deviation."""
        return sqrt(self.variance)


def flow(motion: Motion, time: Expr) -> Flow:
    """The law of a block after some time.

    For rate l, push c and noise D: ``mean = e^(l t) b + c (e^(l t) - 1) / l`` and ``variance = 2 D
    (e^(2 l t) - 1) / (2 l)``.
    """
    mean = exp(motion.rate * time) * motion.block + motion.push * growth(motion.rate, time)
    return Flow(mean, 2 * motion.noise * growth(2 * motion.rate, time))


def growth(rate: Expr, time: Expr) -> Expr:
    """The integral ``int_0^t e^(l s) ds``, written with ``Phi`` where l may be zero."""
    if rate == 0:
        return time
    if _never_zero(rate):
        return (exp(rate * time) - 1) / rate
    return time * Phi(1, rate * time)


def _never_zero(e: Expr) -> bool:
    """Return True if the expression is a product of nonzero numbers and of symbols and functions
    that are declared nonzero.
    """
    bases = (f.as_base_exp()[0] for f in Mul.make_args(e))
    return all(
        b != S.Zero and (b.is_Number or (isinstance(b, Symbol | AppliedUndef) and b.is_nonzero))
        for b in bases
    )

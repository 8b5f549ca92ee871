"""The law of a new value given the old one, read off a rule with one draw: normal, or a scaled
chi-squared number.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Dummy, Expr, S, Symbol, exp

from recipe.language.blocks import Block
from recipe.language.calculus import partial
from recipe.language.chi_squared import NoncentralChiSquared, log_laplace
from recipe.language.errors import OutsideLanguageError
from recipe.language.expectation import NOISE
from recipe.language.total import Total, substitute
from verify.decide.zero.decide import vanishes


@dataclass(frozen=True)
class NormalTransition:
    """The new value is ``N(mean, variance)``; both are expressions of the old value."""

    mean: Expr
    variance: Expr

    def log_transform(self, s: Expr) -> Expr:
        """Return ``log E exp(s x')``, for imaginary s the logarithm of the characteristic
        function.
        """
        return s * self.mean + s**2 * self.variance / 2

    def __str__(self) -> str:
        return f"N({self.mean}, {self.variance})"


@dataclass(frozen=True)
class ChiSquaredLaw:
    """The new value is ``scale`` times a non-central chi-squared number."""

    scale: Expr
    draw: NoncentralChiSquared

    @property
    def mean(self) -> Expr:
        """``scale (df + nonc)``."""
        return self.scale * self.draw.df + self.scale * self.draw.nonc

    @property
    def variance(self) -> Expr:
        """``2 scale^2 (df + 2 nonc)``."""
        return 2 * self.scale * (self.scale * self.draw.df + 2 * self.scale * self.draw.nonc)

    def log_transform(self, s: Expr) -> Expr:
        """Return ``log E exp(s x')``, the logarithm of the Laplace transform for s <= 0."""
        return log_laplace(self.draw, s * self.scale)

    def __str__(self) -> str:
        return f"({self.scale}) * chi-squared({self.draw.df}, {self.draw.nonc})"


Law = NormalTransition | ChiSquaredLaw


def law_of(rule: Expr, block: Block) -> Law:
    """Return the law of one coordinate of a block, given its old value.

    Raises:
        OutsideLanguageError: where the rule is neither a multiple of a chi-squared draw nor affine
            in one normal draw.
    """
    draws, noises = rule.atoms(NoncentralChiSquared), rule.atoms(*NOISE)
    if len(noises) != 1 or rule.has(Total):
        raise OutsideLanguageError(f"{block} <- {rule} is not read as a law of one draw")
    x: Symbol = Dummy("draw", real=True)
    (drawn,) = draws or noises
    e = rule.xreplace({drawn: x})
    rest, scale = substitute(e, {x: S.Zero}), partial(e, x)
    if scale.has(x, *NOISE) or rest.has(*NOISE):
        raise OutsideLanguageError(f"{block} <- {rule} is not affine in its draw")
    if not draws:
        return NormalTransition(rest, scale**2)
    if rest != 0:
        raise OutsideLanguageError(f"{block} <- {rule} is no multiple of its draw")
    return ChiSquaredLaw(scale, drawn)


def rate_of(law: Law, x: Block) -> Expr | None:
    """Return the exponent of the exponential that is the slope of the mean in the old value x; None
    where none is seen to be.
    """
    slope = law.mean.diff(x)
    found = sorted(law.mean.atoms(exp), key=str)
    return next((e.args[0] for e in found if vanishes(slope - e)), None)

"""``NoncentralChiSquared``: a random number whose law depends on the state.

The exact transition of a square-root process draws such a number.
"""

from __future__ import annotations

from math import comb, factorial
from typing import Any

from sympy import Expr, S, log

from recipe.language.as_expression import as_expression
from recipe.language.errors import OutsideLanguageError, RecipeError
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.symbols import generic


class NoncentralChiSquared(Expr):
    """A draw from the non-central chi-squared law, for the rule of an ``Update``.

    For a whole number ``df`` it has the law of ``(z_1 + sqrt(nonc))^2 + z_2^2 + ... + z_df^2`` with
    independent standard normal z. It has the mean ``df + nonc`` and the variance ``2 (df + 2
    nonc)``.

    Args:
        noise: the ``Noise`` that names the draw: one draw a coordinate for a vector, one draw for a
            scalar block. It may stand nowhere else in the update.
        df: the degrees of freedom, an expression of one coordinate that is positive.
        nonc: the non-centrality, an expression of one coordinate that is not negative.

    Raises:
        RecipeError: where ``noise`` is no ``Noise``, or has a covariance.
        OutsideLanguageError: where it is differentiated by a block that its law depends on.
    """

    is_commutative = True
    is_real = True
    is_positive = True

    def __new__(cls, noise: Any, df: Any, nonc: Any) -> NoncentralChiSquared:
        if not isinstance(noise, Noise | ScalarNoise):
            raise RecipeError(
                f"NoncentralChiSquared({noise}, ...) needs the noise that names the draw: w ="
                " Noise('w', like=theta)"
            )
        if isinstance(noise, Noise) and noise.covariance is not None:
            raise RecipeError(
                f"NoncentralChiSquared({noise}, ...): the draws of different coordinates are"
                " independent"
            )
        where = f"NoncentralChiSquared({noise}, ...)"
        return Expr.__new__(cls, noise, as_expression(df, where), as_expression(nonc, where))  # type: ignore[no-any-return]

    @property
    def noise(self) -> Noise | ScalarNoise:
        """The noise that names the draw."""
        return self.args[0]  # type: ignore[no-any-return]

    @property
    def df(self) -> Expr:
        """The degrees of freedom."""
        return self.args[1]  # type: ignore[no-any-return]

    @property
    def nonc(self) -> Expr:
        """The non-centrality."""
        return self.args[2]  # type: ignore[no-any-return]

    def _eval_derivative(self, x: Any) -> Expr:
        if generic(x) in {generic(s) for s in self.free_symbols}:
            raise OutsideLanguageError(
                f"{self} has no derivative by {x}: it is a random number, whose law depends on that"
            )
        return S.Zero

    def _latex(self, printer: Any) -> str:
        df, nonc = (printer.doprint(a) for a in (self.df, self.nonc))
        return f"\\chi'^2_{{{printer.doprint(self.noise)}}}\\left({df}; {nonc}\\right)"

    _recipe_latex = _latex


def cumulant(draw: NoncentralChiSquared, k: int) -> Expr:
    """The k-th cumulant, ``2^(k-1) (k-1)! (df + k nonc)``."""
    return 2 ** (k - 1) * factorial(k - 1) * (draw.df + k * draw.nonc)


def moment(draw: NoncentralChiSquared, n: int) -> Expr:
    """The n-th moment ``E X^n``, from the cumulants."""
    moments: list[Expr] = [S.One]
    for m in range(1, n + 1):
        moments.append(
            sum(
                (comb(m - 1, k - 1) * cumulant(draw, k) * moments[m - k] for k in range(1, m + 1)),
                S.Zero,
            )
        )
    return moments[n]


def log_laplace(draw: NoncentralChiSquared, s: Expr) -> Expr:
    """The logarithm of the moment generating function: ``log E exp(s X) = -df/2 log(1 - 2 s) + s
    nonc/(1 - 2 s)`` for s < 1/2.
    """
    return -draw.df * log(1 - 2 * s) / 2 + s * draw.nonc / (1 - 2 * s)

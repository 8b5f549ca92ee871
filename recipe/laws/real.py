"""Laws on the real line."""

from __future__ import annotations

from typing import Any

from sympy import Abs, Expr, exp, log, loggamma, pi

from recipe.language.log_density import LogDensity
from recipe.laws.law import REALS, Law, density, law_of_blocks


@law_of_blocks(REALS)
def normal(x: Any, mean: Any, sd: Any) -> LogDensity:
    """Return the log density of the normal law.

    Args:
        x: a block, a ``Data`` symbol or an expression of them. Without it, as in ``normal(0, 5)``,
            the law is a ``Prior`` that a block is declared with.
        mean: the mean.
        sd: the standard deviation, above 0.

    Raises:
        RecipeError: where an argument, or a block or parameter as one, may lie outside of its
            range, or x is a block on another domain than the law.
    """
    return density(Law("normal", REALS, {"sd": sd}, {"mean": mean}), x, _normal)


@law_of_blocks(REALS)
def student_t(x: Any, df: Any, location: Any, scale: Any) -> LogDensity:
    """Return the log density of Student's t law around ``location``.

    Args:
        x: a block, a ``Data`` symbol or an expression of them.
        df: the degrees of freedom, above 0.
        location: the median.
        scale: the scale, above 0.

    Raises: as ``normal``.
    """
    positive = {"df": df, "scale": scale}
    return density(Law("student_t", REALS, positive, {"location": location}), x, log_student_t)


@law_of_blocks(REALS)
def cauchy(x: Any, location: Any, scale: Any) -> LogDensity:
    """Return the log density of the Cauchy law.

    Args:
        x: a block, a ``Data`` symbol or an expression of them.
        location: the median.
        scale: half the distance of the quartiles, above 0.

    Raises: as ``normal``.
    """
    law = Law("cauchy", REALS, {"scale": scale}, {"location": location})
    return density(law, x, log_cauchy)


@law_of_blocks(REALS)
def laplace(x: Any, location: Any, scale: Any) -> LogDensity:
    """Return the log density of the Laplace law, ``exp(-|x - location|/scale)/(2 scale)``.

    Args:
        x: a block, a ``Data`` symbol or an expression of them.
        location: the median.
        scale: the mean distance from it, above 0.

    Raises: as ``normal``.
    """
    law = Law("laplace", REALS, {"scale": scale}, {"location": location})
    return density(law, x, _laplace)


@law_of_blocks(REALS)
def logistic(x: Any, location: Any, scale: Any) -> LogDensity:
    """Return the log density of the logistic law: ``1/P(X < x) = 1 + exp(-(x-location)/scale)``.

    Args:
        x: a block, a ``Data`` symbol or an expression of them.
        location: the mean.
        scale: the scale, above 0.

    Raises: as ``normal``.
    """
    law = Law("logistic", REALS, {"scale": scale}, {"location": location})
    return density(law, x, _logistic)


def log_normal_density(x: Expr, mean: Expr, sd: Expr) -> Expr:
    """The log density of a normal law."""
    return -(((x - mean) / sd) ** 2) / 2 - log(sd) - log(2 * pi) / 2


_normal = log_normal_density


def log_student_t(x: Expr, df: Expr, location: Expr, scale: Expr) -> Expr:
    """The log density of Student's t law."""
    z = (x - location) / scale
    constant = loggamma((df + 1) / 2) - loggamma(df / 2) - log(pi * df) / 2 - log(scale)
    return constant - (df + 1) / 2 * log(1 + z**2 / df)


def log_cauchy(x: Expr, location: Expr, scale: Expr) -> Expr:
    """The log density of a Cauchy law."""
    return -log(pi) - log(scale) - log(1 + ((x - location) / scale) ** 2)


def _laplace(x: Expr, location: Expr, scale: Expr) -> Expr:
    return -log(2) - log(scale) - Abs(x - location) / scale


def _logistic(x: Expr, location: Expr, scale: Expr) -> Expr:
    z = (x - location) / scale
    return -z - log(scale) - 2 * log(1 + exp(-z))

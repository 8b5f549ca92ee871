"""Laws on the positive half line."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, log, loggamma

from recipe.language.log_density import LogDensity
from recipe.laws.law import POSITIVE, Law, density, law_of_blocks
from recipe.laws.real import log_cauchy, log_normal_density, log_student_t

ZERO = Integer(0)


@law_of_blocks(POSITIVE)
def half_normal(x: Any, scale: Any) -> LogDensity:
    """Return the log density of ``|z|`` where z is normal with mean 0.

    Args:
        x: a block on (0, oo), a ``Data`` symbol or an expression of them. Without it the law is a
            ``Prior``, as ``normal`` is.
        scale: the standard deviation of z, above 0.

    Raises:
        RecipeError: where an argument, or a block or parameter as one, may lie outside of its
            range, or x is a block on another domain than the law.
    """
    return density(
        Law("half_normal", POSITIVE, {"scale": scale}, {}),
        x,
        lambda x, scale: log(2) + log_normal_density(x, ZERO, scale),
    )


@law_of_blocks(POSITIVE)
def half_cauchy(x: Any, scale: Any) -> LogDensity:
    """Return the log density of ``|z|`` where z has the Cauchy law around 0.

    Args:
        x: a block on (0, oo), a ``Data`` symbol or an expression of them.
        scale: the median of x, above 0.

    Raises: as ``half_normal``.
    """
    return density(
        Law("half_cauchy", POSITIVE, {"scale": scale}, {}),
        x,
        lambda x, scale: log(2) + log_cauchy(x, ZERO, scale),
    )


@law_of_blocks(POSITIVE)
def half_student_t(x: Any, df: Any, scale: Any) -> LogDensity:
    """Return the log density of ``|z|`` where z has Student's t law around 0.

    Args:
        x: a block on (0, oo), a ``Data`` symbol or an expression of them.
        df: the degrees of freedom, above 0.
        scale: the scale of z, above 0.

    Raises: as ``half_normal``.
    """
    return density(
        Law("half_student_t", POSITIVE, {"df": df, "scale": scale}, {}),
        x,
        lambda x, df, scale: log(2) + log_student_t(x, df, ZERO, scale),
    )


@law_of_blocks(POSITIVE)
def exponential(x: Any, rate: Any) -> LogDensity:
    """Return the log density of the exponential law, with mean ``1/rate``.

    Args:
        x: a block on (0, oo), a ``Data`` symbol or an expression of them.
        rate: the rate, above 0.

    Raises: as ``half_normal``.
    """
    return density(
        Law("exponential", POSITIVE, {"rate": rate}, {}),
        x,
        lambda x, rate: log(rate) - rate * x,
    )


@law_of_blocks(POSITIVE)
def gamma(x: Any, shape: Any, rate: Any) -> LogDensity:
    """Return the log density of the gamma law, with mean ``shape/rate``.

    Args:
        x: a block on (0, oo), a ``Data`` symbol or an expression of them.
        shape: the shape, above 0.
        rate: the rate, above 0: one over the scale.

    Raises: as ``half_normal``.
    """
    return density(Law("gamma", POSITIVE, {"shape": shape, "rate": rate}, {}), x, _gamma)


@law_of_blocks(POSITIVE)
def inverse_gamma(x: Any, shape: Any, scale: Any) -> LogDensity:
    """Return the log density of ``1/z`` where z has the gamma law with the rate ``scale``.

    Args:
        x: a block on (0, oo), a ``Data`` symbol or an expression of them.
        shape: the shape, above 0.
        scale: the scale, above 0.

    Raises: as ``half_normal``.
    """
    law = Law("inverse_gamma", POSITIVE, {"shape": shape, "scale": scale}, {})
    return density(law, x, _inverse_gamma)


@law_of_blocks(POSITIVE)
def log_normal(x: Any, mean: Any, sd: Any) -> LogDensity:
    """Return the log density of ``exp(z)`` where z is normal.

    Args:
        x: a block on (0, oo), a ``Data`` symbol or an expression of them.
        mean, sd: the mean and the standard deviation of z; sd is above 0.

    Raises: as ``half_normal``.
    """
    return density(
        Law("log_normal", POSITIVE, {"sd": sd}, {"mean": mean}),
        x,
        lambda x, mean, sd: log_normal_density(log(x), mean, sd) - log(x),
    )


@law_of_blocks(POSITIVE)
def weibull(x: Any, shape: Any, scale: Any) -> LogDensity:
    """Return the log density of the Weibull law: ``P(X > x) = exp(-(x/scale)^shape)``.

    Args:
        x: a block on (0, oo), a ``Data`` symbol or an expression of them.
        shape: the shape, above 0.
        scale: the scale, above 0.

    Raises: as ``half_normal``.
    """
    return density(Law("weibull", POSITIVE, {"shape": shape, "scale": scale}, {}), x, _weibull)


def _gamma(x: Expr, shape: Expr, rate: Expr) -> Expr:
    return shape * log(rate) - loggamma(shape) + (shape - 1) * log(x) - rate * x


def _inverse_gamma(x: Expr, shape: Expr, scale: Expr) -> Expr:
    return shape * log(scale) - loggamma(shape) - (shape + 1) * log(x) - scale / x


def _weibull(x: Expr, shape: Expr, scale: Expr) -> Expr:
    slope = log(shape) - log(scale) + (shape - 1) * (log(x) - log(scale))
    return slope - (x / scale) ** shape

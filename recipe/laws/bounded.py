"""Laws on an interval and on the simplex."""

from __future__ import annotations

from typing import Any

from sympy import Add, Expr, Integer, Interval, Rational, gamma, log, loggamma, pi

from recipe.language.blocks import Simplex
from recipe.language.data import KnownNumbers, float_of, with_numbers
from recipe.language.domain import on_simplex
from recipe.language.errors import RecipeError
from recipe.language.log_density import LogDensity
from recipe.language.names import fitting_name
from recipe.language.symbols import GENERIC, name_of
from recipe.language.total import labels, total
from recipe.laws.law import UNIT, Law, argument, density, law_of_blocks, positive_demands
from recipe.laws.vectors import Listed, is_listed, listed, require_above_zero


@law_of_blocks(UNIT)
def beta(x: Any, a: Any, b: Any) -> LogDensity:
    """Return the log density of the beta law, ``x^(a-1) (1-x)^(b-1)/B(a, b)``.

    Args:
        x: a block on (0, 1), a ``Data`` symbol or an expression of them. Without it the law is a
            ``Prior``, as ``normal`` is.
        a, b: the shapes at 0 and at 1, above 0.

    Raises:
        RecipeError: where an argument, or a block or parameter as one, may lie outside of its
            range, or x is a block on another domain than the law.
    """
    return density(Law("beta", UNIT, {"a": a, "b": b}, {}), x, _beta)


def _between(low: Any, high: Any) -> Interval:
    """The interval between two numbers.

    Raises:
        RecipeError: where they are no numbers, or not low < high.
    """
    ends = [argument(e, "an end of uniform") for e in (low, high)]
    if not all(e.is_number and e.is_finite for e in ends) or not ends[0] < ends[1]:
        raise RecipeError(f"uniform(x, {low}, {high}): the ends must be two numbers, low < high")
    return Interval.open(*ends)


@law_of_blocks(_between)
def uniform(x: Any, low: Any, high: Any) -> LogDensity:
    """Return the log density of the uniform law between two numbers.

    Args:
        x: a block on that interval, or a ``Data`` symbol. Without it the law is a ``Prior``, as
            ``normal`` is.
        low, high: the ends, two numbers.

    Raises:
        RecipeError: where the ends are not two numbers, low below high, or x is a block on another
            interval.
    """
    between = _between(low, high)
    law = Law("uniform", between, {}, {"low": between.start, "high": between.end})
    return density(law, x, lambda x, low, high: -log(high - low))


def _simplex(concentration: Any, last: Any = None) -> Simplex:
    """The support of a Dirichlet law, whose concentrations are checked before there is a block."""
    if is_listed(concentration):
        _require_concentrations(listed(concentration, "the concentration of dirichlet"), last)
    return Simplex()


@law_of_blocks(_simplex)
def dirichlet(x: Any, concentration: Any, *, last: Any = None) -> LogDensity:
    """Return the log density of the Dirichlet law of K probabilities.

    Args:
        x: a ``Vector`` with ``domain=Simplex()``. The last probability is ``1 - total(x)``. Without
            it the law is a ``Prior``, as ``normal`` is.
        concentration: the concentrations of the K probabilities, above 0: one number or expression
            for all of them, 1 for the uniform law; a list or an array of K numbers; or a parameter
            or block with a value for each coordinate of x, for the first K - 1, beside ``last``.
        last: the concentration of the last probability; by default that of all others.

    Raises:
        RecipeError: where x is no block on a simplex, a concentration may be 0 or less, or that of
            the last probability is missing.

    Example:
        >>> from recipe import Vector
        >>> from recipe.laws import dirichlet
        >>> Vector("w", prior=dirichlet([2, 1, 5])).prior
        dirichlet([2, 1, 5])
    """
    if not on_simplex(x):
        raise RecipeError(
            f"dirichlet({x}): the variable must be a block on the simplex, Vector('x',"
            " domain=Simplex())"
        )
    where = "the concentration of dirichlet"
    if is_listed(concentration):
        _require_concentrations(listed(concentration, where), last)
        concentration, last = _of_coordinates_and_last(listed(concentration, where), x)
    a = argument(concentration, where)
    demands = positive_demands(a, where)
    each = GENERIC in labels(a)
    if each and last is None:
        raise RecipeError(
            f"{where} is {a}, which has a value for each coordinate of {x}, and the last"
            f" probability, 1 - total({x}), is none of them; give its own, dirichlet({a}, last=...)"
        )
    if last is None:
        count = x.dim + 1
        constant = _log_gamma(count * a) - count * loggamma(a)
        return LogDensity(constant + (a - 1) * (total(log(x)) + log(1 - total(x))), tuple(demands))
    b = argument(last, "the last concentration of dirichlet")
    demands += positive_demands(b, "the last concentration of dirichlet")
    sum_of = total if each else lambda e: x.dim * e
    constant = loggamma(sum_of(a) + b) - sum_of(loggamma(a)) - _log_gamma(b)
    powers = total((a - 1) * log(x)) + (b - 1) * log(1 - total(x))
    return LogDensity(constant + powers, tuple(demands))


def _require_concentrations(found: Listed, last: Any) -> None:
    """Require that listed concentrations are those of all probabilities."""
    where = "the concentration of dirichlet"
    require_above_zero(found, where)
    if last is not None:
        raise RecipeError(
            f"{where} is {found}, which has that of the last probability, and last={last} is one"
            " more; leave last= out, or give it in the list"
        )
    if len(found) < 2:
        raise RecipeError(f"{where} is {found}; a law of probabilities has 2 of them or more")


def _of_coordinates_and_last(found: Listed, x: Any) -> tuple[Expr, Expr]:
    """The concentrations of the coordinates, and that of the last probability."""
    *others, end = found
    source = f"the concentration {found} of dirichlet, of {len(found)} probabilities,"
    known = KnownNumbers(tuple(map(float_of, others)), source)
    return with_numbers(fitting_name(f"concentration_of_{name_of(x)}"), x, known), end


def _beta(x: Expr, a: Expr, b: Expr) -> Expr:
    constant = loggamma(a + b) - loggamma(a) - loggamma(b)
    return constant + (a - 1) * log(x) + (b - Integer(1)) * log(1 - x)


def _log_gamma(n: Expr) -> Expr:
    """``log(Gamma(n))``. Of whole and half numbers sympy makes ``gamma``, which the language does
    not have: then by Gauss's multiplication formula.
    """
    for q in (1, 3, 5, 7):
        parts = Add(*(loggamma((n + j) / q) for j in range(q)))
        if not parts.has(gamma):
            break
    return parts + (n - Rational(1, 2)) * log(q) - Rational(q - 1, 2) * log(2 * pi)

"""Laws on an interval and on the simplex."""

from __future__ import annotations

from typing import Any

from sympy import Add, Expr, Integer, Interval, Rational, gamma, log, loggamma, pi

from recipe.language.domain import on_simplex
from recipe.language.errors import RecipeError
from recipe.language.log_density import LogDensity
from recipe.language.symbols import Indexed, Simplex
from recipe.language.total import total
from recipe.laws.law import UNIT, Law, argument, density, law_of_blocks, positive_demands


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


def _simplex(concentration: Any, x: object = "w") -> Simplex:
    """The support of a Dirichlet law.

    Raises:
        RecipeError: where there is a concentration for each probability.
    """
    several = isinstance(concentration, Indexed)
    if not several and not hasattr(concentration, "__len__"):
        return Simplex()
    listed = [] if several else list(concentration)
    last, rest = (listed[-1], listed[:-1]) if listed else ("b", "[...]")
    equal = bool(listed) and all(a == last for a in listed)
    short = f" (here write {last}; K is learned from data, coords= or lengths=)" if equal else ""
    raise RecipeError(
        f"the concentration of dirichlet is {concentration}, and must be one number for all"
        f" probabilities{short}; for one of each, declare a = Parameter('a', like={x},"
        f" positive=True), write total((a - 1)*log({x})) + ({last} - 1)*log(1 - total({x})) into"
        f" log_prior=, where {last} is that of the last one, and give the others as"
        f" params={{'a': {rest}}}"
    )


@law_of_blocks(_simplex)
def dirichlet(x: Any, concentration: Any) -> LogDensity:
    """Return the log density of the symmetric Dirichlet law of K probabilities.

    Args:
        x: a ``Vector`` with ``domain=Simplex()``. The last probability is ``1 - total(x)``. Without
            it the law is a ``Prior``, as ``normal`` is.
        concentration: the common concentration of the K probabilities, above 0; 1 for the uniform
            law.

    Raises:
        RecipeError: where x is no block on a simplex, or the concentration is several numbers, or
            may be 0 or less.
    """
    if not on_simplex(x):
        raise RecipeError(
            f"dirichlet({x}): the variable must be a block on the simplex, Vector('x',"
            " domain=Simplex())"
        )
    _simplex(concentration, x)
    a = argument(concentration, "the concentration of dirichlet")
    demands = positive_demands(a, "the concentration of dirichlet")
    count = x.dim + 1
    constant = _log_gamma(count * a) - count * loggamma(a)
    return LogDensity(constant + (a - 1) * (total(log(x)) + log(1 - total(x))), tuple(demands))


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

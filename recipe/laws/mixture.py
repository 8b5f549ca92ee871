"""Mixtures of laws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sympy import Add, Expr, Rational, Symbol, exp, log, oo

from recipe.language.errors import RecipeError
from recipe.language.log_density import LogDensity, Prior, no_variable
from recipe.language.symbols import Scalar
from recipe.laws.law import argument, named_law, positive_demands

ROUNDING = 1e-9  # floats such as 1/3 do not sum to 1 exactly
SHARES = (Rational(2, 7), Rational(5, 9))  # of the way through a domain: two points to look at


def mixture(weights: Sequence[Any], densities: Sequence[LogDensity]) -> LogDensity:
    """Return the log density of the law that has each of some densities with a weight.

    Args:
        weights: the weights, above 0. They must sum to 1, which is looked at where they are made of
            numbers, scalar blocks and parameters.
        densities: the laws, one for each weight, at the same variable.

    Raises:
        RecipeError: where the numbers of weights and densities differ, a density is no
            ``LogDensity``, a weight may be 0 or less, or the weights do not sum to 1.
    """
    if len(weights) != len(densities) or not densities:
        raise RecipeError(
            f"mixture: {len(weights)} weights and {len(densities)} densities; give one weight for"
            " each"
        )
    for d in densities:
        if isinstance(d, Prior):
            raise RecipeError(f"mixture: {no_variable(d)}")
        if not isinstance(d, LogDensity):
            raise RecipeError(f"mixture: {d!r} is no law; write normal(y, mean, sd), for example")
    read = [argument(w, "a weight of mixture") for w in weights]
    _require_a_sum_of_one(read)
    demands = [d for w in read for d in positive_demands(w, "a weight of mixture")]
    joined = sum(densities[1:], densities[0])
    terms = (w * exp(d.expression) for w, d in zip(read, densities, strict=True))
    every = tuple(dict.fromkeys((*demands, *joined.demands)))
    e, parts = log(Add(*terms)), [d.laws for d in densities]
    known = all(len(p) == 1 for p in parts) and len({p[0].variable for p in parts}) == 1
    laws = tuple(p[0] for p in parts) if known else ()
    named = (
        named_law("mixture", laws[0].variable, e, weights=tuple(read), laws=laws) if known else ()
    )
    return LogDensity(e, every, joined.indicators, joined.variable, named, joined.of)


def _require_a_sum_of_one(weights: Sequence[Expr]) -> None:
    """Raise RecipeError where the weights do not sum to 1 at a point within the domains."""
    total = Add(*weights)
    symbols = sorted(total.free_symbols, key=str)
    if not all(type(s) in (Scalar, Symbol) for s in symbols):
        return
    for share in SHARES:
        at = {s: _inside(s, share / (n + 1)) for n, s in enumerate(symbols)}
        found = total.xreplace(at)
        off = (found - 1).evalf()
        if off.is_number and off.is_real and abs(off) > ROUNDING:
            where = ", ".join(f"{s.name} = {v}" for s, v in at.items())
            raise RecipeError(
                f"mixture: the weights sum to {total}, which is not 1"
                + (f" (at {where} it is {found})" if at else "")
                + "; write the last one as 1 minus the others"
            )


def _inside(s: Symbol, share: Expr) -> Expr:
    """Return a number of the domain of a block, or of a parameter."""
    low, high = (s.domain.inf, s.domain.sup) if isinstance(s, Scalar) else (0, oo)
    if high != oo and low != -oo:
        return low + (high - low) * share
    if high != oo:
        return high - share
    return share if low == -oo else low + share

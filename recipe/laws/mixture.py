"""Mixtures of laws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sympy import Add, exp, log

from recipe.language.errors import RecipeError
from recipe.language.log_density import LogDensity, Prior, no_variable
from recipe.laws.law import argument, named_law, positive_demands


def mixture(weights: Sequence[Any], densities: Sequence[LogDensity]) -> LogDensity:
    """Return the log density of the law that has each of some densities with a weight.

    Args:
        weights: the weights, above 0. They must sum to 1, which is not checked.
        densities: the laws, one for each weight, at the same variable.

    Raises:
        RecipeError: where the numbers of weights and densities differ, a density is no
            ``LogDensity``, or a weight may be 0 or less.
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

"""Expressions and densities without what their symbols carry: blocks without a prior, data without
an array.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sympy import Basic

from recipe.declare.transformations.ordered import Ordered
from recipe.language.blocks import Scalar, Vector
from recipe.language.data import ScalarData, VectorData, one_hot
from recipe.language.log_density import Demand, Indicator, LogDensity, NamedLaw
from recipe.language.symbols import Indexed, assumptions_of

BLOCKS, DATA = (Vector, Scalar), (VectorData, ScalarData)


def plain(e: Any) -> Any:
    """Return an expression with plain blocks and data; what is no expression stays as it is."""
    if isinstance(e, Ordered):
        return e if e.prior is None else Ordered(e.name, len(e))
    if not isinstance(e, Basic):
        return e
    found = {s: _plain_symbol(s) for s in e.atoms(*BLOCKS, *DATA)}
    changed = {s: p for s, p in found.items() if p is not s}
    return e.xreplace(changed) if changed else e


def plain_density(density: LogDensity) -> LogDensity:
    """Return a log density with plain blocks and data, in all that it demands and is known as."""
    return LogDensity(
        plain(density.expression),
        tuple(_plain_demand(d) for d in density.demands),
        tuple(Indicator(i.data, plain(i.label), i.value) for i in density.indicators),
        plain(density.variable),
        tuple(_plain_law(law) for law in density.laws),
        tuple(plain(block) for block in density.of),
        tuple(plain(block) for block in density.about),
    )


def plain_quantities(derived: Any) -> Any:
    """Return derived quantities with plain blocks and data."""
    if not isinstance(derived, Mapping):
        return derived
    return {name: _plain_quantity(value) for name, value in derived.items()}


def carries(symbol: Any) -> bool:
    """Whether a symbol is a block with a prior or data with an array."""
    return getattr(symbol, "prior", None) is not None or (
        isinstance(symbol, DATA) and symbol.values is not None
    )


def _plain_symbol(s: Any) -> Any:
    if isinstance(s, VectorData) and s.labels is not None:
        label = s.labels
        if not carries(label):
            return s
        return one_hot(s.base, s, plain(label), s.but_last).at(s.label)
    if not carries(s):
        return s
    if isinstance(s, Scalar):
        return Scalar(s.name, s.domain)
    if isinstance(s, ScalarData):
        return ScalarData(s.name)
    extra = s.extra[:1] if isinstance(s, Vector) else ()
    return Indexed.__new__(type(s), s.base, s.length, s.label, extra, **assumptions_of(s))


def _plain_demand(d: Demand) -> Demand:
    return replace(d, data=plain(d.data), lower=plain(d.lower), upper=plain(d.upper))


def _plain_law(law: NamedLaw) -> NamedLaw:
    return replace(
        law,
        variable=plain(law.variable),
        arguments={name: _plain_argument(a) for name, a in law.arguments.items()},
        expression=plain(law.expression),
    )


def _plain_argument(a: Any) -> Any:
    if isinstance(a, tuple):
        return tuple(_plain_argument(each) for each in a)
    return _plain_law(a) if isinstance(a, NamedLaw) else plain(a)


def _plain_quantity(value: Any) -> Any:
    if isinstance(value, LogDensity):
        return plain_density(value)
    if isinstance(value, list | tuple):
        return [_plain_quantity(e) for e in value]
    return plain(value)

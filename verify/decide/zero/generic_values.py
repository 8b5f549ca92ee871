"""Values of expressions at points in general position, as balls.

Equal values propose an identity; they prove none. Unequal ones rule it out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sympy import Expr

from recipe.language.symbols import Length
from recipe.language.total import Total, labels, relabel
from verify.decide.zero.point import Ball, NoValueError, Point, at_precision

SIZE = 3  # of every length
SEEDS = (7, 11, 13, 17, 19)
BITS = 256
CLOSE = 2.0**-200


def with_free_labels(expressions: list[Expr]) -> tuple[list[Expr], dict[int, int]]:
    """The expressions with their free labels renamed to 0, -1, ..., and a coordinate for each."""
    found = sorted(set[int]().union(*(labels(e) for e in expressions)), reverse=True)
    # first to labels that occur nowhere, so that none is renamed twice
    away = {label: -1000 - k for k, label in enumerate(found)}
    for moves in (away, {new: -k for k, new in enumerate(away.values())}):
        for old, new in moves.items():
            expressions = [relabel(e, old, new) for e in expressions]
    return expressions, {-k: k for k in range(len(found))}


def generic_points(expressions: Iterable[Expr]) -> Iterator[Point]:
    """Points in general position, each the same whenever it is asked for."""
    lengths = set[Length]().union(
        *(e.atoms(Length) | {t.index.length for t in e.atoms(Total)} for e in expressions),
        *({s.length for s in e.free_symbols if hasattr(s, "length")} for e in expressions),
    )
    for seed in SEEDS:
        yield Point(dict.fromkeys(lengths, SIZE), seed, generic=True)


def values_at(point: Point, expressions: Iterable[Expr], places: dict[int, int]) -> list[Ball]:
    """The values of expressions at one point.

    Raises:
        NoValueError: if one of them has no value there.
    """
    return at_precision(BITS, lambda: [point.evaluate(e, places) for e in expressions])


def values(expressions: list[Expr], count: int) -> list[list[Ball]]:
    """The values at ``count`` points where all expressions are defined; fewer if there are not as
    many.
    """
    renamed, places = with_free_labels(expressions)
    found: list[Any] = []
    for point in generic_points(renamed):
        if len(found) == count or len(places) > SIZE:
            break
        try:
            found.append(values_at(point, renamed, places))
        except NoValueError:
            continue
    return found


def may_vanish(e: Expr) -> bool:
    """Return True unless a point in general position shows that the expression is not zero."""
    return all(value.contains(0) and value.rad() < CLOSE for (value,) in values([e], 2))

"""One tree for every length, from the trees of a generic coordinate at several lengths.

They must be one tree but for numbers. A number that changes with the length is read as
``(a d + b)**p`` with small fractions a and b, and p one of 1, -1, 1/2 and -1/2; three lengths fix
it, as two would fix a and b.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from sympy import Expr, Pow, Rational

from recipe.language.symbols import Length
from recipe.lifting.tree.node import NUMBER, SIZE, Node, made
from recipe.lifting.tree.place import refuse

POWERS = (Rational(1), Rational(-1), Rational(1, 2), Rational(-1, 2), Rational(2), Rational(-2))
LARGEST = 1000  # denominator of a and b
ROUNDING = 1e-12


def for_every_length(
    trees: Sequence[Node], sizes: Sequence[Mapping[str, int]], lengths: Mapping[str, Length]
) -> Node:
    """Return the tree that each of the trees is at its sizes.

    Args:
        trees: the trees of one value, one for each trace.
        sizes: the number of coordinates of each length in each trace.
        lengths: the symbols of the lengths, by name.

    Raises:
        CannotLiftError: where the code does something else at another length.
    """
    done: dict[tuple[Node, ...], Node] = {}

    def merged(ts: tuple[Node, ...]) -> Node:
        if all(t is ts[0] for t in ts):
            return ts[0]
        if ts not in done:
            done[ts] = joined(ts)
        return done[ts]

    def joined(ts: tuple[Node, ...]) -> Node:
        first = ts[0]
        if all(t.op == NUMBER for t in ts):
            found = _function_of_length([t.data for t in ts], sizes, lengths)
            if found is None:
                shown = ", ".join(str(t.data) for t in ts)
                refuse(
                    f"a number here is {shown} at the sizes"
                    f" {', '.join(str(tuple(s.values())) for s in sizes)}, and no simple function"
                    " of the length",
                    first.place,
                )
            return made(SIZE, (), found, first.place)
        if any((t.op, t.data, len(t.args)) != (first.op, first.data, len(first.args)) for t in ts):
            refuse("the code does something else at another length of the arrays here", first.place)
        args = tuple(merged(tuple(column)) for column in zip(*(t.args for t in ts), strict=True))
        return made(first.op, args, first.data, first.place)

    return merged(tuple(trees))


def _function_of_length(
    values: Sequence[Expr], sizes: Sequence[Mapping[str, int]], lengths: Mapping[str, Length]
) -> Expr | None:
    """The simple function of one length that has these values; None if there is none."""
    numbers = [float(v) for v in values]
    for name, length in lengths.items():
        at = [s[name] for s in sizes]
        for power in POWERS:
            line = _line([_root(y, power) for y in numbers], at)
            if line is not None and line[0]:
                a, b = line
                return Pow(a * length + b, power)
    return None


def _root(y: float, power: Rational) -> float:
    """The number whose power this is; not a number where there is none."""
    if y == 0 or (y < 0 and power not in (1, -1)):
        return math.nan
    return float(y ** float(1 / power))


def _line(ys: Sequence[float], at: Sequence[int]) -> tuple[Rational, Rational] | None:
    """The a and b with ``y = a d + b`` at every d; None if there are none that are small."""
    if not all(map(math.isfinite, ys)) or len(at) < 3:
        return None
    slope = Fraction((ys[1] - ys[0]) / (at[1] - at[0])).limit_denominator(LARGEST)
    start = Fraction(ys[0] - float(slope) * at[0]).limit_denominator(LARGEST)
    for y, d in zip(ys, at, strict=True):
        if not math.isclose(float(slope * d + start), y, rel_tol=ROUNDING):
            return None
    return Rational(slope.numerator, slope.denominator), Rational(
        start.numerator, start.denominator
    )

"""Propose negative directions at lengths for which the whole matrix would be too large, and at
larger whole numbers.

Where all coordinates of each block have one value, two kinds of directions tell most: one entry at
all coordinates of a block, and opposite entries at its first two. Either leads to a matrix with one
row for each block, for any length. The proposals need not be right: ball arithmetic on the written
matrix decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from flint import arb
from sympy import Expr, Integer, Symbol

from recipe.language.abstract import DenseEntry
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.entry import is_zero_entry, parts
from recipe.language.symbols import Indexed, Length, assumptions_of
from recipe.language.total import Total
from verify.decide.linear_algebra.semidefinite import Indefinite, eliminate
from verify.decide.points.balls import WORKING_BITS, NoValueError, at_precision
from verify.decide.points.point import Point
from verify.decide.psd.numbers import middle, number
from verify.generator.coupling import Diffusion, Group

Direction = dict[tuple[Block, int], Fraction]  # entries that are not listed are zero

MAX_LENGTH = 64  # a direction with all entries needs the square of this many evaluations
# Where no sums occur, two coordinates stand for all, and lengths are doubled up to this one.
MAX_LENGTH_WITHOUT_SUMS = 2**20
WHOLE_NUMBERS = (*range(65), *(2**k for k in range(7, 21)))  # tried for a parameter
MAX_DENOMINATOR = 10**3  # of a proposed direction


def at_larger_lengths(
    state: Group, group: Group, diffusion: Diffusion, sizes: dict[Length, int]
) -> Iterator[tuple[Point, Direction]]:
    """Points with the coordinates of every block of the state alike, each with a direction within
    the group that looks negative.

    ``sizes`` has all lengths of the state.
    """
    vectors = tuple(b for b in group if isinstance(b, Vector))
    scalars = tuple(b for b in group if isinstance(b, Scalar))
    written = [p for a in group for b in group for p in parts(diffusion[a, b])]
    if not sizes or any(e.has(DenseEntry) for e in written):
        return
    larger = [*range(4, MAX_LENGTH + 1)]
    if not any(e.has(Total) for e in written):
        larger += [2**k for k in range(7, MAX_LENGTH_WITHOUT_SUMS.bit_length())]
    for size in larger:
        point = Point(dict.fromkeys(sizes, size), 0)
        try:
            for b in state:
                if isinstance(b, Vector):
                    for k in range(1, min(size, MAX_LENGTH)):
                        point.put(b, k, point.choose(b, 0))
            whole = group if size <= MAX_LENGTH else scalars
            for blocks, opposite in ((vectors, True), (whole, False)):
                direction = _proposed(point, blocks, diffusion, opposite)
                if direction is not None:
                    yield point, direction
        except NoValueError:
            continue


def at_larger_whole_numbers(written: list[Expr], sizes: dict[Length, int]) -> Iterator[Point]:
    """Points with larger values of one whole number among the parameters."""
    symbols = {s for e in written for s in e.atoms(Symbol) if _is_whole(s)}
    for s in sorted(symbols, key=str):
        for size in WHOLE_NUMBERS:
            for value in (Integer(size), Integer(-size)):
                if all(getattr(value, f"is_{fact}") is v for fact, v in assumptions_of(s).items()):
                    point = Point(sizes, 0)
                    point.put(s, None, value)
                    yield point


def _is_whole(s: Symbol) -> bool:
    return bool(s.is_integer) and not isinstance(s, Indexed | Scalar | Length)


def _proposed(
    point: Point, blocks: Group, diffusion: Diffusion, opposite: bool
) -> Direction | None:
    """A direction of one kind in which the matrix looks negative; None if there is none.

    Raises:
        NoValueError: where D has no value.
    """
    form = at_precision(
        WORKING_BITS[0],
        lambda: [[_between(point, a, b, diffusion, opposite) for b in blocks] for a in blocks],
    )
    middles = [[middle(ball) for ball in row] for row in form]
    n = range(len(blocks))
    found = eliminate([[(middles[a][b] + middles[b][a]) / 2 for b in n] for a in n])
    if not isinstance(found, Indefinite):
        return None
    largest = max(abs(c) for c in found.direction)
    direction: Direction = {}
    for b, share in zip(blocks, found.direction, strict=True):
        c = (share / largest).limit_denominator(MAX_DENOMINATOR)
        if c and opposite:
            direction |= {(b, 0): c, (b, 1): -c}
        elif c:
            direction |= dict.fromkeys(((b, k) for k in point.coordinates(b)), c)
    return direction


def _between(point: Point, a: Block, b: Block, diffusion: Diffusion, opposite: bool) -> Any:
    """The form between the directions of one kind of two blocks, if coordinates are alike."""
    entry = diffusion[a, b]
    if is_zero_entry(entry):
        return arb(0)
    if opposite:
        return 2 * (number(entry, 0, 0, point) - number(entry, 0, 1, point))
    rows, columns = (len(point.coordinates(x)) for x in (a, b))
    if not (isinstance(a, Vector) and isinstance(b, Vector)):
        return rows * columns * number(entry, 0, 0, point)
    return rows * number(entry, 0, 0, point) + rows * (columns - 1) * number(entry, 0, 1, point)

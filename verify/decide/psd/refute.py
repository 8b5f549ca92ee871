"""Refute that D is positive semidefinite: an exact point and an exact vector x with ``x^T D x <
0``.

Elimination of the midpoints at a point proposes x. The proposal need not be accurate, as ball
arithmetic decides the sign. The points are random, some at the edges of the domain, for small
lengths and a few larger ones. Points at which a descent lowers the smallest eigenvalue follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any, TypeVar

from flint import arb, fmpq

from recipe.language.blocks import Block, Vector
from recipe.language.symbols import Length
from verify.decide.linear_algebra.semidefinite import Indefinite, eliminate
from verify.decide.points.balls import WORKING_BITS, NoValueError, at_precision, shown_ball
from verify.decide.points.point import Point
from verify.decide.psd.descent import lowest_points
from verify.decide.psd.larger_lengths import (
    Direction,
    at_larger_lengths,
    at_larger_whole_numbers,
)
from verify.decide.psd.numbers import Balls, explicit, middle, number
from verify.decide.psd.symmetric import written_in
from verify.decide.zero.decide import explicit_sizes
from verify.generator.coupling import Diffusion, Group
from verify.verdict import Witness

QUICK_POINTS, THOROUGH_POINTS = 4, 16  # random points for each choice of lengths
LARGER_LENGTHS = (5, 10)  # tried after the small ones, as some matrices fail only there
# Denominators in the printed vector: the first that leaves x^T D x negative is used.
MAX_DENOMINATORS = (1, 10, 10**3, 10**6, 10**12)
DESCENTS_PER_GROUP = 6
MAX_FAILED_PROPOSALS = 4  # for each group, at larger lengths
MAX_SHOWN = 100  # coordinates of x; of a longer vector those that are not zero are shown


Along = TypeVar("Along")


def find_negative(state: Group, diffusion: Diffusion) -> Witness | None:
    """A witness at one of a few random points for small lengths; None if none was found."""
    for sizes in explicit_sizes(written_in(state, diffusion)):
        for seed in range(QUICK_POINTS):
            witness = witness_at(Point(sizes, seed, edge=seed % 2 == 1), state, diffusion)
            if witness is not None:
                return witness
    return None


def search_negative(state: Group, diffusion: Diffusion, groups: Iterable[Group]) -> Witness | None:
    """A witness at more random points, at larger lengths, or at the end of a descent; None if none
    was found.
    """
    sizes = list(explicit_sizes(written_in(state, diffusion)))
    larger = [dict.fromkeys(sizes[0], n) for n in LARGER_LENGTHS if sizes[0]]
    for where in (*sizes, *larger):
        for seed in range(QUICK_POINTS, THOROUGH_POINTS if where in sizes else QUICK_POINTS + 2):
            witness = witness_at(Point(where, seed, edge=seed % 2 == 1), state, diffusion)
            if witness is not None:
                return witness
    groups = list(groups)
    for group in groups:
        witness = _at_larger(state, group, diffusion, dict(sizes[0]))
        if witness is not None:
            return witness
    for where in sizes[:2]:
        for group in groups:
            for seed in range(DESCENTS_PER_GROUP):
                start = Point(where, 100 + seed)
                for point in lowest_points(start, lambda p, g=group: explicit(p, g, diffusion)):  # type: ignore[misc]
                    witness = witness_at(point, state, diffusion)
                    if witness is not None:
                        return witness
    return None


def _at_larger(
    state: Group, group: Group, diffusion: Diffusion, sizes: dict[Length, int]
) -> Witness | None:
    """A witness at a larger length or at a larger whole number; None if none was found."""
    failed = 0
    for point, direction in at_larger_lengths(state, group, diffusion, sizes):
        witness = _witness_along(point, state, diffusion, direction)
        failed += witness is None
        if witness is not None or failed == MAX_FAILED_PROPOSALS:
            return witness
    for point in at_larger_whole_numbers(written_in(state, diffusion), sizes):
        witness = witness_at(point, state, diffusion)
        if witness is not None:
            return witness
    return None


def _witness_along(
    point: Point, state: Group, diffusion: Diffusion, direction: Direction
) -> Witness | None:
    """A witness at this point in this direction; None if the form is not certainly negative."""
    found = _negative(lambda: (direction, _form_along(point, diffusion, direction)))
    if found is None:
        return None
    _, value = found
    count = sum(len(point.coordinates(b)) for b in state)
    x = direction
    if count <= MAX_SHOWN:
        zero = Fraction(0)
        x = {(b, k): direction.get((b, k), zero) for b in state for k in point.coordinates(b)}
    shown: dict[str, str | list[str]] = {f"x[{_name(b, k)}]": str(c) for (b, k), c in x.items()}
    return Witness(point.shown() | shown, f"x^T D x is {shown_ball(value)}")


def _form_along(point: Point, diffusion: Diffusion, direction: Direction) -> Any:
    terms = (
        number(diffusion[a, b], i, j, point) * arb(fmpq((p * q).numerator, (p * q).denominator))
        for (a, i), p in direction.items()
        for (b, j), q in direction.items()
    )
    return sum(terms, arb(0))


def witness_at(point: Point, state: Group, diffusion: Diffusion) -> Witness | None:
    """A witness at this point; None if no vector was found for which ``x^T D x`` is certainly
    negative.
    """
    found = _negative(lambda: _negative_direction(explicit(point, state, diffusion)))
    if found is None:
        return None
    x, value = found
    shown: dict[str, str | list[str]] = {
        f"x[{n}]": str(c) for n, c in zip(_coordinate_names(state, point), x, strict=True)
    }
    return Witness(point.shown() | shown, f"x^T D x is {shown_ball(value)}")


def _negative(form: Callable[[], tuple[Along, Any]]) -> tuple[Along, Any] | None:
    """A direction and a ball around the form there, computed with as many digits as it takes to be
    certainly negative; None if that fails.
    """
    for bits in WORKING_BITS:
        try:
            x, value = at_precision(bits, form)
        except NoValueError:
            return None
        if value < 0:
            return x, value
    return None


def _coordinate_names(state: Group, point: Point) -> Iterator[str]:
    for b in state:
        yield from (_name(b, k) for k in point.coordinates(b))


def _name(b: Block, k: int) -> str:
    return f"{b}[{k + 1}]" if isinstance(b, Vector) else b.name


def _negative_direction(matrix: Balls) -> tuple[tuple[Fraction, ...], Any]:
    """A vector x and a ball around ``x^T D x``; if that is not certainly negative, it says
    nothing.
    """
    middles = [[middle(ball) for ball in row] for row in matrix]
    symmetric = [
        [(middles[a][b] + middles[b][a]) / 2 for b in range(len(matrix))]
        for a in range(len(matrix))
    ]
    found = eliminate(symmetric)
    if not isinstance(found, Indefinite):
        return (), arb(0)
    largest = max(abs(c) for c in found.direction)
    for bound in MAX_DENOMINATORS:
        x = tuple((c / largest).limit_denominator(bound) for c in found.direction)
        value = _form(matrix, x)
        if value < 0:
            return x, value
    return found.direction, _form(matrix, found.direction)


def _form(matrix: Balls, x: tuple[Fraction, ...]) -> Any:
    exact = [fmpq(c.numerator, c.denominator) for c in x]
    terms = (
        matrix[a][b] * arb(p * q)
        for a, p in enumerate(exact)
        for b, q in enumerate(exact)
        if p and q
    )
    return sum(terms, arb(0))

"""Sums of functions of linear forms: in which directions do they grow?

Let ``H = sum of g_k(l_k(z))``, and sums ``c log(sum of w_j exp(l_j))``, with the slopes of each
g_k at both ends, as ``slopes`` reads them. With ``R(v) = sum of slope * |l_k(v)|`` (and ``c max
l_j(v)`` for the others) and every e > 0, ``H(z) >= R(z) - e |z| - C``, where any large number may
stand for an infinite slope. R is continuous and homogeneous. So if R(v) > 0 for every v != 0, it is
at least ``a |z|`` with some a > 0, and ``exp(-H)`` has a finite integral. (As the number for an
infinite slope grows, R grows at every v, and so does its least value on the compact unit sphere: a
finite number is enough.)

R is linear on each cone on which the forms have fixed signs, so linear programs decide, in rational
numbers. A direction v with ``R(v) <= 0`` refutes: on the tube of all ``t v + w`` with t > 0 and
|w| < 1, which has infinite volume, H is bounded above if R(v) < 0, or if R(v) = 0 and each
``g_k(u) - s |u|`` is bounded above.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sympy import Add, Expr, Rational, S, ilcm, oo

from recipe.language.blocks import Block, Scalar
from verify.decide.linear_algebra.linear_program import least_combination
from verify.diffusion.infinity.separation import of_one_coordinate_each
from verify.diffusion.infinity.slopes import Form, Growth, growth_of
from verify.verdict import Outcome, Witness, proved, refuted

MAX_CELLS = 256  # cones that are looked at
MAX_COORDINATES = 5


@dataclass(frozen=True)
class _Cell:
    """A cone ``positive >= 0``, with the forms that must vanish for R to be finite, and R there."""

    positive: tuple[Form, ...]
    zero: tuple[Form, ...]
    growth: Form


def decide_by_directions(e: Expr, blocks: tuple[Block, ...]) -> Outcome | None:
    """Decide whether ``exp(-e)`` has a finite integral, for a sum of functions of linear forms.

    Vectors are read coordinate by coordinate. None if e is not of this form, or is not decided.
    """
    h = of_one_coordinate_each(e, blocks)
    if h is None or len(blocks) > MAX_COORDINATES or any(b.domain != S.Reals for b in blocks):
        return None
    growth = growth_of(h, blocks)
    if growth is not None and not (growth.ridges or growth.maxima):
        return None
    cells = None if growth is None else list(itertools.islice(_cells(growth), MAX_CELLS + 1))
    if growth is None or not cells or len(cells) > MAX_CELLS:
        return None
    left = [cell for cell in cells if not _is_closed(cell, len(blocks))]
    if not left:
        return proved("H grows at least linearly in every direction")
    bad = (v for cell in left if (v := _direction(cell, len(blocks))) is not None)
    refutations = (_refuted_along(v, growth, blocks) for v in bad)
    return next((found for found in refutations if found is not None), None)


# -- cones
# --------------------------------------------------------------------------------------------------


def _cells(growth: Growth) -> Iterator[_Cell]:
    """Yield the cones on which R is linear; they cover all directions."""
    largest = [range(len(m.forms)) for m in growth.maxima]
    for sides in itertools.product((0, 1), repeat=len(growth.ridges)):
        for places in itertools.product(*largest):
            yield _cell(growth, sides, places)


def _cell(growth: Growth, sides: tuple[int, ...], places: tuple[int, ...]) -> _Cell:
    """The cone on which each form has the sign of its side (1 for positive), and the form at its
    place is the largest one of each maximum.
    """
    positive: list[Form] = []
    zero: list[Form] = []
    nothing = total = (S.Zero,) * len(_any_form(growth))
    is_known = True
    for ridge, side in zip(growth.ridges, sides, strict=True):
        outward = _times(ridge.form, 2 * side - 1)
        positive.append(outward)
        slope = ridge.slopes[side]
        if slope == oo:
            zero.append(outward)
        elif slope == -oo:
            is_known = False
        else:
            total = _plus(total, _times(outward, slope))
    for m, place in zip(growth.maxima, places, strict=True):
        top = m.forms[place]
        positive += [_plus(top, _times(f, -1)) for f in m.forms if f != top]
        total = _plus(total, _times(top, m.c))
    # with a slope of unknown size, only forms with infinite slopes make R positive
    return _Cell(tuple(positive), tuple(zero), total if is_known else nothing)


def _any_form(growth: Growth) -> Form:
    return growth.ridges[0].form if growth.ridges else growth.maxima[0].forms[0]


def _plus(a: Form, b: Form) -> Form:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def _times(a: Form, c: Expr) -> Form:
    return tuple(c * x for x in a)


def _is_closed(cell: _Cell, n: int) -> bool:
    """Return True if R is proved to be positive in the cone, other than at 0.

    Farkas' lemma: ``v_i <= 0`` wherever the forms a are not negative and the forms b vanish, if
    ``-v_i`` is a sum of multiples of the b and of nonnegative multiples of the a. Proved for v_i
    and for -v_i, and every i, it leaves v = 0 alone where R(v) <= 0.
    """
    at_least = (*cell.positive, _times(cell.growth, -1))
    forms = [_whole(f) for f in at_least]
    forms += [_whole(_times(f, side)) for f in cell.zero for side in (1, -1)]
    columns = [{k: c for k, c in enumerate(form) if c} for form in forms]
    return all(
        least_combination(columns, {i: -side}) is not None for i in range(n) for side in (1, -1)
    )


def _direction(cell: _Cell, n: int) -> tuple[Rational, ...] | None:
    """A direction of the cone, other than 0, in which R is not positive; None if none is found.

    The cone is closed under multiplication, so that one coordinate may be taken to be 1 or -1.
    """
    at_least = (*cell.positive, _times(cell.growth, -1))
    for i, side in itertools.product(range(n), (1, -1)):
        v = _solution(at_least, cell.zero, n, i, side)
        if v is not None:
            return v
    return None


def _solution(
    at_least: Sequence[Form], zero: Sequence[Form], n: int, i: int, side: int
) -> tuple[Rational, ...] | None:
    """A v with ``l(v) >= 0``, ``l(v) = 0`` and ``v_i = side``, for the forms of each kind."""
    rows = [_whole(f) for f in (*at_least, *zero)]
    columns: list[dict[int, int]] = []
    for j, sign in itertools.product(range(n), (1, -1)):
        column = {k: sign * row[j] for k, row in enumerate(rows) if row[j]}
        if j == i:
            column[len(rows)] = sign
        columns.append(column)
    columns += [{k: -1} for k in range(len(at_least))]
    weights = least_combination(columns, {len(rows): side})
    if weights is None:
        return None
    numbers = [Rational(int(w.p), int(w.q)) for w in weights[: 2 * n]]
    return tuple(numbers[2 * j] - numbers[2 * j + 1] for j in range(n))


def _whole(form: Form) -> tuple[int, ...]:
    common = ilcm(1, 1, *(c.q for c in form))
    return tuple(int(c * common) for c in form)


# -- refutation
# --------------------------------------------------------------------------------------------------


def _refuted_along(v: Form, growth: Growth, blocks: tuple[Block, ...]) -> Outcome | None:
    """Refute it by the tube around a direction; None if H is not proved to be bounded above
    there.
    """
    if not growth.is_exact or any(-oo in r.slopes for r in growth.ridges):
        return None
    rate, is_bounded_above = S.Zero, True
    for ridge in growth.ridges:
        value = Add(*(a * c for a, c in zip(ridge.form, v, strict=True)))
        if value == 0:
            continue
        side = 1 if value > 0 else 0
        rate += ridge.slopes[side] * abs(value)
        is_bounded_above &= ridge.bounded[side]
    for m in growth.maxima:
        rate += m.c * max(Add(*(a * c for a, c in zip(f, v, strict=True))) for f in m.forms)
    if not (rate < 0 or (rate == 0 and is_bounded_above)):
        return None
    point = {str(b): f"-> {'oo' if c > 0 else '-oo'}" for b, c in zip(blocks, v, strict=True) if c}
    lengths = {str(b.length): "1" for b in blocks if not isinstance(b, Scalar)}
    direction = ", ".join(map(str, v))
    grows = "goes to -oo" if rate < 0 else "stays bounded"
    return refuted(
        "exp(-H) is not integrable",
        Witness(
            {**lengths, **point},
            f"along the direction ({direction}), and at distances below 1 from it, H {grows}",
        ),
    )


__all__ = ["decide_by_directions"]

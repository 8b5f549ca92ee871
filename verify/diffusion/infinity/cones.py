"""Sums of functions of linear forms: in which directions do they grow?

Let ``H = sum of g_k(l_k(z))`` with linear forms l_k and continuous functions g_k of one variable,
and sums ``c log(sum of w_j exp(l_j))``, of finitely many coordinates. Each g_k has a slope at
either end: the number s with ``g_k(u) = s |u| + o(u)``, or infinity, if g_k exceeds every multiple
of ``|u|``. With ``R(v) = sum of slope * |l_k(v)|`` (and ``c max l_j(v)`` for the others) and every
e > 0, ``H(z) >= R(z) - e |z| - C``, where any large number may stand for an infinite slope. R is
continuous and homogeneous. So if R(v) > 0 for every v != 0, it is at least ``a |z|`` with some
a > 0, and ``exp(-H)`` has a finite integral. (As the number for an infinite slope grows, R grows
at every v, and so does its least value on the compact unit sphere: a finite number is enough.)

R is linear on each cone on which the forms have fixed signs, so linear programs decide, in rational
numbers. A direction v with ``R(v) <= 0`` refutes: on the tube of all ``t v + w`` with t > 0 and
|w| < 1, which has infinite volume, H is bounded above if R(v) < 0, or if R(v) = 0 and each
``g_k(u) - s |u|`` is bounded above.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sympy import Add, Expr, Mul, Rational, S, Symbol, exp, ilcm, log, oo

from recipe.language.calculus import abstract_atoms
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import Block, Scalar
from recipe.signs.defined import is_continuous
from recipe.signs.sets import NEGATIVE
from recipe.signs.sign import is_nonnegative, is_positive, possible_signs
from verify.decide.asymptotics.growth import (
    OrderOfInfinity,
    bound,
    compare,
    is_bounded,
    leading,
)
from verify.decide.linear_algebra.linear_program import least_combination
from verify.diffusion.infinity.ends import T, at_end, ends
from verify.diffusion.infinity.separation import of_one_coordinate_each
from verify.verdict import Outcome, Witness, proved, refuted

ARGUMENT = Scalar("value_of_the_form")  # the value of a linear form
LINEAR = OrderOfInfinity(S.One, S.One)
MAX_CELLS = 256  # cones that are looked at
MAX_COORDINATES = 5
Form = tuple[Rational, ...]  # the coefficients of a linear form


@dataclass(frozen=True)
class Ridge:
    """``g(l(z))``, with the slopes of g at the lower and the upper end.

    A slope is a rational number, or oo, or -oo for an unknown number, or another expression that
    is not negative. ``bounded`` says of each end whether ``g(u) - slope |u|`` is bounded above
    there.
    """

    form: Form
    slopes: tuple[Expr, Expr]
    bounded: tuple[bool, bool]


@dataclass(frozen=True)
class Largest:
    """``c log(sum of w_j exp(l_j(z)))``: c times the largest of the forms, up to a constant."""

    c: Rational
    forms: tuple[Form, ...]


@dataclass(frozen=True)
class _Growth:
    """R, as ridges and maxima; ``is_exact`` is False if terms that are not negative were left
    out.
    """

    ridges: tuple[Ridge, ...]
    maxima: tuple[Largest, ...]
    is_exact: bool


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
    growth = _read(h, blocks)
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


# -- what grows
# --------------------------------------------------------------------------------------------------


def _read(h: Expr, blocks: tuple[Block, ...]) -> _Growth | None:
    """The growth of a sum; None if a term is neither known to grow nor proved not to be
    negative.
    """
    by_form: dict[Form, Expr] = {}
    maxima: list[Largest] = []
    is_exact = True
    for term in Add.make_args(_as_squares(h, blocks)):
        if not blocks_in(term, blocks):
            continue
        ridge, largest = _as_ridge(term, blocks), _as_largest(term, blocks)
        if ridge is not None:
            form, g = ridge
            by_form[form] = by_form.get(form, S.Zero) + g
        elif largest is not None:
            maxima.append(largest)
        elif is_nonnegative(term):
            is_exact = False
        else:
            return None
    linear = _linear(by_form, len(blocks))
    ridges = [_slopes(form, g) for form, g in by_form.items()]
    if any(r is None for r in ridges):
        return None
    found = [r for r in ridges if r is not None]
    if any(linear):
        found.append(Ridge(linear, (S.NegativeOne, S.One), (True, True)))
    return _comparable(_Growth(tuple(found), tuple(maxima), is_exact))


def _as_squares(h: Expr, blocks: tuple[Block, ...]) -> Expr:
    """Write the quadratic terms with rational factors as squares of linear forms, one coordinate
    after the other (Lagrange's reduction); h as it is where a product of two is left.
    """
    terms = [
        t
        for t in Add.make_args(h)
        if t.is_polynomial(*blocks)
        and (p := t.as_poly(*blocks)) is not None
        and p.total_degree() == 2
        and p.LC().is_Rational
    ]
    rest, squares = Add(*terms).expand(), S.Zero
    if not any(len(blocks_in(t, blocks)) > 1 for t in Add.make_args(rest)):
        return h
    for b in blocks:
        a = rest.coeff(b, 2)
        if a != 0:
            square = a * (b + rest.coeff(b, 1) / (2 * a)).expand() ** 2
            squares, rest = squares + square, (rest - square).expand()
    return h if blocks_in(rest, blocks) else h - Add(*terms) + squares + rest


def _linear(by_form: dict[Form, Expr], n: int) -> Form:
    """Take the forms that stand by themselves, with rational factors, out as one linear form."""
    whole: list[Rational] = [S.Zero] * n
    for form, g in list(by_form.items()):
        slope = g.diff(ARGUMENT)
        if slope.is_Rational:
            whole = [a + slope * c for a, c in zip(whole, form, strict=True)]
            del by_form[form]
    return tuple(whole)


def _slopes(form: Form, g: Expr) -> Ridge | None:
    """The slopes of g; None if one is not known."""
    if not is_continuous(g) or abstract_atoms(g):
        return None
    slopes, bounded = [], []
    for end in ends(ARGUMENT):
        f = at_end(g, ARGUMENT, end)
        order = None if f is None else leading(f, T)
        size = None if order is None else compare(order, LINEAR)
        if f is not None and (size == -1 or (size is None and _is_slow(f))):
            slopes.append(S.Zero)
            bounded.append(is_bounded(bound(f, T)) or possible_signs(order.coefficient) == NEGATIVE
                           if order is not None else is_bounded(bound(f, T)))  # fmt: skip
        elif order is not None and size == 0:
            slopes.append(order.coefficient)
            bounded.append(f is not None and is_bounded(bound((f - order.coefficient * T), T)))
        elif order is not None and size == 1 and is_positive(order.coefficient):
            slopes.append(oo)
            bounded.append(False)
        elif f is not None and _is_at_most_linear(f):
            slopes.append(-oo)
            bounded.append(False)
        else:
            return None
    return Ridge(form, (slopes[0], slopes[1]), (bounded[0], bounded[1]))


def slopes(g: Expr) -> tuple[Expr, Expr] | None:
    """The slopes of a function of ``ARGUMENT`` at both ends, as those of a ``Ridge``; None if one
    is not known.
    """
    if ARGUMENT not in g.free_symbols:
        return S.Zero, S.Zero
    found = _slopes((S.One,), g)
    return None if found is None else found.slopes


def _is_slow(f: Expr) -> bool:
    """Return True if f is proved to be ``o(t)``."""
    order = bound(f, T)
    return order is not None and compare(order, LINEAR) == -1


def _is_at_most_linear(f: Expr) -> bool:
    order = bound(f, T)
    return order is not None and compare(order, LINEAR) in (0, -1)


def _comparable(growth: _Growth) -> _Growth | None:
    """Slopes as rational numbers or oo, or -oo for unknown numbers.

    Where no slope is negative, R(v) <= 0 only where each form with a positive slope vanishes, so
    a positive slope of unknown size may count as oo in a proof. Else it counts as 0, a lower bound.
    """
    every = [s for r in growth.ridges for s in r.slopes]
    if all(s.is_Rational or s == oo for s in every):
        return growth
    if not all(_is_plain(s) or is_nonnegative(s) for s in every):
        return None
    mixed = any(_is_plain(s) and s < 0 for s in every) or bool(growth.maxima)
    stand_in = S.Zero if mixed else oo

    def known(s: Expr) -> Expr:
        return s if _is_plain(s) else stand_in if is_positive(s) else S.Zero

    ridges = tuple(
        Ridge(r.form, (known(r.slopes[0]), known(r.slopes[1])), r.bounded) for r in growth.ridges
    )
    return _Growth(ridges, growth.maxima, is_exact=False)


def _is_plain(s: Expr) -> bool:
    return bool(s.is_Rational) or s in (oo, -oo)


def _as_ridge(term: Expr, blocks: tuple[Block, ...]) -> tuple[Form, Expr] | None:
    """``(l, g)`` with ``term = g(l)``; None if the term depends on several linear forms."""
    nodes = list(_affine_nodes(term, blocks))
    forms = [_coefficients(node, blocks) for node in nodes]
    if not forms or any(f is None for f in forms):
        return None
    form, _ = _normed(forms[0])  # type: ignore[arg-type]
    values: dict[Expr, Expr] = {}
    for node, other in zip(nodes, forms, strict=True):
        again, factor = _normed(other)  # type: ignore[arg-type]
        if again != form:
            return None
        values[node] = factor * ARGUMENT + node.xreplace(dict.fromkeys(blocks, S.Zero))
    g = _replaced(term, values)
    return None if blocks_in(g, blocks) else (form, g)


def _replaced(e: Expr, values: dict[Expr, Expr]) -> Expr:
    """Replace the outermost nodes that are keys."""
    if e in values:
        return values[e]
    return e.func(*(_replaced(a, values) for a in e.args)) if e.args else e


def _affine_nodes(e: Expr, blocks: tuple[Block, ...]) -> Iterator[Expr]:
    """The largest parts of an expression that are linear in the coordinates, up to constants."""
    if not blocks_in(e, blocks):
        return
    if _coefficients(e, blocks) is not None or not e.args:
        yield e
        return
    for a in e.args:
        yield from _affine_nodes(a, blocks)


def _coefficients(e: Expr, blocks: tuple[Block, ...]) -> Form | None:
    """The coefficients of an expression that is affine with rational slopes; else None."""
    if not isinstance(e, Add | Mul | Symbol):
        return None
    slopes = []
    for b in blocks:
        parts = [a for a in Add.make_args(e) if blocks_in(a, (b,))]
        slope = Add(*(a / b for a in parts))
        if not slope.is_Rational:
            return None
        slopes.append(slope)
    return tuple(slopes)


def _normed(form: Form) -> tuple[Form, Rational]:
    """The form with 1 as its first coefficient that is not 0, and that coefficient."""
    scale = next(c for c in form if c != 0)
    return tuple(c / scale for c in form), scale


def _as_largest(term: Expr, blocks: tuple[Block, ...]) -> Largest | None:
    """Read ``c log(sum of w exp(l))`` with positive weights w; else None."""
    c, rest = term.as_independent(*blocks, as_Add=False)
    if not (isinstance(rest, log) and c.is_Rational):
        return None
    forms = []
    for part in Add.make_args(rest.args[0]):
        w, of = part.as_independent(*blocks, as_Add=False)
        if not is_positive(w) or not (of == 1 or isinstance(of, exp)):
            return None
        form = _coefficients(of.args[0], blocks) if of != 1 else (S.Zero,) * len(blocks)
        if form is None:
            return None
        forms.append(form)
    return Largest(c, tuple(forms))


# -- cones
# --------------------------------------------------------------------------------------------------


def _cells(growth: _Growth) -> Iterator[_Cell]:
    """Yield the cones on which R is linear; they cover all directions."""
    largest = [range(len(m.forms)) for m in growth.maxima]
    for sides in itertools.product((0, 1), repeat=len(growth.ridges)):
        for places in itertools.product(*largest):
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
            yield _Cell(tuple(positive), tuple(zero), total if is_known else nothing)


def _any_form(growth: _Growth) -> Form:
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


def _refuted_along(v: Form, growth: _Growth, blocks: tuple[Block, ...]) -> Outcome | None:
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


__all__ = ["ARGUMENT", "decide_by_directions", "slopes"]

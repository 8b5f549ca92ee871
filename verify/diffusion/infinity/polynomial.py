"""Polynomials, and what grows more slowly, in several coordinates.

Give every coordinate z_k the weight ``1/p_k``, where ``z_k^p_k`` is its highest power that stands
by itself. The terms of weight 1 make up the leading form F. If ``F >= a sum z_k^p_k = a N`` with
some a > 0, and every other term is of smaller weight w, it is at most ``C (1 + N)^w`` in size
(``dominance``), and ``exp(-H)`` has a finite integral. If F < 0 at some point, then F is negative
on a cone of all ``(t^(1/p_k) z_k)``, which has infinite volume, and H goes to -oo there.

Where no form decides, H may stay bounded along a horn: the set of all ``z_k = side_k s_k t^w_k``
with t > 1 and s_k between 1 and 2. Its volume is infinite if the weights have a sum that is not
negative, one of them positive.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from sympy import Add, Expr, Mul, Poly, PolynomialError, Rational, S, Symbol

from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.calculus import abstract_atoms, contract
from recipe.language.free_symbols import blocks_in
from recipe.signs.defined import is_continuous
from recipe.signs.sets import NEGATIVE
from recipe.signs.sign import is_nonnegative, is_positive, possible_signs
from verify.decide.asymptotics.growth import bound, is_bounded, leading
from verify.decide.nonnegative.certifier import nonnegative
from verify.diffusion.infinity.dominance import Powers, weight
from verify.diffusion.infinity.ends import T, at_end, ends
from verify.diffusion.infinity.separation import at_length_one, of_one_coordinate
from verify.verdict import Outcome, Witness, proved, refuted

PARTS_OF_THE_FORM = (Rational(1, 2), Rational(1, 8), Rational(1, 64))  # tried as the a above
PLACES = tuple(Rational(n, 4) for n in range(-12, 13))  # where a form may be negative
MAX_PLACES = 700
HORN_WEIGHTS = tuple(Rational(n, 2) for n in (2, 1, 0, -1, -2, -3, -4))
MAX_HORN_COORDINATES = 3


def decide_polynomial(e: Expr, blocks: tuple[Block, ...]) -> Outcome | None:
    """Decide whether ``exp(-e)`` has a finite integral by the leading form of e; None if open."""
    if any(b.domain != S.Reals for b in blocks):
        return None
    terms = [t for t in Add.make_args(e) if blocks_in(t, blocks)]
    powers: Powers = {b: _highest_power(terms, b) for b in blocks}
    if None in powers.values() or not is_continuous(*terms):
        return None
    form, is_whole = S.Zero, True
    for term in terms:
        w = weight(term, powers)
        over = None if w is None else possible_signs(w - 1)
        if over == {0}:
            form += term
        elif over != NEGATIVE:
            if not is_nonnegative(term):
                return None
            is_whole = False
    if _is_definite(form, powers):
        return proved("the leading form of H is positive definite")
    place = _negative_place(form, powers) if is_whole else None
    return None if place is None else _refuted_on_cone(place)


def _is_homogeneous(form: Expr, powers: Powers) -> bool:
    """Return True if the form is a polynomial of one coordinate of each block, and each of its
    terms has the weight 1.
    """
    blocks = tuple(powers)
    if abstract_atoms(form) or not form.is_polynomial(*blocks) or form == 0:
        return False
    weights = [1 / Rational(k) for k in powers.values() if k is not None]
    monomials = form.as_poly(*blocks).monoms()
    return all(Add(*(n * w for n, w in zip(m, weights, strict=True))) == 1 for m in monomials)


def _highest_power(terms: list[Expr], block: Block) -> Expr | None:
    """The highest power of the coordinates of a block that stands by itself; None if it is odd or
    its factor is not proved positive.
    """
    best: dict[Expr, Expr] = {}
    for term in terms:
        if (found := _own_power(term, block)) is not None:
            k, c = found
            best[k] = best.get(k, S.Zero) + c
    k = max(best, default=S.Zero)
    return k if k > 0 and k % 2 == 0 and is_positive(best[k]) else None


def _own_power(term: Expr, block: Block) -> tuple[Expr, Expr] | None:
    """The k and the c of a term ``c z^k``, summed over the coordinates, or of ``c total(a z^m)^n``
    with m even, a > 0 and k = m n, which is at least ``c total(a^n z^k)``.

    None for other terms, also where c or a depends on another block: a positive function may tend
    to 0 there.
    """
    if blocks_in(term, (block,)) != {block}:
        return None
    outer = [f for f in Mul.make_args(term) if blocks_in(f, (block,))]
    c = Mul(*(f for f in Mul.make_args(term) if f not in outer))
    base, n = outer[0].as_base_exp()
    if len(outer) != 1 or not n.is_Integer or n < 1:
        return None
    h = of_one_coordinate(base, block)
    inner = [] if h is None else [f for f in Mul.make_args(h) if blocks_in(f, (block,))]
    if len(inner) != 1 or inner[0].as_base_exp()[0] != block:
        return None
    m, a = inner[0].as_base_exp()[1], Mul(*(f for f in Mul.make_args(h) if f not in inner))
    if not m.is_Integer or m < 1 or (c * a).atoms(Vector, Scalar) or abstract_atoms(c * a):
        return None
    if n > 1 and isinstance(block, Vector) and not (m % 2 == 0 and is_positive(a)):
        return None
    return m * n, c * a**n


def _covers(form: Expr, powers: Powers) -> bool:
    """Return True if no term of the form is negative, and each block has its power among them."""
    terms = Add.make_args(form)
    own = {b for t in terms for b, k in powers.items() if (_own_power(t, b) or (None,))[0] == k}
    return own == set(powers) and all(map(is_nonnegative, terms))


def _is_definite(form: Expr, powers: Powers) -> bool:
    """Return True if the form is proved to be at least a positive multiple of the sum of powers."""
    if _covers(form, powers):
        return True
    if not _is_homogeneous(at_length_one(form), powers):
        return False
    exact = _roots(form, powers)
    if exact is not None:
        return exact
    N = Add(*(contract(b**k, b) for b, k in powers.items()))
    return any(
        nonnegative((form - a * N).expand(), combining=True) is not None for a in PARTS_OF_THE_FORM
    )


def _roots(form: Expr, powers: Powers) -> bool | None:
    """Decide definiteness for two coordinates and rational coefficients, by counting real roots
    (Sturm); None for other forms.

    A form that vanishes nowhere on the lines x = 1 and x = -1 is positive there, as it is at y = 0;
    at x = 0 it is a positive multiple of a power of y. The form is homogeneous, and its least
    value on a compact surface around 0 is positive.
    """
    if len(powers) != 2 or not all(isinstance(b, Scalar) for b in powers):
        return None
    x, y = powers
    for side in (S.One, S.NegativeOne):
        try:
            p = Poly(form.xreplace({x: side}), y)
        except PolynomialError:
            return None
        if not all(c.is_Rational for c in p.all_coeffs()):
            return None
        if p.count_roots() != 0:
            return False
    return True


def _negative_place(form: Expr, powers: Powers) -> dict[Block, Expr] | None:
    """A point at which the form is negative, with exact arithmetic; None if none is found.

    A vector has one coordinate there.
    """
    form = at_length_one(form)
    blocks = tuple(powers)
    if not _is_homogeneous(form, powers):
        return None
    places = itertools.product((S.One, S.NegativeOne), *[PLACES] * (len(blocks) - 1))
    for values in itertools.islice(places, MAX_PLACES):
        at = dict(zip(blocks, values, strict=True))
        if possible_signs(form.xreplace(at)) == NEGATIVE:
            return at
    return None


def _refuted_on_cone(place: dict[Block, Expr]) -> Outcome:
    point: dict[str, str | list[str]] = {
        str(b.length): "1" for b in place if not isinstance(b, Scalar)
    }
    point |= {str(b): str(v) for b, v in place.items()}
    return refuted(
        "exp(-H) is not integrable",
        Witness(point, "the leading form of H is negative there, and H goes to -oo in a cone"),
    )


# -- horns
# --------------------------------------------------------------------------------------------------


def refute_on_horn(e: Expr, blocks: tuple[Block, ...]) -> Outcome | None:
    """Refute it by a horn of infinite volume on which every term of e is bounded above.

    All blocks must be scalars on the line. None proves nothing.
    """
    if not 2 <= len(blocks) <= MAX_HORN_COORDINATES or not all(
        isinstance(b, Scalar) and b.domain == S.Reals for b in blocks
    ):
        return None
    for sheared, shear in ((e, None), *_sheared(e, blocks)):
        terms = [t for t in Add.make_args(sheared) if blocks_in(t, blocks)]
        for weights, sides in _horns(len(blocks)):
            horn = {b: (w, s) for b, w, s in zip(blocks, weights, sides, strict=True)}
            if all(_is_bounded_above(t, horn) for t in terms):
                return refuted("exp(-H) is not integrable", _witness(horn, shear))
    return None


def _sheared(e: Expr, blocks: tuple[Block, ...]) -> Iterator[tuple[Expr, Expr]]:
    """Yield a polynomial of x and y in x and ``y - c x``, which has Jacobian 1, for each line
    ``y = c x`` on which its highest terms vanish; and that ``y - c x``.
    """
    if len(blocks) != 2 or not e.is_polynomial(*blocks):
        return
    x, y = blocks
    p = Poly(e, x, y)
    if not all(c.is_Rational for c in p.coeffs()):
        return
    n = p.total_degree()
    form = Poly(Add(*(c * y ** m[1] for m, c in p.terms() if sum(m) == n)), y)
    for c in form.ground_roots() if form.degree() > 0 else ():
        if c != 0:
            yield e.xreplace({y: y + c * x}).expand(), y - c * x


def _horns(n: int) -> Iterator[tuple[tuple[Rational, ...], tuple[int, ...]]]:
    """Yield weights, the largest of which is positive, and sides."""
    for weights in itertools.product(HORN_WEIGHTS, repeat=n):
        if max(weights) == 1 and sum(weights) >= 0:
            for sides in itertools.product((1, -1), repeat=n):
                yield weights, sides


def _is_bounded_above(term: Expr, horn: dict[Block, tuple[Rational, int]]) -> bool:
    """Return True if the term is proved to be bounded above on the horn."""
    touched = blocks_in(term, tuple(horn))
    degree, sign, factor = S.Zero, 1, S.One
    for f in Mul.make_args(term):
        base, k = f.as_base_exp()
        if base in horn and k.is_Integer and k > 0:
            w, side = horn[base]
            degree, sign = degree + w * k, sign * side ** int(k)
        else:
            factor *= f
    if not blocks_in(factor, tuple(touched)):
        return degree <= 0 or possible_signs(sign * factor) == NEGATIVE
    if len(touched) != 1 or abstract_atoms(term) or not is_continuous(term):
        return False
    (x,) = touched
    w, side = horn[x]
    if w <= 0:  # x stays in a compact set
        return True
    f_at = at_end(term, x, ends(x)[int(side > 0)])
    order = None if f_at is None else leading(f_at, T)
    return f_at is not None and (
        is_bounded(bound(f_at, T))
        or (order is not None and possible_signs(order.coefficient) == NEGATIVE)
    )


def _witness(horn: dict[Block, tuple[Rational, int]], shear: Expr | None) -> Witness:
    t = Symbol("t", positive=True)
    names = [str(b) for b in horn]
    if shear is not None:
        names[-1] = str(shear)
    point: dict[str, str | list[str]] = {
        name: str(side * Symbol(f"s_{k}", positive=True) * t**w)
        for k, (name, (w, side)) in enumerate(zip(names, horn.values(), strict=True), 1)
    }
    return Witness(
        {**point, "t": "-> oo"},
        "for all s between 1 and 2 H is bounded above as t -> oo, on a set of infinite volume",
    )


__all__ = ["decide_polynomial", "refute_on_horn"]

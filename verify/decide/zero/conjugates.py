"""Zeros of expressions with roots, by the product of their conjugates.

A root g, one of ``g^q = v``, has the conjugates ``zeta g`` with ``zeta^q = 1``. If the product of
an expression over the conjugates of some roots is zero, one of its factors is zero near every
point: the germs of analytic functions have no divisors of zero. At a point where all other factors
are certainly not zero, the expression itself is zero near that point, and so on the whole connected
domain where it is analytic. For numbers, the product of numbers is zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice, product
from math import prod
from typing import Any

import flint
from sympy import Expr

from verify.decide.zero.canonical import Canonical
from verify.decide.zero.generators import CAPACITIES, Generators
from verify.decide.zero.generic_values import BITS, generic_points, with_free_labels
from verify.decide.zero.point import NoValueError, Point, at_precision
from verify.decide.zero.ratio import Poly, Ratio
from verify.decide.zero.relaxed import relaxed

MAX_CONJUGATES = 64
MAX_ROOTS_AT_ONCE = 5
MAX_CHOICES = 100
MAX_TERMS_OF_NORM = 3_000

Complex = Any  # flint.acb


def vanishes_by_conjugates(e: Expr, form: type[Canonical]) -> bool:
    """Return True if the expression is zero by the product of its conjugates. False proves
    nothing.

    Raises:
        CannotDecideError: if the expression has no canonical form, or one that is too large.
    """
    analytic = relaxed(e)
    if analytic is None:
        return False
    (analytic,), places = with_free_labels([analytic])
    canonical = form(CAPACITIES[0])
    r = canonical.read(analytic)
    if canonical.refined:
        r = canonical.read_again(analytic)
    if r.is_zero():
        return True
    return any(
        _norm_is_zero(canonical.generators, r.num, chosen)
        and _only_one_factor_vanishes(canonical.generators, r.num, chosen, analytic, places)
        for chosen in islice(_choices(canonical.generators, r.num), MAX_CHOICES)
    )


def _choices(generators: Generators, poly: Poly) -> Iterator[tuple[int, ...]]:
    """Sets of roots whose conjugates are taken, newest first.

    A root below which a chosen root stands is chosen as well: its conjugates follow.
    """
    reached = _reached(generators, poly)
    roots = sorted((k for k in reached if _is_root(generators, k)), reverse=True)
    for count in range(1, MAX_ROOTS_AT_ONCE + 1):
        for chosen in combinations(roots, count):
            degree = prod(_relation(generators, k)[0] for k in chosen)
            if degree <= MAX_CONJUGATES and not any(
                set(generators.generators_of(side)) & set(chosen)
                for k in reached
                if k not in chosen and generators.relation_of(k)
                for side in _sides(_relation(generators, k)[1])
            ):
                yield chosen


def _relation(generators: Generators, k: int) -> tuple[int, Ratio]:
    found = generators.relation_of(k)
    assert found is not None
    return found


def _sides(r: Ratio) -> tuple[Poly, Poly]:
    return r.num, r.den


def _reached(generators: Generators, poly: Poly) -> set[int]:
    """The generators of a polynomial, and those of the values of their relations."""
    found: set[int] = set()
    pending = generators.generators_of(poly)
    while pending:
        k = pending.pop()
        if k not in found:
            found.add(k)
            relation = generators.relation_of(k)
            for side in _sides(relation[1]) if relation else ():
                pending += generators.generators_of(side)
    return found


def _is_root(generators: Generators, k: int) -> bool:
    relation = generators.relation_of(k)
    return (
        relation is not None
        and relation[0] > 1
        and not generators.is_sign(k)
        and all(k not in generators.generators_of(side) for side in _sides(relation[1]))
    )


def _norm_is_zero(generators: Generators, poly: Poly, chosen: tuple[int, ...]) -> bool:
    """Return True if the product over all conjugates is zero as a polynomial."""
    for k in chosen:  # newest first: the relations of others do not contain it any more
        q, value = _relation(generators, k)
        relation = generators.of_index(k).num ** q * value.den - value.num
        if len(poly) ** q > MAX_TERMS_OF_NORM * q or not poly.degrees()[k]:
            return False
        norm = relation.resultant(poly, k)
        poly = generators.reduce(Ratio(norm, generators.number(1).den)).num
        if poly == 0:
            return True
        if len(poly) > MAX_TERMS_OF_NORM:
            return False
    return False


def _only_one_factor_vanishes(
    generators: Generators,
    poly: Poly,
    chosen: tuple[int, ...],
    analytic: Expr,
    places: dict[int, int],
) -> bool:
    """Return True if at some point every conjugate but the expression itself is not zero."""
    for point in generic_points([analytic]):
        try:
            if at_precision(
                BITS,
                lambda p=point: _others_are_nonzero(generators, poly, chosen, p, places),  # type: ignore[misc]
            ):
                return True
        except (NoValueError, ZeroDivisionError):
            continue
    return False


def _others_are_nonzero(
    generators: Generators,
    poly: Poly,
    chosen: tuple[int, ...],
    point: Point,
    places: dict[int, int],
) -> bool:
    own = {
        k: flint.acb(point.evaluate(generators.meanings[k], places))
        for k in _reached(generators, poly)
    }
    if any(own[k].contains(0) for k in own if generators.relation_of(k)):
        return False  # a root may have no derivative there
    oldest_first = sorted(chosen)
    degrees = [_relation(generators, k)[0] for k in oldest_first]
    for turns in product(*(range(q) for q in degrees)):
        if not any(turns):
            continue
        at, is_own = dict(own), True
        for k, q, turn in zip(oldest_first, degrees, turns, strict=True):
            value = _relation(generators, k)[1]
            root = own[k] if is_own else _root(_value(value.num, at) / _value(value.den, at), q)
            at[k] = root * flint.acb(0, flint.arb(2 * turn) / q * flint.arb.pi()).exp()
            is_own = is_own and not turn
        if _value(poly, at).contains(0):
            return False
    return True


def _root(value: Complex, q: int) -> Complex:
    if value.contains(0):
        raise ZeroDivisionError("a conjugate of a root may be zero")
    return (value.log() / q).exp()


def _value(poly: Poly, at: dict[int, Complex]) -> Complex:
    total = flint.acb(0)
    for exponents, c in poly.to_dict().items():
        term = flint.acb(int(c))
        for k, n in enumerate(exponents):
            if n:
                term *= at[k] ** int(n)
        total += term
    if not total.is_finite():
        raise ZeroDivisionError("a conjugate has no value")
    return total

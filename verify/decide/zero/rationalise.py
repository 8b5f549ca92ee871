"""Denominators without roots: ``1/(a + b g) = (a - b g)/(a^2 - b^2 v)`` where ``g^2 = v``.

Equal functions of algebraic generators then have equal numerators and denominators.
"""

from __future__ import annotations

from verify.decide.linear_algebra.equations import solve
from verify.decide.zero.generators import Generators
from verify.decide.zero.ratio import Poly, Ratio

MAX_DEGREE = 6  # of a relation whose generator is taken out of denominators


def rationalised(generators: Generators, r: Ratio) -> Ratio:
    """Return the same ratio with a denominator free of generators that a power relation binds.

    A root stays in the denominator where the relation is of a high degree, or where the product
    with the conjugate is zero.
    """
    r = generators.reduce(r)
    # Relations refer to generators that are older, so the newest root goes first.
    for k in reversed(generators.generators_of(r.den)):
        found = generators.relation_of(k)
        if found is None or not 2 <= found[0] <= MAX_DEGREE or not r.den.degrees()[k]:
            continue
        inverse = _inverse(generators, r.den, k, *found)
        if inverse is not None:
            one = generators.number(1).den
            r = generators.reduce(generators.reduce(Ratio(r.num, one) * inverse))
    return r


def _inverse(generators: Generators, den: Poly, k: int, power: int, value: Ratio) -> Ratio | None:
    """``1/den`` with a denominator free of the k-th generator; None if there is none."""
    g, one = generators.of_index(k), generators.number(1)
    if power == 2 and not value.num.degrees()[k] and not value.den.degrees()[k]:
        b = generators.coefficient(den, k)
        a = den - b * g.num
        a, b = Ratio(a, one.den), Ratio(b, one.den)
        norm = generators.reduce(a * a - b * b * value)
        return None if norm.is_zero() else (a - b * g) / norm
    columns = []
    for n in range(power):
        multiple = generators.reduce(Ratio(den, one.den) * g**n)
        if multiple.den.degrees()[k]:
            return None
        columns.append(_by_power(generators, multiple, k))
    weights = solve(columns, {0: one}, generators.field)
    if weights is None:
        return None
    return sum((w * g**n for n, w in enumerate(weights)), generators.number(0))


def _by_power(generators: Generators, r: Ratio, k: int) -> dict[int, Ratio]:
    """The coefficients of the powers of the k-th generator."""
    grouped: dict[int, dict[tuple[int, ...], int]] = {}
    for exponents, c in r.num.to_dict().items():
        without = (*exponents[:k], 0, *exponents[k + 1 :])
        grouped.setdefault(int(exponents[k]), {})[without] = c
    one = generators.number(1).den
    den = Ratio(r.den, one)
    return {n: Ratio(generators.context.from_dict(t), one) / den for n, t in grouped.items()}

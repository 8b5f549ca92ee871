"""The leading correction of the density: a polynomial f of the jets with ``L^dagger (rho f) =
-A_{p+1}^dagger rho``.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Sequence

from sympy import Expr

from recipe.language.abstract import Jet, Partial, Potential
from verify.decide.linear_algebra.equations import solve
from verify.decide.zero.decide import vanishes
from verify.discrete.weak_order.parameters import ParameterField
from verify.discrete.weak_order.push import Gradient, pushed
from verify.discrete.weak_order.ring import Poly, Ring
from verify.discrete.weak_order.series import Series
from verify.discrete.weak_order.step import Map

MAX_UNKNOWNS = 150
MAX_EQUATIONS = 1500

Monomial = tuple[int, ...]


def generator_on(f: Poly, maps: Sequence[Map], gradient: Gradient, ring: Ring) -> Poly:
    """Return ``L^dagger (rho f) / rho``: the first-order change of f in one step."""
    short = [{b: change.cut(3) for b, change in m.items()} for m in maps]
    return pushed(Series(ring, 0, (f, ring.zero, ring.zero)), short, gradient).at(2)


def correction(residual: Poly, maps: Sequence[Map], gradient: Gradient, ring: Ring) -> Poly | None:
    """Return a polynomial solution without constant term; None where the ansatz has no solution, or
    several.

    The unknowns are the coefficients of monomials in coordinates and jets, with at most as many
    derivatives as the residual and at most its degree. The solution is proved by putting it back.
    """
    monomials = _monomials(residual, gradient, ring)
    if not 0 < len(monomials) <= MAX_UNKNOWNS:
        return None
    images = [generator_on(m, maps, gradient, ring) for m in monomials]
    coefficients = _solved(images, residual, ring)
    if coefficients is None:
        return None
    f = sum(
        (ring.product(ring.read(c), m) for c, m in zip(coefficients, monomials, strict=True)),
        ring.zero,
    )
    left_over = ring.expression(generator_on(f, maps, gradient, ring) + residual)
    return ring.reduced(f) if vanishes(left_over) else None


def _monomials(residual: Poly, gradient: Gradient, ring: Ring) -> list[Poly]:
    """Return the monomials of the ansatz: jets by their weight (the number of derivatives),
    everything else by its degree.
    """
    heads = {
        p.head for p in ring.meanings if isinstance(p, Partial) and isinstance(p.head, Potential)
    }
    potentials = [ring.generator(head) for head in sorted(heads, key=str)]
    letters = [
        k
        for k in ring.numbers_of(residual, *gradient.values(), *potentials)
        if not ring.is_constant(k)
    ]
    jets = [k for k in letters if _weight(ring.meanings[k])]
    plain = [k for k in letters if k not in jets]
    weights = [_weight(ring.meanings[k]) for k in jets]
    heaviest = max(sum(map(operator.mul, m, weights)) for m in ring.split(residual, jets))
    degree = max(sum(m) for m in ring.split(residual, plain))
    by_jets, by_plain = _exponents(weights, heaviest), _exponents([1] * len(plain), degree)
    products = []
    for of_jets, of_plain in itertools.islice(
        itertools.product(by_jets, by_plain), MAX_UNKNOWNS + 2
    ):
        m = ring.number(1)
        for k, n in (*zip(jets, of_jets, strict=True), *zip(plain, of_plain, strict=True)):
            m = m * ring.of_number(k) ** n
        if not m.is_constant():
            products.append(m)
    return products


def _weight(meaning: Expr) -> int:
    """Return how many derivatives an atom of an abstract function has; zero for everything else.

    A potential itself counts as two derivatives: in a correction it stands beside friction and the
    like.
    """
    if isinstance(meaning, Partial):
        return len(meaning.wrt)
    if isinstance(meaning, Potential):
        return 2
    return sum(meaning.orders) if isinstance(meaning, Jet) else 0


def _exponents(weights: Sequence[int], most: int) -> list[Monomial]:
    """Return all exponents whose sum, by the weights, is at most ``most``."""
    if not weights:
        return [()]
    first, *rest = weights
    return [
        (n, *others)
        for n in range(most // first + 1)
        for others in _exponents(rest, most - n * first)
    ]


def _solved(images: Sequence[Poly], residual: Poly, ring: Ring) -> list[Expr] | None:
    """Return the only numbers c with ``sum c image = -residual``, as rational functions of the
    parameters; None where there are none, or several.
    """
    letters = ring.numbers_of(residual, *images)
    parameters = [k for k in letters if ring.is_constant(k)]
    state = [k for k in letters if k not in parameters]
    field = ParameterField(ring, parameters)
    columns = [ring.split(p, state) for p in (*images, -residual)]
    if len({m for column in columns for m in column}) > MAX_EQUATIONS:
        return None
    *known, wanted = [{m: field.element(p) for m, p in column.items()} for column in columns]
    found = solve(known, wanted, field.domain, only=True)
    return None if found is None else [field.expression(c) for c in found]

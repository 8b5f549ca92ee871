"""Exact integrals of polynomials over coordinates that are normal under exp(-H) and independent of
the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sympy import S

from recipe.language.blocks import Block
from verify.decide.linear_algebra.equations import inverse
from verify.discrete.weak_order.parameters import ParameterField
from verify.discrete.weak_order.ring import Poly, Ring

Inverse = list[list[Poly]]


def integrated_out(
    f: Poly, blocks: Sequence[Block], gradient: Mapping[Block, Any], ring: Ring
) -> Poly | None:
    """Return the conditional mean of f over some blocks, given the others; None where these blocks
    are not normal and independent of the others.

    It uses integration by parts: ``E[z_i m] = sum_j (A^-1)_ij E[dm/dz_j]`` where dH/dz = A z.
    """
    if any(x.domain != S.Reals for x in blocks):  # a truncated normal law has other moments
        return None
    inverse = _covariance(blocks, gradient, ring)
    letters = [ring.number_of(x) for x in blocks]
    others = [k for k in ring.numbers_of(f) if k not in letters]
    if inverse is None or any(not ring.is_free_of(k, x) for k in others for x in blocks):
        return None
    total = ring.zero
    for exponents, factor in ring.split(f, letters).items():
        total += ring.product(factor, _moment(exponents, inverse, ring))
    return ring.reduced(total)


def _moment(exponents: tuple[int, ...], inverse: Inverse, ring: Ring) -> Poly:
    """Return the mean of a monomial, by integration by parts."""
    i = next((k for k, n in enumerate(exponents) if n), None)
    if i is None:
        return ring.number(1)
    left = [*exponents]
    left[i] -= 1
    total = ring.zero
    for j, n in enumerate(left):
        if n and inverse[i][j] != 0:
            lower = (*left[:j], n - 1, *left[j + 1 :])
            total += ring.product(inverse[i][j], _moment(lower, inverse, ring)) * n
    return total


def _covariance(
    blocks: Sequence[Block], gradient: Mapping[Block, Any], ring: Ring
) -> Inverse | None:
    """Return the inverse of A where dH/dz = A z in the given coordinates; None where H is not of
    this form.
    """
    letters = [ring.number_of(x) for x in blocks]
    rows = []
    for x in blocks:
        parts = ring.split(gradient[x], letters)
        row = [
            parts.pop(tuple(int(k == j) for k in range(len(blocks))), ring.zero)
            for j in range(len(blocks))
        ]
        if parts:
            return None
        rows.append(row)
    numbers = ring.numbers_of(*(entry for row in rows for entry in row))
    if not all(ring.is_constant(k) for k in numbers):
        return None
    field = ParameterField(ring, numbers)
    found = inverse([[field.element(e) for e in row] for row in rows], field.domain)
    if found is None:
        return None
    return [[ring.read(field.expression(e)) for e in row] for row in found]

"""Linear relations between arctangents, between logarithms, and between roots.

A lattice reduction of their values at two points proposes a relation; algebra proves it:

* ``sum n_k log(u_k) = 0`` where the product of the ``u_k^n_k`` is 1. Each u_k is positive where the
  expression is defined.
* ``sum n_k atan(u_k) + m pi/12 = 0`` where its sine is zero, the u_k are continuous on a connected
  domain, and the value at one point is less than pi away from 0. The sine makes the sum a multiple
  of pi, continuity makes it one multiple, and the point says which: no branch is guessed.
* A sum of roots is zero where algebra says so. Here a root is taken out of an exponent, say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import flint
from sympy import Expr, Integer, Mul, Pow, atan, log, pi, sin

from verify.decide.zero.generic_values import values
from verify.decide.zero.point import Ball
from verify.decide.zero.relaxed import relaxed

MAX_ATOMS = 10
MAX_COEFFICIENT = 100
SCALE_BITS = 160  # binary digits of the values whose relations are sought
MAX_RELATIONS = 6

IsZero = Callable[[Expr], bool]
CONSTANTS = {atan: (pi / 12,), log: (log(2), log(3), log(5))}


def without_related(e: Expr, is_zero: IsZero) -> Expr:
    """Return the expression with fewer arctangents and logarithms, by the relations between them
    that ``is_zero`` proves.
    """
    for _ in range(MAX_RELATIONS):
        found = next(_relations(e, is_zero), None)
        if found is None:
            return e
        e = e.xreplace(dict([found]))
    return e


def _relations(e: Expr, is_zero: IsZero) -> Iterator[tuple[Expr, Expr]]:
    """Yield an atom, and its value by a proved relation with the others."""
    for kind, proof in ((atan, _is_zero_angle), (log, _is_zero_logarithm), (Pow, _is_zero_sum)):
        atoms = sorted(_of_kind(e, kind), key=lambda a: (a.count_ops(), str(a)))
        if not 1 <= len(atoms) <= MAX_ATOMS:
            continue
        constants = CONSTANTS[kind] if kind != Pow else (Integer(1), *_products(atoms))
        columns = [*atoms, *(c for c in constants if c not in atoms)]
        for weights in _proposals(columns):
            replaced = _replaced(atoms, weights)
            if replaced is not None and proof(weights, columns, is_zero):
                k = replaced
                rest = sum(
                    (n * c for n, c in zip(weights, columns, strict=True) if c != atoms[k]),
                    Integer(0),
                )
                yield atoms[k], -rest / weights[k]


def _of_kind(e: Expr, kind: type[Expr]) -> set[Expr]:
    return {a for a in e.atoms(kind) if kind != Pow or (a.exp.is_Rational and a.exp.q != 1)}


def _products(roots: list[Expr]) -> list[Expr]:
    """The products of two different roots of numbers, which are no root of a number with roots."""
    plain = [a for a in roots if a.base.is_Rational]
    return list(dict.fromkeys(a * b for a, b in combinations(plain, 2)))[:MAX_ATOMS]


def _replaced(atoms: Sequence[Expr], weights: Sequence[int]) -> int | None:
    """The atom that a relation replaces: the longest of those with the smallest weight."""
    taken = [k for k in range(len(atoms)) if weights[k]]
    return min(taken, key=lambda k: (abs(weights[k]), -k), default=None)


def _proposals(columns: list[Expr]) -> Iterator[list[int]]:
    """Yield whole weights with which the columns sum to zero at two points, to many digits."""
    found = values(columns, 2)
    if len(found) < 2 or any(ball.rad() > 2.0**-SCALE_BITS for row in found for ball in row):
        return
    size = len(columns)
    rows = [
        [int(k == n) for n in range(size)] + [_scaled(row[k]) for row in found] for k in range(size)
    ]
    reduced = flint.fmpz_mat(rows).lll()
    for row in reduced.tolist():
        weights = [int(n) for n in row[:size]]
        small = max(map(abs, weights)) <= MAX_COEFFICIENT
        if small and all(abs(int(n)) <= MAX_COEFFICIENT * size for n in row[size:]):
            yield weights


def _scaled(ball: Ball) -> int:
    mantissa, exponent = (int(n) for n in ball.mid().man_exp())
    shift = exponent + SCALE_BITS
    return mantissa << shift if shift >= 0 else mantissa >> -shift


def _is_zero_logarithm(weights: Sequence[int], columns: Sequence[Expr], is_zero: IsZero) -> bool:
    up, down = (
        Mul(*(Pow(c.args[0], s * n) for n, c in zip(weights, columns, strict=True) if s * n > 0))
        for s in (1, -1)
    )
    return is_zero(up - down)


def _is_zero_sum(weights: Sequence[int], columns: Sequence[Expr], is_zero: IsZero) -> bool:
    return is_zero(sum((n * c for n, c in zip(weights, columns, strict=True)), Integer(0)))


def _is_zero_angle(weights: Sequence[int], columns: Sequence[Expr], is_zero: IsZero) -> bool:
    angle = relaxed(sum((n * c for n, c in zip(weights, columns, strict=True)), Integer(0)))
    if angle is None or not is_zero(sin(angle)):
        return False
    # at one point, the multiple of pi is 0
    found = values([angle], 1)
    return bool(found) and bool(abs(found[0][0]) < 3)

"""A positive semidefinite rational matrix G that satisfies linear equations.

A descent in floating point proposes ``G = V V^T`` with few columns V (Burer & Monteiro 2003, "A
nonlinear programming algorithm for solving semidefinite programs via low-rank factorization"), by
the method of Levenberg and Marquardt. The span of its rows is rounded to a rational one, and within
that span the equations are solved in rational numbers. Elimination of the exact solution decides;
nothing in floating point is trusted.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sympy.polys.domains import QQ

from verify.decide.linear_algebra.equations import solve
from verify.decide.linear_algebra.semidefinite import Indefinite, Numbers, eliminate
from verify.decide.linear_algebra.work import count

Pair = tuple[int, int]  # a place of G, on or above the diagonal
Pivots = list[tuple[tuple[Fraction, ...], Fraction]]
Floats = list[list[float]]

MAX_RANK, MAX_UNKNOWNS = 6, 130
STARTS, MAX_UNKNOWNS_OF_MANY_STARTS = 4, 45
MAX_STEPS = 40  # of the descent, for each rank
MAX_DENOMINATOR, TOLERANCE = 360, 1e-6  # of the rounded span
MAX_DENOMINATORS = (12, 360, 10**6)  # of the rounded matrix within the span, tried in this order
STEPS_TO_IMPROVE = 9  # in so many steps the error must fall to a tenth
RESIDUAL_AT_END = 1e-11  # relative to the largest right-hand side


@dataclass(frozen=True)
class Equation:
    """``sum of factor * G[pair] = target``; a pair off the diagonal stands for both its places."""

    factors: dict[Pair, Fraction]
    target: Fraction


def semidefinite_solution(size: int, equations: Sequence[Equation]) -> Pivots | None:
    """Return a solution G as (column, weight) pairs, ``G = sum of weight * column column^T``, with
    positive weights; None if none was found, which proves nothing.

    Args:
        size: the number of rows of G.
        equations: the equations; a pair that none of them has is free.
    """
    if not any(e.target for e in equations):
        return []
    if any(e.target < 0 and _is_on_diagonal(e) for e in equations):
        return None
    whole = [[Fraction(int(a == b)) for b in range(size)] for a in range(size)]
    pairs = {p for e in equations for p in e.factors}
    if all(len(e.factors) == 1 for e in equations) and len(pairs) == len(equations):
        return _exact(whole, equations, None)
    for rank in range(1, min(MAX_RANK, size) + 1):
        if size * rank > MAX_UNKNOWNS:
            return None
        starts = STARTS if size * rank <= MAX_UNKNOWNS_OF_MANY_STARTS else 1
        for start in range(starts):
            V = _descended(size, rank, equations, start)
            span = None if V is None else _rational_span(V)
            found = None if V is None or span is None else _exact(span, equations, V)
            if found is not None:
                return found
    return None


def _is_on_diagonal(e: Equation) -> bool:
    """Return True for a nonnegative combination of entries of the diagonal."""
    return all(a == b and f >= 0 for (a, b), f in e.factors.items())


# -- floating point
# --------------------------------------------------------------------------------------------------


def _descended(size: int, rank: int, equations: Sequence[Equation], start: int) -> Floats | None:
    """V with ``V V^T`` near a solution; None if the descent ends elsewhere.

    ``start`` numbers the random place where it begins.
    """
    rows = [
        ([(a, b, float(f) * (1 if a == b else 2)) for (a, b), f in e.factors.items()], e.target)
        for e in equations
    ]
    scale = max(abs(float(e.target)) for e in equations)
    chance = random.Random(f"{size} {rank} {start}")
    side = math.sqrt(scale)
    x = [chance.uniform(-side, side) for _ in range(size * rank)]
    damping = 1e-2
    value, jacobian = _linearised(x, rank, rows)
    error = sum(v * v for v in value)
    errors = [error]
    for _ in range(MAX_STEPS):
        errors.append(error)
        if len(errors) > STEPS_TO_IMPROVE and error > errors[-STEPS_TO_IMPROVE] / 10:
            return None
        if math.sqrt(error) <= RESIDUAL_AT_END * scale:
            return [x[k * rank : (k + 1) * rank] for k in range(size)]
        step = _damped_step(value, jacobian, len(x), damping)
        if step is None:
            damping *= 10
            continue
        moved = [a - b for a, b in zip(x, step, strict=True)]
        new_value, new_jacobian = _linearised(moved, rank, rows)
        new_error = sum(v * v for v in new_value)
        if new_error < error:
            x, value, jacobian, error = moved, new_value, new_jacobian, new_error
            damping = max(damping / 10, 1e-14)
        else:
            damping *= 10
            if damping > 1e12:
                return None
    return None


Rows = list[tuple[list[tuple[int, int, float]], Fraction]]


def _linearised(
    x: list[float], rank: int, rows: Rows
) -> tuple[list[float], list[dict[int, float]]]:
    """The residuals of the equations at V, and their derivatives by the entries of V."""
    values, derivatives = [], []
    for terms, target in rows:
        value, derivative = -float(target), dict[int, float]()
        for a, b, f in terms:
            for k in range(rank):
                m, n = a * rank + k, b * rank + k
                value += f * x[m] * x[n]
                derivative[m] = derivative.get(m, 0.0) + f * x[n]
                derivative[n] = derivative.get(n, 0.0) + f * x[m]
        values.append(value)
        derivatives.append(derivative)
    return values, derivatives


def _damped_step(
    value: list[float], jacobian: list[dict[int, float]], size: int, damping: float
) -> list[float] | None:
    """The solution of ``(J^T J + damping * scale) step = J^T value``, by Cholesky's method; None
    where rounding spoils it.
    """
    count(size**3 // 6 + sum(len(row) ** 2 for row in jacobian))
    A = [[0.0] * (k + 1) for k in range(size)]
    right = [0.0] * size
    for v, row in zip(value, jacobian, strict=True):
        for a, f in row.items():
            right[a] += f * v
            for b, g in row.items():
                if b <= a:
                    A[a][b] += f * g
    for a in range(size):
        A[a][a] += damping * (A[a][a] + 1.0)
    for a in range(size):
        line = A[a]
        for b in range(a + 1):
            other = A[b]
            rest = line[b] - sum(p * q for p, q in zip(line[:b], other[:b], strict=True))
            if a == b:
                if not rest > 0:
                    return None
                line[a] = math.sqrt(rest)
            else:
                line[b] = rest / other[b]
    for a in range(size):
        right[a] = (right[a] - sum(A[a][b] * right[b] for b in range(a))) / A[a][a]
    for a in reversed(range(size)):
        right[a] = (right[a] - sum(A[b][a] * right[b] for b in range(a + 1, size))) / A[a][a]
    return right


def _rational_span(V: Floats) -> Numbers | None:
    """A rational basis, in reduced echelon form, of the span of the columns of V; None where it is
    not near one with small denominators.
    """
    rows = [list(column) for column in zip(*V, strict=True)]
    largest = max(abs(c) for row in rows for c in row)
    done = 0
    for place in range(len(V)):
        best = max(range(done, len(rows)), key=lambda k: abs(rows[k][place]), default=None)
        if best is None or abs(rows[best][place]) <= TOLERANCE * largest:
            continue
        rows[done], rows[best] = rows[best], rows[done]
        pivot = rows[done][place]
        rows[done] = [c / pivot for c in rows[done]]
        for k in range(len(rows)):
            if k != done:
                factor = rows[k][place]
                rows[k] = [c - factor * p for c, p in zip(rows[k], rows[done], strict=True)]
        done += 1
        if done == len(rows):
            break
    found = [[Fraction(c).limit_denominator(MAX_DENOMINATOR) for c in row] for row in rows[:done]]
    near = all(
        abs(float(f) - c) <= TOLERANCE * (1 + abs(c))
        for exact, row in zip(found, rows, strict=False)
        for f, c in zip(exact, row, strict=True)
    )
    return found if near else None


# -- exact
# --------------------------------------------------------------------------------------------------


def _exact(span: Numbers, equations: Sequence[Equation], V: Floats | None) -> Pivots | None:
    """The pivots of ``G = R^T S R`` for the rows R of the span, if some S solves the equations and
    is positive semidefinite.

    S is near ``V V^T``, as far as the equations leave it free.
    """
    unknowns = list(itertools.combinations_with_replacement(range(len(span)), 2))
    columns = [
        [
            sum((f * _in_span(span, pair, place) for place, f in e.factors.items()), Fraction(0))
            for e in equations
        ]
        for pair in unknowns
    ]
    for bound in MAX_DENOMINATORS if V is not None else MAX_DENOMINATORS[:1]:
        near = _near(span, unknowns, V, bound)
        rest = [
            e.target - sum((c[k] * s for c, s in zip(columns, near, strict=True)), Fraction(0))
            for k, e in enumerate(equations)
        ]
        step = solve([_sparse(c) for c in columns], _sparse(rest), QQ)
        if step is None:
            return None
        S: Numbers = [[Fraction(0)] * len(span) for _ in span]
        for (p, q), s, c in zip(unknowns, near, step, strict=True):
            S[p][q] = S[q][p] = s + Fraction(int(c.numerator), int(c.denominator))
        pivots = eliminate(S)
        if not isinstance(pivots, Indefinite):
            return [(_combined(column, span), weight) for column, weight in pivots]
    return None


def _in_span(span: Numbers, pair: Pair, place: Pair) -> Fraction:
    """What S at a pair, and at its mirror image, adds to G at a place, and at its mirror image."""
    (p, q), (a, b) = pair, place
    once = span[p][a] * span[q][b]
    both = once if p == q else once + span[q][a] * span[p][b]
    return both if a == b else 2 * both


def _near(span: Numbers, unknowns: list[Pair], V: Floats | None, bound: int) -> list[Fraction]:
    """S for ``V V^T``, rounded: rows of a reduced echelon form show it at their first entries."""
    if V is None:
        return [Fraction(0)] * len(unknowns)
    first = [next(k for k, c in enumerate(row) if c) for row in span]
    return [
        Fraction(
            sum(x * y for x, y in zip(V[first[p]], V[first[q]], strict=True))
        ).limit_denominator(bound)
        for p, q in unknowns
    ]


def _sparse(numbers: list[Fraction]) -> dict[int, Any]:
    return {k: QQ(c.numerator, c.denominator) for k, c in enumerate(numbers) if c}


def _combined(column: tuple[Fraction, ...], span: Numbers) -> tuple[Fraction, ...]:
    return tuple(
        sum((c * x for c, x in zip(column, entries, strict=True)), Fraction(0))
        for entries in zip(*span, strict=True)
    )

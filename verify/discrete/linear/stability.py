"""For which steps an affine map is stable, with every eigenvalue of M inside the unit circle, by
Hurwitz's conditions.

The roots of p are inside the circle iff those of ``(1 - u)^n p((1 + u)/(1 - u))`` have negative
real parts, which Hurwitz's determinants decide (Gantmacher 1959, "The theory of matrices", volume
2, chapter XV).
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import (
    Dummy,
    Expr,
    Matrix,
    Poly,
    S,
    Symbol,
    cancel,
    factor_list,
    fraction,
    sqrt,
    together,
)

from recipe.signs.sets import NEGATIVE, POSITIVE
from recipe.signs.sign import possible_signs
from verify.decide.zero.decide import vanishes
from verify.discrete.linear.numbers import with_generators
from verify.discrete.linear.step import AffineStep


@dataclass(frozen=True)
class Stability:
    """The step is stable iff all ``conditions`` are positive and no ``excluded`` is zero.

    Attributes:
        conditions: expressions of step and parameters; an empty tuple where the step is always
            stable.
        excluded: expressions that must not be zero.
        never: a condition that is never positive, so that the step is never stable; None otherwise.
        upper: upper ends of the step sizes that satisfy a condition, for the conditions that could
            be solved for the step.
        lower: lower ends, likewise.
        solved: whether all conditions could be solved.
    """

    conditions: tuple[Expr, ...]
    excluded: tuple[Expr, ...]
    never: Expr | None
    upper: tuple[Expr, ...]
    lower: tuple[Expr, ...]
    solved: bool


def stability(step: AffineStep) -> Stability:
    """Return the conditions under which an affine step is stable, without the factors whose sign is
    proved.

    Args:
        step: from ``affine_step``.
    """
    n = len(step.coordinates)
    entries, meanings = with_generators(list(step.M))
    M = Matrix(n, n, entries)
    apart = [
        M.extract(list(rows), list(rows)) for rows in _apart(M)
    ]  # the eigenvalues of M are those of its blocks
    return _where_positive(
        [condition for block in apart for condition in hurwitz_conditions(block)], meanings, step
    )


def _apart(M: Matrix) -> list[tuple[int, ...]]:
    """Group the coordinates so that M is zero between groups."""
    groups = [{i} for i in range(M.rows)]
    for i, j in ((i, j) for i in range(M.rows) for j in range(M.rows) if M[i, j] != 0):
        one, other = (next(g for g in groups if x in g) for x in (i, j))
        if one is not other:
            one |= other
            groups.remove(other)
    return [tuple(sorted(g)) for g in groups]


def boundedness(step: AffineStep) -> Stability | None:
    """Return the conditions under which an area-preserving map of the plane has bounded orbits;
    None for other maps.

    The eigenvalues are a pair on the unit circle if the trace is between -2 and 2, and they are
    not if it is beyond. The ends are left open.

    Args:
        step: the step of the map, an affine one.
    """
    if step.M.shape != (2, 2) or not vanishes(step.M.det() - 1):
        return None
    entries, meanings = with_generators([step.M.trace()])
    return _where_positive([cancel(2 - entries[0]), cancel(2 + entries[0])], meanings, step)


def _where_positive(
    wanted_all: list[Expr], meanings: dict[Symbol, Expr], step: AffineStep
) -> Stability:
    """Return the conditions that all expressions are positive, simplified and solved for the step
    where that is possible.
    """
    conditions: dict[Expr, None] = {}
    excluded: dict[Expr, None] = {}
    for wanted in wanted_all:
        left = _stripped(wanted, meanings, excluded)
        if left in (S.NegativeOne, S.Zero):
            return Stability((), (), wanted.xreplace(meanings), (), (), False)
        if left != 1:
            conditions[left] = None
    kept: list[Expr] = []
    for c in conditions:
        if not any(
            _is_positive_number((c / other).cancel()) for other in kept
        ):  # a positive number: the same condition
            kept.append(c)
    apart = tuple(
        e for e in excluded if not any((e / c).cancel().is_Rational for c in kept)
    )  # a positive condition is not zero
    bounds = [_bound(c, step.step) for c in kept]
    upper = tuple(b.value for b in bounds if b is not None and b.above)
    lower = tuple(b.value for b in bounds if b is not None and not b.above)
    return Stability(
        tuple(kept), apart, None, upper, lower, all(b is not None for b in bounds) and not apart
    )


def _is_positive_number(e: Expr) -> bool:
    return bool(e.is_Rational and e > 0)


def hurwitz_conditions(M: Matrix) -> list[Expr]:
    """Return rational functions that are all positive iff every eigenvalue of M is inside the unit
    circle.
    """
    n, u = M.rows, Dummy("u")
    p = M.charpoly(u).all_coeffs()
    moved = sum((c * (1 + u) ** (n - k) * (1 - u) ** k for k, c in enumerate(p)), S.Zero)
    b = [cancel(c) for c in Poly(moved, u).all_coeffs()]
    b = [S.Zero] * (n + 1 - len(b)) + b

    def entry(i: int, j: int) -> Expr:
        k = 2 * (j + 1) - (i + 1)
        return b[k] if 0 <= k <= n else S.Zero

    H = Matrix(n, n, entry)
    minors = [cancel(H[:k, :k].det(method="berkowitz")) for k in range(2, n)]
    return [*b, *minors]


def _stripped(wanted: Expr, meanings: dict[Symbol, Expr], excluded: dict[Expr, None]) -> Expr:
    """Return the product of the factors whose sign is open; 1 or -1 where there are none, and 0 for
    zero.

    Factors of even power become conditions in ``excluded``.
    """
    if wanted == 0:
        return S.Zero
    above, below = fraction(together(wanted))
    left, sign = S.One, 1
    for part in (above, below):
        constant, factors = factor_list(part)
        sign *= 1 if constant > 0 else -1
        for e, power in factors:
            shown = e.xreplace(meanings)
            signs = possible_signs(shown)
            if signs == NEGATIVE:
                sign *= (-1) ** power
            elif signs != POSITIVE and power % 2:
                left *= shown
            elif signs != POSITIVE:
                excluded[shown] = None
    return sign * left if left.is_Number else (left if sign > 0 else (-left).expand())


@dataclass(frozen=True)
class _Bound:
    value: Expr
    above: bool  # whether the steps lie below it


def _bound(condition: Expr, step: Symbol) -> _Bound | None:
    """Return the end of the steps that satisfy a condition; None unless the condition is of degree
    1 or 2 in the step with one positive root.
    """
    if not condition.is_polynomial(step):
        return None
    a = Poly(condition, step).all_coeffs()[::-1]
    signs = [possible_signs(c.factor()) if c != 0 else None for c in a]
    if len(a) == 2 and {*signs} == {POSITIVE, NEGATIVE}:
        return _Bound((-a[0] / a[1]).factor(), signs[0] == POSITIVE)
    if len(a) == 3 and {signs[0], signs[2]} == {POSITIVE, NEGATIVE}:
        toward = -1 if signs[2] == NEGATIVE else 1
        root = (-a[1] + toward * sqrt(a[1] ** 2 - 4 * a[0] * a[2])) / (2 * a[2])
        return _Bound(root, signs[0] == POSITIVE)
    return None

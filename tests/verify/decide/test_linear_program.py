"""Nonnegative combinations of least sum, compared with scipy's linear programming in floating
point and with every basis of small programs.
"""

import itertools
from random import Random

import numpy as np
import pytest
from flint import fmpq
from scipy.optimize import linprog
from sympy import QQ, expand, symbols

from verify.decide.linear_algebra.equations import solve
from verify.decide.linear_algebra.linear_program import least_combination
from verify.decide.nonnegative.combination import combination_of

x, y, z, w = symbols("x y z w", real=True)


def random_program(seed, rows, columns):
    """Small integers with many zeros, as coefficients of squares are; half of the targets can be
    reached.
    """
    draw = Random(seed)
    vectors = [
        {row: c for row in range(rows) if (c := draw.choice((0, 0, 0, 1, 1, -1, 2, -2)))}
        for _ in range(columns)
    ]
    if seed % 2:
        weights = [draw.choice((0, 0, 1, 2)) for _ in vectors]
        target = {
            row: sum(n * v.get(row, 0) for n, v in zip(weights, vectors, strict=True))
            for row in range(rows)
        }
    else:
        target = {row: draw.choice((0, 0, 1, -1, 3)) for row in range(rows)}
    return vectors, target


def least_sum_by_scipy(vectors, target):
    rows = sorted({row for v in (target, *vectors) for row in v})
    A = np.array([[v.get(row, 0) for v in vectors] for row in rows])
    found = linprog(np.ones(len(vectors)), A_eq=A, b_eq=[target.get(row, 0) for row in rows])
    return found.fun if found.status == 0 else None


def least_sum_by_every_basis(vectors, target):
    """The least sum over all sets of columns whose equations have one nonnegative solution."""
    sums = []
    for size in range(len(vectors) + 1):
        for chosen in itertools.combinations(vectors, size):
            columns = [{row: QQ(c) for row, c in v.items()} for v in chosen]
            weights = solve(columns, {row: QQ(c) for row, c in target.items()}, QQ, only=True)
            if weights is not None and all(n >= 0 for n in weights):
                sums.append(sum(weights, QQ(0)))
    return min(sums, default=None)


def is_solution(weights, vectors, target):
    left = {}
    for n, v in zip(weights, vectors, strict=True):
        for row, c in v.items():
            left[row] = left.get(row, 0) + n * c
    rows = left.keys() | target.keys()
    return all(n >= 0 for n in weights) and all(
        left.get(row, fmpq(0)) == target.get(row, 0) for row in rows
    )


@pytest.mark.parametrize("seed", range(40))
def test_the_least_sum_is_that_of_every_basis(seed):
    vectors, target = random_program(seed, rows=3, columns=6)
    weights = least_combination(vectors, target)
    wanted = least_sum_by_every_basis(vectors, target)
    assert (weights is None) == (wanted is None)
    if weights is not None:
        assert is_solution(weights, vectors, target)
        assert sum(weights, fmpq(0)) == fmpq(int(wanted.numerator), int(wanted.denominator))


@pytest.mark.parametrize("seed", range(60))
def test_larger_programs_have_the_least_sum_of_floating_point(seed):
    vectors, target = random_program(seed, rows=5 + seed % 12, columns=10 + seed)
    weights, wanted = least_combination(vectors, target), least_sum_by_scipy(vectors, target)
    assert (weights is None) == (wanted is None)
    if weights is not None:
        assert is_solution(weights, vectors, target)
        assert float(sum(weights, fmpq(0))) == pytest.approx(wanted, rel=1e-9, abs=1e-9)


def test_a_zero_target_and_no_columns():
    assert least_combination([], {}) == []
    assert least_combination([], {0: 1}) is None
    assert least_combination([{0: 1}, {0: -1}], {}) == [0, 0]


@pytest.mark.by_default(1)
@pytest.mark.parametrize(
    "e",
    [
        (x + y) ** 2 + x**2 * y**2,
        x**4 * y**2 + x**2 * y**4 - 3 * x**2 * y**2 + 1,
        x**4 + y**4 + z**4 + w**4 - 4 * x * y * z * w,
    ],
)
def test_a_combination_is_the_expression(e):
    form = combination_of(expand(e))
    assert form is not None
    assert expand(form * (1 + x**2 + y**2) - e * (1 + x**2 + y**2)).cancel() == 0


@pytest.mark.parametrize("e", [x * y, x**4 + y**4 - 3 * x**2 * y**2, x**2 - 1])
def test_what_can_be_negative_has_no_combination(e):
    assert combination_of(e) is None

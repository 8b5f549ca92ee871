"""Control variates and the running variance: against plain Python with the same operations in the
same order, and against the formulas in exact fractions.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from numba import njit

from codegen.device.estimators import add_difference, join_mean, join_variance

ODD = [0.0, -0.0, 5e-324, 1e308, math.inf, -math.inf, math.nan, 1.5]


@njit(error_model="numpy")
def added(g, at_mode, estimate):
    add_difference(g, at_mode, estimate)


@njit(error_model="numpy")
def joined(mean, squares, values, n):
    join_mean(mean, squares, values, n)


@njit(error_model="numpy")
def variance_joined(variance, squares, used, count, distinct, calls):
    join_variance(variance, squares, used, count, distinct, calls)


def assert_same_bits(one, other):
    """NaN is NaN, whatever its bits."""
    np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(np.signbit(one)[one == 0], np.signbit(other)[other == 0])


@pytest.mark.parametrize("d", [0, 1, 9, 64])
def test_the_difference_is_taken_first_and_then_added(d):
    rng = np.random.default_rng(d)
    g, at_mode, estimate = rng.normal(size=(3, d)) * 10.0 ** rng.integers(-9, 9, (3, d))
    expected = [x + (y - z) for x, y, z in zip(g, at_mode, estimate, strict=True)]
    added(g, at_mode, estimate)
    assert g.tolist() == expected


def test_a_difference_that_is_no_number_stays_one():
    rows = np.array([(x, y, z) for x in ODD for y in ODD for z in ODD]).T.copy()
    g, at_mode, estimate = rows
    with np.errstate(all="ignore"):
        expected = g + (at_mode - estimate)
    added(g, at_mode, estimate)
    assert_same_bits(g, expected)


def slow_join(mean, square, value, n):
    """One coordinate, by the recursion as Welford printed it."""
    change = value - mean
    mean = mean + change / (n + 1)
    return mean, square + change * (value - mean)


@pytest.mark.parametrize("d", [0, 1, 9, 64])
def test_values_join_a_mean_one_after_another(d):
    rng = np.random.default_rng(d)
    values = rng.normal(size=(12, d)) * 10.0 ** rng.integers(-5, 5, (12, d))
    mean, squares = np.zeros(d), np.zeros(d)
    slow = [(0.0, 0.0)] * d
    for n, row in enumerate(values):
        joined(mean, squares, row, n)
        slow = [slow_join(*pair, float(x), n) for pair, x in zip(slow, row, strict=True)]
        assert list(zip(mean.tolist(), squares.tolist(), strict=True)) == slow
    for i in range(d):
        exact = [Fraction(float(x)) for x in values[:, i]]
        middle = sum(exact) / len(exact)
        spread = sum((x - middle) ** 2 for x in exact)
        size = float(max(map(abs, exact)))
        assert mean[i] == pytest.approx(float(middle), abs=1e-14 * size)
        assert squares[i] == pytest.approx(float(spread), rel=1e-10)


def test_a_value_that_is_no_number_makes_the_mean_none():
    mean, squares = np.zeros(len(ODD)), np.zeros(len(ODD))
    with np.errstate(all="ignore"):
        expected = [slow_join(np.float64(0.0), np.float64(0.0), np.float64(x), 0) for x in ODD]
    joined(mean, squares, np.array(ODD), 0)
    assert_same_bits(mean, np.array([m for m, _ in expected]))
    assert_same_bits(squares, np.array([s for _, s in expected]))


def slow_variance(variance, square, used, count, distinct, calls):
    """One coordinate: the unbiased variance of a mean joins an average."""
    of_mean = (1.0 - used / count if distinct else 1.0) / (used * (used - 1))
    weight = 1.0 / (calls if calls < 1000.0 else 1000.0)
    return variance + weight * (of_mean * square - variance)


@pytest.mark.parametrize("d", [0, 1, 9, 64])
@pytest.mark.parametrize(("used", "count"), [(2, 2), (2, 7), (11, 97), (97, 97)])
@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize("calls", [1.0, 2.0, 999.0, 1000.0, 1001.0, 1e15])
def test_a_variance_joins_the_running_one(d, used, count, distinct, calls):
    rng = np.random.default_rng(used)
    variance, squares = rng.exponential(size=(2, d))
    expected = [
        slow_variance(v, s, used, count, distinct, calls)
        for v, s in zip(variance.tolist(), squares.tolist(), strict=True)
    ]
    exact = [
        Fraction(v)
        + (Fraction(s) * (1 - Fraction(used, count) * distinct) / (used * (used - 1)) - Fraction(v))
        / min(Fraction(calls), 1000)
        for v, s in zip(variance.tolist(), squares.tolist(), strict=True)
    ]
    size = 1e-15 * (1.0 + variance.max(initial=0.0))  # the difference of two numbers is rounded
    variance_joined(variance, squares, used, count, distinct, calls)
    assert variance.tolist() == expected
    np.testing.assert_allclose(variance, [float(x) for x in exact], rtol=1e-14, atol=size)


def test_the_first_mean_decides_alone_and_rows_that_are_all_drawn_have_no_variance():
    variance = np.array([123.0, math.inf])
    variance_joined(variance[:1], np.array([6.0]), 3, 10, False, 1.0)
    assert variance[0] == 1.0
    variance_joined(variance[:1], np.array([6.0]), 10, 10, True, 1.0)
    assert variance[0] == 0.0


def test_one_row_has_no_variance_that_is_a_number():
    """0 / 0, where the differences of a row to itself are divided by none."""
    variance = np.array([0.5])
    variance_joined(variance, np.array([0.0]), 1, 10, False, 1.0)
    assert math.isnan(variance[0])

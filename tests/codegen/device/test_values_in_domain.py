"""Whether values are in a domain: against exact comparisons of fractions, value by value."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from numba import njit

from codegen.device.domain import columns_within, columns_within_simplex, within, within_simplex

TINY, LARGEST = 5e-324, 1.7976931348623157e308
ABOVE_1, BELOW_1 = math.nextafter(1.0, 2.0), math.nextafter(1.0, 0.0)
NUMBERS = [
    -LARGEST, -2.0, -1.0, -2.2250738585072014e-308, -TINY, -0.0, 0.0, TINY,
    2.2250738585072014e-308, 1e-300, 0.5, BELOW_1, 1.0, ABOVE_1, 2.0, LARGEST,
]  # fmt: skip
VALUES = [*NUMBERS, math.inf, -math.inf, math.nan]
ENDS = [
    (-math.inf, math.inf), (0.0, math.inf), (-0.0, math.inf), (-math.inf, 0.0), (0.0, 1.0),
    (-1.0, 1.0), (1.0, 2.0), (TINY, 1.0), (-LARGEST, LARGEST), (1.0, ABOVE_1), (1.0, 1.0),
]  # fmt: skip


@njit
def is_within(values, low, high, low_belongs, high_belongs):
    return within(values, low, high, low_belongs, high_belongs)


@njit
def is_strictly_within(values, low, high):
    return within(values, low, high)


@njit
def are_within(values, low, high, low_belongs, high_belongs):
    return columns_within(values, low, high, low_belongs, high_belongs)


@njit
def is_within_simplex(values):
    return within_simplex(values)


@njit
def are_within_simplex(values):
    return columns_within_simplex(values)


def slow_within(values, low, high, low_belongs=False, high_belongs=False):
    """One value after another, as fractions; an infinite end is no bound."""
    for x in map(float, values):
        if not math.isfinite(x):
            return False
        for end, belongs, sign in ((low, low_belongs, 1), (high, high_belongs, -1)):
            if math.isfinite(end):
                gap = sign * (Fraction(x) - Fraction(end))
                if gap < 0 or (gap == 0 and not belongs):
                    return False
    return True


def slow_within_simplex(values):
    """The sum is the rounded one, from the first value on."""
    summed = 0.0
    for x in map(float, values):
        summed = summed + x
    return slow_within(values, 0.0, math.inf) and summed < 1.0


@pytest.mark.by_default(4)
@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("belong", list(itertools.product((False, True), repeat=2)))
def test_each_value_is_compared_with_both_ends(ends, belong):
    belong = tuple(b and math.isfinite(end) for b, end in zip(belong, ends, strict=True))
    inner = next((x for x in NUMBERS if slow_within([x], *ends, *belong)), 0.5)
    for x in VALUES:
        for values in ([x], [x, inner], [inner, x], [inner] * 8 + [x], [inner] * 70 + [x, inner]):
            expected = slow_within(values, *ends, *belong)
            column = np.array(values)
            assert is_within(column, *ends, *belong) == expected, values
            if not any(belong):
                assert is_strictly_within(column, *ends) == expected, values
            table = np.full((len(values), 3), inner)
            for c in range(3):
                table[:, c] = column
                assert is_within(table[:, c], *ends, *belong) == expected, values
                assert are_within(table, *ends, *belong) == slow_within(
                    table.ravel(), *ends, *belong
                )
                table[:, c] = inner


def test_both_answers_are_given_for_every_kind_of_end():
    for belong in itertools.product((False, True), repeat=2):
        assert [is_within(np.array([x]), -1.0, 1.0, *belong) for x in (-1.0, 0.0, 1.0)] == [
            belong[0], True, belong[1],
        ]  # fmt: skip


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)])
def test_no_value_is_outside_of_anything(shape):
    nothing = np.empty(shape)
    asked = is_within if len(shape) == 1 else are_within
    assert asked(nothing, 0.0, 1.0, False, False)
    assert (is_within_simplex if len(shape) == 1 else are_within_simplex)(nothing)


CASES_OF_SIMPLEX = [
    [], [0.5], [BELOW_1], [1.0], [0.0], [-0.0], [TINY], [-TINY], [math.nan], [math.inf],
    [0.5, 0.5], [0.5, math.nextafter(0.5, 0.0)], [0.5, BELOW_1 / 2], [0.5, -0.25], [2.0, -1.5],
    [math.inf, -math.inf], [0.25, 0.25, 0.25, 0.25], [0.1] * 9, [0.1] * 10, [TINY] * 5,
    [0.5, math.nan], [LARGEST, LARGEST], [0.3, 0.3, 0.0],
    [BELOW_1, 2.0**-54], [2.0**-54, BELOW_1], [1.0 - 2.0**-52, 2.0**-54, 2.0**-54, 2.0**-54],
]  # fmt: skip


@pytest.mark.parametrize("values", CASES_OF_SIMPLEX)
def test_probabilities_are_positive_and_their_rounded_sum_is_below_one(values):
    expected = slow_within_simplex(values)
    column = np.array(values)
    assert is_within_simplex(column) == expected
    right = [0.5 / max(1, len(values))] * len(values)
    table = np.tile(np.array(right)[:, None], (1, 4))
    assert are_within_simplex(table)
    for c in range(4):
        table[:, c] = column
        assert is_within_simplex(table[:, c]) == expected
        assert are_within_simplex(table) == expected
        table[:, c] = right


def test_the_sum_is_added_from_the_first_value_on():
    """Four numbers that each are lost beside one just below 1, and together are not."""
    small = [2.0**-55] * 4
    first, last = [*small, BELOW_1], [BELOW_1, *small]
    assert not slow_within_simplex(first)
    assert slow_within_simplex(last)
    for values in (first, last):
        assert is_within_simplex(np.array(values)) == slow_within_simplex(values)
        assert are_within_simplex(np.array(values)[:, None]) == slow_within_simplex(values)

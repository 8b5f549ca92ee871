"""The descent and the smallest eigenvalue, in plain Python, compared with scipy and numpy."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import minimize

from verify.decide.linear_algebra.eigenvalue import smallest_eigenvalue
from verify.decide.psd.simplex_descent import lowest_found


def valley(x):
    return sum(100 * (b - a * a) ** 2 + (1 - a) ** 2 for a, b in pairwise(x))


def corner(x):
    return sum(abs(c - 1 / 3) for c in x)


@pytest.mark.parametrize("f", [valley, corner])
@pytest.mark.parametrize("n", [2, 3, 4])
def test_a_descent_ends_as_low_as_that_of_scipy(f, n):
    start = [-1.2, 1.0, 0.0, 2.0][:n]
    options = {"maxfev": 160 * n, "xatol": 1e-10, "fatol": 1e-18}
    theirs = minimize(f, np.array(start), method="Nelder-Mead", options=options)
    assert f(lowest_found(f, start, 160 * n)) <= 1.01 * theirs.fun + 1e-15


def test_a_descent_evaluates_no_more_than_it_may():
    calls = []
    lowest_found(lambda x: calls.append(x) or valley(x), [-1.2, 1.0, 0.5], 40)
    assert len(calls) <= 40 + 5  # a step that shrinks the simplex evaluates every corner


@pytest.mark.parametrize("n", range(1, 9))
@pytest.mark.parametrize("size", [1e-140, 1.0, 1e140])
def test_the_smallest_eigenvalue_is_that_of_numpy(n, size):
    draw = np.random.default_rng(n)
    for full in (True, False):
        root = draw.normal(size=(n, n if full else 1))
        A = size * (root @ root.T - (np.eye(n) if full else 0))
        theirs = np.linalg.eigvalsh(A)
        assert abs(smallest_eigenvalue(A.tolist()) - theirs[0]) <= 1e-13 * np.abs(theirs).max()


def test_huge_entries_have_an_eigenvalue():
    assert smallest_eigenvalue([[1e200, 0.0], [1e199, -2e200]]) == pytest.approx(
        np.linalg.eigvalsh(np.array([[1e200, 1e199], [1e199, -2e200]]))[0]
    )


def test_the_lower_triangle_is_read_and_infinite_numbers_have_no_eigenvalue():
    assert smallest_eigenvalue([[1.0, 99.0], [2.0, 1.0]]) == pytest.approx(-1.0)
    assert math.isnan(smallest_eigenvalue([[math.inf, 0.0], [0.0, 1.0]]))
    assert math.isnan(smallest_eigenvalue([[math.nan]]))

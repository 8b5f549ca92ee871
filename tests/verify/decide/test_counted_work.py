"""Searches for sums of squares end after counted steps, and none is made for a sign that a point
excludes.
"""

from importlib import import_module

import pytest
from sympy import Matrix, Rational, Symbol, cos, cosh, exp, sin, sqrt

from recipe import Recipe, Scalar, Vector, total
from recipe.declare.dynamics import derive
from recipe.declare.where import read_conditions
from recipe.language.assumed import under
from verify import Verdict
from verify.decide.linear_algebra import gram_matrix, linear_program, work
from verify.decide.linear_algebra.work import TooMuchWorkError, at_most, count
from verify.decide.nonnegative import certifier, combination
from verify.decide.nonnegative.certifier import nonnegative
from verify.decide.nonnegative.points import possible_at_points
from verify.decide.psd.decide import decide_psd
from verify.engine import outcome_of

PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED

x, y = Scalar("x"), Scalar("y")
theta = Vector("theta")
a = Symbol("a", real=True)

# Matrices of a kind that took minutes before steps were counted. All are positive semidefinite, as
# the root is at least 1.
BY_LEAST_ROOTS = {
    "one exponential": [[sqrt(x**2 + 1), cos(x)], [cos(x), exp(y) + 1]],
    "a sum of angles": [[sqrt(x**2 + 1), cos(x + y)], [cos(x + y), 1 + exp(y)]],
    "three exponentials": [[sqrt(x**2 + 1) + exp(x), cos(x)], [cos(x), exp(y) + exp(-y)]],
    "two roots": [[sqrt(x**2 + y**2 + 1), cos(x)], [cos(x), sqrt(exp(y) + 1)]],
}
# No search finds more than that of these.
LONG = {
    "roots of exponentials": [
        [sqrt(x**2 + exp(y) + 1), cos(x) * sin(y)],
        [cos(x) * sin(y), sqrt(exp(y) + 1)],
    ],
    "a hyperbolic cosine": [
        [sqrt(x**2 + 1), x * cos(x) * exp(-(x**2))],
        [x * cos(x) * exp(-(x**2)), cosh(y)],
    ],
}
SEARCHING = (certifier, import_module("verify.decide.psd.decide"))  # the package has its function
MAX_SIGNS_IN_A_MATRIX = 4  # the pivots of a 2 x 2 matrix, in either order


class Counter:
    """All steps that are made while a test runs, and the number of searches."""

    def __init__(self, monkeypatch):
        self.steps = self.searches = 0
        for module in SEARCHING:
            monkeypatch.setattr(module, "at_most", self.search)
        for module in (gram_matrix, linear_program, combination):
            monkeypatch.setattr(module, "count", self.count)

    def count(self, steps):
        work.count(steps)
        self.steps += steps

    def search(self, steps):
        self.searches += 1
        return at_most(steps)


def decided(rows):
    D = Matrix(rows)
    return decide_psd(derive(Recipe((x, y), H=x**2 / 2 + y**2 / 2, D=D, Q=0 * D)).dynamics)


@pytest.mark.parametrize("name", BY_LEAST_ROOTS)
def test_a_root_of_what_is_at_least_one_is_at_least_one(name):
    assert decided(BY_LEAST_ROOTS[name]).verdict is PROVED


@pytest.mark.by_default(0)
@pytest.mark.parametrize("name", LONG)
def test_a_matrix_with_roots_cosines_and_exponentials_is_left_after_bounded_work(name, monkeypatch):
    counter = Counter(monkeypatch)
    assert decided(LONG[name]).verdict is UNDECIDED
    assert 0 < counter.steps <= MAX_SIGNS_IN_A_MATRIX * certifier.MAX_STEPS


@pytest.mark.by_default(1)
@pytest.mark.parametrize("name", LONG)
def test_the_bound_is_a_bound(name, monkeypatch):
    for module in SEARCHING:
        monkeypatch.setattr(module, "MAX_STEPS", 100_000)
    counter = Counter(monkeypatch)
    half = [[e / (2 - (i == j)) for j, e in enumerate(r)] for i, r in enumerate(LONG[name])]
    assert decided(half).verdict is not REFUTED
    assert counter.searches > 0
    assert counter.steps <= counter.searches * 100_000


def test_an_indefinite_one_of_them_is_still_refuted():
    """exp(y) falls below 1, and there the root times it falls below the square of the cosine."""
    assert decided([[sqrt(x**2 + 1), cos(x)], [cos(x), exp(y)]]).verdict is REFUTED


def test_a_quartic_in_a_total_is_decided_without_a_long_search(monkeypatch):
    """Two equal coordinates leave their own half total: the integral is infinite for d = 2."""
    counter = Counter(monkeypatch)
    declared = Recipe(theta, H=total((theta - total(theta) / 2) ** 4), D=1, Q=0)
    outcome = outcome_of(declared, "normalisable")
    assert outcome.verdict is REFUTED
    assert counter.steps <= certifier.MAX_STEPS


# -- counting
# --------------------------------------------------------------------------------------------------


def test_work_is_counted_inside_of_an_allowance_only():
    count(10**9)
    with at_most(10):
        count(4)
        count(6)
        with pytest.raises(TooMuchWorkError):
            count(1)
    count(10**9)


def test_an_allowance_within_another_is_spent_with_it():
    with at_most(100) as outer:
        with pytest.raises(TooMuchWorkError), at_most(5):
            count(50)
        count(40)
        assert outer.spent == 90
        with pytest.raises(TooMuchWorkError), at_most(1000):
            count(11)


def test_a_proof_that_is_remembered_is_counted_as_when_it_was_found():
    """Who asks second must come no further than who asks first."""
    e = 3 * x**4 + 2 * x**3 * y - x**2 * y**2 + 7 * y**4
    spent = []
    for _ in range(2):
        with at_most(certifier.MAX_STEPS) as allowance:
            assert nonnegative(e, combining=True) is not None
        spent.append(allowance.spent)
    assert spent[0] == spent[1] > 1000
    with pytest.raises(TooMuchWorkError), at_most(1000):
        nonnegative(e, combining=True)
    assert nonnegative(e, combining=True) is not None


MOTZKIN = x**4 * y**2 + x**2 * y**4 - 3 * x**2 * y**2 + 1


def test_a_search_that_ends_in_time_is_not_given_up(monkeypatch):
    e = 2 * x**4 + 2 * x**3 * y - x**2 * y**2 + 5 * y**4  # its squares need x*y as well
    assert nonnegative(e, combining=True) is not None
    monkeypatch.setattr(certifier, "MAX_STEPS", 1000)
    assert nonnegative(2 * e.expand() + x**2 * y**2, combining=True) is None


# -- points
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("e", "signs"),
    [
        (x**2 + 1, (1,)),
        (-(x**2) - 1, (-1,)),
        (x**3 - x, ()),
        (MOTZKIN, (1,)),
        (sqrt(x**2 + 1) - x, (1,)),
        (x - x, (1, -1)),
        (total(theta**2) - total(theta) ** 2, ()),
        (theta.at(-1) * theta.at(-2), ()),
        ((theta.at(-1) - theta.at(-2)) ** 2 + 1, (1,)),
    ],
    ids=str,
)
def test_points_leave_out_signs_that_an_expression_has_not(e, signs):
    assert possible_at_points(e) == signs


def test_points_meet_the_conditions_between_parameters():
    assert possible_at_points(a - 1) == ()
    with under(read_conditions([a > Rational(3, 2)])):
        assert possible_at_points(a - 1) == (1,)

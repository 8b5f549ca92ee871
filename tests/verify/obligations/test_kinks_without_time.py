"""``well-defined`` where the drift of a recipe has no value on a surface, such as a kink of H.

It is proved where the process spends no time on it and no probability flows out of it, undecided
where this flux is open, and refuted where the process may rest there.
"""

import random

import pytest
from sympy import Abs, Interval, Matrix, Symbol, diag, expand, eye, log, oo, sqrt, zeros

from recipe import Noise, OutsideLanguageError, Recipe, Scalar, Update, Vector, total
from verify import Verdict, verify
from verify.engine import outcome_of

PROVED, REFUTED, UNDECIDED = Verdict
x, y, theta = Scalar("x"), Scalar("y"), Vector("theta")
z = Scalar("z", domain=Interval.open(0, oo))
a, eps = Symbol("a", real=True), Symbol("epsilon", positive=True)
w = Noise("w", like=y)
N, TURN = (x**2 + y**2) / 2, Matrix([[0, -1], [1, 0]])


def root(g):
    """|g|, as sympy keeps it."""
    return sqrt(expand(g**2))


def langevin(H, state=(x, y), D=None, Q=None):
    return Recipe(state, H, eye(len(state)) if D is None else D, Q or zeros(len(state)))


NO_TIME = {
    "one coordinate": langevin(root(y - 1) + y**2, (y,)),
    "where a parameter says": langevin(root(x - a) + N),
    "two": langevin(root(x - 1) + root(y + 2) + N, Q=TURN),
    "a line": langevin(root(x - y) + N, Q=TURN),
    "a circle": langevin(root(x**2 + y**2 - 1) + N),
    "of D": langevin(N, D=eye(2) * (1 + root(x - 1))),
    "of Q": langevin(N, Q=TURN * root(x - 1)),
    "each coordinate": Recipe(theta, total(root(theta - 1) + theta**2), 1, 0),
    "noise that vanishes elsewhere": langevin(root(z - 1) + z, (z,), Matrix([[z]])),
    "a position with a momentum": langevin(root(x - 1) + N, D=diag(0, 1), Q=TURN),
}
MAY_REST = {
    "no noise there": langevin(root(y - 1) + y**2, (y,), Matrix([[(y - 1) ** 2]])),
    "a root of D": langevin(root(y - 1) + y**2, (y,), Matrix([[root(y - 1)]])),
    "no noise": langevin(root(x - 1) + N, D=zeros(2), Q=TURN),
    "a drift that is infinite": langevin(sqrt(root(y - 1)) + y**2, (y,)),
    "H without a value": langevin(log(root(y - 1)) + y**2, (y,)),
    "a printed rule": Update(
        eps, {y: y - eps * (y - 1) / root(y - 1) + sqrt(2 * eps) * w}, root(y - 1)
    ),
}


@pytest.mark.parametrize("name", NO_TIME)
def test_a_surface_without_time_and_flux_is_left_out(name):
    outcome = outcome_of(NO_TIME[name], "well-defined")
    assert outcome.verdict is PROVED
    assert any("spends no time there" in fact for fact in outcome.facts)
    assert outcome_of(NO_TIME[name], "stationarity").verdict is PROVED


@pytest.mark.parametrize("name", MAY_REST)
def test_a_surface_where_the_value_matters_is_not(name):
    assert outcome_of(MAY_REST[name], "well-defined").verdict is not PROVED


@pytest.mark.parametrize(
    "H", [sqrt(root(y - 1)) + y**2, log(1 + root(y - 1)) + y**2], ids=("infinite", "log")
)
def test_a_surface_without_time_refutes_nothing_where_the_flux_is_open(H):
    """Both are valid: one coordinate, D = 1 and a continuous density."""
    outcome = outcome_of(langevin(H, (y,)), "well-defined")
    assert outcome.verdict is UNDECIDED
    assert "spends no time" in outcome.by


def test_a_kink_is_proved_as_a_whole_and_an_absolute_value_says_how_to_write_it():
    assert verify(NO_TIME["one coordinate"]).verdict is PROVED
    for written in (Abs(y - 1), sqrt((y - 1) ** 2)):  # sympy reads both as one
        with pytest.raises(OutsideLanguageError, match=r"write sqrt\(y\*\*2 - 2\*y \+ 1\)$"):
            langevin(written + y**2, (y,))


def test_the_law_of_a_kink_is_kept_in_numbers():
    """Langevin dynamics of |y - 1| + y^2, in small steps from an exact draw, with the drift -2 at
    1: the mean of |y - 1| stays what it is under exp(-H), up to four standard errors and a bias of
    the order of the step.
    """
    chosen, h, kept = random.Random(3), 0.01, []
    for _ in range(1500):
        while True:  # rejection from the normal law of y^2
            at = chosen.gauss(0, 0.5**0.5)
            if chosen.random() < 2.718281828459045 ** -abs(at - 1):
                break
        for _ in range(50):
            slope = (at > 1) - (at < 1) + 2 * at
            at += -h * slope + (2 * h) ** 0.5 * chosen.gauss(0, 1)
        kept.append(abs(at - 1))
    mean = sum(kept) / len(kept)
    spread = (sum((k - mean) ** 2 for k in kept) / len(kept) / len(kept)) ** 0.5
    grid = [-6 + 0.001 * k for k in range(12001)]
    p = [2.718281828459045 ** (-abs(t - 1) - t * t) for t in grid]
    exact = sum(abs(t - 1) * q for t, q in zip(grid, p, strict=True)) / sum(p)
    assert abs(mean - exact) < 4 * spread + h

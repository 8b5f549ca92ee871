"""``boundary`` of coordinates whose drift depends on others, where their own noise vanishes."""

import math
import random

import numpy as np
import pytest
from sympy import Interval, Lambda, Matrix, Rational, Symbol, cos, exp, log, oo, sin, sqrt

from catalog.scir import scir_posterior
from catalog.sgrld import sgrld_reciprocal
from recipe import Data, Parameter, Posterior, Potential, Recipe, Scalar, Vector, bind, ito, total
from verify import Verdict, verify
from verify.engine import outcome_of

PROVED, UNDECIDED = Verdict.PROVED, Verdict.UNDECIDED

theta = Vector("theta", domain=Interval.open(0, oo))
r = Vector("r", like=theta)
y = Scalar("y")
U, V = scir_posterior.H, Potential("V", theta)
alpha = Parameter("alpha", like=theta, positive=True)
above = Parameter("above", like=theta, nonnegative=True)
q = Parameter("q", like=theta)
x = Data("x", like=theta)
c = Symbol("c", positive=True)
whole = total(theta)


def boundary(H, D=theta):
    return outcome_of(Recipe(theta, H=H, D=D, Q=0), "boundary")


def gamma(shape):
    return -total((shape - 1) * log(theta))


NEVER = {
    "smooth up to the edge": whole**2,
    "a bounded coupling": whole + sin(whole) * cos(total(theta**2)),
    "shapes above one, coupled": gamma(1 + above) + whole**2,
    "a ratio of totals that is smooth": total(theta**2) / (1 + whole),
}
TURNS_BACK = {
    "any shape, coupled": gamma(alpha) + whole**2,
    "a shape of a half, coupled": gamma(Rational(1, 2)) + log(1 + whole),
}
OPEN = {
    "a shape without a sign": gamma(q) + whole**2,
    "a law that is infinite at the edge": total(1 / theta) * whole,
    "a root that is not smooth at the edge": total(sqrt(theta)) ** 2,
    "a logarithm of the other sign": total(alpha * log(theta)) + whole**2,
}


@pytest.mark.parametrize("name", NEVER)
def test_an_edge_that_is_never_reached(name):
    outcome = boundary(NEVER[name])
    assert outcome.verdict is PROVED
    assert "unattainable, as the noise of theta is its own" in outcome.by


@pytest.mark.parametrize("name", TURNS_BACK)
def test_an_edge_that_turns_back(name):
    outcome = boundary(TURNS_BACK[name])
    assert outcome.verdict is PROVED
    assert "self-reflecting, as the noise of theta is its own" in outcome.by


@pytest.mark.parametrize("name", OPEN)
def test_what_is_not_proved_stays_open(name):
    assert boundary(OPEN[name]).verdict is UNDECIDED


NOISE = {
    "does not vanish": 1 + theta,
    "vanishes like a root": sqrt(theta),
    "vanishes like a square": theta**2,
    "depends on the total": theta * (1 + whole),
}


@pytest.mark.parametrize("name", NOISE)
def test_another_noise_is_no_case_of_the_theorem(name):
    outcome = boundary(gamma(alpha) + whole**2, NOISE[name])
    assert "noise of theta is its own" not in outcome.by


def test_noise_that_is_shared_is_no_case_of_the_theorem():
    shared = Recipe(
        (theta, y),
        H=whole**2 + y**2 / 2 + gamma(alpha),
        D=Matrix([[theta, theta], [theta, 1 + whole]]),
        Q=Matrix([[0, 0], [0, 0]]),
    )
    assert outcome_of(shared, "boundary").verdict is not PROVED


def test_a_current_across_the_edge_is_no_case_of_the_theorem():
    turning = Recipe(
        (theta, r),
        H=whole**2 + total(r**2) / 2,
        D=Matrix([[theta, 0], [0, 1]]),
        Q=Matrix([[0, -1], [1, 0]]),
    )
    assert outcome_of(turning, "boundary").verdict is not PROVED


p, s = (Scalar(name, domain=Interval.open(0, oo)) for name in "ps")
CORNERS = {
    # T = p + s is a square-root process of shape 1/2, which reaches 0: from (1, 1) by t = 3 with
    # probability 0.647. Each coordinate alone has a limit of e H' for every value of the other one.
    "a total of two blocks": p + s + Rational(3, 2) * log(p + s),
    "a norm of two blocks": p + s + Rational(3, 4) * log(p**2 + s**2),
    "a corner that absorbs": p + s + 3 * log(p + s),
}


@pytest.mark.parametrize("name", CORNERS)
def test_a_corner_of_two_blocks_is_no_edge_of_one(name):
    recipe = Recipe((p, s), H=CORNERS[name], D=Matrix([[p, 0], [0, s]]), Q=Matrix.zeros(2))
    assert outcome_of(recipe, "boundary").verdict is UNDECIDED
    u = Symbol("u")
    moved = ito(recipe, p, Lambda(u, exp(u)))
    assert outcome_of(moved, "non-explosion").verdict is not PROVED


def test_two_blocks_without_a_corner_are_decided():
    recipe = Recipe(
        (p, s), H=p + s + p * s + log(1 + p + s), D=Matrix([[p, 0], [0, s]]), Q=Matrix.zeros(2)
    )
    assert outcome_of(recipe, "boundary").verdict is PROVED


# -- abstract laws
# --------------------------------------------------------------------------------------------------


BOUND = (
    "theta*grad({}, theta) <= C*theta**a near theta = 0 for some C and a > 0, uniformly on bounded"
)


@pytest.mark.parametrize(("recipe", "law"), [(sgrld_reciprocal, "U"), (scir_posterior, "U")])
def test_an_abstract_law_is_proved_under_a_bound_that_the_report_states(recipe, law):
    report = verify(recipe)
    assert report.verdict is PROVED
    assert any(BOUND.format(law) in a for a in outcome_of(recipe, "boundary").assumptions)
    # no other line says that the edge is never reached without saying what of U
    uniqueness = outcome_of(recipe, "uniqueness")
    assert any(BOUND.format(law) in a for a in uniqueness.assumptions)


@pytest.mark.parametrize("D", [1, theta**2, sqrt(theta), theta * whole])
def test_an_abstract_law_with_another_noise_stays_open(D):
    assert boundary(V, D).verdict is UNDECIDED


@pytest.mark.parametrize(
    ("law", "verdict"),
    [
        (whole**2, PROVED),
        (gamma(alpha) + whole**2, PROVED),
        (gamma(q) + whole**2, UNDECIDED),
        (-total(log(log(1 + 1 / theta))) * 2 + whole, UNDECIDED),  # the bound fails, barely
    ],
)
def test_the_bound_is_checked_where_the_law_is_bound(law, verdict):
    bound = bind(scir_posterior, {U: law})
    outcome = outcome_of(bound, "boundary")
    assert outcome.verdict is verdict
    assert not outcome.assumptions


def counts(shape, data):
    model = Posterior(theta, total(x * log(theta)), -gamma(shape) - whole, {x: data})
    return outcome_of(bind(scir_posterior, {U: model}), "boundary")


@pytest.mark.parametrize(
    ("shape", "data", "verdict"),
    [
        (alpha, [[1, 2], [0, 3]], PROVED),
        (1 + above, [[1, 2], [0, 3]], PROVED),
        (alpha, [[1, 2], [-1, 3]], UNDECIDED),
        (alpha, [[1.0, math.nan]], UNDECIDED),
        (alpha, [[1.0, math.inf]], UNDECIDED),
        (alpha, [["1", "2"]], UNDECIDED),
        (alpha, np.array([[1, 2], [0, 3]]), PROVED),
        (alpha, np.array([[1, 2], [0, -3]]), UNDECIDED),
        (alpha, np.array([[1 + 1j, 2]]), UNDECIDED),
        (alpha, np.ma.masked_array([[1, 2]], mask=[[0, 1]]), UNDECIDED),
        (q, [[1, 2]], UNDECIDED),
    ],
)
def test_the_bound_is_checked_for_a_posterior_and_its_data(shape, data, verdict):
    outcome = counts(shape, data)
    assert outcome.verdict is verdict
    assert not outcome.assumptions


def test_of_a_posterior_whose_likelihood_is_not_written_the_edge_is_open():
    model = Posterior(theta, None, 0, {}, gradient=lambda *_: None)
    assert outcome_of(bind(scir_posterior, {U: model}), "boundary").verdict is UNDECIDED


# -- a second look: the Lyapunov function of the proof, in numbers
# --------------------------------------------------------------------------------------------------


def test_the_function_of_the_proof_falls_along_the_process():
    """``V = -log(e) - K e^a`` with a drift that just meets ``f >= c - C e^a``, in plain floats."""
    chosen = random.Random(1)
    for _ in range(200):
        scale, C, a = (chosen.uniform(0.2, 3) for _ in range(3))
        K = 2 * C / (scale * a * a)
        near = (scale * a / (4 * C)) ** (1 / a) / 10
        for e in (near, near * 1e-4, near * 1e-8):
            f, D = scale - C * e**a, scale * e
            slope = -1 / e - K * a * e ** (a - 1)
            bend = 1 / e**2 - K * a * (a - 1) * e ** (a - 2)
            assert f * slope + D * bend <= 1e-9 * abs(f * slope)


def test_bounded_coordinates_at_their_upper_end():
    u = Vector("u", domain=Interval.open(0, 1))
    shape = Parameter("shape", like=u, positive=True)
    H = -total((shape - 1) * log(1 - u)) + total(u) ** 2
    recipe = Recipe(u, H=H, D=c * u * (1 - u), Q=0)
    at_upper = outcome_of(recipe, "boundary").by.split("; u = 1")[1]
    assert "self-reflecting" in at_upper
    assert outcome_of(Recipe(u, H=exp(total(u)), D=c * u * (1 - u), Q=0), "boundary").by.count(
        "unattainable"
    )

"""Rules that are no shears, and densities after wrong tests, against plain numpy."""

import math
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from helpers.outcomes import outcome_of
from scipy.integrate import quad
from scipy.stats import norm
from sympy import Interval, Matrix, Rational, Symbol, cos, exp, log, oo, sin, sqrt, zeros

from recipe import (
    Noise,
    Potential,
    Recipe,
    Scalar,
    Update,
    Vector,
    compose,
    metropolis,
    refresh,
    step,
    total,
)
from verify import Verdict, verify
from verify.kernels.density_after_proposal import witness_after_proposal
from verify.kernels.density_of_position import witness_of_position

PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED
h, a = Symbol("h", positive=True), Symbol("a", positive=True)
b = Symbol("b", real=True)
theta = Vector("theta")
r = Vector("r", like=theta)
d = theta.dim
x, y = Scalar("x"), Scalar("y")
p = Scalar("p", domain=Interval.open(0, oo))
u = Scalar("u", domain=Interval.open(0, 1))
U = Potential("U", theta)
w, n = Noise("w", like=theta), Noise("n", like=x)
CANONICAL = Matrix([[0, -1], [1, 0]])
ROUND = (x**2 + y**2) / 2
NORMAL = Recipe((x, y), ROUND, zeros(2), CANONICAL)
K = total(r**2) / 2
TURN = {x: cos(h) * x + sin(h) * y, y: cos(h) * y - sin(h) * x}


def invariance(*parts):
    return outcome_of(verify(compose(*parts)), "invariance")


def moved(rule, H):
    return step(Update(h, rule, H))


# -- deterministic rules
# --------------------------------------------------------------------------------------------------

MOVES = {
    "a rotation": (PROVED, TURN, ROUND),
    "a rotation of another law": (REFUTED, TURN, x**2 + y**2 / 2),
    "a rotation that stretches": (REFUTED, {x: 2 * TURN[x], y: TURN[y]}, ROUND),
    "an exchange": (PROVED, {x: y, y: x}, x**4 + y**4 + x * y),
    "an exchange of unequal coordinates": (REFUTED, {x: y, y: x}, x**4 + 2 * y**4),
    "a quarter turn": (PROVED, {x: y, y: -x}, (x**2 + y**2) ** 2 + x**2 * y**2),
    "a quarter turn of a skew law": (REFUTED, {x: y, y: -x}, x**4 + y**4 + x),
    "a rotation of vectors": (
        PROVED,
        {theta: cos(h) * theta + sin(h) * r, r: cos(h) * r - sin(h) * theta},
        total(theta**2 + r**2) / 2,
    ),
    "a reflection": (PROVED, {theta: theta, r: r - 2 * total(r) / d}, U + K),
    "a reflection that is too long": (REFUTED, {theta: theta, r: r - 3 * total(r) / d}, U + K),
    "an inversion": (PROVED, {p: 1 / p}, log(p) + log(p) ** 2),
    "an inversion without its Jacobian": (REFUTED, {p: 1 / p}, log(p) ** 2),
    "a mirror of an interval": (PROVED, {u: 1 - u}, -a * log(u * (1 - u))),
    "a mirror of an interval, skew": (REFUTED, {u: 1 - u}, -a * log(u) - log(1 - u)),
    "a map out of the domain": (UNDECIDED, {p: 1 - p}, p),
    "a map that is not one to one": (UNDECIDED, {x: x**2 - 1}, x**2 / 2),
    "the baker's map": (UNDECIDED, {x: 2 * x**3 - 3 * x}, x**2 / 2),
    "a determinant that may vanish": (UNDECIDED, {x: b * x, y: y}, x**4 + y**2),
}


@pytest.mark.parametrize("name", MOVES)
def test_a_deterministic_rule(name):
    wanted, rule, H = MOVES[name]
    found = invariance(moved(rule, H))
    assert found.verdict is wanted, found.by
    assert (found.witness is not None) == (wanted is REFUTED)


def test_random_matrices_keep_a_round_law_only_if_they_are_orthogonal():
    draw = random.Random(3)
    seen = set()
    for _ in range(25):
        c, s = draw.choice(((3, 4), (5, 0), (-4, 3), (0, 5)))
        A = np.array([[c, s], [-s, c]]) @ np.diag([draw.choice((1, -1)), 1])
        if draw.random() < 0.5:
            A = A + np.array([[draw.choice((0, 0, 5)), 0], [0, draw.choice((0, 5))]])
        rule = {
            x: Rational(int(A[0, 0]), 5) * x + Rational(int(A[0, 1]), 5) * y,
            y: Rational(int(A[1, 0]), 5) * x + Rational(int(A[1, 1]), 5) * y,
        }
        orthogonal = (25 * np.eye(2) == A @ A.T).all()
        verdict = invariance(moved(rule, ROUND)).verdict
        assert (verdict is PROVED) == orthogonal, A
        seen.add((verdict, bool(orthogonal)))
    assert {(PROVED, True), (REFUTED, False)} <= seen


TESTS = {
    "an exchange": (PROVED, Update(h, {x: y, y: x}, x**4 / 4 + y**2 / 2), ()),
    "a turned sign": (PROVED, Update(h, {x: -x}, x**4 + x**3), ()),
    "a rotation, turned": (PROVED, Update(h, TURN, ROUND), y),
    "a rotation beside a force": (PROVED, Update(h, TURN, ROUND + x**4 + y**4), y),
    "a rotation under a law that is not even": (REFUTED, Update(h, TURN, ROUND + y), y),
    "a stretched exchange": (UNDECIDED, Update(h, {x: 2 * y, y: x}, ROUND), ()),
    "an inversion without its Jacobian": (UNDECIDED, Update(h, {p: 1 / p}, p), ()),
}


@pytest.mark.parametrize("name", TESTS)
def test_a_tested_map(name):
    wanted, rule, turned = TESTS[name]
    assert invariance(metropolis(rule, flip=turned)).verdict is wanted


# -- wrong ratios of proposals
# --------------------------------------------------------------------------------------------------


def wrong(rule, H, cost):
    return compose(replace(metropolis(Update(h, rule, H)), cost=cost))


RATIOS = {
    "Langevin with the ratio of the target": (
        {x: x - h * x**3 + sqrt(2 * h) * n},
        x**4 / 4,
        x**4 / 4,
    ),
    "a scale of the position": ({x: x + sqrt(h) * sqrt(1 + x**2) * n}, x**4, x**4),
    "half of the exponent": ({x: x + sqrt(h) * n}, x**4, x**4 / 2),
    "a half line": ({p: p + h * p * Noise("n", like=p)}, p - log(p), p - log(p)),
}


def numbers(witness, block):
    point = {k: float(Fraction(v)) for k, v in witness.point.items()}
    return point, float(witness.finding.split("at least ")[1].split(" times")[0])


@pytest.mark.by_default(2)
@pytest.mark.parametrize("name", RATIOS)
def test_a_wrong_ratio_is_refuted_and_its_density_is_that_of_quadrature(name):
    rule, H, cost = RATIOS[name]
    ((block, e),) = rule.items()
    found = invariance(*wrong(rule, H, cost).parts)
    assert found.verdict is REFUTED
    point, said = numbers(found.witness, block)
    at, size = point[str(block)], point["h"]
    low = 1e-12 if block is p else -12

    def of(expression, value):
        return float(expression.xreplace({h: Rational(size), block: Rational(value)}))

    def proposal(there, here):
        draw = next(iter(e.free_symbols - {block, h}))
        root = of(e.diff(draw), here)
        return norm.pdf(there, of(e.xreplace({draw: 0 * h}), here), abs(root))

    def accepted(here, there):
        return math.exp(min(0.0, of(cost, here) - of(cost, there)))

    def gained(z):
        flow = math.exp(of(H, at) - of(H, z)) * proposal(at, z) * accepted(z, at)
        return flow - proposal(z, at) * accepted(at, z)

    added = quad(gained, low, 14, limit=300, points=[at])[0]
    assert 1 + added == pytest.approx(said, abs=2e-3)
    assert said > 1


@pytest.mark.by_default(2)
@pytest.mark.parametrize("name", RATIOS)
def test_no_witness_against_a_right_ratio(name):
    rule, H, _ = RATIOS[name]
    kernel = compose(metropolis(Update(h, rule, H)))
    assert invariance(*kernel.parts).verdict is PROVED
    assert witness_after_proposal(kernel, kernel.parts[0]) is None


# -- maps that do not keep volume
# --------------------------------------------------------------------------------------------------

METRIC = 1 + x**2
MASSED = [(y, y - h / 2 * x), (x, x + h * y / METRIC), (y, y - h / 2 * x)]
RIEMANN = x**2 / 2 + y**2 / (2 * METRIC) + log(METRIC) / 2
FORCE = RIEMANN.diff(x)
EXPLICIT = [(y, y - h / 2 * FORCE), (x, x + h * y / METRIC), (y, y - h / 2 * FORCE)]
WRONG_MAPS = {
    "a mass of the position in the drift alone": (NORMAL, MASSED, 1),
    "a speed that is even": (NORMAL, [(x, x + h * y**2), (y, y)], 1),
    "friction inside": (NORMAL, [(y, y - h / 2 * x - h * y / 2), (x, x + h * y)], 1),
    "two rounds of friction": (NORMAL, [(y, y - h / 2 * x - h * y / 2), (x, x + h * y)], 2),
}


@pytest.mark.slow_for("friction inside", "two rounds of friction")
@pytest.mark.parametrize("name", WRONG_MAPS)
def test_a_map_without_its_jacobian_is_refuted_and_its_density_is_that_of_a_grid(name):
    law, rule, rounds = WRONG_MAPS[name]
    test = metropolis(Update(h, rule, law.H), flip=y, times=rounds)
    found = invariance(refresh(law, y), test)
    assert found.verdict is REFUTED, found.by
    point, said = numbers(found.witness, x)
    assert 1 < said <= on_a_grid(law.H, rule, rounds, point["h"], point["x"]) + 0.01


def on_a_grid(H, rule, rounds, size, at, width=0.0525):
    """The share of a grid of states that is near ``at`` after the test, over that before."""
    from sympy import lambdify

    def of(e):
        return lambdify((x, y), (e + 0 * x).xreplace({h: Rational(size)}), "numpy")

    side = np.linspace(-7, 7, 2801)
    X, Y = np.meshgrid(side, side)
    before = [X, Y]
    z = [X, Y]
    for _ in range(rounds):
        for block, e in rule:
            z[0 if block == x else 1] = of(e)(*z) + 0 * X
    energy = of(H)
    weight = np.exp(-energy(*before))
    accepted = np.exp(np.minimum(0, energy(*before) - energy(*z)))
    near, was = (np.abs(place - at) < width for place in (z[0], X))
    after = (weight * accepted * near).sum() + (weight * (1 - accepted) * was).sum()
    return after / (weight * was).sum()


@pytest.mark.slow
def test_leapfrog_with_a_mass_of_the_position_is_refuted():
    law = Recipe((x, y), RIEMANN, zeros(2), CANONICAL)
    found = invariance(refresh(law, y), metropolis(Update(h, EXPLICIT, law.H), flip=y))
    assert found.verdict is REFUTED
    point, said = numbers(found.witness, x)
    assert 1 < said <= on_a_grid(law.H, EXPLICIT, 1, point["h"], point["x"]) + 0.01


def test_a_multiplicative_move_without_its_jacobian_is_refuted():
    H = p - a * log(p) + y**2 / 2
    law = Recipe((p, y), H, zeros(2), CANONICAL)
    test = metropolis(Update(h, [(p, p * exp(h * y)), (y, y)], H), flip=y)
    assert invariance(refresh(law, y), test).verdict is REFUTED


@pytest.mark.parametrize("rounds", [1, 2])
def test_no_witness_against_leapfrog(rounds):
    leapfrog = [(y, y - h / 2 * x), (x, x + h * y), (y, y - h / 2 * x)]
    kernel = compose(
        refresh(NORMAL, y), metropolis(Update(h, leapfrog, ROUND), flip=y, times=rounds)
    )
    assert witness_of_position(kernel, kernel.parts[1], (), frozenset()) is None


def test_a_fault_in_what_the_next_sweep_redraws_refutes_nothing():
    """The law of x is kept; that of y is wrong after the sweep, and nobody reads it."""
    stretched = metropolis(Update(h, {y: 2 * y, x: x}, ROUND))
    assert invariance(refresh(NORMAL, y), stretched).verdict is UNDECIDED
    assert invariance(refresh(NORMAL, y, keep=Rational(1, 2)), stretched).verdict is REFUTED


def test_a_fault_that_a_later_part_may_hide_is_left_open():
    test = metropolis(Update(h, MASSED, ROUND), flip=y)
    assert invariance(test, refresh(NORMAL, y)).verdict is REFUTED
    assert invariance(test, refresh(NORMAL, x)).verdict is not PROVED
    assert invariance(test, refresh(NORMAL, x), refresh(NORMAL, y)).verdict is not REFUTED

"""``boundary`` of coordinates that depend on each other through their total: faces and corner are
two questions.
"""

import pytest
from sympy import (
    Function,
    Interval,
    Matrix,
    Rational,
    Symbol,
    diag,
    eye,
    log,
    oo,
    simplify,
    symbols,
)

from recipe import Noise, Parameter, Recipe, Scalar, Update, Vector, mirror, total
from verify import Verdict
from verify.engine import outcome_of

PROVED, UNDECIDED = Verdict.PROVED, Verdict.UNDECIDED

theta = Vector("theta", domain=Interval.open(0, oo))
alpha = Parameter("alpha", like=theta, positive=True)
above = Parameter("above", like=theta, nonnegative=True)
n = Parameter("n", like=theta, nonnegative=True)
M, eps = Symbol("M", positive=True), Symbol("epsilon", positive=True)
whole = total(theta)
w = Noise("w", like=theta)


def gamma_law(shape, of_total):
    return -total((shape - 1) * log(theta)) + of_total


def boundary(H, D=theta):
    return outcome_of(Recipe(theta, H=H, D=D, Q=0), "boundary")


EXPANDED_MEAN = whole + total(n) * log(whole)


def test_below_the_thresholds_faces_and_corner_turn_back_by_themselves():
    outcome = boundary(gamma_law(n + alpha, EXPANDED_MEAN))
    assert outcome.verdict is PROVED
    faces, corner = outcome.by.split("; the corner")
    assert "self-reflecting" in faces
    assert "self-reflecting" in corner
    assert "k = total(alpha) - 1" in corner


def test_above_the_thresholds_neither_is_reached():
    outcome = boundary(gamma_law(n + 1 + above, EXPANDED_MEAN))
    assert outcome.verdict is PROVED
    assert outcome.by.count("unattainable") == 2


def test_faces_are_never_reached_where_the_corner_may_be():
    # the counts are at least 1, and the shape d/2 of the total is below 1 for d = 1
    counts = Parameter("m", like=theta, positive=True, integer=True)
    outcome = boundary(gamma_law(counts + Rational(1, 2), whole + total(counts) * log(whole)))
    assert outcome.verdict is PROVED
    faces, corner = outcome.by.split("; the corner")
    assert "unattainable" in faces
    assert "self-reflecting" in corner


TRUE = {
    "a larger noise": (gamma_law(alpha, EXPANDED_MEAN - total(n) * log(whole)), M * theta),
    "a heavier tail": (gamma_law(alpha, whole**2 + log(1 + whole)), theta),
    "a law of the total that pushes away": (gamma_law(alpha, whole + 1 / whole), theta),
}


@pytest.mark.parametrize("case", TRUE)
def test_other_functions_of_the_total_are_decided(case):
    assert boundary(*TRUE[case]).verdict is PROVED


OPEN = {
    # the total has the shape total(alpha) - M, which may be negative: then there is no such law
    "the total's shape may be negative": (gamma_law(alpha, whole + M * log(whole)), theta),
    "a shape without a sign": (
        gamma_law(Parameter("q", like=theta), EXPANDED_MEAN),
        theta,
    ),
    "noise that grows like another power": (gamma_law(n + alpha, EXPANDED_MEAN), theta**2),
    "noise with a scale for each coordinate": (
        gamma_law(n + alpha, EXPANDED_MEAN),
        n * theta + theta,
    ),
    "noise that depends on the total": (gamma_law(n + alpha, EXPANDED_MEAN), theta / (1 + whole)),
    "another function of all coordinates": (
        gamma_law(alpha, whole + log(total(theta**2))),
        theta,
    ),
}


@pytest.mark.parametrize("case", OPEN)
def test_what_the_theorem_does_not_say_stays_open(case):
    assert boundary(*OPEN[case]).verdict is UNDECIDED


def test_a_claim_with_another_drift_stays_open():
    H = gamma_law(n + alpha, EXPANDED_MEAN)
    drift = n + alpha - total(n) * theta / whole - theta
    for factor, expected in ((1, PROVED), (2, UNDECIDED)):
        rule = {theta: theta + factor * eps * drift + (2 * eps * theta) ** Rational(1, 2) * w}
        assert outcome_of(Update(eps, rule, target=H), "boundary").verdict is expected


def test_a_reflection_of_a_process_that_turns_back_by_itself_is_harmless():
    reflected = mirror(Recipe(theta, H=gamma_law(n + alpha, EXPANDED_MEAN), D=theta, Q=0), theta)
    assert outcome_of(reflected, "boundary").verdict is PROVED


def test_a_scalar_beside_the_block_in_the_law_stays_open():
    y = Scalar("y")
    H = gamma_law(alpha, whole + y**2 * log(whole) + y**2)
    recipe = Recipe((theta, y), H=H, D=Matrix([[theta, 0], [0, 1]]), Q=Matrix([[0, 0], [0, 0]]))
    assert outcome_of(recipe, "boundary").verdict is UNDECIDED


def test_direction_and_total_are_independent_by_itos_formula():
    """The theorem's formulas, in three coordinates with plain sympy and an unknown G."""
    x, b, c = symbols("x1:4", positive=True), symbols("b1:4", positive=True), symbols("c")
    T, s = sum(x), symbols("s", positive=True)
    slope = Function("G")(s).diff(s).subs(s, T).doit()
    drift = [c * (b[k] - x[k] * slope) for k in range(3)]
    D = c * diag(*x)

    def generator(f):
        first = sum(drift[k] * f.diff(x[k]) for k in range(3))
        return first + sum(D[k, k] * f.diff(x[k], 2) for k in range(3))

    def carre(f, g):
        return sum(D[k, k] * f.diff(x[k]) * g.diff(x[k]) for k in range(3))

    pi = [x[k] / T for k in range(3)]
    B = sum(b)
    assert simplify(generator(T) - c * (B - T * slope)) == 0
    assert simplify(carre(T, T) - c * T) == 0
    for k in range(3):
        assert simplify(generator(pi[k]) - c / T * (b[k] - B * pi[k])) == 0
        assert simplify(carre(pi[k], T)) == 0
        for m in range(3):
            wanted = c / T * (eye(3)[k, m] * pi[k] - pi[k] * pi[m])
            assert simplify(carre(pi[k], pi[m]) - wanted) == 0

"""``marginal``: laws of the positions, declared and inferred, beside numerical integration over the
auxiliaries.
"""

import numpy as np
import pytest
from cases.catalog_recipes import catalog_recipes
from scipy.integrate import quad
from sympy import Dummy, Function, Matrix, S, Symbol, exp, lambdify, log, sin, sqrt

from recipe import Dense, Field, Potential, Recipe, Scalar, Vector, dot, total
from recipe.language.total import opened
from verify import Verdict, verify
from verify.obligations.process.marginal import FINITE_INTEGRAL

PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED

theta = Vector("theta")
r = Vector("r", like=theta)
xi = Scalar("xi")
x, y, z = Scalar("x"), Scalar("y"), Scalar("z")
U = Potential("U", theta)
G = Function("G", positive=True)(theta)
F = Field("F", theta, positive=True)
M = Dense("M", theta, positive=True)
A = Symbol("A", positive=True)
K = total(r**2) / 2
CANONICAL, FRICTION, NONE = Matrix([[0, -1], [1, 0]]), Matrix([[0, 0], [0, A]]), Matrix.zeros(2)


def momentum(H, marginal=True):
    return Recipe((theta, r), H, FRICTION, CANONICAL, marginal={theta: U} if marginal else None)


def scalars(H, law, state=(x, y)):
    n = len(state)
    return Recipe(state, H, Matrix.eye(n), Matrix.zeros(n), marginal={x: law})


def marginal(recipe):
    return next((line.outcome for line in verify(recipe).lines if line.name == "marginal"), None)


CASES = {
    "a momentum by itself": (PROVED, momentum(U + K)),
    "a Riemannian momentum": (PROVED, momentum(U + total(G * r**2) / 2 - total(log(G)) / 2)),
    "a Riemannian momentum without its log-determinant": (
        REFUTED,
        momentum(U + total(G * r**2) / 2),
    ),
    "with its log-determinant of the wrong sign": (
        REFUTED,
        momentum(U + total(G * r**2) / 2 + total(log(G)) / 2),
    ),
    "a metric of the whole block": (PROVED, momentum(U + total(F * r**2 - log(F)) / 2)),
    "a metric of the whole block alone": (REFUTED, momentum(U + total(F * r**2) / 2)),
    "a mean": (PROVED, momentum(U + total((r - sin(theta)) ** 2) / 2)),
    "a mean of the whole block": (
        PROVED,
        momentum(U + total((r - theta * total(theta**2)) ** 2) / 2),
    ),
    "a tilt that is not a mean": (REFUTED, momentum(U + K + total(r * theta))),
    "a dense precision": (PROVED, momentum(U + total(r * dot(M, r)) / 2)),
    "a dense precision and a mean": (
        PROVED,
        momentum(U + total((r - theta) * dot(M, r - theta)) / 2),
    ),
    "a dense precision and a tilt": (
        REFUTED,
        momentum(U + total(r * dot(M, r)) / 2 + total(r * theta)),
    ),
    "a law of Student": (PROVED, momentum(U + total(log(1 + r**2 / G**2) + log(G)))),
    "a law of Student without its scale": (REFUTED, momentum(U + total(log(1 + r**2 / G**2)))),
    "a relativistic momentum": (
        PROVED,
        momentum(U + total(sqrt(1 + r**2 * G)) - total(log(G)) / 2),
    ),
    "a relativistic momentum without its scale": (REFUTED, momentum(U + total(sqrt(1 + r**2 * G)))),
    "a quartic momentum": (PROVED, momentum(U + total(r**4 * G) - total(log(G)) / 4)),
    "two powers": (REFUTED, momentum(U + total(r**4 * G + r**2))),
    "an unknown function of both": (UNDECIDED, momentum(U + total(Function("k")(r, theta)))),
    "another law": (REFUTED, momentum(2 * U + K)),
    "a funnel": (PROVED, scalars(x**2 / 18 + y**2 * exp(-x) / 2 + x / 2, x**2 / 18)),
    "a funnel without its scale": (REFUTED, scalars(x**2 / 18 + y**2 * exp(-x) / 2, x**2 / 18)),
    "two steps": (
        PROVED,
        scalars(x**2 + y**2 * exp(x) + z**2 * exp(y) - y / 2 - x / 2, x**2, (x, y, z)),
    ),
    "two steps without the second one": (
        REFUTED,
        scalars(x**2 + y**2 * exp(x) + z**2 * exp(y) - x / 2, x**2, (x, y, z)),
    ),
    # The integral over y is sqrt(pi)/abs(x).
    "a precision that may vanish": (REFUTED, scalars(x**2 + x**2 * y**2, x**2)),
}


@pytest.mark.by_default(2)
@pytest.mark.parametrize("name", CASES)
def test_laws_of_the_positions(name):
    verdict, recipe = CASES[name]
    outcome = marginal(recipe)
    assert outcome.verdict is verdict, outcome.by
    assert (outcome.witness is not None) == (verdict is REFUTED)


def test_a_forgotten_log_determinant_is_stationary_and_said():
    report = verify(momentum(U + total(G * r**2) / 2))
    assert {line.name for line in report.lines if line.outcome.verdict is REFUTED} == {"marginal"}
    outcome = marginal(momentum(U + total(G * r**2) / 2))
    assert (
        outcome.repair
        == "take c = total(log(G(theta)))/2 from H, or add it to the law that is claimed"
    )
    assert "theta" in outcome.witness.point


def test_that_the_integral_is_finite_is_assumed_only_where_it_is_not_proved():
    assert marginal(CASES["a momentum by itself"][1]).assumptions == ()
    assert marginal(CASES["a law of Student"][1]).assumptions == ()
    assert marginal(CASES["a dense precision"][1]).assumptions == ()
    either_sign = momentum(U + total(r * dot(Dense("N", theta, symmetric=True), r)) / 2)
    assert marginal(either_sign).assumptions == (FINITE_INTEGRAL,)


@pytest.mark.parametrize(
    "law",
    [total(log(1 + r**2)) / 4, total(log(1 + r**2 / G**2)) / 2 + total(log(G)), total(-(r**2))],
)
def test_what_has_no_finite_integral_leaves_no_law(law):
    outcome = marginal(momentum(U + law))
    assert outcome.verdict is REFUTED
    assert outcome.by.startswith("marginal[theta]: the integral over r is infinite: ")


# -- inferred
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("H", "law"),
    [
        (U + K, "exp(-U)"),
        (U + total(G * r**2) / 2 - total(log(G)) / 2, "exp(-U)"),
        (U + K + total(theta**2), "exp(-(U + total(theta**2)))"),
    ],
)
def test_a_law_is_inferred_where_it_is_proved(H, law):
    outcome = marginal(momentum(H, marginal=False))
    assert outcome.verdict is PROVED
    assert outcome.by.startswith(f"inferred from H, the law of theta is {law}: ")


def test_an_inferred_law_is_refuted_for_a_momentum():
    outcome = marginal(momentum(U + total(G * r**2) / 2, marginal=False))
    assert outcome.verdict is REFUTED
    assert outcome.by.startswith("inferred from H")


@pytest.mark.parametrize(
    "recipe",
    [
        Recipe((theta, r), U + total(G * r**2) / 2, Matrix.eye(2), NONE),  # a joint law, perhaps
        momentum(
            U + total(G * r**2) / 2 + total(theta**2), marginal=False
        ),  # which of both is meant?
        momentum(U / A + total(G * r**2) / 2, marginal=False),
        momentum(U + Potential("V", theta) + total(G * r**2), marginal=False),
        Recipe((theta, r), Potential("W", theta, r), FRICTION, CANONICAL),
        catalog_recipes()["sgld"],
    ],
)
def test_nothing_is_inferred_where_something_else_may_be_meant(recipe):
    assert marginal(recipe) is None


# -- a second look: numerical integration at one coordinate
# ------------------------------------------------------------------------

FUNCTIONS = {"G": 1 + x**2, "F": 2 + sin(x)}


def at_one_coordinate(e):
    """An expression of vectors of length 1, in plain symbols, with something simple for each
    abstract function.
    """
    e = e.replace(lambda t: type(t).__name__ == "Total", lambda t: opened(t)[0])
    values = {
        s: (
            {"theta": x, "r": y, "F": FUNCTIONS["F"], "U": S.Zero, "A": S.One}.get(
                getattr(s, "base", s.name), s
            )
        )
        for s in e.atoms(Symbol)
    }
    return e.replace(
        lambda f: getattr(f.func, "__name__", "") == "G", lambda f: FUNCTIONS["G"]
    ).xreplace(values)


NUMERICAL = [
    k
    for k, (v, recipe) in CASES.items()
    if v is not UNDECIDED and "dense" not in k and "another" not in k and "steps" not in k
]


@pytest.mark.parametrize("name", NUMERICAL)
def test_the_verdict_agrees_with_numerical_integration(name):
    verdict, recipe = CASES[name]
    ((_, law),) = recipe.marginal
    place = Dummy("place")
    W = lambdify((place, y), at_one_coordinate(recipe.H - law).xreplace({x: place}), "numpy")
    masses = [
        quad(lambda v, t=t: np.exp(-W(t, v)), -np.inf, np.inf)[0] for t in (-1.3, -0.2, 0.4, 1.1)
    ]
    spread = max(masses) / min(masses) - 1
    assert (spread < 1e-6) == (verdict is PROVED), masses

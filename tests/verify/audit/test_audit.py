"""What an audit finds beside its verdicts: the recipe behind a claim, the law of a wrong one, the
lengths for which it holds.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
import sympy
from helpers.outcomes import outcome_of
from oracles.explicit import ExplicitRecipe, world_of
from sympy import Dummy, Function, Interval, Matrix, Rational, Symbol, exp, log, oo, sqrt, symbols

import recipe
from recipe import (
    Dense,
    Field,
    Noise,
    Potential,
    Recipe,
    Scalar,
    Update,
    Vector,
    derive,
    discretised,
    div,
    dot,
    grad,
    total,
)
from verify import Verdict, verify
from verify.audit.lengths import lengths_of
from verify.audit.skew import find_recipe
from verify.audit.system import solutions
from verify.decide.zero.decide import decide_zero
from verify.discrete.linear import affine_step, stability, stationary_covariance
from verify.subject import subject_of

theta, xi = Vector("theta"), Scalar("xi")
r = Vector("r", like=theta)
U, G, F = (
    Potential("U", theta),
    Function("G", positive=True)(theta),
    Field("F", theta, positive=True),
)
M = Dense("M", theta)
d = theta.dim
h, A, B, C, T, m = symbols("h A B C T m", positive=True)
w = Noise("w", like=theta)
g = -grad(U, theta)
K = total(r**2) / 2
S = 1 / sqrt(G)
root = sqrt(r**2 / m**2 + 1)


def sgnht(center=d, temperature=1) -> Update:
    """The printed thermostat has ``center = 1/d``."""
    return Update(
        h,
        {
            theta: theta + h * r,
            r: r + h * g - h * xi * r + sqrt(2 * A * temperature * h) * w,
            xi: xi + h * (total(r**2) / d - temperature),
        },
        (U + K + center * (xi - A) ** 2 / 2) / temperature,
    )


RIGHT = {
    "sgld": Update(h, {theta: theta + h * g + sqrt(2 * h) * w}, U),
    "sghmc at a temperature": Update(
        h, {theta: theta + h * r, r: r + h * g - A * h * r + sqrt(2 * A * T * h) * w}, (U + K) / T
    ),
    "sgnht": sgnht(),
    "sgnht at a temperature": sgnht(temperature=T),
    "sgrld": Update(h, {theta: theta + h * (G * g + div(G, theta)) + sqrt(2 * h * G) * w}, U),
    "sgrld with a field": Update(
        h, {theta: theta + h * (F * g + div(F, theta)) + sqrt(2 * h * F) * w}, U
    ),
    "sgrhmc": Update(
        h,
        [
            (r, r + h * (S * g + div(S, theta) - r / G) + sqrt(2 * h / G) * w),
            (theta, theta + h * S * r),
        ],
        U + K,
    ),
    "relativistic": Update(
        h,
        [
            (r, r + h * g - A * h * r / (m * root) + sqrt(2 * A * h) * w),
            (theta, theta + h * r / (m * root)),
        ],
        U + total(m * root),
    ),
    "exact exponentials": Update(
        h,
        [
            (r, r + h * g),
            (theta, theta + h * r),
            (r, exp(-C * h) * r + sqrt(1 - exp(-2 * C * h)) * w),
        ],
        U + K,
    ),
    "a matrix of its own": Update(
        h, {theta: theta + h * g + h * dot(M, g) - h * dot(M.T, g) + sqrt(2 * h) * w}, U
    ),
}

x, y = Vector("x", domain=Interval.open(0, oo)), Scalar("y")
wx, wy = Noise("wx", like=x), Noise("wy", like=y)
OTHER_LAWS = {
    "no correction": (
        Update(h, {theta: theta + h / 2 * G * g + sqrt(h * G) * w}, U),
        U + total(log(G)),
    ),
    "no correction, at a temperature": (
        Update(h, {theta: theta + h * G * g + sqrt(2 * T * h * G) * w}, U / T),
        U / T + total(log(G)),
    ),
    "correction of the wrong sign": (
        Update(h, {theta: theta + h * (G * g - div(G, theta)) + sqrt(2 * h * G) * w}, U),
        U + 2 * total(log(G)),
    ),
    "half the noise": (Update(h, {theta: theta + h * g + sqrt(h) * w}, U), 2 * U),
    "a friction of its own": (
        Update(h, {theta: theta + h * r, r: r + h * g - C * h * r + sqrt(2 * h) * w}, U + K),
        C * (U + K),
    ),
    "faster positions": (
        Update(
            h, {theta: theta + 2 * h * r, r: r + h * g - C * h * r + sqrt(2 * C * h) * w}, U + K
        ),
        U / 2 + K,
    ),
    "a metric without noise": (
        Update(h, [(r, r + h * S * g), (theta, theta + h * S * r)], U + K),
        U + K - total(log(G)) / 2,
    ),
    "the printed thermostat": (sgnht(center=1 / d), U + K + d * (xi - A) ** 2 / 2),
    "adam and noise": (
        Update(
            h,
            {
                theta: (
                    theta
                    + h * g / (B + sqrt(theta**2 + 1))
                    + sqrt(2 * h / (B + sqrt(theta**2 + 1))) * w
                )
            },
            U,
        ),
        U - total(log(B + sqrt(theta**2 + 1))),
    ),
    "autonomous": (
        Update(h, {y: y - h * (y**3 - y + 1) + sqrt(2 * h) * wy}, y**2 / 2),
        y**4 / 4 - y**2 / 2 + y,
    ),
    "a square root process": (
        Update(h, {x: x + h * (2 + A - x) + sqrt(2 * h * x) * wx}, total(x - 2 * log(x))),
        total(x - (1 + A) * log(x)),
    ),
}


# -- the recipe behind a claim
# -------------------------------------------------------------------------------------------------


@pytest.mark.by_default(5)
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_rule_is_put_into_the_form_of_the_recipe(name):
    report = verify(RIGHT[name])
    assert report.verdict is Verdict.PROVED, str(report)
    outcome = outcome_of(report, "recipe-form")
    assert outcome.verdict is Verdict.PROVED, outcome.by
    assert outcome.found is not None
    assert outcome.found.text.startswith("Recipe(")


@pytest.mark.parametrize("name", ["sgnht", "sgrhmc", "relativistic"])
def test_the_recipe_that_is_found_has_the_drift_of_the_rule_in_explicit_coordinates(name):
    subject = subject_of(RIGHT[name])
    found = find_recipe(RIGHT[name], subject.dynamics, subject.gradient)
    assert found is not None
    slow = ExplicitRecipe(found, world_of(found.state, 2))
    assert slow.D.is_symmetric()
    assert slow.Q == -slow.Q.T
    assert slow.agree(slow.components(subject.dynamics.drift), slow.drift)
    assert slow.is_zero(slow.residual())


def test_the_text_can_be_pasted():
    text = outcome_of(verify(RIGHT["sgnht"]), "recipe-form").found.text
    names = {
        **vars(recipe),
        **vars(sympy),
        "theta": theta,
        "r": r,
        "xi": xi,
        "U": U,
        "A": A,
        "d_theta": d,
        "Matrix": Matrix,
    }
    pasted = eval(text, names)
    assert isinstance(pasted, Recipe)
    assert verify(pasted).verdict is Verdict.PROVED
    assert derive(pasted).dynamics.drift[theta] == r


def test_where_no_q_exists_nothing_is_refuted():
    flux = Update(
        h, {y: y + h * (-y + exp(y**2 / 2)) + sqrt(2 * h) * wy}, y**2 / 2
    )  # a constant current on the line
    report = verify(flux)
    assert outcome_of(report, "stationarity").verdict is Verdict.PROVED
    assert outcome_of(report, "recipe-form").verdict is Verdict.UNDECIDED


def test_only_what_is_stationary_is_asked_for_its_recipe_and_only_what_is_not_for_its_law():
    names = [
        [line.name for line in verify(update).lines]
        for update in (RIGHT["sgld"], OTHER_LAWS["half the noise"][0])
    ]
    assert ["recipe-form" in n for n in names] == [True, False]
    assert ["stationary-law" in n for n in names] == [False, True]


# -- the law of a wrong one
# --------------------------------------------------------------------------------------------------


@pytest.mark.by_default(3)
@pytest.mark.slow_for("adam and noise")
@pytest.mark.parametrize("name", OTHER_LAWS)
def test_a_wrong_rule_gets_its_law(name):
    update, law = OTHER_LAWS[name]
    report = verify(update)
    assert report.verdict is Verdict.REFUTED
    outcome = outcome_of(report, "stationary-law")
    assert outcome.verdict is Verdict.PROVED, outcome.by
    assert outcome.found is not None
    found = eval(outcome.found.text, {**vars(sympy), "total": total, **_names(update)})
    assert all(
        decide_zero(recipe.grad(found - law, b)).verdict is Verdict.PROVED for b in update.state
    ), outcome.found.text


def _names(update: Update) -> dict[str, object]:
    names = {
        "theta": theta,
        "r": r,
        "xi": xi,
        "U": U,
        "A": A,
        "B": B,
        "C": C,
        "T": T,
        "d_theta": d,
        "x": x,
        "y": y,
    }
    return names | {"G": Function("G", positive=True)}


@pytest.mark.parametrize(
    "name",
    ["no correction", "a metric without noise", "the printed thermostat", "faster positions"],
)
def test_the_law_is_stationary_in_explicit_coordinates(name):
    update, law = OTHER_LAWS[name]
    subject = subject_of(update)
    n = len(update.state)
    slow = ExplicitRecipe(
        Recipe(update.state, law, Matrix.zeros(n), Matrix.zeros(n)), world_of(update.state, 2)
    )
    size = len(slow.z)
    D = Matrix(size, size, slow.diffusion(subject.dynamics))
    assert slow.is_zero(slow.residual(slow.components(subject.dynamics.drift), D))
    claimed = ExplicitRecipe(
        Recipe(update.state, update.target, Matrix.zeros(n), Matrix.zeros(n)),
        world_of(update.state, 2),
    )
    assert not claimed.is_zero(claimed.residual(claimed.components(subject.dynamics.drift), D))


def test_a_field_has_a_law_only_where_it_is_elementwise():
    outcome = outcome_of(
        verify(Update(h, {theta: theta + h * F * g + sqrt(2 * h * F) * w}, U)), "stationary-law"
    )
    assert outcome.verdict is Verdict.PROVED
    assert outcome.found.text == "U + total(log(F(theta)))"
    assert (
        outcome.scope == "every d_theta, every smooth positive elementwise F, every smooth U(theta)"
    )


@pytest.mark.parametrize(
    "update",
    [
        Update(
            h, {theta: theta + h * r, r: r + h * g + sqrt(2 * B * h) * w}, U + K
        ),  # heated without friction
        Update(h, {theta: theta - h * g + sqrt(2 * h) * w}, U),  # exp(+U) is no law
        Update(h, {y: y * (1 + A * h) + sqrt(h) * y * wy}, y**2 / 2),  # geometric Brownian motion
        Update(h, {y: y + h * y + sqrt(2 * h) * wy}, y**2 / 2),  # exp(y^2/2) has no mass
        Update(
            h, {x: x + h * (A - 1 - x) + sqrt(2 * h * x) * wx}, total(x - 2 * log(x))
        ),  # has mass only for A > 1
    ],
    ids=["heated", "uphill", "geometric", "repelled", "for some A"],
)
def test_what_has_no_law_gets_none(update):
    report = verify(update)
    assert report.verdict is Verdict.REFUTED
    found = outcome_of(report, "stationary-law")
    assert found.verdict is Verdict.UNDECIDED, found.by
    assert found.found is None


def test_an_ansatz_is_solved_by_linear_factors():
    a, b, c = symbols("a b c")
    deadline = float("inf")
    found = list(
        solutions(
            [a * (a - 1), a * b - T, c - c], {a: sympy.S(7), b: sympy.S(7), c: sympy.S(7)}, deadline
        )
    )
    assert found == [{a: 1, b: T, c: 7}]
    assert list(solutions([a - 1, a - 2], {a: sympy.S(0)}, deadline)) == []
    assert (
        list(solutions([a**2 + a * b + b**2 - T], {a: sympy.S(0), b: sympy.S(0)}, deadline)) == []
    )


# -- the lengths for which it holds
# --------------------------------------------------------------------------------------------


def test_the_printed_thermostat_is_right_at_length_one_only():
    report = verify(sgnht(center=1 / d))
    assert report.verdict is Verdict.REFUTED
    outcome = outcome_of(report, "stationarity")
    assert outcome.scope == "every d_theta other than 1, every smooth U(theta), every positive A"
    assert outcome.facts == ("for d_theta = 1 the residual is zero, and exp(-H) stationary",)
    assert outcome.witness.point["d_theta"] == "2"
    assert "for d_theta = 1 the residual is zero" in str(report)
    assert outcome.scope in json.dumps(report.as_json())


def test_the_claim_at_length_one_is_proved_as_a_claim_of_numbers():
    q, p = Scalar("q"), Scalar("p")
    V, wp = Potential("V", q), Noise("wp", like=p)
    rule = {
        q: q + h * p,
        p: p - h * grad(V, q) - h * xi * p + sqrt(2 * A * h) * wp,
        xi: xi + h * (p**2 - 1),
    }
    assert verify(Update(h, rule, V + p**2 / 2 + (xi - A) ** 2 / 2)).verdict is Verdict.PROVED


e = total(theta)
LENGTHS = [
    (d * total(theta**2) - e**2, (1,)),
    ((d - 3) * e, (3,)),
    ((d - 1) * (d - 4) * total(theta * grad(U, theta)), (1, 4)),
    (e * total(theta**2) - total(theta**3), (1,)),
    ((d - 1) / d * total(G), (1,)),
    ((d - 1) * (d - 2 * 10**6) * e, (1, 2 * 10**6)),
    (total(F * theta), None),
    (e - 1, None),
    (d - Rational(3, 2), None),
    ((d - 2) * sqrt(total(theta**2)), None),
    (total(theta**2) - d, None),
]


@pytest.mark.parametrize(("residual", "holds"), LENGTHS, ids=[str(e) for e, _ in LENGTHS])
def test_the_lengths_at_which_an_expression_vanishes(residual, holds):
    found = lengths_of(residual)
    assert (found and found.holds) == holds


@pytest.mark.parametrize(("residual", "holds"), [row for row in LENGTHS if row[1]])
def test_the_lengths_are_those_of_explicit_coordinates(residual, holds):
    for n in range(1, 6):
        world = world_of((theta,), n)
        slow = ExplicitRecipe(Recipe((theta,), total(theta**2), 1, 0), world)
        assert slow.is_zero(world.read(residual, {})) == (n in holds)


def test_two_lengths_are_left_alone():
    other = Vector("other")
    assert lengths_of((d - 1) * total(other)) is None


def test_a_number_that_a_symbol_forbids_is_not_chosen():
    counts = recipe.Parameter("n", like=theta, positive=True)
    assert lengths_of((d - 1) * total(counts * theta)).holds == (1,)
    assert lengths_of((d - 1) * Symbol("z", negative=True)).holds == (1,)
    assert lengths_of((d - 1) * Dummy("z", zero=True)) is None


# -- what the printed rule does with a step that does not vanish
# ---------------------------------------------------------------


def euler(T=1) -> Update:
    return Update(
        h, {theta: theta + h * r, r: r + h * g - A * h * r + sqrt(2 * A * T * h) * w}, (U + K) / T
    )


def test_explicit_euler_with_friction_is_stable_between_two_bounds():
    outcome = outcome_of(verify(euler()), "stable-step")
    assert outcome.by == "stable iff h*k < A < h*k/2 + 2/h"
    k = Symbol("k", positive=True)
    line = next(f for f in outcome.facts if f.startswith("var theta = "))
    ratio = sympy.sympify(
        line.removeprefix("var theta = ").partition(" times")[0], locals={"h": h, "A": A, "k": k}
    )
    assert (
        sympy.simplify(
            ratio - 2 * A * (2 - A * h + h**2 * k) / ((A - h * k) * (4 - 2 * A * h + h**2 * k))
        )
        == 0
    )
    assert any("the bias of var theta is of order 1" in f for f in outcome.facts)


def test_what_is_not_affine_says_nothing_of_steps():
    assert all(line.name != "stable-step" for line in verify(sgnht()).lines)


def test_the_limit_of_a_wrong_rule_is_said():
    outcome = outcome_of(verify(OTHER_LAWS["half the noise"][0]), "stable-step")
    assert "as h vanishes, var theta becomes 1/2 times that of the target" in outcome.facts


@pytest.mark.by_default(1)
@pytest.mark.parametrize(
    ("step", "friction", "curvature"), [(0.5, 1.2, 1.0), (0.1, 2.0, 4.0), (1.0, 1.9, 1.0)]
)
def test_the_variance_is_that_of_a_simulation(step, friction, curvature):
    """Independent chains of the rule as it is printed; their variance has the relative error
    sqrt(2/n): 5 of them are allowed.
    """
    chains, steps = 200_000, 300
    rng = np.random.default_rng(1)
    q, p = (rng.standard_normal(chains) for _ in range(2))
    for _ in range(steps):
        noise = np.sqrt(2 * friction * step) * rng.standard_normal(chains)
        q, p = q + step * p, p - step * curvature * q - friction * step * p + noise
    values = {h: step, A: friction, Symbol("k", positive=True): curvature}
    found = stationary_covariance(affine_step(euler()))
    for block, sample in ((theta, q), (r, p)):
        wanted = float(found.of_step[block, block].subs(values))
        assert abs(sample.var() / wanted - 1) < 5 * np.sqrt(2 / chains), block


@pytest.mark.parametrize("friction", [0.3, 0.45, 0.55, 2.0, 4.2, 4.3])
def test_the_bounds_of_stability_are_those_of_the_eigenvalues(friction):
    step, curvature = 0.5, 1.0
    M = np.array([[1, step], [-step * curvature, 1 - friction * step]])
    inside = step * curvature < friction < 2 / step + step * curvature / 2
    assert (max(abs(np.linalg.eigvals(M))) < 1) == inside
    values = {h: step, A: friction, Symbol("k", positive=True): curvature}
    assert all(c.subs(values) > 0 for c in stability(affine_step(euler())).conditions) == inside


def test_a_step_of_a_claim_is_asked_once_for_its_stability():
    names = [line.name for line in verify(discretised(euler(), "printed")).lines]
    assert names.count("stable-step") == 1
    assert names.count("recipe-form") == 1


@pytest.mark.slow
def test_a_metric_with_roots_is_proved_by_its_components():
    """The residual is a sum that has no unique form here; block by block there is nothing to
    relate.
    """
    metric = 1 / (B + sqrt(theta**2 + 1))
    reversible = Update(
        h, {theta: theta + h * (metric * g + div(metric, theta)) + sqrt(2 * h * metric) * w}, U
    )
    momenta = Update(
        h,
        [
            (r, r + h * (metric * g + div(metric, theta) - A * r) + sqrt(2 * A * h) * w),
            (theta, theta + h * metric * r),
        ],
        U + K,
    )
    for update in (reversible, momenta):
        assert outcome_of(verify(update), "stationarity").verdict is Verdict.PROVED
    without = Update(
        h,
        [(r, r + h * (metric * g - A * r) + sqrt(2 * A * h) * w), (theta, theta + h * metric * r)],
        U + K,
    )
    assert outcome_of(verify(without), "stationarity").verdict is Verdict.REFUTED

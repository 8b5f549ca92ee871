"""Draws say of which law they are, where a sampler keeps another one than what was given."""

import pytest
from cases.translations import recipe_called
from sympy import Interval, Matrix, Symbol, exp, log, sqrt

from codegen import generate, sample
from codegen.inputs.options import SamplingOptions
from codegen.results.law_in_words import said_of_law
from recipe import (
    Data,
    Noise,
    Posterior,
    Potential,
    Recipe,
    Scalar,
    Update,
    Vector,
    bind,
    corv,
    grad,
    total,
)
from recipe.laws import normal

theta = Vector("theta")
r = Vector("r", like=theta)
U, T, k = Potential("U", theta), Symbol("T", positive=True), Symbol("k", nonnegative=True)
h, w = Symbol("h", positive=True), Noise("w", like=theta)
PRIOR = 5 * total(theta**2)
ROTATION = Matrix([[0, -1], [1, 0]])
SHORT = {"step_size": 1e-3, "steps": 4, "chains": 1, "progress": False}


def langevin(energy, factor=1):
    return Recipe((theta,), energy, D=factor, Q=0, name="langevin")


def rule(energy, drift):
    return Update(
        step=h, target=energy, rule={theta: theta - h * drift + sqrt(2 * h) * w}, name="rule"
    )


def posterior(prior=True):
    a, y = Scalar("a"), Data("y", [1.0, 2.0])
    return Posterior(a, normal(y, a, 1), normal(a, 0, 2) if prior else 0)


def said(what, given=None, params=None, scheme=None):
    """What is said of the law of a run, before it."""
    target = what if given is None else bind(what, given)
    scheme = scheme or ("euler" if isinstance(what, Recipe) else "semi-implicit")
    options = SamplingOptions(steps=4, step_size=1e-3, params=params, scheme=scheme)
    return list(said_of_law(target, generate(target, scheme=scheme), options))


MORE = [
    (langevin(U + PRIOR), {}, "exp(-(U + 5*a**2))"),
    (rule(U + PRIOR, grad(U, theta) + 10 * theta), {}, "exp(-(U + 5*a**2))"),
    (langevin(U + k * PRIOR), {"k": 2}, "exp(-(U + 5*a**2*k)) with k = 2"),
    (langevin((U + PRIOR) / T, T), {"T": 1}, "exp(-(U/T + 5*a**2/T)) with T = 1"),
    (langevin((U + PRIOR) / T, T), {"T": 3}, "exp(-(U/T + 5*a**2/T)) with T = 3"),
]


@pytest.mark.parametrize(("what", "params", "law"), MORE)
def test_what_an_energy_has_beside_the_potential_is_said(what, params, law):
    assert said(what, posterior(), params=params) == [
        f"these are draws of {law}, not of the posterior"
    ]


def test_a_term_that_a_parameter_switches_off_is_not_said():
    assert said(langevin(U + k * PRIOR), posterior(), params={"k": 0}) == []


def test_the_prior_of_a_sampler_is_that_of_a_posterior_without_one():
    """As in examples/models/binary_network.py: the likelihood is given, and the prior is in H."""
    assert said(langevin(U + PRIOR), posterior(prior=False)) == []
    a, y = Scalar("a"), Data("y")

    def gradient(a, rows, y):
        return (a - y[rows]).sum() * y.size / rows.size

    assert said(langevin(U + PRIOR), Posterior(a, data={y: [1.0, 2.0]}, gradient=gradient)) == []


STARTED = {**SHORT, "scheme": "euler", "initial": {"theta": [0.1, 0.2]}, "gradient": lambda x: x}


def test_beside_what_is_given_as_such_it_is_a_statement():
    """Of a gradient and of an expression nobody knows whether they have the prior already."""
    law = "these are draws of exp(-(U + 5*total(theta**2))), with the U that is given"
    assert law in sample(langevin(U + PRIOR), **STARTED).warnings
    written = sample(langevin(U + PRIOR), total(theta**2), **SHORT, lengths={theta: 2})
    assert law in written.warnings


@pytest.mark.parametrize("value", [1, 3])
def test_a_factor_at_a_potential_with_a_gradient_of_ones_own_is_said(value):
    found = sample(langevin(U / T, T), **STARTED, params={"T": value}).warnings
    law = "these are draws of exp(-(U/T)) with T = 3, not of exp(-U) with the U that is given"
    assert [s for s in found if "draws of" in s] == ([law] if value == 3 else [])


def test_what_changes_no_law_of_the_blocks_of_the_potential_is_not_said():
    """A kinetic energy, also with a mass that depends on the state and its normalising constant;
    and the Jacobian of a change of variables.
    """
    kinetic = total(r**2) / 2
    plain = Recipe((theta, r), U + kinetic, D=Matrix([[0, 0], [0, 1]]), Q=ROTATION, name="plain")
    G = 1 + theta**2
    mass = total(r**2 * G) / 2 - total(log(G)) / 2
    curved = Recipe((theta, r), U + mass, D=Matrix([[0, 0], [0, 1]]), Q=ROTATION, name="curved")
    for what in (plain, curved):
        assert said(what, posterior(), scheme="semi-implicit") == []
    q = Vector("q", domain=Interval.open(0, 1))
    moved = corv(Recipe((q,), Potential("U", q), D=1, Q=0), q, lambda phi: 1 / (1 + exp(-phi)))
    law = Posterior(q, normal(Data("y", [0.5]), total(q), 1), total(log(q)))
    assert said(moved, law) == []
    assert said(recipe_called("sghmc"), posterior(), scheme="baoab", params={"C": 1}) == []

"""What the noise of estimated gradients adds: how often a scheme uses one estimate, beside exact
heat.
"""

import numpy as np
import pytest
from sympy import Matrix, Rational, Symbol, limit, sqrt

from catalog.hmc import hmc
from catalog.sghmc import C, U, r, sghmc, theta
from catalog.sgld import sgld
from catalog.sgnht import sgnht
from catalog.sgrhmc import sgrhmc
from catalog.third_order_langevin import third_order_langevin
from recipe import (
    Data,
    Noise,
    Posterior,
    Recipe,
    Update,
    bind,
    discretise,
    discretised,
    grad,
    total,
)
from recipe.language.abstract import Potential
from recipe.scheme.compensation import largest_step
from recipe.scheme.evaluations import evaluations_of
from verify import Verdict, verify
from verify.discrete.linear import affine_step, stationary_covariance

V = Symbol("V", positive=True)


@pytest.mark.parametrize(
    ("recipe", "scheme", "weights"),
    [
        (sgld, "euler", [-1]),
        (sghmc, "euler", [-1]),
        (sghmc, "semi-implicit", [-1]),
        (
            sghmc,
            "baoab",
            [-1],
        ),  # the last kick of a step and the first of the next use one evaluation
        (sghmc, "obabo", [-1]),
        (sghmc, "aboba", [-1]),
        (sghmc, "oabao", [-1]),
        (sgnht, "badodab", [-1]),
        (sghmc, "abobabo", [-Rational(2, 3), -Rational(1, 3)]),
        (sghmc, "babaob", [-Rational(2, 3), -Rational(1, 3)]),
        (hmc, "leapfrog", [-1]),
    ],
)
def test_the_evaluations_of_a_step(recipe, scheme, weights):
    found = [w for e in evaluations_of(discretise(recipe, scheme)) for w in e.weights.values()]
    assert sorted(found) == sorted(weights)


@pytest.mark.by_default("boa-1")
@pytest.mark.parametrize(
    ("scheme", "kappa"), [("aboba", 1), ("oabao", 1), ("abobabo", Rational(5, 9)), ("boa", 1)]
)
def test_the_heat_of_a_noisy_gradient_is_what_is_counted(scheme, kappa):
    """The exact variance of the momentum with noise in every evaluation, as the step vanishes: 1 +
    kappa h V / (2 C).
    """
    update = discretise(sghmc, scheme)
    theta, r = sghmc.state
    (U,) = update.target.atoms(Potential)
    rule, moves = [], 0
    for block, e in update.rule:
        noisy = grad(U, theta) + sqrt(V) * Noise(
            f"v{moves}", like=r
        )  # one noise as long as the position rests
        rule.append((block, e.subs(grad(U, theta), noisy)))
        moves += block == theta
    plain, noised = (
        stationary_covariance(affine_step(u)).of_step[r, r]
        for u in (update, Update(update.step, rule, update.target))
    )
    heat = limit((noised - plain) / update.step, update.step, 0)
    assert (heat - kappa * V / (2 * C)).simplify() == 0


def outcome(recipe, scheme):
    return next(
        line.outcome
        for line in verify(discretised(recipe, scheme)).lines
        if line.name == "noise-budget"
    )


@pytest.mark.slow
def test_the_largest_step():
    assert (
        outcome(sghmc, "baoab").by
        == "1 evaluation of the gradient of U a step, with the weight -step_size for r; its noise"
        " can be compensated iff step_size <= 2*C/V_U_theta"
    )
    assert outcome(sghmc, "abobabo").by.endswith(
        "its noise can be compensated iff step_size <= 18*C/(5*V_U_theta)"
    )
    assert outcome(sgrhmc, "euler").by.endswith(
        "its noise can be compensated iff step_size <= 2/V_U_theta"
    )


@pytest.mark.slow_for("recipe1-badodab")
@pytest.mark.parametrize(
    ("recipe", "scheme"), [(hmc, "leapfrog"), (third_order_langevin, "badodab"), (hmc, "euler")]
)
def test_where_there_is_no_noise_to_replace_no_step_is_small_enough(recipe, scheme):
    found = outcome(recipe, scheme)
    assert found.verdict is Verdict.REFUTED
    assert "no noise of its own there" in found.witness.finding


W = Potential("W", theta)
two = Recipe(
    (theta, r), U + W + total(r**2) / 2, Matrix([[0, 0], [0, C]]), Matrix([[0, -1], [1, 0]])
)


@pytest.mark.parametrize("scheme", ["semi-implicit", "baoab"])
def test_each_potential_has_noise_of_its_own(scheme):
    by = outcome(two, scheme).by
    assert by.startswith(
        "1 evaluation of the gradient of U a step, with the weight -step_size for r; 1 evaluation"
    )
    assert by.endswith(
        f"its noise can be compensated iff step_size <= {largest_step(two).rule[1][1]}"
    )


def test_only_a_potential_with_data_has_noise():
    x, y = Data("x", like=theta), Data("y")
    law = Posterior(
        theta, -((y - total(x * theta)) ** 2), 0, data={x: np.ones((3, 2)), y: np.ones(3)}
    )
    assert outcome(bind(two, {U: law}), "baoab").by.endswith(
        "its noise can be compensated iff step_size <= 2*C/V_U_theta"
    )

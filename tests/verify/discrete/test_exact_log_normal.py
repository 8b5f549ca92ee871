"""Exact transitions of log-normal posteriors, whose data enter the drift of the logarithm by one
sum: what is proved, what a wrong rule gets, and the law of a compiled chain.
"""

from dataclasses import replace

import numpy as np
import pytest
from helpers.outcomes import outcome_of
from sympy import Interval, Matrix, Symbol, log, oo

from codegen import sample
from recipe import (
    Data,
    Parameter,
    Posterior,
    Potential,
    Recipe,
    RecipeError,
    Update,
    Vector,
    bind,
    discretise,
    grad,
    total,
)
from recipe.scheme import discretised
from verify import Verdict, verify

theta = Vector("theta", domain=Interval.open(0, oo))
U = Potential("U", theta)
lognormal = Recipe(theta, U, D=Matrix([[theta**2]]), Q=Matrix([[0]]))
z, s, N = Data("z", like=theta), Symbol("s", positive=True), Parameter("N", positive=True)
OBSERVED = np.random.default_rng(0).normal(size=(40, 2))
PRIOR = -total(log(theta) + log(theta) ** 2 / (2 * s**2) + N * log(theta) ** 2 / 2)
LAW = Posterior(theta, total(z * log(theta)), PRIOR, {z: OBSERVED})
TARGET = bind(lognormal, {U: LAW})


def outcome(step):
    return outcome_of(verify(step), "exact-transition")


def with_rule(step, change):
    update = step.update
    rule = {b: change(e) for b, e in update.rule}
    return replace(step, update=Update(update.step, rule, update.target))


@pytest.mark.slow
def test_the_draw_has_the_law_of_the_process():
    step = discretised(TARGET, "exact")
    report = verify(step)
    assert outcome_of(report, "exact-transition").verdict is Verdict.PROVED
    assert outcome_of(report, "consistency").verdict is Verdict.PROVED
    assert dict(step.update.rule)[theta].has(grad(U, theta))


@pytest.mark.parametrize("factor", [2, -1])
def test_a_wrong_weight_of_the_data_is_not_proved(factor):
    step = discretised(TARGET, "exact")
    g = grad(U, theta)
    assert outcome(step).verdict is Verdict.PROVED
    wrong = with_rule(step, lambda e: e.xreplace({g: factor * g}))
    assert outcome(wrong).verdict is not Verdict.PROVED


def test_data_that_bend_the_drift_of_the_logarithm_are_refused():
    power = Posterior(theta, total(z * theta), PRIOR, {z: OBSERVED})
    with pytest.raises(RecipeError, match="no exact transition is known"):
        discretise(bind(lognormal, {U: power}), "exact")
    bent = Posterior(theta, total(z * log(theta)), -total(theta), {z: OBSERVED})
    with pytest.raises(RecipeError, match="not affine"):
        discretise(bind(lognormal, {U: bent}), "exact")


@pytest.mark.parametrize("batch", [None, 8])
def test_the_law_of_a_chain_is_the_derived_one(batch):
    """Five standard errors of 64 chains, of means and variances of log(theta); by minibatches the
    variance gains V (1 - r)/(1 + r).
    """
    precision, h = 1 / 4 + 40, 0.01
    r, V = np.exp(-precision * h), 40**2 * OBSERVED.var(0) / 8 / precision**2
    draws = np.log(
        sample(
            lognormal,
            LAW,
            scheme="exact",
            step_size=h,
            steps=2000,
            warmup=100,
            params={"s": 2, "N": 40},
            chains=64,
            seed=2,
            batch_size=batch,
            progress=False,
            max_bias=10,
        )["theta"]
    )
    mean, variance = draws.mean(1), draws.var(1)
    error = [a.std(0, ddof=1) / 8 for a in (mean, variance)]
    wanted = 1 / precision + (0 if batch is None else V * (1 - r) / (1 + r))
    assert np.all(np.abs(mean.mean(0) - OBSERVED.sum(0) / precision) < 5 * error[0])
    assert np.all(np.abs(variance.mean(0) - wanted) < 5 * error[1] + 0.002 * wanted)

"""Blocks on a simplex in posteriors of samplers of real numbers, against conjugate laws."""

import numpy as np
import pytest
from sympy import log

from catalog.hmc import hmc
from catalog.sghmc import sghmc
from codegen import sample
from recipe import (
    Data,
    Posterior,
    RecipeError,
    Simplex,
    Vector,
    compose,
    metropolis,
    refresh,
    total,
)
from recipe.laws import categorical, dirichlet

P, Y = Vector("p", domain=Simplex()), Data("y")
LABELS = [0] * 5 + [1] * 3 + [2] * 2
MULTINOMIAL = Posterior(P, categorical(Y, P), dirichlet(P, 1), {Y: LABELS})
SHAPES = np.array([6.0, 4.0, 3.0])  # of the Dirichlet law that is the posterior
R = next(b for b in hmc.state if b.name == "r")
EXACT = compose(refresh(hmc, R), metropolis(hmc, "leapfrog", times=(1, 8), flip=R))


def test_a_dirichlet_posterior_by_an_exact_kernel():
    """Means and standard deviations within five of their standard errors, by the effective size."""
    draws = sample(EXACT, MULTINOMIAL, step_size=0.25, steps=4000, warmup=200, seed=3)
    share = SHAPES / SHAPES.sum()
    sd = np.sqrt(share * (1 - share) / (SHAPES.sum() + 1))
    for k, row in enumerate(draws.summary().rows):
        error = sd[k] / np.sqrt(row.ess_bulk)
        assert row.ess_bulk > 2000
        assert abs(draws["p"][..., k].mean() - share[k]) < 5 * error
        assert abs(draws["p"][..., k].std() - sd[k]) < 5 * error


def test_values_of_the_simplex_are_taken_as_first_values_and_are_what_is_drawn():
    first = {"p": [0.2, 0.5]}
    draws = sample(sghmc, MULTINOMIAL, step_size=1e-9, params={"C": 1}, steps=2, initial=first)
    assert draws["p"].shape == (4, 2, 2)
    assert np.allclose(draws["p"], [0.2, 0.5], atol=1e-6)


def test_first_values_outside_the_simplex_are_refused():
    with pytest.raises(RecipeError, match="outside of the domain"):
        sample(
            sghmc, MULTINOMIAL, step_size=0.1, params={"C": 1}, steps=2, initial={"p": [0.7, 0.5]}
        )


def test_draws_are_those_of_the_posterior_that_is_written_in_real_numbers():
    """The same sampler on the same law, with the map written by hand: bit for bit the same path is
    not asked for, the same number in the range of rounding is.
    """
    from sympy import exp, sqrt

    x = Vector("x", like=P)
    ratio = x + (sqrt(x.dim + 1) - 1) / x.dim * total(x)
    rest = log(1 + total(exp(ratio)))
    prior = sqrt(x.dim + 1) * total(x) - (x.dim + 1) * rest
    last = Data("last")
    likelihood = (1 - last) * (ratio_at(ratio, x) - rest) - last * rest
    labels = np.array(LABELS)
    by_hand = Posterior(
        x, likelihood, prior, {Y: np.where(labels == 2, 0, labels), last: (labels == 2) * 1.0}
    )
    how = {"step_size": 0.05, "params": {"C": 1}, "steps": 50, "chains": 1, "seed": 4}
    ours = sample(sghmc, MULTINOMIAL, initial={"p": [1 / 3, 1 / 3]}, **how)["p"]
    theirs = sample(sghmc, by_hand, initial={"x": [0.0, 0.0]}, **how)["x"]
    y = theirs + (np.sqrt(3) - 1) / 2 * theirs.sum(axis=-1, keepdims=True)
    weights = np.exp(y)
    assert np.allclose(ours, weights / (1 + weights.sum(axis=-1, keepdims=True)), atol=1e-9)


def ratio_at(ratio, x):
    """The log-ratio at the coordinate that a datum names."""
    return x[Y] + (ratio - x)

"""The examples: derived gradients against differences and against autograd on densities written by
hand; the printed commands.
"""

import re
import shlex
import sys
from functools import cache
from pathlib import Path

import autograd
import autograd.numpy as anp
import numpy as np
import pytest
from autograd.scipy.special import logsumexp
from autograd.scipy.stats import norm
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

from codegen.inputs.density.compiled_posterior import Density
from recipe_cli.declarations.posteriors import posterior_in
from recipe_cli.main import main

ROOT = Path(__file__).parents[2]


def standardised(features):
    return (features - features.mean(axis=0)) / features.std(axis=0)


def with_intercept(features):
    return np.column_stack([np.ones(len(features)), standardised(features)])


# The log density of each example, up to a constant, by hand. Of the example's own data only what it
# simulated is used.


def breast_cancer(data):
    x, target = load_breast_cancer(return_X_y=True)
    x = with_intercept(x)

    def log_density(theta):
        logits = anp.stack([anp.zeros(len(x)), x @ theta], axis=1)
        chosen = logits[np.arange(len(x)), target]
        return anp.sum(chosen - logsumexp(logits, axis=1)) + anp.sum(norm.logpdf(theta))

    return log_density


def linear(data):
    x, y = load_diabetes(return_X_y=True)
    x, y = with_intercept(x), standardised(y)

    def log_density(beta, log_sigma):
        return (
            anp.sum(norm.logpdf(y, x @ beta, anp.exp(log_sigma)))
            + anp.sum(norm.logpdf(beta))
            + norm.logpdf(log_sigma)
        )

    return log_density


def poisson(data):
    counts = np.array(
        [[18, 17, 15], [20, 10, 20], [25, 13, 12]]
    )  # a row a treatment, a column an outcome

    def log_density(beta):
        outcome, treatment = anp.array([0, beta[1], beta[2]]), anp.array([0, beta[3], beta[4]])
        rate = anp.exp(beta[0] + treatment[:, None] + outcome[None, :])
        return anp.sum(counts * anp.log(rate) - rate) + anp.sum(norm.logpdf(beta))

    return log_density


def softmax(data):
    x, species = load_iris(return_X_y=True)
    x = with_intercept(x)

    def log_density(beta1, beta2):
        logits = anp.stack([anp.zeros(len(x)), x @ beta1, x @ beta2], axis=1)
        chosen = logits[np.arange(len(x)), species]
        return (
            anp.sum(chosen - logsumexp(logits, axis=1))
            + anp.sum(norm.logpdf(beta1))
            + anp.sum(norm.logpdf(beta2))
        )

    return log_density


def mixture(data):
    x = data["x"]
    assert len(x) == 300

    def log_density(theta1, theta2):
        modes = 0.5 * norm.pdf(x, theta1, 2**0.5) + 0.5 * norm.pdf(x, theta1 + theta2, 2**0.5)
        return anp.sum(anp.log(modes)) + norm.logpdf(theta1, 0, 10**0.5) + norm.logpdf(theta2, 0, 1)

    return log_density


def eight_schools(data):
    y = np.array([28, 8, -3, 7, -1, 1, 18, 12])
    sigma = np.array([15, 10, 16, 11, 9, 11, 10, 18])

    def log_density(mu, log_tau, eta):
        tau = anp.exp(log_tau)
        prior = (
            norm.logpdf(mu, 0, 5)
            - anp.log(1 + (tau / 5) ** 2)
            + log_tau
            + anp.sum(norm.logpdf(eta))
        )
        return prior + anp.sum(norm.logpdf(y, mu + tau * eta, sigma))

    return log_density


BY_HAND = {f.__name__: f for f in (breast_cancer, linear, poisson, softmax, mixture, eight_schools)}
SHAPES = {
    "breast_cancer": [31],
    "linear": [11, ()],
    "poisson": [5],
    "softmax": [5, 5],
    "mixture": [(), ()],
    "eight_schools": [(), (), 8],
}


@cache
def example(name):
    posterior = posterior_in(name)
    return posterior, Density(posterior)


def points(name, count=4):
    """Values of the blocks of an example, by block, at random points."""
    posterior, _ = example(name)
    rng = np.random.default_rng(7)
    return [
        {
            b: 0.7 * rng.normal(size=shape)
            for b, shape in zip(posterior.blocks, SHAPES[name], strict=True)
        }
        for _ in range(count)
    ]


def flat(by_block):
    return np.concatenate([np.atleast_1d(v) for v in by_block.values()])


def moved(at, direction):
    """The point, moved by a flat vector."""
    pieces = np.split(direction, np.cumsum([np.size(v) for v in at.values()])[:-1])
    return {
        b: v + piece.reshape(np.shape(v)) for (b, v), piece in zip(at.items(), pieces, strict=True)
    }


@pytest.mark.slow
@pytest.mark.by_default("breast_cancer")
@pytest.mark.parametrize("name", BY_HAND)
def test_gradient_is_that_of_central_differences(name):
    _, density = example(name)
    h = 1e-5
    for at in points(name):
        gradient = flat(density.gradient(at))
        moves = h * np.eye(gradient.size)
        slopes = [
            (density.potential(moved(at, e)) - density.potential(moved(at, -e))) / (2 * h)
            for e in moves
        ]
        np.testing.assert_allclose(slopes, gradient, rtol=1e-6, atol=1e-6 * np.abs(gradient).max())


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_HAND)
def test_density_and_gradient_are_those_of_autograd(name):
    posterior, density = example(name)
    log_density = BY_HAND[name]({str(s): a for s, a in posterior.data})
    slopes = autograd.grad(log_density, tuple(range(len(posterior.blocks))))
    first, *others = points(name)
    for at in others:
        ours = density.potential(at) - density.potential(first)
        assert ours == pytest.approx(
            log_density(*first.values()) - log_density(*at.values()), rel=1e-11
        )
        theirs = np.concatenate([-np.atleast_1d(g) for g in slopes(*at.values())])
        np.testing.assert_allclose(
            flat(density.gradient(at)), theirs, rtol=1e-10, atol=1e-11 * np.abs(theirs).max()
        )


@pytest.mark.by_default("breast_cancer", "mixture")
@pytest.mark.parametrize("name", BY_HAND)
def test_the_mode_is_that_of_scipy(name):
    _, density = example(name)
    mode = density.mode()
    ends = np.cumsum([np.size(v) for v in mode.values()])[:-1]

    def potential(z):
        at = np.split(z, ends)
        return density.value(at), np.concatenate(density.slopes(at))

    options = {"ftol": 1e-15, "gtol": 1e-8, "maxiter": 5000}
    theirs = minimize(
        potential, np.zeros(density.dimension), jac=True, method="L-BFGS-B", options=options
    )
    ours = flat(mode)
    np.testing.assert_allclose(ours, theirs.x, rtol=1e-5, atol=1e-5)
    assert potential(ours)[0] <= theirs.fun + 1e-12 * abs(theirs.fun)


@pytest.mark.by_default("breast_cancer", "mixture")
@pytest.mark.parametrize("name", BY_HAND)
def test_estimates_from_one_row_average_to_the_gradient(name):
    _, density = example(name)
    at = points(name)[0]
    of_one = [flat(density.gradient(at, rows=np.array([n]))) for n in range(density.rows)]
    whole = flat(density.gradient(at))
    np.testing.assert_allclose(
        np.mean(of_one, axis=0), whole, rtol=1e-10, atol=1e-12 * np.abs(of_one).max()
    )


@pytest.mark.slow
@pytest.mark.by_default("breast_cancer")  # each takes seconds to compile
@pytest.mark.parametrize("name", BY_HAND)
def test_the_printed_command_runs(name, monkeypatch, capsys):
    text = (ROOT / "catalog" / "posteriors" / f"{name}.py").read_text().replace("\\\n", " ")
    (command,) = re.findall(r"^    (recipe sample .*)$", text, re.MULTILINE)
    command = re.sub(r"--steps \d+", "--steps 40", re.sub(r"--thin \d+", "--thin 1", command))
    monkeypatch.setattr(sys, "argv", shlex.split(command))
    monkeypatch.chdir(ROOT)
    with pytest.raises(SystemExit, match="0"):
        main()
    assert "4 chains of 36 draws" in capsys.readouterr().out

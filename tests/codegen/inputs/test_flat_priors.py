"""Blocks without a prior are named, unless the posterior has no prior at all."""

import numpy as np
import pytest
from sympy import Interval, oo

from catalog.sgld import sgld
from codegen import generate
from codegen.inputs.flat_priors import said_of_priors
from recipe import Data, Posterior, Scalar, Simplex, Vector, bind
from recipe.laws import categorical, half_normal, normal, student_t

mu, b = Scalar("mu"), Scalar("b", domain=Interval.open(0, 1))
s, nu = (Scalar(name, domain=Interval.open(0, oo)) for name in ("s", "nu"))
y = Data("y")
LIKELIHOOD = student_t(y, nu, mu, s) + b


def said(log_prior):
    posterior = Posterior((mu, s, nu, b), LIKELIHOOD, log_prior, data={y: np.zeros(3)})
    return said_of_priors(generate(bind(sgld, posterior)))


@pytest.mark.parametrize(
    ("log_prior", "repairs"),
    [
        (normal(mu, 0, 1) + half_normal(s, 1), ["nu: half_normal(nu, 1)"]),
        (half_normal(nu, 1) + half_normal(s, 1), ["mu: normal(mu, 0, 1)"]),
        (normal(mu, 0, 1) + half_normal(s, 1) + half_normal(nu, 1), []),
        (0, []),
    ],
)
def test_blocks_without_a_prior(log_prior, repairs):
    sentences = said(log_prior)
    assert len(sentences) == len(repairs)
    for sentence, repair in zip(sentences, repairs, strict=True):
        name, law = repair.split(": ")
        assert sentence.startswith(f"{name} has no prior, ")
        assert law in sentence


def test_states_whose_law_is_in_the_log_likelihood_need_no_prior():
    m, sd = Vector("m"), Scalar("sd", prior=half_normal(1))
    now, before = Data("now", [0, 1, 2]), Data("before", [0, 0, 1])
    first, seen = Data("first", [1.0, 0.0, 0.0]), Data("seen", [1.0, 2.0, 0.5])
    seen_law = normal(seen, m[now], 1)
    moves = (1 - first) * normal(m[now], m[before], sd) + first * normal(m[now], 0, sd)
    walk = Posterior(log_likelihood=seen_law + moves, log_prior=0)
    assert said_of_priors(generate(bind(sgld, walk))) == ()
    residuals = normal(seen - m[now], 0, sd)  # a law of the data, and none of m
    (said,) = said_of_priors(generate(bind(sgld, Posterior(log_likelihood=residuals, log_prior=0))))
    assert said.startswith("m has no prior")


def test_a_block_on_a_simplex_may_be_without_one():
    """Its domain has a finite volume, which sympy does not know."""
    w, label = Vector("w", domain=Simplex()), Data("label")
    data = {label: np.array([0, 1, 2]), y: np.zeros(3)}
    both = categorical(label, w) + normal(y, mu, 1)
    posterior = Posterior((w, mu), both, normal(mu, 0, 1), data=data)
    assert said_of_priors(generate(bind(sgld, posterior))) == ()

"""A sampler of real numbers, bound to a posterior whose blocks live on intervals."""

from __future__ import annotations

import numpy as np
import pytest
from sympy import Interval, oo

from catalog.mala import mala
from catalog.sghmc import sghmc
from catalog.sgld import sgld
from codegen import generate, sample
from recipe import Data, Posterior, Scalar, Vector, bind, total
from recipe.laws import beta, exponential, gamma, normal, uniform
from recipe.rebuild.onto_domains import map_onto
from recipe_cli.program.translation import translation_of
from verify import Verdict, verify

mu, tau = Scalar("mu"), Scalar("tau", domain=Interval.open(0, oo))
rate = Scalar("rate", domain=Interval(0, oo))
p = Scalar("p", domain=Interval.open(0, 1))
below = Scalar("below", domain=Interval.open(-oo, 2))
v = Vector("v", domain=Interval.open(-1, 3))
x, y = Data("x", like=v), Data("y")


def potential(sampler):
    return next(a for a in sampler.abstract if a.name == "U")


def model():
    return Posterior(
        (mu, tau, p, below, v),
        normal(y, mu + total(x * v), tau),
        normal(mu, below, 1) + gamma(tau, 2, 1) + beta(p, 2, 3)
        + below - below**2 + total(uniform(v, -1, 3)),
        {x: np.arange(6.0).reshape(2, 3), y: [0.5, 1.5]},
    )  # fmt: skip


@pytest.mark.parametrize(
    "domain",
    [Interval.open(0, oo), Interval(2, oo), Interval.open(-oo, 2), Interval.open(-1, 3)],
    ids=str,
)
def test_the_map_takes_the_line_onto_the_domain_and_back(domain):
    f = map_onto(domain)
    for phi in (-3, 0, 2):
        value = f(phi)
        assert value in domain
        assert f.inverse(value).equals(phi)


def test_a_sampler_of_real_numbers_is_proved_on_every_domain():
    report = verify(bind(sghmc, {potential(sghmc): model()}))
    assert report.verdict is Verdict.PROVED
    assert {line.name for line in report.lines} >= {"onto", "monotone", "agrees-with-update"}


@pytest.mark.parametrize("sampler", [sgld, mala], ids=["sgld", "mala"])
def test_the_text_is_proved_to_be_the_rule(sampler):
    outcome = translation_of(generate(bind(sampler, {potential(sampler): model()}), name="bound"))
    assert outcome.verdict is Verdict.PROVED, outcome.by


@pytest.mark.slow
def test_draws_are_those_of_the_law_on_its_domain():
    # rate has the law Gamma(2 + 3, 1 + 4), p the law Beta(2, 3), both exactly
    law = Posterior(
        (rate, p), exponential(y, rate), gamma(rate, 2, 1) + beta(p, 2, 3), {y: [0.5, 1.5, 2.0]}
    )
    draws = sample(
        bind(mala, {potential(mala): law}),
        steps=20_000, warmup=500, step_size=0.3, chains=4, seed=3, progress=False,
    )  # fmt: skip
    found = draws["rate"], draws["p"]
    assert found[0].min() > 0
    assert 0 < found[1].min() <= found[1].max() < 1
    # some 2,000 effective draws: seven standard errors
    assert found[0].mean() == pytest.approx(1, abs=7 * 0.45 / 2000**0.5)
    assert found[1].mean() == pytest.approx(0.4, abs=7 * 0.2 / 2000**0.5)
    assert found[1].std() == pytest.approx(0.2, abs=0.02)

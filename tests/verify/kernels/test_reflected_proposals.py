"""Metropolis tests of proposals that are reflected at the edge of their domain."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.outcomes import outcome_of
from oracles.explicit import evaluate
from scipy.integrate import quad
from scipy.stats import kstest
from sympy import Interval, Matrix, Rational, Symbol, exp, lambdify, log, oo, sqrt

from catalog.sgrld_simplex_expanded_mean import sgrld_simplex_expanded_mean
from codegen import sample
from recipe import (
    Noise,
    Recipe,
    RecipeError,
    Scalar,
    Update,
    Vector,
    compose,
    metropolis,
    mirror,
    outer,
    step,
    total,
)
from recipe.language.fold import Fold
from verify import Verdict, verify

PROVED, UNDECIDED = Verdict.PROVED, Verdict.UNDECIDED
h = Symbol("h", positive=True)
x = Scalar("x", domain=Interval.open(1, oo))
w = Noise("w", like=x)


def langevin(block, H, D=1, **more) -> Recipe:
    return Recipe((block,), H, Matrix([[D]]), Matrix([[0]]), **more)


def cost_of(recipe: Recipe):
    part = metropolis(mirror(recipe, *recipe.state), "euler")
    return part, part.partners[0][1]


@pytest.mark.parametrize(
    "block", [x, Scalar("x", domain=Interval.open(-oo, 1))], ids=["lower", "upper"]
)
def test_the_density_of_the_proposal_integrates_to_one(block):
    """Up to the constant that is left out, which is the same from every state."""
    part, new = cost_of(langevin(block, block**2 / 2, 1 + block**2))
    (size,) = (s for s in part.cost.free_symbols if s.name.startswith("step"))
    density = lambdify((block, new), exp(block**2 / 2 - part.cost).xreplace({size: Rational(1, 3)}))
    side = 1 if block is x else -1
    masses = [
        quad(lambda y, at=at: density(at, y), *sorted((1, 1 + side * 60)), limit=400)[0]
        for at in 1 + side * np.array([0.01, 1, 3])
    ]
    assert np.ptp(np.array(masses) / np.sqrt(2 * np.pi)) < 1e-6
    assert abs(masses[0] / np.sqrt(2 * np.pi) - 1) < 1e-6


@pytest.mark.parametrize(
    "at", [(Rational(3, 2), Rational(5, 4)), (Rational(101, 100), Rational(4))]
)
def test_the_acceptance_is_that_of_both_images(at):
    part, new = cost_of(langevin(x, x**2 / 2, x))
    size = next(s for s in part.cost.free_symbols if s.name.startswith("step"))
    values = dict(zip((x, new), at, strict=True))

    def side(here, there):
        mean, variance = here + Rational(1, 3) * (1 - here**2), 2 * here / 3
        both = sum(exp(-((y - mean) ** 2) / (2 * variance)) for y in (there, 2 - there))
        return here**2 / 2 + log(variance) / 2 - log(both)

    ours = part.cost - part.cost.xreplace({x: new, new: x})
    assert (
        abs(
            evaluate(ours, values | {size: Rational(1, 3)})
            - evaluate(side(*at) - side(*at[::-1]), {})
        )
        < 1e-14
    )


def test_it_is_proved_for_every_length_and_nothing_is_said_to_be_rejected():
    report = verify(
        compose(
            metropolis(
                mirror(sgrld_simplex_expanded_mean, *sgrld_simplex_expanded_mean.state), "euler"
            )
        )
    )
    assert report.verdict is PROVED
    assert outcome_of(report, "uniqueness").verdict is PROVED
    assert "is rejected" not in str(report)


def test_another_density_is_not_proved():
    part, new = cost_of(langevin(x, x**2 / 2, x))
    plain = metropolis(langevin(x, x**2 / 2, x), "euler")
    for cost in (plain.cost, part.cost + log(new), part.cost - log(1 + exp(-new))):
        report = verify(compose(replace(part, cost=cost)))
        assert outcome_of(report, "invariance").verdict is UNDECIDED
        assert outcome_of(report, "detailed-balance").verdict is not PROVED


def test_a_step_without_a_test_is_not_proved():
    assert verify(compose(step(mirror(langevin(x, x**2 / 2), x), "euler"))).verdict is UNDECIDED


def test_what_has_no_known_density_is_refused():
    u = Scalar("u", domain=Interval.open(0, 1))
    with pytest.raises(RecipeError, match="reflected at 2 ends"):
        metropolis(mirror(langevin(u, u**2), u), "euler")
    q = Vector("q", domain=Interval.open(0, oo))
    n = Noise("n", like=q)
    rule = {q: Fold(q + sqrt(h) * (n + q * total(n)), 0, oo)}
    with pytest.raises(RecipeError, match="reflected, and its noise couples coordinates"):
        metropolis(Update(h, rule, total(q)))
    theta = Vector("theta", domain=Interval.open(0, oo))
    with pytest.raises(RecipeError, match="oblique"):
        mirror(Recipe((theta,), total(theta), theta + outer(theta, theta), 0), theta)


@pytest.mark.slow
def test_draws_of_a_reflected_exponential_law():
    kernel = compose(metropolis(mirror(langevin(x, 2 * x), x), "euler"))
    drawn = sample(
        kernel, steps=60_000, warmup=1_000, thin=10, step_size=0.2, chains=2, seed=3, progress=False
    )["x"]
    assert kstest(drawn.ravel(), lambda t: 1 - np.exp(-2 * (t - 1))).statistic < 0.03

"""The verifier on random recipes and mutants of them, judged by explicit coordinates.

A mutant can be a right sampler as well (a correction that was zero is dropped): the oracle says which. No wrong *proved* and no
wrong *refuted* is allowed, and undecided ones are counted.
"""

from dataclasses import replace

import pytest
from explicit import explicit
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from random_recipes import recipes
from sympy import Expr, S

from recipe import Recipe, derive
from recipe.dynamics import Dynamics
from recipe.symbols import Block
from verify import Verdict
from verify.obligations.curl_skew import CURL_SKEW
from verify.obligations.diffusion_symmetric import DIFFUSION_SYMMETRIC
from verify.obligations.stationarity import STATIONARITY
from verify.subject import Subject, subject_of

SETTINGS = settings(
    derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate]
)
UNDECIDED: list[Recipe] = []


def with_drift(subject: Subject, drift: dict[Block, Expr]) -> Subject:
    return replace(subject, dynamics=Dynamics(subject.dynamics.state, drift, subject.dynamics.diffusion))


def mutated(recipe: Recipe, how: str) -> dict[Block, Expr]:
    derivation = derive(recipe)
    drift, gamma = derivation.dynamics.drift, derivation.gamma
    if how == "gamma dropped":
        return {b: f - gamma[b] for b, f in drift.items()}
    if how == "gamma negated":
        return {b: f - 2 * gamma[b] for b, f in drift.items()}
    first = next(iter(drift))
    if how == "one drift doubled":
        return drift | {first: 2 * drift[first]}
    if how == "one drift dropped":
        return drift | {first: S.Zero}
    return drift | {first: drift[first] + first}


MUTATIONS = ("gamma dropped", "gamma negated", "one drift doubled", "one drift dropped", "a force added")


def check_valid(recipe: Recipe) -> None:
    subject = subject_of(recipe)
    for obligation in (DIFFUSION_SYMMETRIC, CURL_SKEW, STATIONARITY):
        verdict = obligation.discharge(subject).verdict
        assert verdict is not Verdict.REFUTED
        if verdict is Verdict.UNDECIDED:
            UNDECIDED.append(recipe)


def check_mutant(recipe: Recipe, how: str) -> None:
    drift = mutated(recipe, how)
    verdict = STATIONARITY.discharge(with_drift(subject_of(recipe), drift)).verdict
    x = explicit(recipe, 2)
    stationary = x.is_zero(x.residual(drift=x.components(drift)))
    assert verdict is not Verdict.PROVED or stationary
    if verdict is Verdict.REFUTED and stationary:
        longer = explicit(recipe, 3)  # what holds at two coordinates may fail at three
        assert not longer.is_zero(longer.residual(drift=longer.components(drift)))
    if verdict is Verdict.UNDECIDED:
        UNDECIDED.append(recipe)


@settings(SETTINGS, max_examples=25)
@given(recipes())
def test_random_recipes_are_proved(recipe):
    check_valid(recipe)
    assert len(UNDECIDED) <= 1


@settings(SETTINGS, max_examples=10)
@given(recipes(largest_state=2), st.sampled_from(MUTATIONS))
def test_random_mutants_are_judged_as_explicit_coordinates_judge_them(recipe, how):
    check_mutant(recipe, how)


@pytest.mark.slow
@settings(SETTINGS, max_examples=600)
@given(recipes())
def test_many_random_recipes_are_proved(recipe):
    check_valid(recipe)
    assert len(UNDECIDED) <= 6


@pytest.mark.slow
@settings(SETTINGS, max_examples=150)
@given(recipes(), st.sampled_from(MUTATIONS))
def test_many_random_mutants(recipe, how):
    check_mutant(recipe, how)

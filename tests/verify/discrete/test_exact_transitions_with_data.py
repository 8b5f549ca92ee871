"""Exact transitions with data: they are read off the posterior that is verified, and what is
assumed of data holds of some.
"""

from dataclasses import replace

import numpy as np
import pytest
from helpers.outcomes import outcome_of
from sympy import Symbol, log

from catalog.scir import scir_posterior
from recipe import (
    Data,
    NoncentralChiSquared,
    Parameter,
    Posterior,
    Potential,
    Recipe,
    Update,
    bind,
    discretised,
    total,
)
from verify import Verdict, verify
from verify.obligations.step.exact_transition import EXACT_TRANSITION
from verify.subject import subject_of

(U,) = scir_posterior.H.atoms(Potential)
X = scir_posterior.state[0]
z = Data("z", like=X)
alpha, beta, real = (
    Symbol("alpha", positive=True),
    Symbol("beta", positive=True),
    Symbol("alpha", real=True),
)
COUNTS = np.eye(4)[np.repeat([0, 1, 2], [8, 1, 1])]
GAMMA = (alpha - 1) * log(X) - X


def posterior_of(prior, each=None, gradient=None):
    each = z * log(X) if each is None else each
    return bind(
        scir_posterior, {U: Posterior(X, total(each), total(prior), {z: COUNTS}, gradient=gradient)}
    )


def line(step):
    return EXACT_TRANSITION.discharge(subject_of(step))


GOOD = discretised(posterior_of(GAMMA), "exact")


@pytest.mark.parametrize(
    "prior", [-(X**2), (alpha - 1) * log(X) - 2 * X, (alpha - 1) * log(X), -1 / X]
)
def test_a_step_of_another_posterior_is_refuted(prior):
    outcome = line(replace(GOOD, of=posterior_of(prior)))
    assert outcome.verdict is Verdict.REFUTED
    assert "the backward Kolmogorov equation" in outcome.by


def test_a_step_of_another_likelihood_is_not_proved():
    assert line(replace(GOOD, of=posterior_of(GAMMA, -((z - X) ** 2)))).verdict is Verdict.UNDECIDED
    assert line(replace(GOOD, of=scir_posterior)).verdict is Verdict.UNDECIDED


def test_a_rule_that_reads_its_shape_from_the_gradient_is_right_for_every_shape():
    outcome = line(replace(GOOD, of=posterior_of((beta - 1) * log(X) - X)))
    assert outcome.verdict is Verdict.PROVED
    assert "2*beta - 2*data_theta > 0" in outcome.assumptions[0]


def test_a_rule_with_the_shape_written_in_it_is_right_for_this_shape_alone():
    ((block, e),) = GOOD.update.rule
    (draw,) = e.atoms(NoncentralChiSquared)
    moved = e.xreplace(
        {draw: NoncentralChiSquared(draw.noise, draw.df + 2 * (beta - alpha), draw.nonc)}
    )
    step = replace(GOOD, update=Update(GOOD.update.step, {block: moved}, GOOD.update.target))
    assert line(step).verdict is Verdict.REFUTED


def test_every_block_must_have_its_transition():
    assert (
        line(replace(GOOD, exact=replace(GOOD.exact, transitions=()))).verdict is Verdict.UNDECIDED
    )


def test_another_D_is_refuted():
    other = Recipe((X,), scir_posterior.H, 2 * scir_posterior.D.written, scir_posterior.Q.written)
    law = dict(posterior_of(GAMMA).posteriors)[U]
    assert line(replace(GOOD, of=bind(other, {U: law}))).verdict is Verdict.REFUTED


def test_a_parameter_with_the_name_of_the_sum_is_another():
    taken = Parameter("data_theta", like=X, positive=True)
    outcome = line(discretised(posterior_of((taken - 1) * log(X) - X), "exact"))
    assert outcome.verdict is Verdict.PROVED
    assert outcome.assumptions == (
        (
            "the data are such that 2*data_theta - 2*data_theta_ > 0, with data_theta_ the sum over"
            " the data of -z"
        ),
    )


# -- what is assumed of data
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prior", "each"),
    [
        (-(alpha + 1) * log(X) - X, -(z**2) * log(X)),
        (-(real + 1) * log(X) - X, -(z**2) * log(X)),
        ((real - 1) * log(X) - X, real * z**2 * log(X)),
        (-(alpha + 1) * log(X) - X, alpha * log(-(z**2)) ** 2 * log(X)),
    ],
)
def test_what_no_data_fulfil_is_not_assumed_of_them(prior, each):
    outcome = line(discretised(posterior_of(prior, each), "exact"))
    assert outcome.verdict is Verdict.UNDECIDED
    assert "no data were found for which" in outcome.by


@pytest.mark.parametrize(
    ("prior", "each"),
    [
        (GAMMA, z * log(X)),
        (GAMMA, -(z**2) * log(X)),  # of z = 0
        (-(alpha + 1) * log(X) - X, z**2 * log(X)),  # of many data, whatever alpha is
        ((real - 1) * log(X) - X, z * log(X)),  # a shape below 0 where there are counts
    ],
)
def test_what_some_data_fulfil_for_all_parameters_is_assumed(prior, each):
    outcome = line(discretised(posterior_of(prior, each), "exact"))
    assert outcome.verdict is Verdict.PROVED
    (said,) = outcome.assumptions
    assert said.startswith("the data are such that")


def test_well_defined_assumes_nothing_of_data_that_none_fulfil():
    vacuous = outcome_of(
        verify(posterior_of(GAMMA, z * log(X) + 0 * X + log(-1 - z**2) / X.dim)), "well-defined"
    )
    assert vacuous.verdict is Verdict.UNDECIDED
    assert "no data were found for which" in vacuous.by
    held = outcome_of(verify(posterior_of(GAMMA, z * log(X) + log(1 + z))), "well-defined")
    assert held.assumptions == ("the data are such that z[k] + 1 > 0",)


def test_a_gradient_of_ones_own_is_taken_for_what_it_is_said_to_be():
    outcome = line(
        discretised(posterior_of(GAMMA, gradient=lambda theta, rows, x, g: None), "exact")
    )
    assert outcome.verdict is Verdict.PROVED
    assert (
        outcome.assumptions[0]
        == "gradient= of U estimates the gradient that its log_likelihood and log_prior have"
    )
    assert len(line(GOOD).assumptions) == 1

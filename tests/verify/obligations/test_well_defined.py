"""``well-defined``: the smallest part that has no value is named, Gamma by its name, and what a
posterior needs.
"""

import numpy as np
import pytest
from helpers.outcomes import outcome_of
from sympy import Interval, atan, exp, log, loggamma, oo, sqrt

from recipe import Data, Posterior, Potential, Recipe, Vector, bind, corv, total
from verify import Verdict, verify

theta = Vector("theta")
closed = Vector("x", domain=Interval(0, oo))
inside = Vector("x", domain=Interval.open(0, oo))
unit = Vector("u", domain=Interval(0, 1))
U = Potential("U", theta)
row, label = Data("row", like=theta), Data("label")
LANGEVIN = Recipe((theta,), U, 1, 0)


def well_defined(recipe):
    return outcome_of(verify(recipe), "well-defined")


def with_posterior(likelihood, prior):
    posterior = Posterior(
        (theta,), likelihood, prior, data={row: np.ones((3, 2)), label: np.ones(3)}
    )
    return bind(LANGEVIN, {U: posterior})


LOGISTIC = -log(1 + exp(-label * total(row * theta)))


@pytest.mark.parametrize(
    ("recipe", "says"),
    [
        (
            Recipe((closed,), total(closed), sqrt(closed), 0),
            (
                "the correction Gamma of x: it is singular: x > 0 fails at the witness, where"
                " 1/sqrt(x) has no value"
            ),
        ),
        (
            Recipe((unit,), total(unit), 1 / (1 - unit), 0),
            "D[u, u]: 1 - u != 0 fails at the witness, where 1/(1 - u) has no value",
        ),
        (
            bind(LANGEVIN, {U: total(log(theta))}),
            "H: theta[k] > 0 fails at the witness, where log(theta[k]) has no value",
        ),
        (
            corv(LANGEVIN, theta, lambda z: z - atan(1 / z) / 2, inverse=lambda z: z),
            "the map of phi: phi != 0 fails at the witness, where 1/phi has no value",
        ),
        (with_posterior(LOGISTIC, total(log(theta))), "the log prior of U: theta[k] > 0 fails"),
        (
            with_posterior(LOGISTIC + log(total(theta)), -total(theta**2)),
            "the log likelihood of U: total(theta) > 0 fails",
        ),
    ],
)
def test_the_smallest_guilty_part_is_named(recipe, says):
    outcome = well_defined(recipe)
    assert outcome.verdict is Verdict.REFUTED
    assert outcome.by.startswith(says)
    assert outcome.witness is not None


@pytest.mark.parametrize(
    ("recipe", "by"),
    [
        (Recipe((inside,), total(inside), sqrt(inside), 0), "2 conditions on signs"),
        (
            Recipe((theta,), total(theta**2), theta**2, 0),
            "no denominators, logarithms or roots; D[theta, theta] is zero at theta = 0",
        ),
        (
            Recipe((unit,), total(unit), unit, 0),
            "no denominators, logarithms or roots; D[u, u] is zero at u = 0",
        ),
        (Recipe((inside,), total(inside), inside, 0), "no denominators, logarithms or roots"),
        (with_posterior(LOGISTIC, -total(theta**2)), "1 condition on signs"),
    ],
)
def test_zeros_of_D_are_named_and_are_no_fault(recipe, by):
    outcome = well_defined(recipe)
    assert outcome.verdict is Verdict.PROVED
    assert outcome.by == by


def test_what_only_the_data_decide_is_a_line_of_the_ledger():
    outcome = well_defined(with_posterior(LOGISTIC - loggamma(label + 1), -total(theta**2)))
    assert outcome.verdict is Verdict.PROVED
    assert outcome.assumptions == ("the data are such that label + 1 > 0",)


def test_what_data_and_state_decide_together_is_left_open():
    outcome = well_defined(with_posterior(log(label + total(row * theta)), -total(theta**2)))
    assert outcome.verdict is Verdict.UNDECIDED
    assert "for all data" in outcome.by

"""The exit status of draws whose bias is predicted."""

from __future__ import annotations

import numpy as np
import pytest

from codegen import Divergence, Draws, Prediction
from codegen.bias.prediction import Part
from recipe_cli.render.exit_status import exit_status_of_draws


def draws(bias, divergences=()):
    one = {"theta": np.zeros((1, 1, 1))}
    return Draws(one, np.ones(1, int), divergences, False, {}, np.ones(1), bias=bias)


def predicted(factor, shift=0.0, minibatches=True):
    part = Part(factor, "theta[0]", shift, "theta[0]")
    return Prediction(0.1, minibatches, total=part, step_alone=part)


@pytest.mark.parametrize(
    ("bias", "status"),
    [
        (None, 0),
        (predicted(1.05), 0),
        (predicted(0.95, 0.09), 0),
        (predicted(1.2), 1),
        (predicted(0.8), 1),
        (predicted(1.0, 0.2), 1),
        (predicted(3.0, None), 1),
        (predicted(1.2, minibatches=False), 1),
        (Prediction(0.1, True, "there are two modes"), 3),
        (Prediction(0.1, False, "there are two modes"), 0),
    ],
)
def test_bias_beyond_its_budget_is_1_and_unknown_of_minibatches_is_3(bias, status):
    assert exit_status_of_draws(draws(bias), accept_bias=False) == status
    assert exit_status_of_draws(draws(bias), accept_bias=True) == 0


def test_a_chain_that_diverged_is_1_whatever_is_accepted():
    lost = draws(predicted(1.0), (Divergence(0, 3, "theta"),))
    assert exit_status_of_draws(lost, accept_bias=True) == 1


@pytest.mark.parametrize(
    ("moved", "status"), [([True, True], 0), ([True, False], 1), ([False, False], 1)]
)
def test_a_chain_that_never_moved_is_1(moved, status):
    """A block that stays beside one that moves is no stuck chain."""
    theta = np.zeros((2, 5, 2))
    theta[moved, 3:, 1] = 1.0
    blocks = {"theta": theta, "m": np.zeros((2, 5))}
    found = Draws(blocks, np.full(2, 5), (), False, {}, np.ones(2))
    assert exit_status_of_draws(found, accept_bias=True) == status

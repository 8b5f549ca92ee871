"""Dual averaging finds the step size at which tests accept as often as is wanted."""

import numpy as np
import pytest

from codegen.tuning.law.dual_averaging import DualAveraging


@pytest.mark.parametrize("first", [1e-3, 0.3, 50.0])
def test_the_step_is_where_the_acceptance_is_the_target(first):
    """Acceptance ``exp(-h^2)``, seen as four tests a round: 0.8 is at h = sqrt(-log 0.8) = 0.472.
    Over seeds the result has a standard deviation of 8 %, so that 40 % is five of them.
    """
    random = np.random.default_rng(0)
    adaptation = DualAveraging(first, 0.8)
    for _ in range(400):
        accepted = random.random(4) < np.exp(-(adaptation.step_size**2))
        adaptation.update(float(accepted.mean()))
    assert adaptation.averaged == pytest.approx(np.sqrt(-np.log(0.8)), rel=0.4)


def test_a_rate_that_is_no_number_makes_the_step_smaller():
    adaptation = DualAveraging(1.0, 0.8)
    adaptation.update(1.0)
    before = adaptation.step_size
    for _ in range(5):
        adaptation.update(float("nan"))
    assert adaptation.step_size < before


def test_without_a_round_the_step_is_the_first_one():
    assert DualAveraging(0.25, 0.8).averaged == pytest.approx(0.25)

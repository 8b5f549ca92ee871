"""Found on 22 November 2026: a right kernel *differed* where the number that is read off a step is
not the noise that was drawn.
"""

import pytest
from cases.kernels_by_hand import CASES
from sympy import Interval, Symbol, log, oo, sqrt

from recipe import Fold, Noise, Scalar, Update
from verify.statistics import (
    ComparisonOutcome,
    battery,
    reference,
)


def two_noises():
    """Two noises in one coordinate, whose sum in units of its deviation is another number at every
    state.
    """
    x = Scalar("x")
    h, w, v = Symbol("h", positive=True), Noise("w", like=x), Noise("v", like=x)
    return Update(h, {x: x / 2 + sqrt(h) * (w + x * v)}, x**2 / 2)


def folded():
    x = Scalar("x", domain=Interval(0, oo))
    h, w = Symbol("h", positive=True), Noise("w", like=x)
    return Update(h, {x: Fold(x / 2 + sqrt(h) * w, 0, oo)}, x**2 / 2)


def squared():
    x = Scalar("x", domain=Interval.open(0, oo))
    h, w = Symbol("h", positive=True), Noise("w", like=x)
    return Update(h, {x: x * (1 + sqrt(h) * w / 4) ** 2 + h}, x - log(x))


@pytest.mark.by_default(2)
@pytest.mark.parametrize(
    "rule",
    [two_noises(), folded(), squared(), CASES["scir"][1]],
    ids=["two", "folded", "squared", "scir"],
)
def test_shared_noise_that_is_not_what_is_read_off_is_no_difference(rule):
    """These kernels are right, and draw the same numbers at every state, as they promise."""
    how = {"step_size": 0.1, **({"params": {"a": 2.0}} if rule is CASES["scir"][1] else {})}
    right = reference(rule, **how)
    assert right.coupled
    chosen = battery(rule, batched=True, coupled=True, replicas=4096, **how)
    assert not chosen.coupled
    assert chosen.check(right).outcome is ComparisonOutcome.AGREES

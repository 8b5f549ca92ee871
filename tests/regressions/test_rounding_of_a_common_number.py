"""Found on 22 November 2026: a right sweep *differed* by the rounding of a number that all replicas
move by.
"""

from sympy import Interval, Symbol, oo

from recipe import (
    Kernel,
    Update,
    Vector,
    step,
    total,
)
from verify.statistics import ComparisonOutcome, check_sweep

theta, x = Vector("theta"), Vector("x", domain=Interval.open(0, oo))
h, T = Symbol("h", positive=True), Symbol("T", positive=True)


def test_rounding_is_no_difference():
    """All go as far, and none as far as another one in floating point."""
    shift = Kernel([step(Update(h, {theta: theta + h}, total(theta**2)))])

    def otherwise(state, rng):
        return {"theta": (state["theta"] * 3 + 3 * 0.1) / 3}

    assert (
        check_sweep(otherwise, shift, step_size=0.1, batched=True).outcome
        is ComparisonOutcome.AGREES
    )

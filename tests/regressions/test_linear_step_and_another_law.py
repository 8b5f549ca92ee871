"""Found on 21 November 2026: the normal law of a linear step was compared with a target that is not
normal: *proved* on a half line, *refuted* where there is no law.
"""

import pytest
from sympy import Interval, Symbol, oo, sqrt

from recipe import (
    Noise,
    Scalar,
    Update,
    Vector,
    discretised,
    grad,
)
from verify import Verdict, verify


def outcome(of, scheme):
    return next(
        line.outcome for line in verify(discretised(of, scheme)).lines if line.name == "stable-step"
    )


theta, phi, eps = Vector("theta"), Vector("phi"), Symbol("eps", positive=True)
w = Noise("w", like=theta)


def euler(target, noise=w, gain=1, state=theta):
    return Update(
        eps,
        {state: state - eps * gain * grad(target, state) + sqrt(2 * eps * gain) * noise},
        target,
    )


@pytest.mark.parametrize(
    ("update", "reason"),
    [
        (
            euler(
                Scalar("a", domain=Interval.open(0, oo)) ** 2,
                state=Scalar("a", domain=Interval.open(0, oo)),
                noise=Noise("w", like=Scalar("a")),
            ),
            "a lives on Interval.open(0, oo)",
        ),
        (
            euler(-(Scalar("a") ** 2), state=Scalar("a"), noise=Noise("w", like=Scalar("a"))),
            "not seen to be positive definite",
        ),
    ],
)
def test_a_law_that_is_not_normal_is_not_compared_with(update, reason):
    found = outcome(update, "printed")
    assert found.verdict is Verdict.UNDECIDED
    assert reason in found.by

"""Found on 21 November 2026: a kernel with a root that exists for steps below a bound which depends
on the state, on an unknown function or on noise was *proved* to be well defined.
"""

import pytest
from helpers.outcomes import outcome_of
from sympy import Symbol, log, sin, sqrt

from catalog.hmc import theta
from recipe import (
    Noise,
    Potential,
    Scalar,
    Update,
    compose,
    metropolis,
    step,
    total,
)
from verify import Verdict, verify

PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED
h, k = Symbol("h", positive=True), Symbol("k", positive=True)
w = Noise("w", like=theta)
NORMAL = total(theta**2) / 2


@pytest.mark.parametrize(
    "inside", [1 - h * theta**2, 1 - h * total(theta**2), 1 - h * sin(theta) ** 2]
)
def test_a_step_that_must_be_smaller_the_further_out_the_state_is_proves_nothing(inside):
    """No h at all is small enough for ``1 - h theta^2 >= 0`` at every theta: a proof that assumes
    it would be one of nothing.
    """
    for kernel in (
        compose(metropolis(Update(h, {theta: theta + sqrt(h) * w + h * sqrt(inside)}, NORMAL))),
        compose(metropolis(Update(h, {theta: theta + sqrt(h) * w + h / inside}, NORMAL))),
        compose(metropolis(Update(h, {theta: theta + sqrt(h) * w + h * log(inside)}, NORMAL))),
    ):
        report = verify(kernel)
        assert report.verdict is not PROVED
        assert outcome_of(report, "well-defined").verdict is not PROVED
        assert outcome_of(report, "uniqueness").verdict is UNDECIDED
        assert " with " not in report.scope


def test_a_step_that_depends_on_an_unknown_function_or_on_noise_proves_nothing():
    z = Scalar("z")
    V = Potential("V", z)
    n = Noise("n", like=z)
    for inside in (1 - h * V**2, 1 - h * n**2):
        report = verify(compose(step(Update(h, {z: z + sqrt(inside)}, V))))
        assert outcome_of(report, "well-defined").verdict is not PROVED
        assert report.scope == "every smooth V(z), every positive h"

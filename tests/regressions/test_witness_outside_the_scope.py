"""Found on 21 November 2026: a kernel for steps below 1/8 was *refuted* at step 1/2."""

from dataclasses import replace

from helpers.outcomes import outcome_of
from sympy import Rational, S, Symbol, sqrt

from catalog.hmc import U, hmc, r, theta
from recipe import (
    Noise,
    Update,
    compose,
    grad,
    metropolis,
    step,
)
from verify import Verdict, verify

PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED
h, k = Symbol("h", positive=True), Symbol("k", positive=True)
w = Noise("w", like=theta)


def part(*pairs):
    return step(Update(h, [(theta, theta), (r, r), *pairs], hmc.H))


def test_a_witness_is_within_the_scope():
    """A kick that is too strong shows at h = 1/2; where all steps are below 1/8 no witness may have
    that step.
    """
    kick = [(r, r - h * grad(U, theta)), (theta, theta + h * r), (r, r - h / 2 * grad(U, theta))]
    wrong = metropolis(Update(h, kick, hmc.H), flip=r)
    for bound, wanted in ((S.One, REFUTED), (Rational(1, 8), UNDECIDED)):
        c = sqrt(1 - h / bound)
        partly = part((r, c * r + sqrt(h / bound) * Noise("n", like=r)))
        report = verify(compose(partly, wrong))
        assert report.verdict is wanted
        for name in ("detailed-balance", "invariance"):
            outcome = outcome_of(report, name)
            assert outcome.verdict is wanted
            assert wanted is UNDECIDED or outcome.witness.point["h"] == "1/2"


def test_a_witness_of_an_identity_is_within_the_scope():
    right = metropolis(Update(h, {theta: theta - h * grad(U, theta) + sqrt(2 * h) * w}, U))
    (first,) = compose(replace(right, cost=U)).parts
    for n in (1, 10**9):
        pinned = step(Update(h, {theta: sqrt(1 - n * h) * w}, U))
        outcome = outcome_of(verify(compose(first, pinned)), "detailed-balance")
        assert outcome.witness is None or Rational(outcome.witness.point.get("h", "0")) * n <= 1

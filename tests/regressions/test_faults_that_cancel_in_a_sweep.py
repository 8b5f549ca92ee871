"""Found on 22 November 2026: a sweep was *refuted* for the fault of one part, although a later part
compensates for it.
"""

from helpers.outcomes import outcome_of
from oracles.explicit_kernels import (
    mean_after_test,
)
from sympy import (
    Rational,
    exp,
    symbols,
)

from catalog.hmc import U, hmc, r, theta
from recipe import (
    Recipe,
    Update,
    compose,
    flip,
    grad,
    metropolis,
    refresh,
    repeat,
    step,
    total,
)
from verify import Verdict, verify

PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED
h, a, T = symbols("h a T", positive=True)
leap = Update(
    h,
    [(r, r - h / 2 * grad(U, theta)), (theta, theta + h * r), (r, r - h / 2 * grad(U, theta))],
    hmc.H,
)
partly, fully = refresh(hmc, r, keep=exp(-a)), refresh(hmc, r)


def rule(*pairs, H=hmc.H) -> Update:
    """A rule of theta and r; a block that is not named does not move."""
    return Update(h, [(theta, theta), (r, r), *pairs], H)


def invariance(*parts):
    return outcome_of(verify(compose(*parts)), "invariance")


c, s_ = Rational(3, 5), Rational(4, 5)


def test_a_part_that_does_not_keep_the_law_may_make_good_what_came_before_a_test():
    """Twice the momentum, a quarter turn that is always accepted, half of the position: a rotation,
    which is right.
    """
    law = Recipe((theta, r), (total(theta**2) + total(r**2)) / 2, hmc.D.written, hmc.Q.written)
    quarter = metropolis(rule((r, r - theta), (theta, theta + r), (r, r - theta), H=law.H), flip=r)
    double, halve = (step(rule(pair, H=law.H)) for pair in ((r, 2 * r), (theta, theta / 2)))
    assert invariance(double, quarter, halve).verdict is UNDECIDED
    assert invariance(double, quarter).verdict is REFUTED
    assert invariance(double, quarter, refresh(law, r, keep=c)).verdict is REFUTED


def test_a_sign_that_is_turned_once_or_twice_makes_a_rejected_momentum_good():
    """What a rejection that keeps the momentum adds to the density is odd in it, so that turning
    every other one removes it.
    """
    kept = metropolis(leap, flip=r, flip_on_rejection=False)
    around = metropolis(leap, flip=r, flip_on_rejection=False, around=partly)
    for test in (kept, around):
        assert invariance(test, repeat(flip(hmc, r), (1, 2))).verdict is UNDECIDED
        assert invariance(test, repeat(flip(hmc, r), 2)).verdict is REFUTED
        assert invariance(test, flip(hmc, r)).verdict is REFUTED
    quartic, cubic = (lambda x: x**4 / 4), (lambda x: x**3)
    mixed = lambda x, p: x**3 * p + x**2 * p**2  # noqa: E731
    means = [
        mean_after_test(quartic, cubic, 0.7, False, lambda x, p, sign=sign: mixed(x, sign * p))
        for sign in (1, -1)
    ]
    assert abs(means[0]) > 1e-2
    assert abs(sum(means)) < 1e-4

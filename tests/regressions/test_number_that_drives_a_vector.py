"""Found on 21 November 2026: an HMC kernel whose one momentum moves a whole vector along (1, ...,
1) was *proved* to have one invariant law.
"""

from helpers.outcomes import outcome_of
from sympy import Matrix, Symbol, symbols

from recipe import (
    Recipe,
    Scalar,
    Update,
    Vector,
    compose,
    metropolis,
    refresh,
    total,
)
from verify import Verdict, verify

PROVED, UNDECIDED = Verdict.PROVED, Verdict.UNDECIDED
h = Symbol("h", positive=True)
theta = Vector("theta")


def at_rest(H, *state) -> Recipe:
    """A recipe for the sake of its law."""
    return Recipe(state, H, Matrix.zeros(len(state)), Matrix.zeros(len(state)))


def test_one_number_does_not_drive_a_vector_everywhere():
    """``theta`` moves along (1, ..., 1) only: in two coordinates theta_0 - theta_1 is kept for
    ever.
    """
    p = Scalar("p")
    law = at_rest(total(theta**2) / 2 + p**2 / 2, theta, p)
    kick = (p, p - h / 2 * total(theta))
    leap = Update(h, [kick, (theta, theta + h * p), kick], law.H)
    x, y, v = symbols("x y v")
    moved = [x + h * (v - h / 2 * (x + y)), y + h * (v - h / 2 * (x + y))]
    assert (moved[0] - moved[1] - (x - y)).expand() == 0
    report = verify(compose(refresh(law, p), metropolis(leap, flip=p, times=(1, 3))))
    assert outcome_of(report, "invariance").verdict is PROVED
    assert outcome_of(report, "uniqueness").verdict is UNDECIDED

"""Found on 21 November 2026: maps, and inverses of maps, that are 0/0 at their kink were *proved*
to be onto, monotone and Lipschitz.
"""

import pytest
import sympy
from sympy import (
    Abs,
    Interval,
    Lambda,
    Rational,
    S,
    log,
    oo,
    sqrt,
)

from recipe import maps
from recipe.declare.transformations.map import PHI, Map
from verify.diffusion.change_of_variable.lipschitz import decide_lipschitz, decide_lipschitz_drift
from verify.diffusion.change_of_variable.monotone import decide_monotone
from verify.diffusion.change_of_variable.onto import decide_onto
from verify.diffusion.change_of_variable.smooth import decide_smooth
from verify.verdict import Verdict

PROVED, REFUTED, UNDECIDED = Verdict
HALF_LINE, UNIT, AROUND = Interval.open(0, oo), Interval.open(0, 1), Interval.open(-1, 1)


def given(f, inverse=None, domain=S.Reals) -> Map:
    return Map(
        "f", Lambda(PHI, f(PHI)), None if inverse is None else Lambda(PHI, inverse(PHI)), domain
    )


@pytest.mark.parametrize(
    "inverse",
    [
        lambda t: t**2 / (t - t * Abs(t)),
        lambda t: t * Abs(t) / (Abs(t) - t**2),
        lambda t: t / (1 - Abs(t)) * log(Abs(t)) / log(Abs(t) ** 2) * 2,
    ],
)
def test_an_inverse_without_a_value_at_the_kink_is_not_proved(inverse):
    """Each is that of softsign but for theta = 0, where it is 0/0."""
    back = inverse(PHI)
    for at in (Rational(-1, 2), Rational(1, 3)):
        assert sympy.simplify(back.subs(PHI, at) - maps.softsign.inverse(at)) == 0
    assert back.subs(PHI, 0) is S.NaN
    assert decide_onto(given(lambda p: p / (1 + Abs(p)), inverse), AROUND).verdict is UNDECIDED


@pytest.mark.parametrize(
    "f",
    [
        lambda p: p / sqrt(Abs(p)),
        lambda p: p**2 / (p + p * Abs(p)),
        lambda p: (p**2 + p * Abs(p)) / (p + Abs(p)),
    ],
)
def test_a_map_without_a_value_or_a_slope_at_its_kink_is_not_proved(f):
    found = given(f, lambda t: t * Abs(t))
    for decide in (
        decide_monotone,
        decide_lipschitz,
        decide_lipschitz_drift,
        decide_smooth,
        lambda g: decide_onto(g, S.Reals),
    ):
        assert decide(found).verdict is not PROVED

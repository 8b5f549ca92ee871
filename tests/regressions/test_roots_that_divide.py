"""A sum over coordinates was divided by an expression that vanishes on a half line.

``sqrt((b - c)^2) - b + c`` is 0 for every b > c. It was divided by, because it is not 0 at one
point: a root of a square is not analytic at its kink, and so it may vanish on one side of it alone.
"""

import pytest
from sympy import Matrix, Symbol, sqrt

from recipe import Parameter, Recipe, Vector, total
from verify import Verdict
from verify.decide.zero.canonical import is_zero
from verify.decide.zero.decide import decide_zero
from verify.engine import outcome_of

FAR = 10**4  # beyond every point that is tried
theta = Vector("theta")
r = Vector("r", like=theta)
b = Parameter("b")


def divided(slope, factor):
    """0 where ``factor = slope``; where the slope is 0 it is ``(factor - slope) total(theta^4)``,
    if ``slope^2 = factor slope``.
    """
    q = slope * theta**2 + 1
    return factor * total(theta**4 / q) - total(theta**2) + total(theta**2 / q)


@pytest.mark.parametrize("b", [b, Symbol("b", real=True), Symbol("b", integer=True)])
def test_a_root_that_vanishes_far_away_is_not_divided_by(b):
    """The slope is ``2 (FAR - b)`` for b < FAR, and 0 beyond."""
    slope = sqrt((b - FAR).expand() ** 2 if b.is_integer else ((b - FAR) ** 2).expand()) - b + FAR
    e = divided(slope, 2 * (FAR - b))
    assert not is_zero(e)
    assert decide_zero(e).verdict is not Verdict.PROVED


def test_a_recipe_with_such_a_sum_is_not_skew():
    slope = sqrt(((b - FAR) ** 2).expand()) - b + FAR
    e = divided(slope, 2 * (FAR - b))
    H = total(theta**2) / 2 + total(r**2) / 2
    declared = Recipe((theta, r), H, Matrix([[1, 0], [0, 1]]), Matrix([[0, e], [0, 0]]))
    assert outcome_of(declared, "curl-skew").verdict is not Verdict.PROVED


@pytest.mark.parametrize(
    "slope", [sqrt(2) - 1, sqrt(1 + b**2), 1 + sqrt(1 + total(theta**2)), b, total(theta)]
)
def test_other_roots_are_divided_by(slope):
    assert decide_zero(divided(slope, slope)).verdict is Verdict.PROVED
    assert decide_zero(divided(slope, slope + 1)).verdict is Verdict.REFUTED

"""Found on 24 November 2026: a denominator with two signs was multiplied by ``a - b s``, which is 0
for some signs.

``2 + s - t`` vanishes for s = -1, t = 1, so that ``(1 - s)(1 + t)/(2 + s + t)`` was read as half of
its value there. The second decider contradicted the canonical form, which ended ``decide_zero``;
where it sees nothing, that would have been a false proof.
"""

import pytest
from sympy import Rational, Symbol, sign

from recipe import Parameter, Scalar, Vector, total
from verify.decide.zero.canonical import is_zero
from verify.decide.zero.decide import decide_zero
from verify.verdict import Verdict

theta = Vector("theta")


@pytest.mark.parametrize("far", [1000, 3])
def test_two_signs_in_a_denominator(far):
    s, t = sign(theta + far), sign(2 * far - theta)
    half = (1 - s + t - s * t) / 4  # 1 where theta < -far, and the quotient is 2 there
    quotient = (1 - s) * (1 + t) / (2 + s + t)
    for e in (quotient - half, (1 + s) * (1 - t) / (2 + s + t)):
        assert not is_zero(total(e))
        assert decide_zero(total(e)).verdict is not Verdict.PROVED
    assert decide_zero(total(quotient - 2 * half)).verdict is Verdict.PROVED


def test_a_coefficient_that_vanishes_for_one_sign_is_not_divided_by():
    b = Scalar("b")
    q = (1 + sign(b + 1000)) * theta + 1
    parts = total(theta * (1 + theta) / q) - total(theta**2 / q) - total(theta / q)
    e = (1 - sign(b + 1000)) * (total(theta) + parts)
    assert not is_zero(e)


@pytest.mark.parametrize("b", [Parameter("b"), Symbol("n", integer=True)])
def test_the_sign_of_a_parameter_may_be_zero(b):
    """A coordinate is 0 at single points, which are judged apart; a parameter may be 0 for good."""
    for e in (sign(b) ** 2 - 1, sign(b) * sign(b - 1) ** 2 - sign(b)):
        assert decide_zero(e).verdict is not Verdict.PROVED
    assert decide_zero(abs(b) ** 3 - b**2 * abs(b)).verdict is Verdict.PROVED


def test_absolute_values_of_one_expression_written_twice():
    """The second decider took both signs for independent, contradicted and ended the proof."""
    b = Parameter("b")
    assert decide_zero(abs(b * (b + 1)) - abs(b**2 + b)).verdict is Verdict.PROVED


def test_one_sign_in_a_denominator_is_still_removed():
    s = sign(theta)
    e = total(1 / (2 + s)) - total((2 - s) / 3)
    assert decide_zero(e).verdict is Verdict.PROVED
    assert decide_zero(e + Rational(1, 10**30)).verdict is Verdict.REFUTED

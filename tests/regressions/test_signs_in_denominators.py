"""Found on 24 November 2026: a denominator with two signs was multiplied by ``a - b s``, which is 0
for some signs.

``2 + s - t`` vanishes for s = -1, t = 1, so that ``(1 - s)(1 + t)/(2 + s + t)`` was read as half of
its value there. The second decider contradicted the canonical form, which ended ``decide_zero``;
where it sees nothing, that would have been a false proof.
"""

import pytest
from sympy import Rational, sign

from recipe import Parameter, Vector, total
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
    b = Parameter("b")
    q = (1 + sign(b + 1000)) * theta + 1
    parts = total(theta * (1 + theta) / q) - total(theta**2 / q) - total(theta / q)
    e = (1 - sign(b + 1000)) * (total(theta) + parts)
    assert not is_zero(e)


def test_one_sign_in_a_denominator_is_still_removed():
    s = sign(theta)
    e = total(1 / (2 + s)) - total((2 - s) / 3)
    assert decide_zero(e).verdict is Verdict.PROVED
    assert decide_zero(e + Rational(1, 10**30)).verdict is Verdict.REFUTED

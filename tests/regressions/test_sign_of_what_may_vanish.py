"""``sign(n - 3)**2`` was read as 1 in canonical forms until 2026-11-24, as if n were never 3. No
recipe could say it.
"""

import pytest
from sympy import Abs, Symbol, sign

from recipe import Scalar
from verify import Verdict
from verify.decide.zero.decide import decide_zero, vanishes

n, a = Symbol("n", integer=True, positive=True), Symbol("a", real=True)
x = Scalar("x")


@pytest.mark.parametrize(
    "e", [sign(n - 3) ** 2 - 1, sign((n - 3) * x) ** 2 - 1, sign(a * x) ** 2 - 1], ids=str
)
def test_the_square_of_a_sign_is_no_longer_one(e):
    assert decide_zero(e).verdict is not Verdict.PROVED


def test_absolute_values_keep_their_rules():
    assert vanishes(sign(x - 1) * Abs(x - 1) - x + 1)  # x = 1 is a single point, and judged apart
    assert not vanishes(Abs(x - 1) - x + 1)

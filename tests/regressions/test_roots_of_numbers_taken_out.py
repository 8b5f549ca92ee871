"""The root of a number was taken out of a sum again and again: ``sqrt(2) - y`` is ``sqrt(2)`` times
``1 - sqrt(2) y/2``, of which ``sqrt(2)`` can be taken out. The search ended in a RecursionError.
"""

import pytest
from sympy import sqrt

from recipe import Scalar
from verify.decide.nonnegative.certifier import nonnegative

x, y = Scalar("x"), Scalar("y")


@pytest.mark.parametrize("e", [sqrt(2) - y, sqrt(2) - y**2, 2 * sqrt(67) / 9 - y**2 * (x**2 + 1)])
@pytest.mark.parametrize("combining", [False, True])
def test_no_sign_is_found_and_the_search_ends(e, combining):
    assert nonnegative(e, combining=combining) is None

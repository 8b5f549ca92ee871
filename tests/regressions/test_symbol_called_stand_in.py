"""A parameter called ``stand_in`` was taken for the symbol that the sign prover puts in the place
of a function, so that ``2 + tanh(x) + stand_in`` counted as positive (2026-11-23).
"""

import pytest
from sympy import tanh

from recipe import Parameter, Scalar
from recipe.signs.sets import ANY
from recipe.signs.sign import possible_signs

x = Scalar("x")


@pytest.mark.parametrize("name", ["stand_in", "other"])
def test_a_parameter_may_have_any_name(name):
    assert possible_signs(2 + tanh(x) + Parameter(name)) == ANY

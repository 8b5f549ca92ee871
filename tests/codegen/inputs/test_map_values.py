"""Values of maps with functions that numpy lacks, beside scipy."""

import numpy as np
import pytest
import sympy
from scipy import special
from sympy import Lambda, Symbol

from codegen.inputs.preimages import map_values
from recipe.language.checks.forms import SMOOTH_FUNCTIONS

p, a = Symbol("p"), Symbol("a", positive=True)
AT = np.array([0.125, 0.5, 1.0, 2.5, 40.0])


@pytest.mark.parametrize("function", SMOOTH_FUNCTIONS, ids=lambda f: f.__name__)
def test_every_function_of_the_language_has_values(function):
    e = function(0, p) if function is sympy.polygamma else function(p)
    expected = [float(e.subs(p, sympy.Float(x, 30)).evalf(30)) for x in AT]
    np.testing.assert_allclose(map_values(Lambda(p, e), AT, {}), expected, rtol=1e-13)


def test_a_function_of_a_parameter():
    found = map_values(Lambda(p, p + sympy.polygamma(0, a)), AT, {"a": 3.0})
    np.testing.assert_allclose(found, AT + special.digamma(3.0), rtol=1e-14)


def test_poles_and_overflows_are_not_finite():
    at = np.array([0.0, -1.0, 1e306])
    assert map_values(Lambda(p, sympy.loggamma(p)), at, {}).tolist() == [np.inf] * 3
    assert not np.isfinite(map_values(Lambda(p, sympy.polygamma(1, p)), at[:2], {})).any()

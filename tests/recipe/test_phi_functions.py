"""The functions phi_k, against their integral in high precision, and what the language makes of
them.
"""

import mpmath
import pytest
from sympy import Rational, S, Symbol, exp, factorial

from recipe import Update, Vector, limit_of, total
from recipe.language.phi import Phi, exp_by_phi
from recipe.signs.sign import is_positive

z = Symbol("z", real=True)


def by_quadrature(k, at):
    return mpmath.quad(
        lambda s: mpmath.exp((1 - s) * at) * s ** (k - 1) / mpmath.factorial(k - 1), [0, 1]
    )


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("at", ["-3", "-0.5", "0.25", "2"])
def test_values_and_derivatives_are_those_of_the_integral(k, at):
    with mpmath.workdps(40):
        value, slope = (
            e.rewrite(exp).subs(z, Rational(at)).evalf(30) for e in (Phi(k, z), Phi(k, z).diff(z))
        )
        assert (
            abs(mpmath.mpf(str(value)) - by_quadrature(k, mpmath.mpf(at))) < mpmath.mpf(10) ** -25
        )
        assert (
            abs(mpmath.mpf(str(slope)) - mpmath.diff(lambda x: by_quadrature(k, x), mpmath.mpf(at)))
            < mpmath.mpf(10) ** -15
        )


def test_there_is_no_hole_at_zero():
    assert [Phi(k, 0) for k in (1, 2, 3)] == [1 / factorial(k) for k in (1, 2, 3)]
    assert Phi(1, z).diff(z).subs(z, 0) == S.Half
    assert Phi(1, z).is_positive


def test_the_first_argument_is_a_positive_integer():
    with pytest.raises(ValueError, match="must be a positive integer"):
        Phi(0, z)


def test_an_exponential_is_written_by_phi_where_its_argument_vanishes():
    assert exp_by_phi(exp(z) - 1, lambda e: e == z) == z * Phi(1, z)
    assert exp_by_phi(exp(z) - 1, lambda e: False) == exp(z) - 1


def test_the_limit_of_a_decay_with_an_unknown_rate():
    x, y = Vector("x"), Symbol("y", real=True)
    h = Symbol("h", positive=True)
    shrink = Update(h, {x: x * exp(-y * h) + h * Phi(1, -y * h)}, total(x**2) / 2)
    assert limit_of(shrink).drift[x] == 1 - x * y


def test_what_is_recorded_is_read_like_a_rule():
    x = Vector("x")
    h = Symbol("h", positive=True)
    update = Update(h, {x: x - h * x}, total(x**2) / 2, observe={x: x + Symbol("b") * h})
    assert [str(s) for s in update.parameters] == ["b"]
    assert "observe={\n        x: b*h + x,\n    }" in str(update)


def test_it_is_positive_for_every_rate():
    assert is_positive(Phi(1, Symbol("y", real=True)))

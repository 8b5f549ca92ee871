"""Found on 20 November 2026: a whole power, of unknown parity, of a number of any sign was *proved*
not to be negative.
"""

from sympy import Symbol

from recipe.signs.sign import is_nonnegative, is_positive, possible_signs

a, c = Symbol("a", positive=True), Symbol("c", positive=True)
x, y = Symbol("x", real=True), Symbol("y", real=True)


def test_a_symbolic_integer_power_of_a_negative_number_has_any_sign():
    j = Symbol("j", integer=True)
    assert possible_signs(x**j) == {-1, 0, 1}
    assert is_nonnegative(x ** (2 * j))
    assert is_positive(a**j)

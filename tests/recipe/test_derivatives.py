"""Derivatives that remember, beside those of sympy; block matrices that keep what is not 0."""

import pytest
from sympy import Matrix, Rational, Symbol, atan2, cos, exp, gamma, log, sin, sqrt, symbols, tanh

from recipe import Parameter, Potential, Recipe, Scalar, Vector
from recipe.language.derivatives import derivative, symbols_in

x, y, z = symbols("x y z")
n = Symbol("n", positive=True)
EXPRESSIONS = [
    x,
    x * y - z,
    (x + y + z) ** 2 / 2,
    -((y - 3 * x * z) ** 2) / (2 * n**2),
    x**n * log(x),
    n**x,
    x**x,
    exp(2 * x) / (1 + exp(2 * x) / 25),
    tanh(x + y) * (1 - tanh(x) ** 2),
    sqrt(x**2 + y**2),
    log(sum(exp(-((x - k) ** 2) / 2) for k in range(5))),
    atan2(x, y) * gamma(z),
    sin(cos(x * y)) ** Rational(3, 2),
    (x - 1) * (x - 2) * (x - y) * (1 / x + z),
]


@pytest.mark.parametrize("e", EXPRESSIONS, ids=str)
@pytest.mark.parametrize("s", [x, y, z, n, Symbol("absent")], ids=str)
def test_a_derivative_is_the_expression_that_sympy_returns(e, s):
    assert derivative(e, s) == e.diff(s)
    assert str(derivative(e, s)) == str(e.diff(s))


@pytest.mark.parametrize("e", EXPRESSIONS, ids=str)
def test_symbols_are_those_that_an_expression_is_written_with(e):
    assert symbols_in(e) == e.atoms(Symbol)


def test_a_block_matrix_has_an_entry_between_any_two_blocks():
    theta, r, s = Vector("theta"), Vector("r", like=Vector("theta")), Scalar("s")
    C = Parameter("C", like=theta, positive=True)
    D = Matrix([[0, 0, 0], [0, C, 0], [0, 0, 2]])
    Q = Matrix([[0, -1, 0], [1, 0, 0], [0, 0, 0]])
    recipe = Recipe((theta, r, s), Potential("U", theta), D, Q)
    assert recipe.D.nonzero == {(r, r): C, (s, s): 2}
    assert recipe.D.written == D
    for matrix, dense in ((recipe.D, D), (recipe.Q, Q)):
        assert len(matrix.entries) == 3
        for a, row in enumerate(matrix.blocks):
            for b, column in enumerate(matrix.blocks):
                entry = matrix.entry(row, column)
                assert entry == matrix.entries[a][b]
                assert getattr(entry, "diagonal", getattr(entry, "value", None)) == dense[a, b]
                assert ((row, column) in matrix.nonzero) == (dense[a, b] != 0)

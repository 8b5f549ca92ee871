"""Signs that the checker reads off a form by a rule of its own, and forms in which a hypothesis of
the rule fails: of these it must say nothing.
"""

import pytest
from oracles.semidefinite import has_no_negative_eigenvalue
from sympy import (
    Add,
    Integer,
    Interval,
    Matrix,
    Mul,
    Rational,
    Symbol,
    atan,
    cos,
    cosh,
    exp,
    oo,
    sinh,
    tanh,
    zeros,
)

from recipe import Parameter, Recipe, Scalar, Vector, total
from verify import checker, verify
from verify.certificate import certificate_of
from verify.encode import Encoder

x, y, xi, zeta = Scalar("x"), Scalar("y"), Scalar("xi"), Scalar("zeta")
theta = Vector("theta")
r = Vector("r", like=theta)
q = Vector("q", like=theta, domain=Interval.open(0, oo))
phi = Vector("phi")
b = Parameter("b", like=theta)
n, m = Symbol("n", integer=True, positive=True), Symbol("m", integer=True)
real = Symbol("c", real=True)
d = theta.dim


def signs_of(e) -> set[int]:
    encoder = Encoder()
    k = encoder.node(e)
    declared = encoder.declarations()
    return set(
        checker.signs(
            checker.Table(
                encoder.nodes, declared["symbols"], declared["functions"], declared["lengths"]
            ),
            k,
        )
    )


def minus(e):
    return Mul(-1, e, evaluate=False)


def unevaluated(*parts):
    return Add(*parts, evaluate=False)


@pytest.mark.parametrize(
    "form",
    [
        x * tanh(x),
        x**3 * atan(2 * x) ** -1,
        Mul(sinh(x), tanh(x - y), sinh(x - y), x, evaluate=False),
        unevaluated(total(theta**2), -(theta**2)),
        unevaluated(total(q * exp(theta)), minus(q * exp(theta))),
        unevaluated(total(b**2 * theta**2), minus(b**2 * theta**2)),
        unevaluated(Mul(3, unevaluated(total(theta**2), -(theta**2)), evaluate=False), x**2),
        unevaluated(cosh(x), Integer(-1)),
        unevaluated(cosh(x), Integer(-1), -(x**2) / 2),
        unevaluated(cosh(3 * x), Integer(-1), -9 * x**2 / 2, -27 * x**4 / 8),
        unevaluated(cos(x), Integer(-1), x**2 / 2),
        unevaluated(-cos(x), Integer(1), -(x**2) / 2, x**4 / 24),
        unevaluated(exp(x), Integer(-1), -x),
        unevaluated(exp(-x), Integer(-1), x, -(x**2) / 2, x**3 / 6),
        (d - 1) * (d - 2),
        n**2 - 3 * n + 2,
        m**2 + m,
        1 - 1 / d,
    ],
    ids=str,
)
def test_a_sign_that_is_read_off(form):
    assert signs_of(form) <= {0, 1}


@pytest.mark.parametrize(
    "form",
    [
        x * tanh(y),
        x * tanh(x) * sinh(x),
        x**2 * tanh(x),
        x * cos(x),
        unevaluated(total(theta**2), -2 * theta**2),
        unevaluated(total(theta**2), -(r**2)),
        unevaluated(total(theta), -theta),
        unevaluated(total(theta**3), -(theta**3)),
        unevaluated(total(phi**2), -(theta**2)),
        unevaluated(total(theta**2), -(theta**2), -(theta.at(-1) ** 2)),
        unevaluated(total(theta**2 + r**2), -(theta**2) - r.at(-1) ** 2),
        unevaluated(cosh(x), Integer(-1), -(x**2)),
        unevaluated(cosh(x), Integer(-1), -(x**2) / 2, -(x**4) / 23),
        unevaluated(cosh(x), Integer(-1), -(x**4) / 24),
        unevaluated(cosh(2 * x), Integer(-1), -(x**2) / 2, -2 * x**2),
        unevaluated(cosh(x), Integer(-1), -(y**2) / 2),
        unevaluated(cos(x), -1 + x**2 / 2, -(x**4) / 23),
        unevaluated(exp(x), Integer(-1), -x, -(x**2) / 2),
        unevaluated(sinh(x), -x),
        (d - 1) * (d - 3),
        (n - Rational(3, 2)) * (n - Rational(5, 2)),
        real**2 + real,
        real**2 - 3 * real + 2,
        m**3,
        30 - d,
        Symbol("k", positive=True) - 1,  # positive, and no whole number
    ],
    ids=str,
)
def test_a_sign_that_may_be_another(form):
    assert -1 in signs_of(form)


D = {
    "Cauchy and Schwarz": (
        (xi, zeta, theta, r),
        [[total(theta**2), total(theta * r)], [total(theta * r), total(r**2)]],
    ),
    "the product of two sums": (
        (xi, theta, r),
        [[total(theta**2) * total(r**2) - total(theta * r) ** 2]],
    ),
    "a length": ((x, y, theta), [[d, x], [x, x**2]]),
    "a whole number": ((x, theta), [[n**2 - 3 * n + 2]]),
    "a Taylor polynomial": ((x, y, theta), [[1 + x**2 / 2, 1], [1, cosh(x)]]),
    "a product of odd functions": ((x, theta), [[x * tanh(x)]]),
    "a polynomial matrix": ((x, y), [[1 + x**2 * y**2, x + x * y**2], [x + x * y**2, x**2 + y**2]]),
}


@pytest.mark.parametrize("name", D)
def test_a_proof_by_these_signs_is_confirmed(name):
    state, corner = D[name]
    matrix = zeros(len(state), len(state))
    size = len(corner)
    matrix[:size, :size] = Matrix(corner)
    for k in range(size, len(state)):
        matrix[k, k] = 1
    H = sum(v**2 if isinstance(v, Scalar) else total(v**2) for v in state) / 2
    recipe = Recipe(state, H, matrix, zeros(len(state)))
    assert has_no_negative_eigenvalue(recipe)
    result = checker.check(certificate_of(recipe, verify(recipe)))
    (found,) = [f for f in result.findings if f.name == "diffusion-psd"]
    assert found.status == "confirmed", found.sentence

"""Positive semidefinite or not: the verdict on every matrix of a table, judged again by an oracle
in explicit coordinates.

The oracle is ``oracles/semidefinite``: eigenvalues at random points, x^T D x at witnesses, and
factors that are multiplied out.
"""

from random import Random

import pytest
from oracles.semidefinite import (
    factor_is_right,
    form_at_witness,
    has_no_negative_eigenvalue,
)
from sympy import (
    Function,
    Interval,
    Matrix,
    Rational,
    Symbol,
    cos,
    cosh,
    exp,
    eye,
    log,
    oo,
    sin,
    sqrt,
    tanh,
    zeros,
)

from recipe import Dense, Field, Parameter, Recipe, Scalar, Simplex, Vector, derive, outer, total
from recipe.language.symbols import OTHER
from verify.decide.psd import decide_psd
from verify.decide.psd.nowhere_dense import has_nowhere_dense_zeros
from verify.evidence import FactorStep
from verify.verdict import Verdict

PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED

x, y, z = Scalar("x"), Scalar("y"), Scalar("z")
q = Scalar("q", domain=Interval.open(0, oo))
theta = Vector("theta")
r, s = Vector("r", like=theta), Vector("s", like=theta)
phi = Vector("phi")
xi, zeta = Scalar("xi"), Scalar("zeta")
p = Vector("p", domain=Simplex())
u = Vector("u", domain=Interval(0, 1))
one = theta**0
a, c = Symbol("a", positive=True), Symbol("c", positive=True)
B = Symbol("B", real=True)
G = Function("G", positive=True)(theta)
F = Field("F", theta, positive=True)
M, N = Dense("M", theta, positive=True), Dense("N", theta, positive=True)
b = Parameter("b", like=theta)
d = theta.dim
TINY = Rational(1, 10**15)
whole = Symbol("n", integer=True)

S = tuple(Scalar(f"s{k}") for k in range(6))
SOFTMAX = [exp(t) / (1 + sum(exp(t) for t in S)) for t in S]
ROWS = [[Random(k).randint(-2, 2) * (j % 2 + 1) - j % 3 for j in range(6)] for k in range(10)]
LOGISTIC = [1 / (1 + exp(-sum(c * t for c, t in zip(row, S, strict=True)))) for row in ROWS]

MOTZKIN = x**4 * y**2 + x**2 * y**4 + 1 - 3 * x**2 * y**2
CHOI = Matrix(
    [
        [x**2 + 2 * z**2, -x * y, -x * z],
        [-x * y, y**2 + 2 * x**2, -y * z],
        [-x * z, -y * z, z**2 + 2 * y**2],
    ]
)
DISC = (x - Rational(1, 3)) ** 2 + (y - Rational(1, 7)) ** 2
COLLAPSE = (total(theta) ** 2 - total(theta**2)) ** 2  # zero for d = 1


def mirrored(upper: list) -> Matrix:
    """The symmetric matrix of what stands on and above the diagonal."""
    M = Matrix(upper)
    return Matrix(M.rows, M.cols, lambda i, j: M[min(i, j), max(i, j)])


def diagonal(*entries) -> Matrix:
    """The diagonal matrix of some entries."""
    return Matrix(len(entries), len(entries), lambda i, j: entries[i] if i == j else 0)


def bordered(entries: list, n: int) -> Matrix:
    """A matrix between n scalars, and 1 for each of n vectors."""
    return Matrix(
        2 * n,
        2 * n,
        lambda i, j: entries[n * i + j] if i < n and j < n else int(i == j),
    )


POWERS = Matrix(4, 3, lambda i, j: S[i] ** (j + 1) + i * j)
POLYNOMIALS = (
    POWERS * POWERS.T
).expand()  # no pivot after the first is seen to be a sum of squares

TABLE: dict[str, tuple[Verdict, tuple, Matrix]] = {
    # scalars
    "one plus a square": (PROVED, (x, y), Matrix([[1 + x**2, x], [x, 1]])),
    "singular": (PROVED, (x, y, z), Matrix([[1, x, x], [x, x**2, x**2], [x, x**2, x**2 + 1]])),
    "a determinant that changes sign": (REFUTED, (x, y), Matrix([[1, x], [x, 1]])),
    "nothing on the diagonal": (REFUTED, (x, y), Matrix([[0, x], [x, 0]])),
    "a zero diagonal beside its row": (REFUTED, (x, y), Matrix([[1 + x**2, y], [y, 0]])),
    "below by 1e-15": (REFUTED, (x, y), Matrix([[1, x], [x, x**2 - TINY]])),
    "above by 1e-15": (PROVED, (x, y), Matrix([[1, x], [x, x**2 + TINY]])),
    "a constant below by 1e-15": (REFUTED, (x, y), Matrix([[1, 1], [1, 1 - TINY]])),
    "a tiny disc": (REFUTED, (x, y), Matrix([[1, 0], [0, DISC - Rational(1, 10**6)]])),
    "a tiny disc in a determinant": (
        REFUTED,
        (x, y),
        Matrix([[2, x], [x, x**2 / 2 + DISC - Rational(1, 10**6)]]),
    ),
    "a touching disc": (PROVED, (x, y), Matrix([[2, x], [x, x**2 / 2 + DISC]])),
    "Choi": (PROVED, (x, y, z), CHOI),
    "Choi less a little": (REFUTED, (x, y, z), CHOI - Rational(1, 100) * x**2 * eye(3)),
    "Motzkin": (PROVED, (x, y), Matrix([[MOTZKIN, 0], [0, 0]])),
    "Motzkin less a little": (REFUTED, (x, y), Matrix([[MOTZKIN - TINY, 0], [0, 0]])),
    "a quartic": (PROVED, (x, y), Matrix([[x**4 - x**2 * y**2 + y**4, 0], [0, 1]])),
    "softmax": (
        PROVED,
        S,
        Matrix(6, 6, lambda i, j: (SOFTMAX[i] if i == j else 0) - SOFTMAX[i] * SOFTMAX[j]),
    ),
    "logistic Fisher metric": (
        PROVED,
        S,
        eye(6)
        + Matrix(
            6,
            6,
            lambda i, j: sum(
                row[i] * row[j] * h * (1 - h) for row, h in zip(ROWS, LOGISTIC, strict=True)
            ),
        ),
    ),
    "twice the softmax product": (
        REFUTED,
        S,
        Matrix(6, 6, lambda i, j: (SOFTMAX[i] if i == j else 0) - 3 * SOFTMAX[i] * SOFTMAX[j]),
    ),
    "a sign that is not known": (REFUTED, (x,), Matrix([[B]])),
    "u - log(1 + u)": (PROVED, (q,), Matrix([[q - log(1 + q)]])),
    "log(1 + u) - u": (REFUTED, (q,), Matrix([[log(1 + q) - q]])),
    "a cosine near its parabola": (PROVED, (x,), Matrix([[x**2 / 2 - 1 + cos(x)]])),
    "a cosine below its parabola": (REFUTED, (x,), Matrix([[x**2 / 2 - 1 + cos(x) - TINY]])),
    "a hyperbolic cosine above its parabola": (
        PROVED,
        (x, y),
        Matrix([[cosh(x - y) - 1 - (x - y) ** 2 / 2, 0], [0, 1]]),
    ),
    "a hyperbolic cosine below a quartic": (
        REFUTED,
        (x,),
        Matrix([[cosh(x) - 1 - x**2 / 2 - x**4 / 20]]),
    ),
    "an exponential and its parabola": (REFUTED, (x,), Matrix([[exp(x) - 1 - x - x**2 / 2]])),
    "a sine within its chord": (UNDECIDED, (x,), Matrix([[x**2 - x * sin(x)]])),
    "roots": (PROVED, (q, x), Matrix([[q, sqrt(q)], [sqrt(q), 1]])),
    # one small matrix a coordinate
    "plain": (PROVED, (theta, r), Matrix([[1 + theta**2, theta * r], [theta * r, r**2]])),
    "plain, three": (
        PROVED,
        (theta, r, s),
        Matrix([[1, r, s], [r, r**2 + G, r * s], [s, r * s, s**2 + F]]),
    ),
    "plain, too much across": (
        REFUTED,
        (theta, r),
        Matrix([[1 + theta**2, 2 + theta * r], [2 + theta * r, r**2]]),
    ),
    "two plus a sine": (PROVED, (theta,), Matrix([[2 + sin(theta)]])),
    "a half plus a sine": (REFUTED, (theta,), Matrix([[Rational(1, 2) + sin(theta)]])),
    "the slope of tanh": (PROVED, (theta,), Matrix([[1 - tanh(theta) ** 2]])),
    "an interval": (PROVED, (u,), Matrix([[u * (1 - u) + a * u + c * (1 - u)]])),
    "beyond an interval": (REFUTED, (u,), Matrix([[u - u**2 - Rational(1, 100)]])),
    # low rank
    "a diagonal and a product": (
        PROVED,
        (theta,),
        Matrix([[G + total(theta**2) * outer(sin(theta), sin(theta))]]),
    ),
    "the simplex": (PROVED, (p,), Matrix([[p - outer(p, p)]])),
    "beyond the simplex": (REFUTED, (p,), Matrix([[p - 2 * outer(p, p)]])),
    "less a product": (REFUTED, (theta,), Matrix([[1 - outer(theta, theta)]])),
    "less a small product": (
        PROVED,
        (theta,),
        Matrix([[1 - outer(theta, theta) / (1 + total(theta**2))]]),
    ),
    "fails at ten coordinates": (REFUTED, (theta,), Matrix([[1 - outer(one, one) / 9]])),
    "the mean taken out": (PROVED, (theta,), Matrix([[1 - outer(one, one) / d]])),
    "up and down": (PROVED, (theta,), Matrix([[1 + outer(theta, theta) - outer(one, one) / d]])),
    "a positive part is needed": (
        PROVED,
        (theta,),
        Matrix(
            [
                [
                    1
                    + outer(theta, theta)
                    - outer(theta, theta + b) / 9
                    - outer(b + theta, theta) / 9
                    + outer(b, b)
                ]
            ]
        ),
    ),
    "products across": (
        PROVED,
        (theta, phi),
        Matrix(
            [[1 + outer(theta, theta), outer(theta, phi)], [outer(phi, theta), outer(phi, phi)]]
        ),
    ),
    "products across, too large": (
        REFUTED,
        (theta, phi),
        Matrix([[1, outer(theta, phi)], [outer(phi, theta), 1]]),
    ),
    "skew kernels do not count": (
        PROVED,
        (theta,),
        Matrix([[1 + outer(theta, sin(theta)) - outer(sin(theta), theta)]]),
    ),
    # borders
    "a border": (PROVED, (theta, xi), Matrix([[1, theta], [theta, total(theta**2)]])),
    "a border over a metric": (
        PROVED,
        (theta, xi),
        Matrix([[G, theta], [theta, 1 + total(theta**2 / G)]]),
    ),
    "a border that is too large": (REFUTED, (theta, xi), Matrix([[1, theta], [theta, 1]])),
    "two borders": (
        PROVED,
        (theta, xi, zeta),
        Matrix(
            [
                [1, theta, one],
                [theta, total(theta**2) + 1, total(theta)],
                [one, total(theta), d + xi**2],
            ]
        ),
    ),
    "a border inside a product": (
        PROVED,
        (theta, xi),
        Matrix([[outer(theta, theta), theta], [theta, 1]]),
    ),
    "a border and a product": (
        PROVED,
        (theta, xi),
        Matrix([[1 + outer(theta, theta), theta], [theta, 1]]),
    ),
    "a border beside a product": (
        REFUTED,
        (theta, xi),
        Matrix([[outer(one, one), theta], [theta, 1 + total(theta**2)]]),
    ),
    # dense
    "dense": (PROVED, (theta,), Matrix([[a * M + G]])),
    "two dense": (PROVED, (theta, r), Matrix([[2 * M, M], [M, M + N]])),
    "dense, too much across": (REFUTED, (theta, r), Matrix([[M, 2 * M], [2 * M, M]])),
    "a dense matrix that may be small": (REFUTED, (theta,), Matrix([[M - 1]])),
    "a dense matrix and a product over something": (
        PROVED,
        (theta,),
        Matrix([[M + outer(b / (1 + theta**2), b / (1 + theta**2))]]),
    ),
    # squares that are lost where the elimination multiplies out
    "a squared cosine": (
        PROVED,
        (x, y),
        mirrored(
            [
                [x**4 * y**2 + (x**2 + 1) ** -2, x**3 * y + x * cos(y) / (x**2 + 1)],
                [0, x**2 * cos(y) ** 2 + x**2],
            ]
        ),
    ),
    "a root among squares": (
        PROVED,
        (x, y),
        mirrored(
            [
                [c**2 + c * exp(2 * x), y * c * sqrt(x**2 + 1) * exp(x) + c / (1 + x**2)],
                [0, c * y**2 * (x**2 + 1) + (1 + x**2) ** -2],
            ]
        ),
    ),
    "a root among squares, too much across": (
        REFUTED,
        (x, y),
        mirrored(
            [
                [c**2 + c * exp(2 * x), y * c * sqrt(x**2 + 2) * exp(x) + c / (1 + x**2)],
                [0, c * y**2 * (x**2 + 1) + (1 + x**2) ** -2],
            ]
        ),
    ),
    "a square in a denominator": (
        PROVED,
        (xi, theta),
        mirrored(
            [
                [
                    total(theta) ** 2 * total(theta**2 / ((F + 2 * theta) ** 2 + 1)),
                    b * theta * total(theta) / ((F + 2 * theta) ** 2 + 1),
                ],
                [0, b**2 / ((F + 2 * theta) ** 2 + 1)],
            ]
        ),
    ),
    "five squares": (
        PROVED,
        (theta, r, s),
        Matrix(
            [
                [(F + 2 * r * theta) ** 2 + b**2 * G + 2 * b * s + s**2 / G, 0, 0],
                [0, 0, 0],
                [0, 0, 0],
            ]
        ),
    ),
    "totals that are one": (
        PROVED,
        (xi, theta),
        mirrored(
            [
                [a * total(F**2), a * F * b],
                [0, a * b**2 + (sin(theta) ** 2 + 1) * total(theta) ** 2],
            ]
        ),
    ),
    "totals that are one, too much across": (
        REFUTED,
        (xi, theta),
        mirrored([[a * total(theta**2), 2 * a * theta * sin(theta)], [0, a * sin(theta) ** 2]]),
    ),
    "borders in the range together": (
        PROVED,
        (theta, r, xi),
        mirrored(
            [
                [(r**2 + 1) * b**2, (r**2 + 1) * sin(r) * b, theta * b],
                [0, (r**2 + 1) * sin(r) ** 2, theta * sin(r)],
                [0, 0, total(theta**2 / (r**2 + 1))],
            ]
        ),
    ),
    "a border of a product and of a diagonal": (
        PROVED,
        (theta, xi),
        mirrored(
            [
                [
                    a * outer(b**2, b**2) + (theta * total(theta) + b) ** 2,
                    xi * a * b**2 + theta * (theta * total(theta) + b) / (b**2 + 1),
                ],
                [0, xi**2 * a + total(theta**2 / (b**2 + 1) ** 2)],
            ]
        ),
    ),
    "a total that is divided by": (
        PROVED,
        (theta, phi),
        Matrix(
            [
                [total(theta) ** 2 * outer(theta, theta), total(theta) * outer(theta, phi**2)],
                [total(theta) * outer(phi**2, theta), outer(phi**2, phi**2)],
            ]
        ),
    ),
    # sums over one length: Lagrange's identity, and matrices that are sums over coordinates
    "Cauchy and Schwarz": (
        PROVED,
        (xi, theta, r),
        diagonal(total(theta**2) * total(r**2) - total(theta * r) ** 2, 1, 1),
    ),
    "Cauchy and Schwarz, too sharp": (
        REFUTED,
        (xi, theta, r),
        diagonal(total(theta**2) * total(r**2) - Rational(11, 10) * total(theta * r) ** 2, 1, 1),
    ),
    "Chebyshev's sums": (
        PROVED,
        (xi, theta),
        diagonal(d * total(theta**4) - total(theta) * total(theta**3), 1),
    ),
    "Chebyshev's sums of other order": (
        REFUTED,
        (xi, theta),
        diagonal(d * total(theta**3) - total(theta) * total(theta**2), 1),
    ),
    "the Gram matrix of three vectors": (
        PROVED,
        (xi, zeta, x, theta, r, s),
        bordered([total(v * w) for v in (theta, r, s) for w in (theta, r, s)], 3),
    ),
    "the Gram matrix of three vectors, less a little": (
        REFUTED,
        (xi, zeta, x, theta, r, s),
        bordered(
            [total(v * w) - TINY * int(v is w is s) for v in (theta, r, s) for w in (theta, r, s)],
            3,
        ),
    ),
    "the others": (PROVED, (theta,), Matrix([[total(theta**2) - theta**2]])),
    "more than the others": (
        REFUTED,
        (theta,),
        Matrix([[total(theta**2) - Rational(11, 10) * theta**2]]),
    ),
    # whole numbers, lengths, and what first fails at a larger length
    "between two whole numbers": (PROVED, (x,), Matrix([[whole**2 - 3 * whole + 2]])),
    "at a whole number between": (REFUTED, (x,), Matrix([[whole**2 - 4 * whole + 3]])),
    "at a far whole number": (
        REFUTED,
        (x,),
        Matrix([[(whole - Rational(99, 2)) ** 2 + (whole - 50) ** 2 - Rational(1, 2)]]),
    ),
    "roots between lengths": (PROVED, (xi, theta), diagonal((d - 3) * (d - 4), 1)),
    "a length between roots": (REFUTED, (xi, theta), diagonal((d - 12) * (d - 14), 1)),
    "a border of the length": (
        PROVED,
        (x, y, theta),
        Matrix([[d, x, 0], [x, x**2, 0], [0, 0, 1]]),
    ),
    "fails at 13": (REFUTED, (theta,), Matrix([[1 - outer(one, one) / 12]])),
    "fails at 31": (REFUTED, (theta, xi), Matrix([[1, one], [one, 30]])),
    "fails at 31 on the diagonal": (REFUTED, (theta,), Matrix([[30 - d]])),
    "moments that fail at 13": (
        REFUTED,
        (xi, theta),
        diagonal(12 * total(theta**2) - total(theta) ** 2, 1),
    ),
    "fails beyond all lengths that are tried whole": (REFUTED, (theta,), Matrix([[1000 - d]])),
    # functions of one sign, roots, and polynomials that no pivot shows
    "an odd function times its argument": (PROVED, (x,), Matrix([[x * tanh(3 * x)]])),
    "an odd function times another argument": (REFUTED, (x, y), Matrix([[x * tanh(y), 0], [0, 1]])),
    "two roots": (
        PROVED,
        (x, y),
        Matrix([[sqrt(1 + x**2) * sqrt(1 + y**2) - 1 - x * y, 0], [0, 1]]),
    ),
    "two roots less a little": (
        REFUTED,
        (x, y),
        Matrix([[sqrt(1 + x**2) * sqrt(1 + y**2) - 1 - x * y - TINY, 0], [0, 1]]),
    ),
    "a sine and a cosine of one angle": (PROVED, (x,), Matrix([[sqrt(2) - sin(x) - cos(x)]])),
    "a sine and a cosine, too large": (
        REFUTED,
        (x,),
        Matrix([[sqrt(2) - TINY - sin(x) - cos(x)]]),
    ),
    "a cosine whose conjugate is itself": (REFUTED, (x,), Matrix([[1 - sin(x) - cos(x)]])),
    "squares of angles across": (
        PROVED,
        (x, y),
        Matrix([[1, sin(x) * cos(y)], [sin(x) * cos(y), 1]]),
    ),
    "squares of angles across, too large": (
        REFUTED,
        (x, y),
        Matrix([[1, sin(x) * cos(y)], [sin(x) * cos(y), 1 - TINY]]),
    ),
    "a cubic on a half line": (PROVED, (q,), Matrix([[q**3 - q + Rational(1, 2)]])),
    "a cubic that dips below a half line": (
        REFUTED,
        (q,),
        Matrix([[q**3 - q + Rational(3, 8)]]),
    ),
    "dense polynomials": (PROVED, S[:4], POLYNOMIALS),
    "dense polynomials less a little": (REFUTED, S[:4], POLYNOMIALS - Rational(1, 100) * eye(4)),
    # what is zero for one length or on a half line only: no division by it proves anything
    "a pivot that is zero for one length": (
        REFUTED,
        (x, y, theta),
        Matrix([[COLLAPSE, x, 0], [x, 0, 0], [0, 0, 0]]),
    ),
    "a pivot that is zero at one whole number": (
        REFUTED,
        (x, y),
        Matrix([[whole * (whole - 1), whole], [whole, 2]]),
    ),
    "a pivot that is zero where its row is": (
        PROVED,
        (x, y, theta),
        Matrix([[d * (d - 1), d - 1, 0], [d - 1, 1, 0], [0, 0, 1]]),
    ),
    "a root that is a branch": (
        REFUTED,
        (x, y),
        Matrix([[sqrt(x**2 + 2 * x + 1) - x - 1, y], [y, 1 + y**2]]),
    ),
}


def recipe_of(name: str) -> Recipe:
    _, state, D = TABLE[name]
    H = sum(v**2 if isinstance(v, Scalar) else total(v**2) for v in state)
    return Recipe(state, H, D, zeros(len(state)))


OUTCOMES = {}


def outcome_of(name: str):
    if name not in OUTCOMES:
        OUTCOMES[name] = decide_psd(derive(recipe_of(name)).dynamics)
    return OUTCOMES[name]


@pytest.mark.by_default(8)
@pytest.mark.parametrize("name", TABLE)
def test_the_verdict(name):
    outcome = outcome_of(name)
    assert outcome.verdict is TABLE[name][0], outcome.by
    assert (outcome.witness is not None) == (outcome.verdict is REFUTED)
    assert any(isinstance(step, FactorStep) for step in outcome.steps) == (
        outcome.verdict is PROVED
    )


# -- the oracle
# --------------------------------------------------------------------------------------------------


@pytest.mark.by_default(20)
@pytest.mark.parametrize(
    "name", [n for n, (verdict, _, _) in TABLE.items() if verdict is not REFUTED]
)
def test_no_eigenvalue_is_negative_where_it_is_proved(name):
    assert has_no_negative_eigenvalue(recipe_of(name))


@pytest.mark.by_default(6)
@pytest.mark.parametrize("name", [n for n, (verdict, _, _) in TABLE.items() if verdict is PROVED])
def test_every_factor_multiplies_out_to_D_with_weights_that_are_not_negative(name):
    (step,) = outcome_of(name).steps
    assert len(step.columns) == len(step.signs)
    assert factor_is_right(recipe_of(name), step)


PLAIN = [n for n, (verdict, _, D) in TABLE.items() if verdict is REFUTED and not D.has(Dense)]


@pytest.mark.by_default(20)
@pytest.mark.parametrize("name", PLAIN)
def test_the_witness_is_negative_in_explicit_coordinates(name):
    assert form_at_witness(recipe_of(name), outcome_of(name)) < 0


# -- what proves nothing
# --------------------------------------------------------------------------------------------------


def test_an_inconsistent_domain_proves_nothing():
    never = Symbol("m", irrational=True)  # no rational point has such a parameter, so none is known
    recipe = Recipe((x,), x**2, Matrix([[never**2]]), zeros(1))
    assert decide_psd(derive(recipe).dynamics).verdict is not PROVED


def test_a_pivot_that_may_vanish_on_an_open_set_divides_nothing():
    half = sqrt(x**2 + 2 * x + 1) - x - 1  # zero for x > -1
    recipe = Recipe((x, y), x**2 + y**2, Matrix([[half**2, half * y], [half * y, y**2]]), zeros(2))
    assert decide_psd(derive(recipe).dynamics).verdict is not REFUTED


@pytest.mark.parametrize(
    "e",
    [
        x * y - 1,
        total(theta**2),
        theta - 1,
        exp(x) - 1,
        G - 1,
        x * total(theta**2) ** 2,
        q**2 - q,
        total(theta),
        theta**2 * total(r) + total(r),
        theta + 2 * theta.at(OTHER),
        Function("h")(theta, total(theta**2)),
        total(theta) * exp(x * theta) + exp(x * theta),
    ],
    ids=str,
)
def test_zeros_that_are_nowhere_dense(e):
    assert has_nowhere_dense_zeros(e)


@pytest.mark.parametrize(
    "e",
    [
        x - x,
        d - 2,
        COLLAPSE,
        whole - 3,
        sqrt(x**2 + 2 * x + 1) - x - 1,
        x * (d - 2),
        total(theta) - d * theta,
        d * total(theta * r) - total(theta) * total(r),
        theta - theta.at(OTHER),
        1 - 1 / d,
    ],
    ids=str,
)
def test_zeros_that_may_fill_an_open_set_for_some_length(e):
    assert not has_nowhere_dense_zeros(e)


@pytest.mark.slow
def test_what_is_tried_is_said():
    assert "the sign of the pivot" in outcome_of("a sine within its chord").by

"""Random matrices that are positive semidefinite by their making, and random near misses of them.

What is proved is judged by eigenvalues in explicit coordinates, what is refuted by x^T D x at the
witness. A near miss is not always indefinite, and nothing says beforehand whether it is: only a
verdict that the oracle contradicts is a fault. Of the matrices made to be semidefinite none may be
refuted, and most must be proved.
"""

from random import Random

import pytest
from oracles.semidefinite import (
    factor_is_right,
    form_at_witness,
    has_no_negative_eigenvalue,
)
from sympy import Expr, Integer, Interval, Matrix, Rational, Symbol, cos, exp, oo, sin, tanh, zeros

from recipe import Recipe, Scalar, Vector, derive, outer, total
from verify.decide.psd import decide_psd
from verify.verdict import Verdict

x, y, z = Scalar("x"), Scalar("y"), Scalar("z")
theta = Vector("theta")
r = Vector("r", like=theta)
q = Vector("q", like=theta, domain=Interval.open(0, oo))
one, d = theta**0, theta.dim
n = Symbol("n", integer=True, positive=True)
whole = Symbol("m", integer=True)
a, c = Symbol("a", positive=True), Symbol("c", positive=True)
SUMMANDS = [theta, r, q, theta**2, one, theta * r, 1 / q, sin(theta), theta**3, exp(theta), tanh(r)]

Made = tuple[tuple, Matrix]


def number(random: Random) -> Rational:
    return Rational(random.randint(1, 9), random.choice((1, 2, 3)))


def summed(e: Expr) -> Expr:
    return total(e, over=theta)


def alone(e: Expr, *others) -> Made:
    """A matrix with e for the scalar x, and 1 for the other blocks."""
    return (x, *others), Matrix(
        1 + len(others), 1 + len(others), lambda i, j: int(i == j) if i + j else e
    )


def cauchy_schwarz(random: Random, miss: Rational) -> Made:
    f, g, w = (random.choice(SUMMANDS) for _ in range(3))
    sharp = summed(w**2 * f**2) * summed(w**2 * g**2)
    return alone(sharp - (1 + miss) * summed(w**2 * f * g) ** 2, theta, r, q)


def chebyshev(random: Random, miss: Rational) -> Made:
    """``d total(f g) - total(f) total(g)`` for increasing f and g: alike in order."""
    f, g = (random.choice([theta, theta**3, 2 * theta + theta**3, theta**5]) for _ in range(2))
    e = d * summed(f * g) - (1 + miss) * summed(f) * summed(g)
    return alone(e * number(random) + a * summed(theta**2), theta)


def gram_of_sums(random: Random, miss: Rational) -> Made:
    size = random.randint(2, 3)
    vectors = random.sample(SUMMANDS, size)
    G = Matrix(size, size, lambda i, j: summed(vectors[i] * vectors[j]))
    G[size - 1, size - 1] *= 1 - miss
    D = zeros(size + 3, size + 3)
    D[:size, :size] = G
    return (*(x, y, z)[:size], theta, r, q), D


def whole_numbers(random: Random, miss: Rational) -> Made:
    """``(n - k) (n - k - 1)`` times squares, at a symbol or a length."""
    s = random.choice([n, whole, d])
    k = random.randint(1, 20)
    e = (s - k) * (s - k - 1) * random.choice([Integer(1), 1 + s**2, (s - 3) ** 2])
    return alone((e - miss).expand() * (random.choice([Integer(1), a])), theta)


def one_fails_late(random: Random, miss: Rational) -> Made:
    """``1 - outer(one, one)/k`` or a border that fails from d = k + 1 on, or never."""
    k = random.choice([7, 12, 30, 45])
    bound = d if miss == 0 else Integer(k)
    return random.choice(
        [
            ((theta,), Matrix([[1 - outer(one, one) / bound]])),
            ((theta, x), Matrix([[1, one], [one, bound]])),
            alone(bound * summed(theta**2) - summed(theta) ** 2, theta),
            alone(bound * summed(r**2 * theta**2) - summed(theta * r) ** 2, theta, r),
        ]
    )


def rational_of_parameters(random: Random, miss: Rational) -> Made:
    """``1 - (c/(p + c))^2`` and the like, with a border."""
    p, k = random.choice([1, a, 1 + x**2]), random.randint(1, 2)
    share = c / (p + c)
    e = (1 + miss) * share**k
    return (x, y), Matrix([[1, e * sin(y)], [e * sin(y), share**k * random.choice([1, share**k])]])


def dense_polynomials(random: Random, miss: Rational) -> Made:
    size, rank = random.randint(2, 4), random.randint(1, 3)
    s = (x, y, z, Scalar("w"))[:size]
    A = Matrix(
        size,
        rank,
        lambda i, j: random.randint(-2, 2) + random.randint(-2, 2) * s[i] ** random.randint(1, 2),
    )
    D = (A * A.T).expand()
    D[0, 0] -= miss * random.choice([1, s[0] ** 2])
    return s, D


def angles(random: Random, miss: Rational) -> Made:
    points = [random.randint(1, 2) * s + random.randint(-1, 1) for s in (x, y, z)]
    size = random.randint(2, 3)
    D = Matrix(
        size, size, lambda i, j: cos(points[i]) * cos(points[j]) + sin(points[i]) * sin(points[j])
    )
    D[0, 0] -= miss
    return (x, y, z)[:size], D


def others(random: Random, miss: Rational) -> Made:
    f = random.choice([theta**2, exp(theta), q, theta**2 * r**2])
    return (theta, r, q), Matrix(
        3, 3, lambda i, j: summed(f) - (1 + miss) * f if i == j == 0 else int(i == j)
    )


CLASSES = [
    cauchy_schwarz,
    chebyshev,
    gram_of_sums,
    whole_numbers,
    one_fails_late,
    rational_of_parameters,
    dense_polynomials,
    angles,
    others,
]
MISSES = (Rational(0), Rational(0), Rational(1, 50), Rational(1, 3))
CASES_OF_EACH_CLASS = 12


def made(family, seed: int) -> tuple[Recipe, Rational]:
    random = Random(f"{family.__name__} {seed}")
    miss = MISSES[seed % len(MISSES)]
    state, D = family(random, miss)
    return Recipe(state, 0, D, zeros(len(state))), miss


def judged(recipe: Recipe, miss: Rational) -> Verdict:
    """The verdict, after the oracle has looked at it."""
    outcome = decide_psd(derive(recipe).dynamics)
    if outcome.verdict is Verdict.PROVED:
        assert has_no_negative_eigenvalue(recipe)
        (step,) = outcome.steps
        assert factor_is_right(recipe, step)
    if outcome.verdict is Verdict.REFUTED:
        assert miss != 0
        assert form_at_witness(recipe, outcome) < 0
    return outcome.verdict


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(CASES_OF_EACH_CLASS))
@pytest.mark.parametrize("family", CLASSES, ids=lambda f: f.__name__)
def test_no_random_verdict_is_contradicted(family, seed):
    judged(*made(family, seed))


@pytest.mark.by_default(4)
@pytest.mark.parametrize("family", CLASSES, ids=lambda f: f.__name__)
def test_the_first_of_each_class_is_proved_and_a_gross_miss_is_not(family):
    assert judged(*made(family, 0)) is Verdict.PROVED
    judged(*made(family, 3))

"""Exact moments of noise against brute force: explicit coordinates, monomial by monomial."""

from functools import reduce
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.explicit import mean, world_of
from sympy import Add, Expr, Integer, Poly, Symbol, exp, expand, factorial2

from recipe import Dense, Noise, OutsideLanguageError, Scalar, Vector, dot, total
from recipe.language.expectation import expectation
from recipe.language.symbols import GENERIC, OTHER
from recipe.language.total import relabel

theta = Vector("theta")
r = Vector("r", like=theta)
xi = Scalar("xi")
w, n = Noise("w", like=theta), Noise("n", like=theta)
z = Noise("z", like=xi)
M, S = Dense("M", theta, symmetric=True), Dense("S", theta, positive=True)
c = Noise("c", like=theta, covariance=S)
WORLD = world_of((theta, r, xi), 3)
WHITE = [Symbol(f"{name}_{k}", real=True) for name in "wnc" for k in range(3)] + [
    Symbol("z_0", real=True)
]
AT = {GENERIC: 0, OTHER: 2}

WORDS = (
    w,
    n,
    z,
    w**2,
    w * theta,
    n * r,
    total(w * theta),
    total(n),
    total(w**2),
    total(w * n),
    total(w * r) ** 2,
    xi * z**2,
    theta * total(theta**2),
    relabel(w, GENERIC, OTHER),
    relabel(w * theta, GENERIC, OTHER),
)
CORRELATED = (c, c * theta, total(c * r), total(c**2), relabel(c, GENERIC, OTHER), w, total(w * c))


def brute_force(e: Expr) -> Expr:
    """The mean of a polynomial of the white noise: the k-th moment is (k - 1)!! for even k and 0
    for odd k.
    """
    terms = Poly(WORLD.read(e, AT), *WHITE).terms()
    return Add(
        *(f * prod(0 if k % 2 else factorial2(k - 1) for k in powers) for powers, f in terms)
    )


def check(e: Expr) -> None:
    assert expand(WORLD.read(expectation(e), AT) - brute_force(e)) == 0


@settings(derandomize=True, deadline=None, database=None, max_examples=40)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), st.sampled_from(WORDS))
def test_products_of_noise(factors: list[Expr], other: Expr) -> None:
    check(reduce(lambda x, y: x * y, factors) + other)


@settings(derandomize=True, deadline=None, database=None, max_examples=20)
@given(st.lists(st.sampled_from(CORRELATED), min_size=2, max_size=3))
def test_products_of_correlated_noise(factors: list[Expr]) -> None:
    check(reduce(lambda x, y: x * y, factors))


@pytest.mark.parametrize(
    ("e", "moment"),
    [
        (w, 0),
        (w**2, 1),
        (w**4, 3),
        (w**6, 15),
        (w * n, 0),
        (z**2, 1),
        (z * w, 0),
        (w * relabel(w, GENERIC, OTHER), 0),
        (total(w**2), theta.dim),
        (total(w) ** 2, theta.dim),
        (total(w**2) ** 2, theta.dim**2 + 2 * theta.dim),
        (w * total(w * theta), theta),
        (total(w * theta) ** 2, total(theta**2)),
    ],
)
def test_moments_that_everybody_knows(e: Expr, moment: Expr) -> None:
    assert expand(expectation(e) - moment) == 0


def test_a_quadratic_form_has_the_trace_as_its_mean() -> None:
    check(total(w * dot(M, w)))
    check(total(c * dot(M, c)))
    check(total(w * dot(M, w)) * total(w * theta) * w)


def test_what_is_free_of_noise_stays() -> None:
    assert expectation(theta * total(r)) == theta * total(r)
    assert expectation(Integer(0)) == 0


@pytest.mark.parametrize("e", [exp(w), 1 / w, total(exp(w * theta)), w / (1 + w**2)])
def test_what_is_no_polynomial_is_refused(e: Expr) -> None:
    with pytest.raises(OutsideLanguageError, match="polynomial of its noise"):
        expectation(e)


@pytest.mark.parametrize(
    "e", [total((w + theta) ** 2), total(w * (w + theta)), total(w * (n + w) ** 2) * w]
)
def test_sums_inside_a_total(e: Expr) -> None:
    check(e)


@pytest.mark.parametrize("e", [w**4 * n**2, (w + n) ** 4, w**6 + 3 * w**2 * n**2 - 5])
def test_the_two_oracles_agree(e: Expr) -> None:
    assert expand(mean(WORLD.read(e, AT), WHITE) - brute_force(e)) == 0

"""Semidefinite solutions of linear equations, and definite matrices, compared with sympy's
determinants and with counted work.
"""

from fractions import Fraction
from itertools import combinations_with_replacement
from random import Random

import pytest
from sympy import Matrix, Rational, eye, factor, sin, sqrt, symbols, zeros

from recipe import Recipe, Scalar, derive
from verify.decide.linear_algebra.gram_matrix import Equation, semidefinite_solution
from verify.decide.linear_algebra.minors import has_positive_minors, leading_minors
from verify.decide.psd import decide_psd
from verify.decide.psd.field import RatioField
from verify.verdict import Verdict

s = [Scalar(f"s{k}") for k in range(10)]
a = symbols("a0:10", positive=True)


def equations_for(G: Matrix, random: Random, count: int) -> list[Equation]:
    """Random equations that G satisfies."""
    pairs = list(combinations_with_replacement(range(G.rows), 2))
    found = []
    for _ in range(count):
        factors = {p: Fraction(random.randint(-2, 2)) for p in random.sample(pairs, 2)}
        target = sum(f * (1 if p[0] == p[1] else 2) * int(G[p]) for p, f in factors.items())
        found.append(Equation(factors, Fraction(target)))
    return found


@pytest.mark.parametrize("seed", range(12))
def test_a_solution_that_is_found_solves_the_equations(seed):
    random = Random(seed)
    size, rank = random.randint(2, 6), random.randint(1, 2)
    V = Matrix(size, rank, lambda i, j: random.randint(-2, 2))
    equations = equations_for(V * V.T, random, 3 * size)
    found = semidefinite_solution(size, equations)
    if found is None:
        return
    assert all(weight > 0 for _, weight in found)
    G = [
        [sum((w * c[i] * c[j] for c, w in found), Fraction(0)) for j in range(size)]
        for i in range(size)
    ]
    for e in equations:
        met = sum(f * (1 if i == j else 2) * G[i][j] for (i, j), f in e.factors.items())
        assert met == e.target


def test_a_matrix_of_low_rank_is_found_where_little_is_known_of_it():
    """``x^4 + 2 x^2 y^2 + y^4`` and the like: one entry of G is free."""
    equations = [
        Equation({(0, 0): Fraction(1)}, Fraction(1)),
        Equation({(2, 2): Fraction(1)}, Fraction(4)),
        Equation({(0, 2): Fraction(1), (1, 1): Fraction(1)}, Fraction(4)),
        Equation({(0, 1): Fraction(1)}, Fraction(0)),
        Equation({(1, 2): Fraction(1)}, Fraction(0)),
    ]
    assert semidefinite_solution(3, equations) is not None


@pytest.mark.parametrize("last", [-1, Rational(-1, 1000)])
def test_an_indefinite_matrix_is_no_solution(last):
    end = Fraction(int(Rational(4 + last).p), int(Rational(4 + last).q))
    equations = [
        Equation({(0, 0): Fraction(1)}, Fraction(1)),
        Equation({(0, 1): Fraction(1, 2)}, Fraction(2)),  # both places together are twice the entry
        Equation({(1, 1): Fraction(1)}, end),
    ]
    assert semidefinite_solution(2, equations) is None
    shared = [*equations[:2], Equation({(1, 1): Fraction(2)}, 2 * equations[2].target)]
    assert semidefinite_solution(2, shared) is None


@pytest.mark.by_default(3)
@pytest.mark.parametrize("seed", range(6))
def test_leading_minors_are_determinants(seed):
    random = Random(seed)
    choices = [0, 1, -2, s[0], s[1] ** 2, sin(s[0]), sqrt(2), 1 / (1 + s[0] ** 2), a[0]]
    matrix = Matrix(4, 4, lambda i, j: random.choice(choices))
    found = list(leading_minors(matrix))
    for k, minor in enumerate(found, 1):
        assert factor(minor - matrix[:k, :k].det(method="berkowitz")).expand() == 0
    assert len(found) == 4 or found[-1] == 0


def test_definite_matrices_and_matrices_that_just_are_not():
    assert has_positive_minors(Matrix(4, 4, lambda i, j: 1 + a[i] if i == j else 1))
    assert has_positive_minors(Matrix([[2 + s[0] ** 2, s[0]], [s[0], 1]]))
    assert not has_positive_minors(Matrix(4, 4, lambda i, j: a[0]))  # of rank one
    assert not has_positive_minors(eye(2) * s[0] ** 2)  # zero at a point
    assert not has_positive_minors(Matrix([[1 + a[0], 1 + a[0]], [1 + a[0], 1 + a[0]]]))
    assert not has_positive_minors(Matrix([[a[0], 2 * a[0]], [2 * a[0], 3 * a[0]]]))


def function_across(n: int) -> Matrix:
    return Matrix(n, n, lambda i, j: 1 + s[0] ** 2 if i == j else sin(s[1]) / n)


def product_over_parameters(n: int) -> Matrix:
    return Matrix(n, n, lambda i, j: 1 + a[i] if i == j else 1)


def polynomials(n: int) -> Matrix:
    A = Matrix(n, 2, lambda i, j: s[i] + i - j)
    return (A * A.T).expand() + eye(n)


DENSE = (function_across, product_over_parameters, polynomials)


@pytest.mark.slow_for("polynomials")
@pytest.mark.parametrize("dense", DENSE, ids=lambda f: f.__name__)
def test_the_work_grows_like_a_power_of_the_number_of_coordinates(dense, monkeypatch):
    """Counted in reductions of ratios: from 4 to 8 coordinates at most as the fourth power grows,
    where all principal minors would be 2^4 times as many, each several times as long.
    """
    work = {}
    plain = RatioField.reduced
    for n in (4, 6, 8, 10):
        count = [0]

        def reduced(self, r, count=count):
            count[0] += 1
            return plain(self, r)

        monkeypatch.setattr(RatioField, "reduced", reduced)
        recipe = Recipe(tuple(s[:n]), 0, dense(n), zeros(n))
        assert decide_psd(derive(recipe).dynamics).verdict is Verdict.PROVED
        work[n] = 1 + count[0]
    for few, many in ((4, 8), (6, 10)):
        assert work[many] <= work[few] * (many / few) ** 4


@pytest.mark.parametrize("n", [4, 6, 8, 10])
def test_a_dense_matrix_has_as_many_leading_minors_as_rows(n):
    assert len(list(leading_minors(function_across(n)))) == n

"""Linear equations over three fields, compared with sympy's own matrices of expressions."""

from random import Random

import pytest
from sympy import QQ, Matrix, Rational, S, sqrt, symbols

from recipe import Scalar
from verify.decide.linear_algebra.equations import inverse, solve, solve_rational
from verify.decide.psd.field import RatioField
from verify.decide.zero.canonical import Canonical

a, b = symbols("a b", positive=True)
FIELD = QQ.frac_field(a, b)


class Numbers:
    """Elements of a field: made of an expression, and written as one."""

    domain, entries = QQ, [S(n) for n in (-2, -1, 0, 0, 1, 3)]

    def read(self, e):
        return QQ.from_sympy(e)

    def expression(self, element):
        return QQ.to_sympy(element)


class Functions(Numbers):
    domain, entries = FIELD, [S.Zero, S.Zero, S.One, a, b, a - b, 1 / a]

    def read(self, e):
        return FIELD.from_sympy(e)

    def expression(self, element):
        return FIELD.to_sympy(element)


class Ratios(Numbers):
    entries = Functions.entries

    def __init__(self):
        self.canonical = Canonical()
        self.domain = self.canonical.generators.field

    def read(self, e):
        return self.canonical.read(e)

    def expression(self, element):
        return self.canonical.generators.expression(element)


KINDS = [Numbers, Functions, Ratios]
SEEDS = range(5)


def random_system(random, entries):
    """A matrix and a right side, by turns any and in the range of the matrix."""
    rows, columns = random.randint(1, 4), random.randint(1, 4)
    A = Matrix(rows, columns, lambda i, j: random.choice(entries))
    any_side = Matrix(rows, 1, lambda i, j: random.choice(entries))
    reached = A * Matrix(columns, 1, lambda i, j: random.choice(entries))
    return A, random.choice((any_side, reached))


def sparse(column, kind):
    return {f"row {i}": kind.read(e) for i, e in enumerate(column) if e != 0}


def rank(matrix):
    return matrix.rank(simplify=True)


@pytest.mark.by_default(3)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_equations_are_solved_where_they_have_a_solution(kind, seed):
    kind, random = kind(), Random(seed)
    for _ in range(4):
        A, right = random_system(random, kind.entries)
        columns = [sparse(A[:, j], kind) for j in range(A.cols)]
        target = sparse(right, kind)
        found = solve(columns, target, kind.domain)
        solvable = rank(A) == rank(Matrix.hstack(A, right))
        assert (found is not None) == solvable
        only = solve(columns, target, kind.domain, only=True)
        assert (only is not None) == (solvable and rank(A) == A.cols)
        if found is not None:
            weights = Matrix([kind.expression(w) for w in found])
            assert (A * weights - right).applyfunc(lambda e: e.cancel()).is_zero_matrix
            assert sum(w != 0 for w in weights) <= rank(A)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_an_inverse_is_found_unless_the_matrix_is_singular(kind, seed):
    kind, random = kind(), Random(seed)
    for size in (0, 1, 2, 3):
        A = Matrix(size, size, lambda i, j: random.choice(kind.entries))
        rows = [[kind.read(A[i, j]) for j in range(size)] for i in range(size)]
        found = inverse(rows, kind.domain)
        assert (found is None) == (rank(A) < size)
        if found is not None:
            turned = Matrix(size, size, [kind.expression(e) for row in found for e in row])
            left_over = A * turned - Matrix.eye(size)
            assert left_over.applyfunc(lambda e: e.cancel()).is_zero_matrix


def test_the_first_columns_are_used_where_there_is_a_choice():
    one, two = QQ(1), QQ(2)
    assert solve([{"x": one}, {"x": two}, {"y": one}], {"x": two}, QQ) == [2, 0, 0]
    assert solve([{}, {"x": two}], {"x": one}, QQ) == [0, QQ(1, 2)]
    assert solve([], {}, QQ) == []
    assert solve([], {"x": one}, QQ) is None


def test_matrices_of_expressions_are_solved_over_their_symbols():
    A, right = Matrix([[a, 1], [1, b]]), Matrix([a * b - 1, 0])
    assert solve_rational(A, right) == Matrix([b, -1])
    assert solve_rational(Matrix([[a, 1], [a**2, a]]), right) is None


def test_a_matrix_that_is_singular_by_a_relation_of_roots_has_no_inverse():
    x = Scalar("x")
    for square in (1 + x**2, 2 + x**4 + x):
        root = sqrt(square)
        field = RatioField(96, [root, square])
        A = [[field.read(root), field.one], [field.read(square), field.read(root)]]
        assert inverse(A, field.generators.field) is not None  # as no relation is known to it
        assert field.inverse(A) is None
        B = [[field.read(root), field.one], [field.one, field.read(root)]]
        found = field.inverse(B)
        product = field.minus(field.times(B, found), field.unit(2))
        assert all(e.is_zero() for row in product for e in row)


def test_a_rational_number_stays_exact():
    third = QQ(1, 3)
    (weight,) = solve([{"x": QQ(10) ** 40}], {"x": third}, QQ)
    assert QQ.to_sympy(weight) == Rational(1, 3 * 10**40)

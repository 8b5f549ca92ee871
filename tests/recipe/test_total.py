"""The one binder of the language: what it sums, how it is kept, and that no index is ever
captured.
"""

import pickle

import pytest
from generators.random_recipes import Vocabulary
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.explicit import explicit, world_of
from sympy import Add, Expr, Function, Integer, Symbol, cos, exp, log, sin

from recipe import (
    Dense,
    Field,
    OutsideLanguageError,
    Parameter,
    Potential,
    Recipe,
    Scalar,
    Simplex,
    Vector,
    derive,
    dot,
    grad,
    total,
)
from recipe.language.symbols import GENERIC
from recipe.language.total import Total, labels, opened, substitute, sum_over

theta, r = Vector("theta"), Vector("r", like=Vector("theta"))
phi = Vector("phi")
xi = Scalar("xi")
a = Parameter("a", like=theta)
alpha = Symbol("alpha", positive=True)
U, M = Potential("U", theta), Dense("M", theta, symmetric=True)
SETTINGS = settings(derandomize=True, deadline=None, database=None, max_examples=30)
STATE = (theta, r, phi, xi)


def in_coordinates(e: Expr, dims: tuple[int, int] = (3, 2)) -> Expr:
    return world_of(STATE, dims).read(e, {GENERIC: 0})


def same(e: Expr, f: Expr) -> bool:
    return explicit(Recipe(STATE, 0, *[[[0] * 4] * 4] * 2), (3, 2)).is_zero(
        in_coordinates(e) - in_coordinates(f)
    )


# What it is


def test_a_total_is_the_sum_over_the_coordinates() -> None:
    assert in_coordinates(total(theta**2)) == Add(
        *(Symbol(f"theta_{k}", real=True) ** 2 for k in range(3))
    )


def test_a_total_of_one_is_the_length() -> None:
    assert total(1, over=theta) == theta.dim
    assert total(alpha * xi, over=theta) == alpha * xi * theta.dim


def test_over_agrees_with_what_the_expression_says() -> None:
    assert total(theta * r, over=r) == total(theta * r)


@pytest.mark.parametrize(
    "factor",
    [Integer(3), alpha, 1 / xi, theta.dim, total(theta), total(sin(phi)), U, exp(total(r) * xi)],
)
def test_coordinate_free_factors_are_pulled_out(factor: Expr) -> None:
    assert total(factor * theta * r) == factor * total(theta * r)
    assert total(factor * theta, over=theta) / total(theta) == factor


def test_vector_parameters_stay_inside() -> None:
    assert isinstance(total(a * theta), Total)


@SETTINGS
@given(*[Vocabulary((theta, r, xi)).elementwise(theta)] * 2, Vocabulary((theta, r, xi)).number)
def test_total_is_linear(e: Expr, f: Expr, c: Expr) -> None:
    assert (total(e + f, over=theta) - total(e, over=theta) - total(f, over=theta)).expand(
        deep=False
    ) == 0
    assert (total(c * e, over=theta) - c * total(e, over=theta)).expand(deep=False) == 0


def test_equality_does_not_depend_on_the_name_of_the_index() -> None:
    body, label = opened(total(theta * r), -7, -8)
    assert label == -9
    assert sum_over(body, label, theta.length) == total(theta * r)


def test_a_pickled_total_is_the_same() -> None:
    e = total(theta * dot(M, r)) * U
    assert pickle.loads(pickle.dumps(e)) == e


# Nested binders


def test_nested_totals_do_not_capture() -> None:
    assert total(theta * total(theta)) == total(theta) ** 2
    assert same(total(theta * total(r * dot(M, theta))), total(theta) * total(r * dot(M, theta)))


def test_a_form_in_two_indices_is_the_double_sum() -> None:
    x, y = ([Symbol(f"{v}_{k}", real=True) for k in range(3)] for v in ("theta", "r"))
    m = world_of(STATE, (3, 2)).matrix_of(M)
    double = Add(*(x[i] * m[i, j] * y[j] for i in range(3) for j in range(3)))
    assert (in_coordinates(total(theta * dot(M, r))) - double).expand() == 0
    assert (in_coordinates(total(theta * dot(M, r) * total(theta))) - double * sum(x)).expand() == 0


def test_a_sum_of_three_levels() -> None:
    e = total(r * dot(M, theta * dot(M, sin(r))))
    x, y = ([Symbol(f"{v}_{k}", real=True) for k in range(3)] for v in ("theta", "r"))
    m = world_of(STATE, (3, 2)).matrix_of(M)
    triple = Add(
        *(
            y[i] * m[i, j] * x[j] * m[j, k] * sin(y[k])
            for i in range(3)
            for j in range(3)
            for k in range(3)
        )
    )
    assert (in_coordinates(e) - triple).expand() == 0


def test_a_derivative_under_the_sum_keeps_its_own_index() -> None:
    F = Field("F", theta)
    H = total(F * r**2) * total(theta * dot(M, F))
    x = explicit(Recipe((theta, r), H, *[[[0, 0], [0, 0]]] * 2), 3)
    assert x.agree(x.gradient, x.components(derive(x.recipe).gradient))


def test_sympy_may_ask_for_the_sign_of_what_remains_of_a_simplex() -> None:
    p = Vector("p", domain=Simplex())
    assert log(1 - total(p)).args == (1 - total(p),)
    assert (1 - total(p)).is_positive is None
    assert (exp(total(p)) - 1).is_positive is None
    assert total(p).free_symbols == {p, p.dim}


def test_free_labels_of_a_total() -> None:
    assert labels(total(theta)) == set()
    assert labels(dot(M, theta)) == {GENERIC}


# Substitution


def test_substitution_reaches_every_index() -> None:
    assert substitute(theta * total(theta**2), {theta: 2 * theta}) == 8 * theta * total(theta**2)


def test_substitution_does_not_capture() -> None:
    assert substitute(total(r * theta), {r: theta * total(theta)}) == total(theta**2) * total(theta)
    assert substitute(total(r * total(r * sin(theta))), {r: total(theta)}) == total(
        theta
    ) ** 2 * theta.dim * total(sin(theta))


def test_substitution_is_simultaneous() -> None:
    assert substitute(total(theta * sin(r)) + xi, {theta: r, r: theta, xi: total(theta)}) == total(
        r * sin(theta)
    ) + total(theta)


def test_substitution_normalises() -> None:
    assert substitute(total(theta * r), {r: alpha}) == alpha * total(theta)
    assert substitute(total(exp(xi * theta)), {xi: Integer(0)}) == theta.dim


def test_substitution_inside_functions() -> None:
    G = Function("G")
    assert substitute(total(G(theta, xi)), {theta: cos(r), xi: alpha}) == total(G(cos(r), alpha))


def test_substitution_leaves_the_index_of_a_matrix_alone() -> None:
    assert substitute(dot(M, r), {theta: 2 * theta, r: 3 * r}) == 3 * dot(M, r)


def test_substitution_of_another_block_leaves_a_gradient_alone() -> None:
    assert substitute(r * dot(M, grad(U, theta)), {r: xi}) == xi * dot(M, grad(U, theta))


@pytest.mark.parametrize("e", [U, grad(U, theta), Field("F", theta), total(Field("F", theta) * r)])
def test_an_abstract_function_is_not_moved_to_another_point(e: Expr) -> None:
    with pytest.raises(OutsideLanguageError, match="theta"):
        substitute(e, {theta: 2 * theta})


@SETTINGS
@given(
    Vocabulary((theta, r)).elementwise(theta).filter(lambda e: not e.atoms(Field)),
    st.sampled_from([sin(theta), theta * total(r), r + 1, total(theta), alpha * a]),
)
def test_substitution_commutes_with_explicit_coordinates(e: Expr, value: Expr) -> None:
    world = world_of((theta, r), 2)
    moved = dict(zip(world.coordinates(theta), world.vector(value, theta), strict=True))
    after = world.read(total(e, over=theta), {}).xreplace(moved)
    x = explicit(Recipe((theta, r), 0, *[[[0, 0], [0, 0]]] * 2), 2)
    assert x.is_zero(world.read(substitute(total(e, over=theta), {theta: value}), {}) - after)

"""Closed forms on a quadratic potential: formulas of the literature, numerical Lyapunov solves, spectral radii, mutants."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sympy import Expr, Matrix, Rational, Symbol, exp, lambdify, simplify, sqrt
from words import covariance, radius, step

from catalog.hmc import hmc
from catalog.sghmc import sghmc
from catalog.sgld import sgld
from catalog.sgnht import sgnht
from recipe import Noise, Potential, RecipeError, Scalar, Update, Vector, grad, total
from recipe.scheme import discretise
from verify.affine.closed_form import stationary

theta = Vector("theta")
r = Vector("r", like=theta)
U = Potential("U", theta)
h, a, k, C = (Symbol(name, positive=True) for name in ("h", "a", "k", "C"))
w, v = Noise("w", like=r), Noise("v", like=r)
H = U + total(r**2) / 2
E = exp(-C * h)

A_half, B_half = (theta, theta + h / 2 * r), (r, r - h / 2 * grad(U, theta))
A_whole, B_whole = (theta, theta + h * r), (r, r - h * grad(U, theta))
O_whole = (r, E * r + sqrt(1 - E**2) * w)
O_first, O_last = ((r, exp(-C * h / 2) * r + sqrt(1 - E) * n) for n in (w, v))
WORDS = {
    "BAOAB": [B_half, A_half, O_whole, A_half, B_half],
    "ABOBA": [A_half, B_half, O_whole, B_half, A_half],
    "OBABO": [O_first, B_half, A_whole, B_half, O_last],
    "OABAO": [O_first, A_half, B_whole, A_half, O_last],
    "BAOA": [B_whole, A_half, O_whole, A_half],
}
VARIANCES = {
    "BAOAB": 1 / k,
    "ABOBA": 1 / k,
    "OBABO": 4 / (k * (4 - h**2 * k)),
    "OABAO": (4 - h**2 * k) / (4 * k),
    "BAOA": 1 / k,
}
EULER = Update(h, {theta: theta + h * r, r: (1 - a * h) * r - h * grad(U, theta) + sqrt(2 * a * h) * w}, H)
SEMI_IMPLICIT = Update(h, [(r, (1 - a * h) * r - h * grad(U, theta) + sqrt(2 * a * h) * w), A_whole], H)
EULER_MATRIX = lambda h, k, a: (np.array([[1, h], [-h * k, 1 - a * h]]), np.diag([0, 2 * a * h]))  # noqa: E731


def word(name: str) -> Update:
    return Update(h, WORDS[name], H)


def equal(one: Expr, other: Expr) -> bool:
    return simplify(one - other) == 0


def numbers(found, of, **values) -> np.ndarray:
    """A covariance that was found, as numbers in the order (theta, r)."""
    symbols = {Symbol(name, positive=True): x for name, x in values.items()}
    entry = lambda p, q: found.get((p, q), found.get((q, p)))  # noqa: E731
    rows = [[lambdify(list(symbols), entry(p, q))(*symbols.values()) for q in of] for p in of]
    return np.array(rows, dtype=float)


def holds(conditions, **values) -> bool:
    return all(c.e.subs({Symbol(name, positive=True): Rational(x) for name, x in values.items()}) > 0 for c in conditions.remaining)


@pytest.mark.parametrize("name", WORDS)
def test_variances_of_the_literature(name):
    found = stationary(word(name))
    assert equal(found.covariance[theta, theta], VARIANCES[name])
    assert str(found.stability.conditions) == "h**2*k < 4"
    assert [s.shown(h) for s in found.stability.steps] == ["h < 2/sqrt(k)"]


def test_baoa_is_exact_in_the_position_only():
    found = stationary(word("BAOA"))
    assert found.covariance[r, theta] == h / 2
    assert (found.ratio[theta], found.ratio[r]) == (1, 1)


def test_explicit_euler_is_stable_only_if_friction_exceeds_step_times_curvature():
    found = stationary(EULER)
    assert str(found.stability.conditions) == "h*k < a and 2*a*h < h**2*k + 4"
    assert equal(found.covariance[theta, theta], 2 * a * (2 - a * h + h**2 * k) / (k * (a - h * k) * (4 - 2 * a * h + h**2 * k)))
    assert [s.shown(h) for s in found.stability.steps] == [
        "h < 4/(a + sqrt(a**2 - 4*k)) if 4*k <= a**2",
        "h < a/k if a**2 < 4*k",
    ]


def test_semi_implicit_euler():
    found = stationary(SEMI_IMPLICIT)
    assert equal(found.covariance[theta, theta], 2 * (2 - a * h) / (k * (4 - 2 * a * h - h**2 * k)))
    assert [s.shown(h) for s in found.stability.steps] == ["h < 4/(a + sqrt(a**2 + 4*k))"]


def test_overdamped_euler_and_leimkuhler_matthews():
    euler, lm = (stationary(discretise(sgld, name)) for name in ("euler", "leimkuhler-matthews"))
    t = euler.update.step
    assert equal(euler.covariance[theta, theta], 2 / (k * (2 - t * k)))
    assert [s.shown(t) for s in euler.stability.steps] == ["step_size < 2/k"]
    assert lm.covariance == {(theta, theta): 1 / k}
    assert lm.ratio == {theta: 1}
    assert [s.shown(t) for s in lm.stability.steps] == ["step_size < 2/k"]


@pytest.mark.parametrize("name", WORDS)
def test_discretised_recipes_give_the_same(name):
    found = stationary(discretise(sghmc, name.lower()))
    ours = stationary(word(name))
    assert {equal(found.covariance[key].subs(found.update.step, h), ours.covariance[key]) for key in ours.covariance} == {True}


@pytest.mark.parametrize("name", WORDS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.floats(0.05, 3), st.floats(0.05, 3), st.floats(0.05, 5))
def test_against_numbers(name, t, curvature, friction):
    M, R = step(name, t, curvature, friction)
    found = stationary(word(name))
    if abs(t**2 * curvature - 4) > 1e-3:
        assert holds(found.stability.conditions, h=t, k=curvature) == (radius(M) < 1)
    if radius(M) < 0.999:
        ours = numbers(found.covariance, (theta, r), h=t, k=curvature, C=friction)
        assert np.allclose(ours, covariance(M, R), rtol=1e-7, atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.floats(0.05, 3), st.floats(0.05, 3), st.floats(0.05, 5))
def test_euler_against_numbers(t, curvature, friction):
    M, R = EULER_MATRIX(t, curvature, friction)
    found = stationary(EULER)
    if abs(radius(M) - 1) > 1e-6:
        assert holds(found.stability.conditions, h=t, k=curvature, a=friction) == (radius(M) < 1)
        inside = [s for s in found.stability.steps if all(_true(c, curvature, friction) for c in s.when)]
        assert len(inside) == 1
        bound = float(inside[0].upper[0].subs({k: curvature, a: friction}))
        assert (t < bound) == (radius(M) < 1)
    if radius(M) < 0.999:
        ours = numbers(found.covariance, (theta, r), h=t, k=curvature, a=friction)
        assert np.allclose(ours, covariance(M, R), rtol=1e-6, atol=1e-9)


def _true(condition, curvature, friction) -> bool:
    value = condition.e.subs({k: Rational(curvature), a: Rational(friction)})
    return bool(value > 0 if condition.sign == ">" else value >= 0)


MUTANTS = {
    "a half step made whole": [B_half, A_half, O_whole, A_whole, B_half],
    "a kick left out": [B_half, A_half, O_whole, A_half],
    "noise of half the variance": [B_half, A_half, (r, E * r + sqrt((1 - E**2) / 2) * w), A_half, B_half],
}


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_not_exact(name):
    found = stationary(Update(h, MUTANTS[name], H))
    assert not equal(found.covariance[theta, theta], 1 / k)
    assert found.ratio[theta] != 1


def test_swapping_c1_and_c2_keeps_the_law_and_changes_the_answer():
    """``c1^2 + c2^2 = 1`` either way, so the law is that of another friction: ``consistency`` refutes it, here errors grow."""
    swapped = stationary(Update(h, [B_half, A_half, (r, sqrt(1 - E**2) * r + E * w), A_half, B_half], H))
    assert swapped.covariance[theta, theta] == 1 / k
    ours = stationary(word("BAOAB")).by_noise[theta][theta, theta]
    assert not equal(swapped.by_noise[theta][theta, theta], ours)


def test_a_flow_without_noise_determines_no_covariance():
    found = stationary(discretise(hmc, "semi-implicit"))
    assert found.covariance is None
    assert "draws no noise" in found.reason
    assert found.stability.never
    assert str(found.stability.bounded) == "k*step_size**2 < 4"
    euler = stationary(discretise(hmc, "euler"))
    assert euler.stability.never
    assert str(euler.stability.conditions) == "never"


def test_what_is_not_affine_is_refused_with_the_reason():
    with pytest.raises(RecipeError, match="lengths"):
        stationary(sgnht.update)
    x, y = Scalar("x"), Scalar("y")
    with pytest.raises(RecipeError, match=r"the rule of x is .* not affine"):
        stationary(Update(h, {x: x - h * x * y, y: y}, x**2 / 2 + y**2 / 2))


def test_a_concrete_law_of_scalars_is_taken_as_it_is():
    x, y = Scalar("x"), Scalar("y")
    P = Matrix([[2, 1], [1, 3]])
    target = (2 * x**2 + 2 * x * y + 3 * y**2) / 2
    drawn = {x: x - h * (2 * x + y) + sqrt(2 * h) * Noise("p", like=x), y: y - h * (x + 3 * y) + sqrt(2 * h) * Noise("q", like=y)}
    found = stationary(Update(h, drawn, target))
    M, R = np.eye(2) - 0.1 * np.array(P, dtype=float), 0.2 * np.eye(2)
    assert np.allclose(numbers(found.covariance, (x, y), h=0.1), covariance(M, R))
    assert Matrix([[found.target[x, x], found.target[x, y]], [found.target[x, y], found.target[y, y]]]) == P.inv()
    limit = float(2 / max(np.linalg.eigvalsh(np.array(P, dtype=float))))
    assert (holds(found.stability.conditions, h=limit - 1e-6), holds(found.stability.conditions, h=limit + 1e-6)) == (True, False)

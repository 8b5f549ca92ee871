"""Closed forms on a quadratic potential: formulas of the literature, numerical Lyapunov solves, spectral radii, mutants."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sympy import Expr, Matrix, Rational, Symbol, exp, lambdify, simplify, sqrt
from words import covariance, letter, radius, step

from catalog.hmc import hmc
from catalog.sghmc import sghmc
from catalog.sgld import sgld
from catalog.sgnht import sgnht
from catalog.third_order_langevin import third_order_langevin
from recipe import Noise, Potential, RecipeError, Scalar, Update, Vector, grad, total
from recipe.scheme import discretise, discretised
from recipe.scheme.compensation import gradient_noise
from recipe.variance import gradient_variance
from verify.affine.budget import budget
from verify.affine.closed_form import stationary
from verify.affine.conditions import remaining
from verify.affine.exact import Exact
from verify.affine.schur import positive_when_stable
from verify.obligations.noise_budget import discharge as noise_budget
from verify.obligations.stable_step import discharge as stable_step
from verify.subject import subject_of
from verify.verdict import Verdict

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


@pytest.mark.parametrize("name", VARIANCES)
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


@pytest.mark.parametrize("name", VARIANCES)
def test_discretised_recipes_give_the_same(name):
    found = stationary(discretise(sghmc, name.lower()))
    ours = stationary(word(name))
    assert {equal(found.covariance[key].subs(found.update.step, h), ours.covariance[key]) for key in ours.covariance} == {True}


@pytest.mark.parametrize("name", VARIANCES)
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


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 4), st.randoms(use_true_random=False))
def test_the_criterion_of_stability_against_eigenvalues(n, random):
    """Every condition holds if and only if the spectral radius is below one."""
    M = [[Rational(random.randint(-20, 20), random.choice((16, 24, 40))) for _ in range(n)] for _ in range(n)]
    found = radius(np.array(M, dtype=float))
    exact = Exact([x for row in M for x in row])
    if abs(found - 1) > 1e-9:
        conditions = remaining(exact, positive_when_stable(exact, [[exact.read(x) for x in row] for row in M]))
        assert (conditions.impossible is None) == (found < 1)
        assert not conditions.remaining


def test_a_law_of_three_blocks_against_numbers():
    update = third_order_langevin.update
    found = stationary(update)
    values = {s: Rational(x) for s, x in zip(update.parameters, ("3/2", "4/5", "13/10"), strict=True)} | {
        update.step: Rational(1, 20)
    }
    values |= dict.fromkeys(found.curvatures.values(), Rational(6, 5))
    M, N = (np.array(m.subs(values).evalf(), dtype=float) for m in (found.step_map.M, found.step_map.N))
    numeric = covariance(M, N @ N.T)
    for i, one in enumerate(found.blocks):
        for j, other in enumerate(found.blocks[i:], i):
            assert abs(float(found.covariance[one, other].subs(values)) - numeric[i, j]) < 1e-9
    assert radius(M) < 1
    assert all(c.e.subs(values) > 0 for c in found.stability.conditions.remaining)


# -- errors of gradients ---------------------------------------------------------------------------------------------------------

BUDGETS = {  # gradients written, evaluations, what V is multiplied by in B_hat
    "BAOAB": (2, 1, 1),
    "ABOBA": (2, 1, 1),
    "OBABO": (2, 1, 1),
    "OABAO": (1, 1, 1),
    "BAOA": (1, 1, 1),
    "ABAOABA": (2, 2, Rational(1, 2)),
}
A_quarter = (theta, theta + h / 4 * r)
WORDS["ABAOABA"] = [A_quarter, B_half, A_quarter, O_whole, A_quarter, B_half, A_quarter]


@pytest.mark.parametrize("name", BUDGETS)
def test_how_often_a_gradient_is_used(name):
    found = budget(word(name))
    (added,) = found.B_hat.values()
    V = gradient_variance(U, theta)
    assert (found.written, found.evaluations, simplify(added / V)) == BUDGETS[name]
    assert found.can_be_compensated
    assert equal(found.largest_step[0], 2 * C / added)


def test_euler_has_the_budget_of_the_recipe():
    for recipe in (sghmc, sgld):
        found = budget(discretise(recipe, "euler"))
        assert {b: e for (b, _), e in found.B_hat.items()} == gradient_noise(recipe)


def test_what_no_noise_can_make_up_for():
    assert budget(discretise(hmc, "semi-implicit")).out_of_reach[0].name == "r"
    assert budget(discretise(third_order_langevin, "euler")).out_of_reach[0].name == "p"


@pytest.mark.parametrize("name", WORDS)
def test_errors_of_gradients_against_a_numerical_covariance(name):
    """The state is enlarged by the error that is still in use, and its covariance is solved for in numbers."""
    t, curvature, friction, V = 0.7, 1.3, 0.9, 0.4
    found = stationary(word(name))
    ours = numbers(found.by_noise[theta], (theta, r), h=t, k=curvature, C=friction)
    assert np.allclose(V * ours, _by_errors(name, t, curvature, friction, V))


def _by_errors(name, t, curvature, friction, V) -> np.ndarray:
    """Columns: theta, r, the error of the last gradient; a kick draws a new one if the position has moved since the last kick."""
    letters = [(x, letter(x, name.count(x), t, curvature, friction)[0]) for x in name]
    moves = "A" in name.split("B")[-1]  # between the last kick and the end of the step
    M, R, fresh = np.eye(3), np.zeros((3, 3)), moves or "A" in name.split("B")[0]
    for x, A in letters:
        if x == "B" and fresh:
            forget = np.diag([1.0, 1, 0])
            M, R, fresh = forget @ M, forget @ R @ forget + np.diag([0, 0, V]), False
        big = np.eye(3)
        big[:2, :2] = A
        big[1, 2] = -t / name.count("B") if x == "B" else 0
        M, R, fresh = big @ M, big @ R @ big.T, fresh or x == "A"
    return covariance(M, R)[:2, :2]


def test_what_a_user_is_told():
    step = discretised(sghmc, "baoab")
    told = stable_step(subject_of(step))
    assert told.verdict is Verdict.PROVED
    assert told.facts[:2] == ("stable if and only if k*step_size**2 < 4", "that is step_size < 2/sqrt(k)")
    assert (
        told.scope == "every positive definite quadratic potential of theta, in every dimension: k is any eigenvalue of its Hessian"
    )
    assert "Var theta = 1/k, 1 of the target's" in told.facts
    told = noise_budget(subject_of(step))
    assert told.verdict is Verdict.PROVED
    assert told.facts[0] == "1 gradient is evaluated a step, used 2 times"
    assert noise_budget(subject_of(discretised(hmc, "semi-implicit"))).verdict is Verdict.REFUTED
    assert stable_step(subject_of(discretised(hmc, "semi-implicit"))).verdict is Verdict.PROVED
    assert stable_step(subject_of(discretised(hmc, "euler"))).verdict is Verdict.REFUTED
    assert stable_step(subject_of(discretised(sgnht, "euler"))).verdict is Verdict.UNDECIDED

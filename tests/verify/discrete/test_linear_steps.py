"""Closed forms for steps that are affine: the printed formulas, numerical Lyapunov solves, and
spectral radii on both sides.
"""

import functools

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Dummy, Matrix, Rational, Symbol, exp, factorial, lambdify, simplify, sqrt, tanh

from catalog.hmc import hmc
from catalog.sghmc import C, sghmc
from catalog.sgld import sgld
from catalog.sgnht import sgnht
from catalog.third_order_langevin import third_order_langevin
from recipe import (
    Noise,
    OutsideLanguageError,
    Potential,
    Recipe,
    Scalar,
    Update,
    Vector,
    discretise,
    discretised,
    grad,
    total,
)
from recipe.language.abstract import Partial
from verify import Verdict, verify
from verify.discrete.linear import affine_step, stability, stationary_covariance
from verify.discrete.weak_order.gaussian import covariance
from verify.discrete.weak_order.meanings import meanings
from verify.discrete.weak_order.step import step_of
from verify.obligations.step.stable_step import STABLE_STEP
from verify.subject import subject_of

h, k = Symbol("step_size", positive=True), Symbol("k", positive=True)


def variances(recipe, scheme):
    step = affine_step(discretise(recipe, scheme))
    found = stationary_covariance(step).of_step
    return {f"{a}{'' if a == b else b}": e for (a, b), e in found.items()}


# -- what is printed elsewhere
# --------------------------------------------------------------------------------------------------

# variance of the position and of the momentum; Leimkuhler & Matthews (2013), and computed by hand
# for the Euler steps
PRINTED = {
    "baoab": (1 / k, 1 - h**2 * k / 4),
    "aboba": (1 / k, 4 / (4 - h**2 * k)),
    "obabo": (4 / (k * (4 - h**2 * k)), 1),
    "oabao": ((4 - h**2 * k) / (4 * k), 1),
    "euler": (
        2 * C * (2 - C * h + h**2 * k) / (k * (C - h * k) * (4 - 2 * C * h + h**2 * k)),
        4 * C / ((C - h * k) * (4 - 2 * C * h + h**2 * k)),
    ),
}


@pytest.mark.parametrize("scheme", PRINTED)
def test_the_printed_variances_come_out(scheme):
    found, (position, momentum) = variances(sghmc, scheme), PRINTED[scheme]
    assert simplify(found["theta"] - position) == 0
    assert simplify(found["r"] - momentum) == 0


def test_baoa_is_exact_in_position_and_couples():
    found = variances(sghmc, "baoa")
    assert (found["theta"], found["r"], found["rtheta"]) == (1 / k, 1, h / 2)


def test_overdamped_euler_and_leimkuhler_matthews():
    assert simplify(variances(sgld, "euler")["theta"] - 2 / (k * (2 - h * k))) == 0
    assert variances(sgld, "leimkuhler-matthews")["theta"] == 1 / k


@pytest.mark.parametrize(
    ("recipe", "scheme", "conditions"),
    [
        (sgld, "euler", [2 - h * k]),
        (sgld, "leimkuhler-matthews", [2 - h * k]),
        (sghmc, "baoab", [4 - h**2 * k]),
        (sghmc, "euler", [C - h * k, 4 - 2 * C * h + h**2 * k]),  # that is, h k < C < 2/h + h k/2
        (sghmc, "semi-implicit", [4 - 2 * C * h - h**2 * k]),
    ],
)
def test_the_conditions_of_stability(recipe, scheme, conditions):
    found = stability(affine_step(discretise(recipe, scheme)))
    assert {c.expand() for c in found.conditions} == {c.expand() for c in conditions}
    assert found.never is None
    assert found.excluded == ()


def test_the_largest_step():
    assert stability(affine_step(discretise(sghmc, "baoab"))).upper == (2 / sqrt(k),)
    (largest,) = stability(affine_step(discretise(sghmc, "semi-implicit"))).upper
    assert simplify(k * largest**2 + 2 * C * largest - 4) == 0
    assert largest.subs({k: 1, C: 3}) > 0


# -- numbers beside them
# --------------------------------------------------------------------------------------------------


@functools.cache
def assignments(recipe, scheme):
    """The rule with quadratic U as plain functions of floating-point numbers: state, noise, and
    then the parameters.
    """
    update = discretise(recipe, scheme)
    noises = sorted(
        {n for _, e in update.rule for n in e.free_symbols if isinstance(n, Noise)}, key=str
    )
    gradients = {p: k * recipe.state[0] for _, e in update.rule for p in e.atoms(Partial)}
    given = [*recipe.state, *noises, *recipe.parameters, k, h]
    plain = {s: Dummy() for s in given}
    rule = [
        (b, lambdify([*plain.values()], e.xreplace(gradients).xreplace(plain), "math"))
        for b, e in update.rule
    ]
    return rule, len(noises), update.sequential


def explicit(recipe, scheme, values):
    """M and C of the step, by moving unit vectors through the rule."""
    rule, m, sequential = assignments(recipe, scheme)
    blocks, n, rest = recipe.state, len(recipe.state), list(values.values())

    def moved(z, w):
        old = new = dict(zip(blocks, z, strict=True))
        for b, f in rule:
            seen = new if sequential else old
            new = {**new, b: f(*(seen[c] for c in blocks), *w, *rest)}
        return np.array([new[b] for b in blocks], float)

    M = np.column_stack([moved(np.eye(n)[i], np.zeros(m)) for i in range(n)])
    N = np.column_stack([moved(np.zeros(n), np.eye(m)[i]) for i in range(m)])
    return M, N @ N.T


@functools.cache
def closed_forms(recipe, scheme):
    """What is claimed, as functions of the parameters: the conditions, the upper ends if all are
    solved, and the covariance.
    """
    step = affine_step(discretise(recipe, scheme))
    found, covariance = stability(step), stationary_covariance(step)
    given = [*recipe.parameters, k, h]
    conditions, ends = (
        [lambdify(given, e, "math") for e in listed] for listed in (found.conditions, found.upper)
    )
    return (
        conditions,
        ends if found.solved else None,
        {p: lambdify(given, e, "math") for p, e in covariance.of_step.items()},
    )


CASES = [
    (sgld, "euler"), (sghmc, "euler"), (sghmc, "semi-implicit"), (sghmc, "baoab"), (sghmc, "obabo"),
    (sghmc, "aboba"), (sghmc, "oabao"), (sghmc, "boab"), (third_order_langevin, "badodab"),
    (third_order_langevin, "semi-implicit"),
]  # fmt: skip
numbers = st.floats(0.05, 3).map(lambda x: round(x, 3))


@pytest.mark.by_default(3)
@pytest.mark.parametrize(("recipe", "scheme"), CASES)
@settings(max_examples=60, deadline=None, derandomize=True)
@given(data=st.data())
def test_closed_forms_against_a_numerical_solve_and_spectral_radii(recipe, scheme, data):
    values = {s: data.draw(numbers, label=str(s)) for s in (*recipe.parameters, k, h)}
    M, C = explicit(recipe, scheme, values)
    conditions, ends, closed = closed_forms(recipe, scheme)
    given = list(values.values())
    radius = max(abs(np.linalg.eigvals(M)))
    if abs(radius - 1) < 1e-9:
        return
    assert all(c(*given) > 0 for c in conditions) == (radius < 1)
    if ends is not None:
        assert all(values[h] < end(*given) for end in ends) == (radius < 1)
    if radius < 0.999:
        covariance = scipy.linalg.solve_discrete_lyapunov(M, C)
        for (a, b), e in closed.items():
            i, j = recipe.state.index(a), recipe.state.index(b)
            assert e(*given) == pytest.approx(covariance[i, j], rel=1e-6, abs=1e-8)


def test_a_correlated_target_in_explicit_coordinates():
    """SGLD with a noisy gradient on the normal law of figure 3a of Chen, Fox & Guestrin (2014),
    correlation 9/10.
    """
    x, y, eta = Scalar("x"), Scalar("y"), Symbol("eta", positive=True)
    precision = Matrix([[1, Rational(9, 10)], [Rational(9, 10), 1]]).inv()
    H = (Matrix([[x, y]]) * precision * Matrix([x, y]))[0] / 2
    noise = {
        b: sqrt(2 * eta) * Noise(f"w_{b}", like=b) + eta * Noise(f"v_{b}", like=b) for b in (x, y)
    }
    update = Update(eta, {b: b - eta * H.diff(b) + noise[b] for b in (x, y)}, H)
    found = stationary_covariance(affine_step(update)).of_step
    M = np.eye(2) - 0.1 * np.array(precision, float)
    numbers = scipy.linalg.solve_discrete_lyapunov(M, (0.2 + 0.01) * np.eye(2))
    assert float(found[x, y].subs(eta, 0.1)) == pytest.approx(numbers[0, 1])
    assert float(found[x, x].subs(eta, 0.1)) == pytest.approx(numbers[0, 0])


# -- what is refused, and what is said
# -------------------------------------------------------------------------------------------


def test_a_thermostat_is_not_affine():
    with pytest.raises(OutsideLanguageError, match=r"not affine where U is quadratic: xi <- "):
        affine_step(discretise(sgnht, "badodab"))


def outcome(of, scheme):
    return next(
        line.outcome for line in verify(discretised(of, scheme)).lines if line.name == "stable-step"
    )


def test_the_obligation():
    good = outcome(sghmc, "baoab")
    assert good.verdict is Verdict.PROVED
    assert good.by == "stable iff step_size < 2/sqrt(k)"
    assert good.facts == (
        "var r = -k*step_size**2/4 + 1",
        "cov(r, theta) = 0, exactly that of the target",
        "var theta = 1/k, exactly that of the target",
    )
    assert good.scope.startswith("every d and U = k*x^2/2 in each coordinate x")


def test_a_flow_without_noise_has_bounded_orbits_or_not():
    leapfrog = outcome(hmc, "leapfrog")
    assert leapfrog.verdict is Verdict.PROVED
    assert (
        leapfrog.by
        == "without noise: orbits are bounded where step_size < 2/sqrt(k), and not beyond"
    )
    assert (
        outcome(hmc, "euler").verdict is Verdict.UNDECIDED
    )  # its orbits grow, and no covariance is asked for


def test_a_step_that_is_never_stable_is_refuted():
    x, r, eps = Scalar("x"), Scalar("r"), Symbol("eps", positive=True)
    w = Noise("w", like=r)
    heated = Update(eps, {x: x + eps * r, r: r - eps * x + sqrt(2 * eps) * w}, (x**2 + r**2) / 2)
    found = outcome(heated, "printed")
    assert found.verdict is Verdict.REFUTED
    assert (
        found.witness.finding
        == "-2*eps**2 would have to be positive, and is not, whatever the step is"
    )


def test_a_step_that_is_always_stable():
    x, eps = Scalar("x"), Symbol("eps", positive=True)
    exact = Update(eps, {x: exp(-eps) * x + sqrt(1 - exp(-2 * eps)) * Noise("w", like=x)}, x**2 / 2)
    found = outcome(exact, "printed")
    assert (found.verdict, found.by) == (Verdict.PROVED, "stable at every step")
    assert found.facts == ("var x = 1, exactly that of the target",)
    ornstein = Recipe((x,), x**2 / 2, Matrix([[1]]), Matrix([[0]]))
    assert outcome(ornstein, "o").facts == found.facts


@pytest.mark.parametrize(
    "mutate",
    [
        lambda rule: [
            *rule[:2],
            (rule[2][0], rule[2][1].subs(exp(-C * h), sqrt(1 - exp(-2 * C * h)))),
            *rule[3:],
        ],
        lambda rule: [(rule[0][0], 2 * rule[0][1] - rule[0][0]), *rule[1:]],
        lambda rule: [*rule[:1], (rule[1][0], 2 * rule[1][1] - rule[1][0]), *rule[2:]],
    ],
)
def test_mutants_have_another_covariance(mutate):
    right = discretise(sghmc, "baoab")
    wrong = Update(right.step, mutate(list(right.rule)), right.target)
    theta, r = sghmc.state
    found = stationary_covariance(affine_step(wrong)).of_step
    assert (found[theta, theta], found[r, r]) != (1 / k, 1 - h**2 * k / 4)


# -- for which laws it is proved
# -------------------------------------------------------------------------------------------------

x, y = Vector("x"), Scalar("y")
z = Vector("z", like=x)
U, both = Potential("U", x), Potential("U", x, z)
EIGENVALUES, EVERY_LENGTH = "for every quadratic U", "every d"


def langevin(block, slope, noise):
    return block - h * slope + sqrt(2 * h) * noise


def said(rule, target):
    return STABLE_STEP.discharge(subject_of(discretised(Update(h, rule, target), "printed")))


def test_a_plain_step_is_the_same_in_every_basis():
    told = said({x: langevin(x, grad(U, x), Noise("w", like=x))}, U)
    assert EIGENVALUES in told.scope
    assert EVERY_LENGTH in told.scope


w, v = (Noise(name, like=x) for name in "wv")


def test_a_law_that_is_flat_in_a_direction_is_not_compared_with():
    told = said(
        {
            x: langevin(x, grad(U, x), Noise("w", like=x)),
            z: z / 2 + h * Noise("v", like=z) + z / 2 - h * z,
        },
        U,
    )
    assert told.verdict is Verdict.UNDECIDED
    assert "not seen to be positive definite" in told.by


def test_where_the_noise_has_a_root_is_said():
    b = Symbol("b", positive=True)
    told = said({x: x - h * grad(U, x) + sqrt(h * (2 - b * h)) * Noise("w", like=x)}, U)
    assert any("b*step_size" in line and ">= 0" in line for line in told.assumptions)


def test_a_mean_that_is_off_is_said():
    """A momentum with a mean: BAOAB has E theta = (C - (2 C/h) tanh(h C/2)) / k where the target
    has 0.
    """
    theta, r = sghmc.state
    (potential,) = sghmc.H.atoms(Potential)
    pushed = Recipe(
        (theta, r), potential + total((r - C) ** 2) / 2, Matrix([[0, 0], [0, 1]]), sghmc.Q.written
    )
    facts = outcome(pushed, "baoab").facts
    mean = stationary_covariance(affine_step(discretise(pushed, "baoab"))).means[theta]
    assert mean[1] == 0
    assert simplify((mean[0] - (C - (2 * C / h) * tanh(h / 2)) / k).rewrite(exp)) == 0
    assert facts[1].startswith("mean of theta = ")
    assert facts[0] == "mean of r = C, and the target has C" or facts[0].startswith("mean of r = ")


@pytest.mark.slow_for("euler")
@pytest.mark.parametrize("scheme", ["baoab", "obabo", "euler", "semi-implicit"])
def test_masses_and_temperatures_against_the_power_series(scheme):
    """The closed form and the series of verify.discrete.weak_order, which share no code, with
    symbols for mass and temperature.
    """
    theta, r = sghmc.state
    (potential,) = sghmc.H.atoms(Potential)
    mass, T = Symbol("m", positive=True), Symbol("T", positive=True)
    warm = Recipe(
        (theta, r),
        (potential + total(r**2) / (2 * mass)) / T,
        Matrix([[0, 0], [0, C * T]]),
        T * Matrix([[0, -1], [1, 0]]),
    )
    update = discretise(warm, scheme)
    closed = stationary_covariance(affine_step(update)).of_step
    step = step_of(update)
    powers = covariance(step.with_values(meanings(step, lambda x: k * x**2 / 2)), 5).powers
    for (a, b), e in closed.items():
        for n in range(3):
            coefficient = simplify(e.diff(h, n).limit(h, 0) / factorial(n))
            assert simplify(coefficient - powers[2 * n][a, b]) == 0
        assert powers[1][a, b] == powers[3][a, b] == 0


def test_what_has_no_value_at_step_zero_is_not_expanded_there():
    """``exp(-1/h)`` is flat at 0, and ``h^k`` has slopes ``0^(k - 1)`` there."""
    whole = Symbol("n", integer=True, positive=True)
    for more in (exp(-1 / h), h ** (whole + 1)):
        told = said({x: langevin(x, grad(U, x), w) + more * x}, U)
        assert told.verdict is Verdict.PROVED
        assert not any("nan" in fact for fact in told.facts)

"""What a sweep does as its step vanishes, against a plain expansion of the same sweep, exact
covariances and simulation.
"""

import itertools
import math

import pytest
from sympy import QQ, Function, Matrix, Rational, Symbol, exp, expand, log, sqrt
from sympy.polys.ring_series import rs_trunc
from sympy.polys.rings import ring

from recipe import (
    Noise,
    OutsideLanguageError,
    Potential,
    Recipe,
    RecipeError,
    Scalar,
    Update,
    Vector,
    averaged,
    compose,
    discretised,
    div,
    flip,
    grad,
    limit_of,
    metropolis,
    refresh,
    repeat,
    step,
    total,
)
from verify import Verdict, verify

h = Symbol("h", positive=True)
A = Symbol("A", positive=True)
L = Symbol("L", integer=True, positive=True)

# -- a slow second way: one dimension, polynomials in the root of the step and in every draw,
# multiplied out ----------------------

x, p = Scalar("x"), Scalar("p")
w, v = Noise("w", like=x), Noise("v", like=x)
s, kappa = Symbol("s", positive=True), Symbol("kappa", positive=True)
ORDER = 4
DRAWS = [Symbol(f"draw_{k}") for k in range(16)]
RING, *GENERATORS = ring([s, x, p, A, kappa, w, v, *DRAWS], QQ)
AT = dict(zip([s, x, p, A, kappa, w, v, *DRAWS], GENERATORS, strict=True))


def slow_sweep(updates):
    """The state after the updates, as polynomials of s up to s^4, each draw a symbol of its own."""
    values, unused = {x: AT[x], p: AT[p]}, iter(DRAWS)
    for update in updates:
        fresh = [(AT[n], AT[next(unused)]) for n in (w, v) if any(e.has(n) for _, e in update.rule)]
        moved = dict(values)
        for b, e in update.rule:
            source = moved if update.sequential else values
            polynomial = RING.from_expr(expand(e.xreplace({update.step: s**2})))
            moved[b] = rs_trunc(
                polynomial.compose([*fresh, *((AT[c], source[c]) for c in (x, p))]),
                AT[s],
                ORDER + 1,
            )
        values = moved
    return values


def gaussian_mean(polynomial):
    """The mean over the draws, from the moments 1, 0, 1, 0, 3, 0, 15, ..."""
    first = GENERATORS.index(AT[DRAWS[0]])
    result = RING.zero
    for powers, c in polynomial.terms():
        of_draws = powers[first:]
        if not any(k % 2 for k in of_draws):
            factor = math.prod(math.prod(range(1, k, 2)) for k in of_draws)
            result += RING.from_dict({powers[:first] + (0,) * len(of_draws): c * factor})
    return result


def of_order(polynomial, n):
    """The coefficient of ``s^n``."""
    return RING.from_dict(
        {(0, *powers[1:]): c for powers, c in polynomial.terms() if powers[0] == n}
    )


def slow_limit(updates, order=4):
    """``E[z_n]`` and ``E[z_m^2]`` of x, n = 2 m = ``order``."""
    after = slow_sweep(updates)[x]
    for n in range(1, order):
        assert gaussian_mean(of_order(after, n)) == 0
    return tuple(
        gaussian_mean(e).as_expr()
        for e in (of_order(after, order), of_order(after, order // 2) ** 2)
    )


def moments(update, block):
    """Drift and variance a unit of time of an averaged step."""
    limit = limit_of(update)
    return expand(limit.drift[block]), expand(2 * limit.diffusion[block, block].value)


U = x**4 / 4 + x**2 + x
H = U + p**2 / 2
B = 1 + x / 3

euler = Update(h, {x: x + h * p, p: p - h * U.diff(x) - A * h * p + kappa * sqrt(h) * w}, H)
symplectic = Update(
    h, [(p, p - h * U.diff(x) - A * h * p + kappa * sqrt(h) * w), (x, x + h * p)], H
)
riemannian = Update(
    h,
    {
        x: x + h * B * p,
        p: p - h * B * (x + 1) + h * B.diff(x) - h * B**2 * p + kappa * sqrt(h) * B * w,
    },
    H,
)
noisy_position = Update(
    h, [(x, x + h * x * p + h * sqrt(h) * v), (p, p - h * U.diff(x) + sqrt(h) * (w + p * v))], H
)
redrawn = Update(h, {x: x, p: w}, H)
set_to_one_over_x = Update(h, {x: x, p: (1 + x) * w}, H)


@pytest.mark.parametrize(
    "flow",
    [euler, symplectic, riemannian, noisy_position],
    ids=["euler", "symplectic", "metric", "noisy"],
)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_sweep_against_polynomials_multiplied_out(flow, count):
    expected = slow_limit([redrawn, *[flow] * count])
    assert moments(averaged(step(redrawn), repeat(step(flow), count)), x) == expected


@pytest.mark.parametrize(
    "flow", [euler, symplectic, riemannian], ids=["euler", "symplectic", "metric"]
)
def test_a_symbol_stands_for_every_number_of_repetitions(flow):
    drift, variance = moments(averaged(step(redrawn), repeat(step(flow), L)), x)
    for count in (1, 6):  # 6 is not among the numbers that the polynomial was determined from
        found = expand(drift.subs(L, count)), expand(variance.subs(L, count))
        assert found == slow_limit([redrawn, *[flow] * count])


def test_a_momentum_whose_variance_depends_on_the_position():
    expected = slow_limit([set_to_one_over_x, euler, euler])
    assert moments(averaged(step(set_to_one_over_x), repeat(step(euler), 2)), x) == expected


def test_parts_before_and_after_what_is_repeated():
    half = Update(h, {x: x + h / 2 * p, p: p}, H)
    expected = slow_limit([redrawn, half, *[euler] * 6, half])
    drift, variance = moments(
        averaged(step(redrawn), step(half), repeat(step(euler), L), step(half)), x
    )
    assert (expand(drift.subs(L, 6)), expand(variance.subs(L, 6))) == expected


def test_without_redrawing_a_sweep_is_a_longer_step():
    update = averaged(repeat(step(euler), 3))
    one, three = limit_of(euler), limit_of(update)
    assert (update.state, update.step) == ((x, p), h)
    assert all(expand(three.drift[b] - 3 * one.drift[b]) == 0 for b in (x, p))
    assert expand(three.diffusion[p, p].value - 3 * one.diffusion[p, p].value) == 0
    damped = Update(h, {b: e.xreplace({kappa: sqrt(2 * A)}) for b, e in euler.rule}, H)
    assert verify(averaged(repeat(step(damped), 3))).verdict is Verdict.PROVED


def test_two_blocks_with_one_noise_keep_their_covariance():
    both = Update(h, {x: x - h * x + sqrt(2 * h) * w, p: p + sqrt(2 * h) * w}, x**2 / 2 + p**2 / 2)
    diffusion = limit_of(averaged(repeat(step(both), 2))).diffusion
    assert [diffusion[b, c].value for b, c in itertools.product((x, p), repeat=2)] == [2] * 4
    with pytest.raises(
        RecipeError,
        match="is correlated, and no root of its covariance is known for every L; give a number",
    ):
        averaged(repeat(step(both), L))


# -- every length, every potential
# ------------------------------------------------------------------------------------------

theta = Vector("theta")
r = Vector("r", like=theta)
V = Potential("U", theta)
d = Noise("w", like=theta)
G = Function("G", positive=True)(theta)
hamiltonian = Recipe(
    state=(theta, r), H=V + total(r**2) / 2, D=Matrix([[0, 0], [0, 0]]), Q=Matrix([[0, -1], [1, 0]])
)
explicit_euler = Update(
    h,
    {theta: theta + h * r, r: r - h * grad(V, theta) - A * h * r + sqrt(2 * A * h) * d},
    hamiltonian.H,
)


def test_l_explicit_euler_steps_after_a_full_refresh():
    update = averaged(refresh(hamiltonian, r), repeat(step(explicit_euler), L))
    limit = limit_of(update)
    assert expand(limit.drift[theta] + L * (L - 1) * grad(V, theta) / 2) == 0
    assert expand(2 * limit.diffusion[theta, theta].diagonal - L**2) == 0
    assert update.target == V
    assert update.step == Symbol("h_squared", positive=True)
    assert verify(update).verdict is Verdict.REFUTED
    own = Update(update.step, dict(update.rule), (L - 1) * V / L)
    lines = {line.name: line.outcome.verdict for line in verify(own).lines}
    assert lines["stationarity"] is Verdict.PROVED


def test_a_symmetric_step_after_a_full_refresh_is_right():
    c = exp(-A * h)
    baoab = Update(
        h,
        [
            (r, r - h / 2 * grad(V, theta)),
            (theta, theta + h / 2 * r),
            (r, c * r + sqrt(1 - c**2) * d),
            (theta, theta + h / 2 * r),
            (r, r - h / 2 * grad(V, theta)),
        ],
        hamiltonian.H,
    )
    assert (
        verify(averaged(refresh(hamiltonian, r), repeat(step(baoab), L))).verdict is Verdict.PROVED
    )


def test_the_metric_of_a_refresh_is_in_the_law_that_is_claimed():
    H = V + total(G * r**2 - log(G)) / 2
    law = Recipe(state=(theta, r), H=H, D=Matrix([[0, 0], [0, 0]]), Q=Matrix([[0, -1], [1, 0]]))
    kick = (r, r - h / 2 * grad(H, theta))
    moves = {
        Verdict.REFUTED: theta + h * G * r,
        Verdict.PROVED: theta + h * G * r + h**2 * div(G, theta) / 2,
    }
    for verdict, move in moves.items():
        update = averaged(refresh(law, r), step(Update(h, [kick, (theta, move), kick], H)))
        assert expand(update.target - V) == 0
        assert verify(update).verdict is verdict


# -- what has no limit
# --------------------------------------------------------------------------------------------------


def pushed(target):
    """A refresh and one move, with a target."""
    return step(Update(h, {x: x, p: w}, target)), step(Update(h, {x: x + h * p, p: p}, target))


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ((refresh(hamiltonian, r),), "no part of the sweep has a step size"),
        ((metropolis(hamiltonian, "leapfrog", flip=r),), "a Metropolis test has no such expansion"),
        (
            (refresh(hamiltonian, r, keep=Rational(1, 2)), step(explicit_euler)),
            "neither redrawn in full nor moved by little",
        ),
        (
            (step(explicit_euler), refresh(hamiltonian, r)),
            "theta after the sweep depends on r before it",
        ),
        (
            (refresh(hamiltonian, r), repeat(step(explicit_euler), (1, 5))),
            r"times=\(1, 5\) is drawn",
        ),
        (
            (refresh(hamiltonian, r), repeat(step(explicit_euler), 500)),
            "follows at most 200 rules; give a symbol",
        ),
        (
            (repeat(step(explicit_euler), L), repeat(step(explicit_euler), L)),
            "two parts are repeated for every number",
        ),
        (
            (repeat(refresh(hamiltonian, r), L), step(explicit_euler)),
            "what is repeated L times must move every block by little",
        ),
        ((step(Update(h, {x: x + sqrt(h)}, x**2)),), r"it moves x by 1 \* h\*\*\(1/2\) on average"),
        ((step(Update(h, {x: 2 * x + h * w}, x**2)),), "nothing in it moves by little"),
        ((step(Update(h, {x: x + h**3 * w}, x**2)),), "by less than the square of h"),
        ((step(Update(h, {x: x + w / h}, x**2)),), "singular at h = 0"),
        (pushed(x**2 / 2 + p**4), "is not normal"),
        (pushed(x**2 / 2 + Symbol("c", real=True) * p**2), "is not known to be positive"),
    ],
)
def test_what_has_no_limit_is_one_sentence(parts, sentence):
    with pytest.raises(RecipeError, match=sentence):
        averaged(*parts)


def test_a_coefficient_that_hides_that_it_is_zero_is_refused():
    """Taken for one that is not zero, it would make h the time of a sweep that does not move in it:
    any law is stationary then.
    """
    hidden = sqrt(A**2 + 2 * A + 1) - A - 1
    assert hidden != 0
    with pytest.raises(
        RecipeError, match="is not written as 0, and no value other than 0 is found"
    ):
        averaged(
            step(redrawn),
            step(Update(h, {x: x + h * p + hidden * sqrt(h) * w, p: p - h * U.diff(x)}, H)),
        )


def test_no_step_of_what_is_averaged_is_carried_out():
    update = averaged(refresh(hamiltonian, r), repeat(step(explicit_euler), 2))
    quadratic = averaged(
        step(Update(h, {x: x, p: w}, x**2 / 2 + p**2 / 2)),
        step(Update(h, {x: x + h * p, p: p - h * x}, x**2 / 2 + p**2 / 2)),
    )
    assert update.limit_only
    assert "stable-step" not in {line.name for line in verify(quadratic).lines}
    with pytest.raises(RecipeError, match="no step of it is carried out"):
        discretised(update, "printed")


def test_an_absolute_value_is_outside_the_language():
    with pytest.raises(OutsideLanguageError, match="is not smooth"):
        averaged(step(Update(h, {x: x - h * abs(x) + sqrt(2 * h) * w}, x**2)))


def test_a_kernel_is_carried_out_a_number_of_times():
    with pytest.raises(
        RecipeError, match="times=L is a symbol, and a kernel is carried out: give it a number"
    ):
        compose(refresh(hamiltonian, r), repeat(step(explicit_euler), L))


def test_flips_are_followed():
    flow = Recipe((x, p), H, Matrix.zeros(2), Matrix([[0, -1], [1, 0]]))
    turned = averaged(step(redrawn), step(euler), flip(flow, p), step(euler))
    assert moments(turned, x) == slow_limit([redrawn, euler, Update(h, {x: x, p: -p}, H), euler])

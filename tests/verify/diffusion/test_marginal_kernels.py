"""``marginal``: location and scale integrals of any kernel, false ones, and random families judged
by quadrature.
"""

from random import Random

import numpy as np
import pytest
from helpers.outcomes import outcome_of
from sympy import (
    Function,
    Interval,
    Matrix,
    Rational,
    Symbol,
    cos,
    cosh,
    erf,
    exp,
    lambdify,
    log,
    oo,
    sin,
    sqrt,
    tanh,
)

from recipe import Dense, Field, Potential, Recipe, Scalar, Vector, dot, total
from verify import Verdict, verify

PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED

theta = Vector("theta")
r = Vector("r", like=theta)
x, y, z, tau = (Scalar(name) for name in ("x", "y", "z", "tau"))
p, w = (Scalar(name, domain=Interval.open(0, oo)) for name in ("p", "w"))
u = Scalar("u", domain=Interval.open(0, 1))
a = Symbol("a", positive=True)
U = Potential("U", theta)
g, m = Function("g", positive=True)(theta), Function("m")(theta)
G = Field("G", theta, positive=True)
M = Dense("M", theta, positive=True)
d = theta.dim

# what is added to the law of the kept block, which comes first
KERNELS = [
    (PROVED, log(cosh(y - sin(x))), (x, y)),
    (PROVED, cosh((y - x) / (1 + x**2)) + log(1 + x**2), (x, y)),
    (REFUTED, cosh((y - x) / (1 + x**2)), (x, y)),
    (REFUTED, (y - x) ** 4 + y**2, (x, y)),
    (REFUTED, (y - x * y) ** 4, (x, y)),
    (REFUTED, log(1 + (y - x) ** 2) / 2, (x, y)),  # infinite
    (PROVED, exp(y - x) - 2 * y + 2 * x, (x, y)),
    (REFUTED, exp(y - x) - 2 * y + 3 * x, (x, y)),
    (PROVED, log(cosh(y - z**2)) + log(cosh(z - x**3)), (x, y, z)),
    (REFUTED, log(cosh((y - z) * exp(x))) + log(cosh(z)), (x, y, z)),
    (REFUTED, log(cosh(y - z)) + log(cosh(z - x)) + log(cosh(y)), (x, y, z)),
    (PROVED, exp(x) * p - a * log(p) - (a + 1) * x, (x, p)),
    (REFUTED, exp(x) * p - a * log(p) - a * x, (x, p)),
    (PROVED, p * (1 + x**2) - log(1 + x**2), (x, p)),
    (PROVED, (log(p) - x) ** 2 / 2 + log(p), (x, p)),
    (REFUTED, (log(p) - x) ** 2 / 2, (x, p)),
    (PROVED, (p / w) ** 3 + log(w) + sin(p / w), (w, p)),
    (REFUTED, p / w, (w, p)),
    (REFUTED, (p - x) ** 2, (x, p)),
    (REFUTED, p + log(cosh(p - sin(x))), (x, p)),
    (REFUTED, p**2 * exp(2 * x) + p - x, (x, p)),
    (PROVED, (1 - exp(x)) * log(u) - x, (x, u)),
    (REFUTED, (1 - exp(x)) * log(u), (x, u)),
    (REFUTED, log(cosh(u - x)), (x, u)),
    (PROVED, y**2 / 2 - log(1 + erf(x * y)), (x, y)),
    (PROVED, y**2 / 2 - log(1 + sin(x**3 * y) / 2), (x, y)),
    (REFUTED, (y - 1) ** 2 / 2 - log(1 + erf(x * y)), (x, y)),
    (REFUTED, y**2 / 2 - log(1 + tanh(x * y) ** 2 / 2), (x, y)),
    (UNDECIDED, y**2 / 2 - log(2 + cos(x * y)), (x, y)),
    (REFUTED, cosh(y) + sin(x) * y, (x, y)),
    (REFUTED, y**4 + x * y**2, (x, y)),
]
VECTORS = [
    (PROVED, total(log(cosh((r - m) / g)) + log(g))),
    (REFUTED, total(log(cosh((r - m) / g)))),
    (PROVED, total((r - theta) ** 2) ** 2 + total((r - theta) ** 4)),
    (PROVED, sqrt(1 + total(G * (r - theta) ** 2)) - total(log(G)) / 2),
    (REFUTED, sqrt(1 + total(G * r**2)) - total(log(G))),
    (PROVED, total(r**4 * g**2 + r**2 * g) - total(log(g)) / 2),
    (REFUTED, total(r**4 * g + r**2)),
    (REFUTED, total((r - theta) ** 4 + r**2)),
    (PROVED, total(log(1 + (r - theta * total(theta**2)) ** 2))),
    (REFUTED, total(r * dot(M, r)) / 2 + total(r * theta)),
    (UNDECIDED, total(Function("k")(r, theta)) + total(r**2)),
]


def marginal(state, H, law):
    n = len(state)
    recipe = Recipe(state, H, Matrix.eye(n), Matrix.zeros(n), marginal={state[0]: law})
    return outcome_of(verify(recipe), "marginal")


@pytest.mark.by_default(5)
@pytest.mark.parametrize(
    ("verdict", "W", "state"), KERNELS, ids=[f"{v.value}: {W}" for v, W, _ in KERNELS]
)
def test_kernels_of_scalars(verdict, W, state):
    law = state[0] ** 2 + state[0]
    found = marginal(state, law + W, law)
    assert found.verdict is verdict, found.by
    assert (found.witness is not None) == (verdict is REFUTED)


@pytest.mark.by_default(2)
@pytest.mark.parametrize(("verdict", "W"), VECTORS, ids=[f"{v.value}: {W}" for v, W in VECTORS])
def test_kernels_of_vectors(verdict, W):
    found = marginal((theta, r), U + W, U)
    assert found.verdict is verdict, found.by


def test_a_scale_of_a_whole_vector_needs_its_length():
    root = sqrt(1 + total(r**2) * exp(tau))
    assert marginal((tau, r), tau**2 + root - d * tau / 2, tau**2).verdict is PROVED
    assert marginal((tau, r), tau**2 + root - tau / 2, tau**2).verdict is REFUTED


def test_the_witness_names_two_values():
    found = marginal((x, p), x**2 + (p - x) ** 2, x**2)
    assert set(found.witness.point) == {"x"}
    assert "strictly" in found.witness.finding


def test_an_integral_that_is_finite_as_a_whole_is_not_constant():
    found = marginal((x, y), x**2 + (y - x) ** 4 + y**2 + sin(y) / 3, x**2)
    assert found.verdict is REFUTED
    assert "infinite domain" in found.witness.finding


# -- random families
# --------------------------------------------------------------------------------------------------

s = Symbol("s")
ON_THE_LINE = [s**2, s**4 + s**2, cosh(s), log(cosh(s)), sqrt(1 + s**2), exp(s) - s, s**4 + s]
ON_THE_HALF_LINE = [s, s**2 + s, s - log(s) / 2, s + 1 / s, 3 * log(1 + s), log(s) ** 2]
MEANS, SCALES = [x, sin(x), x**2, 1 - x], [exp(x), 1 + x**2, exp(-2 * x), 2 + sin(x)]


def drawn(seed: int):
    """W(x, r) of a family, perhaps with a wrong Jacobian, or shifted where it may not be."""
    draw = Random(seed)
    half = draw.random() < 0.5
    block, kernel = (p, draw.choice(ON_THE_HALF_LINE)) if half else (y, draw.choice(ON_THE_LINE))
    mean, scale = draw.choice(MEANS), draw.choice(SCALES)
    shifted = draw.random() < (0.3 if half else 0.7)
    inside = (block + mean**2 if half else block - mean) if shifted else block
    jacobian = draw.choice([1, 1, 1, 0, 2, Rational(1, 2)])
    return kernel.xreplace({s: inside * scale}) - jacobian * log(scale), block


def masses(W, block) -> list[float]:
    """The integrals over the block at three places, by the trapezoidal rule in a variable t with
    ``r = exp(t)`` on the half line, and ``r = sinh(t)`` on the line.
    """
    f = lambdify((x, block), W, "numpy")
    t = np.linspace(-40, 40, 400001)
    at, slope = (np.exp(t), np.exp(t)) if block == p else (np.sinh(t), np.cosh(t))
    with np.errstate(all="ignore"):
        densities = [np.exp(-f(place, at)) * slope for place in (-0.9, 0.3, 1.1)]
    return [float(np.trapezoid(np.nan_to_num(e, nan=0.0), t)) for e in densities]


@pytest.mark.by_default(5)
@pytest.mark.parametrize("seed", range(80))
def test_a_random_family_is_judged_as_quadrature_says(seed):
    W, block = drawn(seed)
    found = marginal((x, block), x**2 + W, x**2)
    if found.verdict is UNDECIDED:
        return
    values = masses(W, block)
    spread = max(values) / min(values) - 1
    assert (spread < 1e-5) == (found.verdict is PROVED), (W, found.by, values)


@pytest.mark.slow
def test_most_random_families_are_decided():
    verdicts = [marginal((x, block), x**2 + W, x**2).verdict for W, block in map(drawn, range(24))]
    assert verdicts.count(UNDECIDED) < 6

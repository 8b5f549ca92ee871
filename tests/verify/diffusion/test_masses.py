"""``normalisable`` in several coordinates, class by class: each with false twins, in which one
hypothesis of the rule fails; and random functions of the plane, judged by masses of square shells.
"""

from random import Random

import numpy as np
import pytest
from helpers.outcomes import outcome_of
from sympy import (
    Add,
    Interval,
    Rational,
    Symbol,
    cos,
    cosh,
    exp,
    lambdify,
    log,
    oo,
    sin,
    sqrt,
    tanh,
)

from recipe import Dense, Parameter, Potential, Recipe, Scalar, Vector, dot, total
from verify import Verdict, verify
from verify.diffusion.infinity.cones import decide_by_directions
from verify.diffusion.infinity.homogeneous import decide_homogeneous
from verify.diffusion.infinity.mass import decide_finite
from verify.diffusion.infinity.polynomial import decide_polynomial, refute_on_horn
from verify.diffusion.infinity.transport import moves

PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED
R = Rational

theta = Vector("theta")
r, phi = Vector("r", like=theta), Vector("phi")
tau, mu = Scalar("tau"), Scalar("mu")
x, y, z = Scalar("x"), Scalar("y"), Scalar("z")
p, p2 = (Scalar(name, domain=Interval.open(0, oo)) for name in ("p", "p2"))
u = Scalar("u", domain=Interval.open(0, 1))
q = Vector("q", domain=Interval.open(0, oo))
a, nu = Symbol("a", positive=True), Symbol("nu", positive=True)
b = Symbol("b", real=True)
lam = Parameter("lambda_", like=theta, positive=True)
M, N = Dense("M", theta, positive=True), Dense("N", theta, symmetric=True)
U = Potential("U", theta)
d, S2 = theta.dim, total(theta**2)

# -- one homogeneous sum
# --------------------------------------------------------------------------------------------------

HOMOGENEOUS = [
    (PROVED, sqrt(1 + S2), (theta,)),
    (PROVED, S2**2 - 3 * S2, (theta,)),
    (PROVED, (1 + S2) ** a, (theta,)),
    (PROVED, log(1 + S2) ** 2, (theta,)),
    (PROVED, (nu + d) / 2 * log(1 + S2 / nu), (theta,)),
    (PROVED, (nu + d) / 2 * log(1 + total(lam * (theta - 1) ** 2) / nu), (theta,)),
    (PROVED, (nu + d) / 2 * log(1 + total(theta * dot(M, theta)) / nu), (theta,)),
    (UNDECIDED, (nu + d) / 2 * log(1 + total(theta * dot(N, theta)) ** 2), (theta,)),
    (REFUTED, (b + d) / 2 * log(1 + S2), (theta,)),  # at a b <= 0
    (REFUTED, d / 2 * log(1 + S2), (theta,)),
    (PROVED, (d + 1) / 2 * log(1 + S2), (theta,)),
    (REFUTED, (d - 1) * log(1 + S2), (theta,)),
    (REFUTED, 3 * log(1 + S2), (theta,)),  # at d = 6
    (REFUTED, a * log(1 + S2), (theta,)),
    (REFUTED, d * log(S2) / 2 + S2, (theta,)),  # at the origin
    (PROVED, (nu + 2 * d) / 2 * log(1 + S2 + total(r**2)), (theta, r)),
    (REFUTED, (1 + d) / 2 * log(1 + S2 + total(r**2)), (theta, r)),
    (PROVED, (nu + d + phi.dim) / 2 * log(1 + S2 + total(phi**2)), (theta, phi)),
    (REFUTED, (d + 1) / 2 * log(1 + S2 + x**2), (theta, x)),
    (PROVED, (q.dim + 1) / 2 * log(1 + total(q**2)), (q,)),
    (PROVED, 2 * log(1 + x**2 + x * y + y**2), (x, y)),
    (REFUTED, 2 * log(1 + (x + y) ** 2), (x, y)),  # semidefinite
    (REFUTED, log(1 + x**2 + y**2), (x, y)),
    (REFUTED, log(1 + x**2 + p**2), (x, p)),
    (PROVED, R(4, 5) * log(1 + x**2 + y**4), (x, y)),  # the critical factor is 1/2 + 1/4
    (REFUTED, R(3, 4) * log(1 + x**2 + y**4), (x, y)),
    (PROVED, total(q**a) + total(log(q)) / 2, (q,)),
    (REFUTED, total(q**a) + total(log(q)), (q,)),
    (PROVED, sqrt(1 + x**2 + p2**3) - log(p2), (x, p2)),
]

# -- directions, and functions of a sum
# --------------------------------------------------------------------------------------------------

DIRECTIONS = [
    (PROVED, exp(x) + exp(y) + exp(-x - y), (x, y)),
    (REFUTED, exp(x + y) + exp(-x - y), (x, y)),
    (REFUTED, exp(x) + exp(y) + exp(z) + exp(-x - y), (x, y, z)),
    (PROVED, exp(x) + exp(y) + exp(z) + exp(-x - y - z), (x, y, z)),
    (PROVED, log(1 + exp(x + y)) + log(1 + exp(-x)) + log(1 + exp(-y)), (x, y)),
    (REFUTED, log(1 + exp(x + y)) + log(1 + exp(-x - y)) + log(1 + exp(x - y)), (x, y)),
    (PROVED, log(exp(x) + exp(y) + exp(-x - y)) - x / 3, (x, y)),
    (REFUTED, log(exp(x) + exp(y) + exp(-x - y)) - x, (x, y)),
    (REFUTED, log(exp(x) + exp(y) + exp(-2 * x)), (x, y)),
    (PROVED, log(cosh(x + y)) + log(cosh(x - y)), (x, y)),
    (REFUTED, log(cosh(x + y)) - log(cosh(x - y)), (x, y)),
    (PROVED, cosh(x) + cosh(x + 2 * y) - 3 * y + b * x, (x, y)),
    (REFUTED, cosh(x + 2 * y) - 3 * y + x**2 / (1 + x**2), (x, y)),
    (PROVED, sqrt(1 + (x + y) ** 2) + sqrt(1 + x**2) / 2 - R(49, 100) * x, (x, y)),
    (REFUTED, sqrt(1 + (x + y) ** 2) + sqrt(1 + x**2) / 2 - R(51, 100) * x, (x, y)),
    (REFUTED, (x - y) ** 4, (x, y)),
    (PROVED, (x - y) ** 4 + x**2, (x, y)),
    (PROVED, x**2 + x * y + y**2 + exp(x) - 5 * y, (x, y)),
    (REFUTED, x**2 + 2 * x * y + y**2 + exp(x + y), (x, y)),
    (REFUTED, total((theta - r) ** 2), (theta, r)),
    (PROVED, total((theta - r) ** 4 + log(cosh(r))), (theta, r)),
    (PROVED, total(exp(theta)) + exp(-total(theta)), (theta,)),
    (REFUTED, total(exp(theta)) + exp(total(theta)), (theta,)),
    (PROVED, total(log(1 + exp(theta))) + exp(-total(theta)), (theta,)),
    (REFUTED, total(log(1 + exp(theta))) + log(1 + exp(-total(theta))) - total(theta), (theta,)),
    (REFUTED, cosh(total(theta)), (theta,)),  # at d = 2
    (REFUTED, sqrt(1 + total(theta) ** 2), (theta,)),
]

# -- polynomials
# --------------------------------------------------------------------------------------------------

POLYNOMIALS = [
    (PROVED, x**4 + y**4 - x**2 * y**2 - 5 * x * y, (x, y)),
    (REFUTED, x**4 + y**4 - 3 * x**2 * y**2, (x, y)),
    (REFUTED, x**4 + y**4 - 2 * x**2 * y**2, (x, y)),
    (PROVED, x**6 + y**4 - R(19, 10) * x**3 * y**2 - x * y, (x, y)),
    (REFUTED, x**6 + y**4 - R(21, 10) * x**3 * y**2, (x, y)),
    (REFUTED, x**6 + y**4 + R(21, 10) * x**3 * y**2, (x, y)),
    (PROVED, S2**2 - total(theta) ** 3, (theta,)),
    (REFUTED, S2**2 - total(theta**4), (theta,)),
    (REFUTED, S2 - total(theta) ** 2, (theta,)),
    (REFUTED, x**2 * y**2, (x, y)),
    (REFUTED, x**2 * y**2 + x**2, (x, y)),
    (PROVED, x**2 * y**2 + x**2 + y**2, (x, y)),
    (REFUTED, x**2 * y**2 * z**2, (x, y, z)),
    (REFUTED, (x**2 - 4 * y**2) ** 2, (x, y)),
    (REFUTED, x**4 * y**2 + exp(y), (x, y)),
    (REFUTED, y**4 / (1 + x**2), (x, y)),
    (PROVED, x**4 + y**4 / (1 + x**2), (x, y)),
]

# -- bounded terms, components, shifts and scales
# --------------------------------------------------------------------------------------------------

EQUIVALENT = [
    (PROVED, x**2 + y**2 + sin(x * y), (x, y)),
    (REFUTED, x**2 + sin(x * y), (x, y)),
    (UNDECIDED, x**2 * sin(x * y) + y**2, (x, y)),
    (PROVED, S2 + 3 * cos(total(theta)), (theta,)),
    (REFUTED, x**2 + x * y / (1 + x**2 + y**2), (x, y)),
    (REFUTED, S2 / (1 + S2), (theta,)),
    (PROVED, -log(exp(-S2 / 2) + exp(-total((theta - 3) ** 2) / 2)), (theta,)),
    (REFUTED, -log(exp(-(x**2)) + exp(-(y**2))), (x, y)),
    (REFUTED, -log(exp(-(x**2) - y**2) + exp(-((x - y) ** 2))), (x, y)),
    (REFUTED, -log(exp(-(x**2)) + 1 / sqrt(1 + x**2)), (x,)),
    (PROVED, (y - x**2) ** 4 + (1 - x) ** 2, (x, y)),
    (REFUTED, (y - x**2) ** 4 + x, (x, y)),
    (PROVED, total((theta - mu) ** 4) + mu**4, (theta, mu)),
    (REFUTED, total((theta - mu) ** 4), (theta, mu)),
    (PROVED, total(theta**4) * exp(-tau) + d * tau / 4 + tau**2, (theta, tau)),
    (REFUTED, total(theta**4) * exp(-tau) + log(1 + tau**2), (theta, tau)),
    (PROVED, log(1 + x**2 / p**2) + log(p) + log(1 + p**2), (x, p)),
    (REFUTED, log(1 + x**2 / p**2) + 2 * log(p) + log(1 + p**2), (x, p)),
    (
        PROVED,
        total((theta - x) ** 2) * exp(-2 * y) / 2 + d * y + S2 / 2 + x**2 / 200 + y**2 / 2,
        (theta, x, y),
    ),
    (REFUTED, log(u) + log(1 - log(u)), (u,)),  # like log(log(1/u))
    (PROVED, (1 - a) * log(u) - (nu - 1) * log(1 - u**a), (u,)),
    (REFUTED, (1 - a) * log(u) + (nu + 1) * log(1 - u**a), (u,)),
]


def ids(table):
    return [f"{v.value}: {H}" for v, H, _ in table]


@pytest.mark.by_default(12)
@pytest.mark.parametrize(
    ("verdict", "H", "state"),
    HOMOGENEOUS + DIRECTIONS + POLYNOMIALS + EQUIVALENT,
    ids=ids(HOMOGENEOUS + DIRECTIONS + POLYNOMIALS + EQUIVALENT),
)
def test_masses_in_several_coordinates(verdict, H, state):
    nothing = [[0] * len(state) for _ in state]
    found = outcome_of(verify(Recipe(state, H, nothing, nothing)), "normalisable")
    assert found.verdict is verdict, found.by
    assert (found.witness is not None) == (verdict is REFUTED)


def test_the_witness_names_the_length_at_which_the_integral_diverges():
    assert decide_finite(3 * log(1 + S2), (theta,)).witness.point["d_theta"] == "6"
    assert decide_finite(cosh(total(theta)), (theta,)).witness.point["d_theta"] == "2"


def test_a_form_with_coefficients_that_depend_on_a_coordinate_is_no_form():
    # at x = 1 and x = -1 it looks like x^4 + y^4/2, and it is no polynomial
    found = decide_polynomial(x**4 + y**4 / (1 + x**2) - 3 * x**2 * y**2 / 4, (x, y))
    assert found is None or found.verdict is not PROVED


def test_no_method_says_anything_of_an_unknown_function():
    F = U + S2
    for method in (decide_homogeneous, decide_by_directions, decide_polynomial, refute_on_horn):
        assert method(F, (theta,)) is None


def test_names_that_a_method_makes_up_may_be_taken():
    one, two = Scalar("theta_1"), Scalar("theta_2")
    H = cosh(total(theta)) + (one - total(theta)) ** 2 + two**2 + one**4
    assert decide_finite(H, (theta, one, two)).verdict is not PROVED
    s, form = Scalar("s", domain=Interval.open(0, oo)), Scalar("value_of_the_form")
    assert decide_finite(sqrt(1 + s**2 + x**2), (s, x)).verdict is PROVED
    assert decide_finite(log(cosh(form + x)), (form, x)).verdict is not PROVED


@pytest.mark.parametrize("W", [(y - x**2) ** 4 + x * y, cosh((y - x) * exp(x)), y**2 * exp(x)])
def test_a_shift_or_a_scale_keeps_the_integral(W):
    (block,) = (y,)
    for moved in moves(W, block):
        grid = np.linspace(-60, 60, 400001)
        for place in (-0.7, 0.4):
            before, after = (
                np.trapezoid(np.exp(-lambdify((x, y), e, "numpy")(place, grid)), grid)
                for e in (W, moved.W)
            )
            assert abs(before / after - 1) < 1e-6, moved.how


def test_a_power_keeps_the_integral_over_the_unit_interval():
    W = -(exp(x) - 1) * log(u) + sin(u)
    moved = [m for m in moves(W, u) if "^" in m.how]
    assert moved
    grid = (np.arange(200000) + 0.5) / 200000
    for m in moved:
        before, after = (
            np.mean(np.exp(-lambdify((x, u), e, "numpy")(0.8, grid))) for e in (W, m.W)
        )
        assert abs(before / after - 1) < 1e-4


# -- random functions of the plane
# --------------------------------------------------------------------------------------------------

FORMS = [(1, 0), (0, 1), (1, 1), (1, -1), (2, 1), (1, -2), (-1, 0), (0, -1), (-1, -1)]
EDGES, WEIGHTS = np.polynomial.legendre.leggauss(8)


# terms, and the same in numpy, where exponentials of large numbers must not overflow
OF_A_FORM = [
    (exp, np.exp),
    (lambda f: log(1 + exp(f)), lambda v: np.logaddexp(0, v)),
    (lambda f: log(cosh(f)), lambda v: np.logaddexp(v, -v)),
    (lambda f: sqrt(1 + f**2), lambda v: np.sqrt(1 + v**2)),
    (lambda f: f**2, lambda v: v**2),
    (lambda f: f**4, lambda v: v**4),
    (lambda f: f, lambda v: v),
    (tanh, np.tanh),
    (lambda f: log(1 + f**2), lambda v: np.log(1 + v**2)),
]
OF_BOTH = [
    (log(1 + x**2 + y**2), lambda v, w: np.log(1 + v**2 + w**2)),
    ((x**2 + y**2) ** 2, lambda v, w: (v**2 + w**2) ** 2),
    (sqrt(1 + x**2 + y**2), lambda v, w: np.sqrt(1 + v**2 + w**2)),
    (x**2 * y**2, lambda v, w: v**2 * w**2),
    (x**3 * y, lambda v, w: v**3 * w),
    (x * y**2, lambda v, w: v * w**2),
    (sin(x * y), lambda v, w: np.sin(v * w)),
]


def drawn(seed: int):
    """A sum of functions of forms and of lengths, some of them with a minus; and its terms in
    numpy.
    """
    draw = Random(seed)
    terms, numbers = [], []
    for _ in range(draw.randint(2, 5)):
        c = Rational(draw.choice([1, 1, 2, 3, 4, -1, -2]), 2)
        if draw.random() < 0.65:
            (n, k), (of, at) = draw.choice(FORMS), draw.choice(OF_A_FORM)
            terms.append(c * of(n * x + k * y))
            numbers.append(lambda v, w, n=n, k=k, c=float(c), at=at: c * at(n * v + k * w))
        else:
            e, at = draw.choice(OF_BOTH)
            terms.append(c * e)
            numbers.append(lambda v, w, c=float(c), at=at: c * at(v, w))
    return Add(*terms), numbers


def shells(numbers, *places: int) -> list[float]:
    """The masses of ``exp(-H)`` between squares of half widths 2^k and 2^(k + 1), in logarithms."""
    found = []
    for k in places:
        low, high = 2.0**k, 2.0 ** (k + 1)
        fine = np.geomspace(1e-3, high, 24)  # for horns along an axis
        cuts = np.unique(np.concatenate([np.linspace(-high, high, 65), fine, -fine]))
        nodes = ((cuts[1:] + cuts[:-1])[:, None] + np.diff(cuts)[:, None] * EDGES) / 2
        w = (np.diff(cuts)[:, None] * WEIGHTS / 2).ravel()
        X, Y = np.meshgrid(nodes.ravel(), nodes.ravel(), indexing="ij")
        with np.errstate(all="ignore"):
            values = -sum(f(X, Y) for f in numbers) + np.log(np.outer(w, w))
        values = np.where(np.maximum(abs(X), abs(Y)) >= low, values, -np.inf)
        values = np.where(np.isnan(values), -np.inf, values)
        top = values.max()
        found.append(float(top + np.log(np.exp(values - top).sum())) if np.isfinite(top) else top)
    return found


@pytest.mark.by_default(10)
@pytest.mark.parametrize("seed", range(150))
def test_a_random_function_of_the_plane_is_judged_as_its_shells_say(seed):
    H, numbers = drawn(seed)
    found = decide_finite(H, (x, y))
    if found.verdict is UNDECIDED:
        return
    if found.verdict is PROVED:
        before, last = shells(numbers, 9, 12)
        assert last < before or last < -60, (H, found.by, before, last)
    else:
        before, last = shells(numbers, 5, 6)
        assert last > before - 2.5 or last == np.inf, (H, found.by, before, last)


def test_most_random_functions_of_the_plane_are_decided():
    verdicts = [decide_finite(drawn(seed)[0], (x, y)).verdict for seed in range(60)]
    assert verdicts.count(UNDECIDED) < 18
    assert verdicts.count(PROVED) > 6


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("twice", range(1, 9))
def test_the_critical_power_of_the_norm_is_half_the_length(size, twice):
    """``(1 + |z|^2)^-c`` has a finite mass iff 2 c > d, written out in d coordinates."""
    blocks = (x, y, z)[:size]
    H = Rational(twice, 2) * log(1 + Add(*(v**2 for v in blocks)))
    assert decide_finite(H, blocks).verdict is (PROVED if twice > size else REFUTED)

"""``non-explosion``: verdicts; second looks at the generator in explicit coordinates, and at
Feller's integral in small steps.
"""

import math
import random

import mpmath
import pytest
from cases.catalog_recipes import catalog_recipes
from helpers.outcomes import outcome_of
from oracles.explicit import explicit
from sympy import (
    Function,
    Interval,
    Lambda,
    Matrix,
    Rational,
    Symbol,
    cos,
    cosh,
    diff,
    exp,
    eye,
    lambdify,
    log,
    oo,
    sin,
    sqrt,
    zeros,
)

from recipe import (
    Dense,
    Field,
    Noise,
    Potential,
    Recipe,
    RecipeError,
    Scalar,
    Simplex,
    Update,
    Vector,
    bind,
    outer,
    total,
)
from verify import Verdict, verify
from verify.diffusion.infinity.explosion import decide_by_coordinates
from verify.subject import subject_of
from verify.verdict import Outcome

PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED
COERCIVE, NORMALISABLE = "U goes to infinity at infinity", "exp(-U) is normalisable"

theta = Vector("theta")
r = Vector("r", like=theta)
x, y = Scalar("x"), Scalar("y")
QQ = (Scalar("r_x"), Scalar("r_y"))
p = Scalar("p", domain=Interval.open(0, oo))
U = Potential("U", theta)
F = Field("F", theta, positive=True)
M = Dense("M", theta, positive=True)
A, eps = Symbol("A", positive=True), Symbol("epsilon", positive=True)
d = theta.dim
K = total(r**2) / 2
H = (x**2 + y**2) / 2
FRICTION, CANONICAL = Matrix([[0, 0], [0, A]]), Matrix([[0, -1], [1, 0]])


def outcome(declared) -> Outcome:
    return outcome_of(verify(declared), "non-explosion")


def langevin(V, D=1, block=x):
    return Recipe((block,), V, D, 0)


def drift(f, V, D=1):
    return Update(eps, {x: x + eps * f + sqrt(2 * D * eps) * Noise("w", like=x)}, V)


# -- the two examples of a stationary law that is not invariant
# -------------------------------------------------------------------

EXPLODING = drift(-x + exp(x**2 / 2), x**2 / 2)
SPIRAL = Recipe((x, y), H, eye(2), Matrix([[0, -y * exp(H)], [y * exp(H), 0]]))


@pytest.mark.parametrize("declared", [EXPLODING, SPIRAL], ids=["one coordinate", "two coordinates"])
def test_a_stationary_law_that_is_not_invariant_is_found_out(declared):
    lines = {line.name: line.outcome for line in verify(declared).lines}
    assert lines["stationarity"].verdict is PROVED
    assert lines["normalisable"].verdict is PROVED
    assert lines["non-explosion"].verdict is REFUTED
    assert lines["non-explosion"].witness is not None
    assert lines["uniqueness"].verdict is UNDECIDED
    assert lines["stationarity"].assumptions == ()  # what is refuted is not assumed
    assert verify(declared).verdict is REFUTED


# -- verdicts
# --------------------------------------------------------------------------------------------------

CASES = {
    "sghmc": (PROVED, Recipe((theta, r), U + K, FRICTION, CANONICAL), (COERCIVE,)),
    "sghmc, quartic": (PROVED, Recipe((theta, r), total(theta**4) + K, FRICTION, CANONICAL), ()),
    "sghmc, correlated": (
        PROVED,
        Recipe((theta, r), total(theta**2 + theta * r + r**2), FRICTION, CANONICAL),
        (),
    ),
    "hmc": (PROVED, Recipe((theta, r), U + K, zeros(2), CANONICAL), (COERCIVE,)),
    "langevin": (PROVED, langevin(U, block=theta), (NORMALISABLE,)),
    "preconditioned": (PROVED, langevin(U, M, theta), (NORMALISABLE,)),
    "linear growth of the root of D": (PROVED, langevin(U, 1 + theta**2, theta), (NORMALISABLE,)),
    "super-exponential": (PROVED, langevin(total(cosh(theta)), 1, theta), ()),
    "no law at all": (PROVED, langevin(0 * x), ()),
    "inwards": (PROVED, drift(-(x**3), x**4 / 4), ()),
    "inwards, faster noise": (PROVED, langevin(x**4, 1 + x**4), ()),
    "a bounded domain": (PROVED, langevin(0 * x, 1, Scalar("u", domain=Interval.open(0, 1))), ()),
    "the simplex": (
        PROVED,
        langevin(total(Vector("s", domain=Simplex())), 1, Vector("s", domain=Simplex())),
        (),
    ),
    "CIR": (PROVED, langevin(p - A * log(p), p, p), ()),
    "a metric without a bound": (UNDECIDED, langevin(U, 1 / F, theta), ()),
    "fast noise": (UNDECIDED, langevin(U, 1 + theta**4, theta), ()),
    "rank-one noise that grows": (UNDECIDED, langevin(U, 1 + outer(theta**2, theta**2), theta), ()),
    "sgld, not reversible": (
        UNDECIDED,
        Recipe((theta, r), U + K, eye(2), CANONICAL * total(theta**2)),
        (),
    ),
    "logarithmic tails": (
        UNDECIDED,
        Recipe((x, y), log(1 + x**2) + y**2, zeros(2), CANONICAL * (1 + x**4)),
        (),
    ),
    "outwards": (REFUTED, langevin(-(x**4)), ()),
    "outwards on one side": (REFUTED, langevin(x**3), ()),
    "outwards at every length": (REFUTED, langevin(-total(theta**4), 1, theta), ()),
    "outwards with a logarithm": (REFUTED, drift(x * log(1 + x**2) ** 2, 0 * x), ()),
    "linear growth": (PROVED, drift(x, -(x**2) / 2), ()),
    "just below": (PROVED, drift(x * log(1 + x**2), 0 * x), ()),
    "a fast drift in faster noise": (PROVED, drift(x**3, 0 * x, 2 + x**8), ()),
    "a fast drift in noise as fast": (
        REFUTED,
        drift(3 * x * (1 + x**2), 0 * x, (1 + x**2) ** 2),
        (),
    ),
    "a drift that is too slow for its noise": (
        PROVED,
        drift(x * (1 + x**2) / 2, 0 * x, (1 + x**2) ** 2),
        (),
    ),
    "a drift at the border for its noise": (
        UNDECIDED,
        drift(x * (1 + x**2), 0 * x, (1 + x**2) ** 2),
        (),
    ),
    "a finite mass that is left": (REFUTED, langevin(log(1 + x**2), (1 + x**2) ** 2), ()),
    "a finite mass that is kept": (PROVED, langevin(log(1 + x**2), 1 + x**2), ()),
    "a half line that is left": (REFUTED, langevin(2 * log(1 + p), (1 + p) ** 4, p), ()),
    "bounded by a coordinate": (
        PROVED,
        Update(
            eps,
            {
                x: x + eps * (x * log(1 + x**2)) + sqrt(2 * eps) * Noise("v", like=x),
                y: y - eps * y * (1 + y**2 + x**2 * y**4) + sqrt(2 * eps) * Noise("w", like=y),
            },
            0 * x,
        ),
        (),
    ),
    "bounded by no coordinate": (
        UNDECIDED,
        Update(
            eps,
            {
                x: x + eps * (x * log(1 + x**2) + y) + sqrt(2 * eps) * Noise("v", like=x),
                y: y - eps * y * (1 + y**2 - x**2 * y**4) + sqrt(2 * eps) * Noise("w", like=y),
            },
            0 * x,
        ),
        (),
    ),
    "a turning drift with finite means": (
        PROVED,
        Recipe((x, y), H, eye(2), Matrix([[0, -y * x**4], [y * x**4, 0]])),
        (),
    ),
    "a turning drift with a heavy tail": (
        PROVED,
        Recipe((x, y), 2 * log(1 + x**2) + y**2, eye(2), Matrix([[0, -x * y**4], [x * y**4, 0]])),
        (),
    ),
    "a turning drift without a mean": (
        UNDECIDED,
        Recipe((x, y), 2 * log(1 + x**2) + y**2, eye(2), Matrix([[0, -(x**4) * y], [x**4 * y, 0]])),
        (),
    ),
    "finite means, and a direction without noise": (
        UNDECIDED,
        Recipe((x, y), H, Matrix.diag(1, 0), Matrix([[0, -y * x**4], [y * x**4, 0]])),
        (),
    ),
    "finite means of a law that is not stationary": (
        UNDECIDED,
        Update(
            eps,
            {
                x: x + eps * x * y**2 + sqrt(2 * eps) * Noise("v", like=x),
                y: y + eps * y * x**2 + sqrt(2 * eps) * Noise("w", like=y),
            },
            H,
        ),
        (),
    ),
    "a metric of the whole vector": (
        PROVED,
        langevin(total(theta**2) / 2, 1 + total(theta**2) ** 2, theta),
        (),
    ),
    "a metric of one coordinate that grows": (
        PROVED,
        Recipe(
            (theta, r),
            total(theta**2) / 2 + K,
            Matrix([[0, 0], [0, 1 + theta**4]]),
            CANONICAL * (1 + theta**4),
        ),
        (),
    ),
    "a force that grows outwards": (
        REFUTED,
        Recipe((x, y), -(x**4) / 4 + y**2 / 2, FRICTION, CANONICAL),
        (),
    ),
    "a force that grows outwards, in vectors": (
        REFUTED,
        Recipe((theta, r), total(theta**3) + K, FRICTION, CANONICAL),
        (),
    ),
    "a linear force outwards": (
        PROVED,
        Recipe((x, y), -(x**2) / 2 + y**2 / 2, FRICTION, CANONICAL),
        (),
    ),
    "a force outwards, and friction that grows": (
        UNDECIDED,
        Recipe((x, y), -(x**4) / 4 + y**2 / 2, FRICTION * (1 + x**4), CANONICAL),
        (),
    ),
    "a potential that oscillates": (PROVED, langevin(x**2 * cos(x)), ()),
    "a potential that oscillates and falls": (UNDECIDED, langevin(x**2 * cos(x) - 2 * x**2), ()),
    "a potential that falls faster than it oscillates": (
        REFUTED,
        langevin(x**2 * cos(x) - x**4),
        (),
    ),
    "no drift, any noise": (PROVED, drift(0 * x, 0 * x, exp(x**2)), ()),
    "a valley": (
        PROVED,
        Recipe(
            (x, y, *QQ),
            (1 - x) ** 2 / 20 + (y - x**2) ** 2 + (QQ[0] ** 2 + QQ[1] ** 2) / 2,
            Matrix.diag(0, 0, 1, 1),
            Matrix([[0, 0, -1, 0], [0, 0, 0, -1], [1, 0, 0, 0], [0, 1, 0, 0]]),
        ),
        (),
    ),
}


@pytest.mark.by_default(25)
@pytest.mark.parametrize("name", CASES)
def test_verdicts(name):
    verdict, declared, assumptions = CASES[name]
    found = outcome(declared)
    assert found.verdict is verdict
    assert found.assumptions == assumptions
    assert (found.witness is not None) == (verdict is REFUTED)


def test_a_domain_with_an_edge_is_followed_up_to_the_edge():
    assert "up to a time at which it reaches the edge" in outcome(CASES["CIR"][1]).by


def test_a_given_function_is_used():
    G = Function("G", positive=True)
    recipe = langevin(total(theta**2) / 2 + total(sin(theta)), 1, theta)
    given = Recipe((theta,), recipe.H, 1, 0, lyapunov=total(log(cosh(theta))))
    assert "V = total(log(cosh(theta)))" in outcome(given).by
    useless = Recipe((theta,), recipe.H, 1, 0, lyapunov=total(sin(theta)))
    assert "V = H" in outcome(useless).by
    with pytest.raises(RecipeError, match="lyapunov: theta is a vector"):
        Recipe((theta,), recipe.H, 1, 0, lyapunov=theta)
    bound = bind(
        Recipe((theta,), recipe.H, 1, 0, lyapunov=total(G(theta) * theta**2)), {G: Lambda(x, 2)}
    )
    assert bound.lyapunov == 2 * total(theta**2)


def test_what_is_proved_is_not_taken_for_granted_by_stationarity():
    report = verify(catalog_recipes()["sghmc"])
    assert not any(
        "does not explode" in a for line in report.lines for a in line.outcome.assumptions
    )
    stationarity = outcome_of(report, "stationarity")
    assert stationarity.assumptions == (
        NORMALISABLE,
        COERCIVE,
    )  # what the two proofs take for granted in their turn
    report = verify(catalog_recipes()["sgrhmc"])
    assert any("does not explode" in a for line in report.lines for a in line.outcome.assumptions)


def test_a_coercive_function_times_something_that_vanishes_is_not_coercive():
    """With U = x^2 - 1 the energy is not bounded below, and trajectories with x^2 < 1 go to
    infinity in finite time.
    """
    V = Potential("V", x)
    scaled = Recipe((x, y), exp(-y) * V + y**2 / 2, zeros(2, 2), Matrix([[0, -1], [1, 0]]))
    assert outcome(scaled).verdict is UNDECIDED


COERCIVE_IN_PHI = (
    COERCIVE + ", as a function of phi with theta = log(exp(phi) + 1)"
)  # at theta = 0 as well
CATALOG = {
    "fisher_sgld": (PROVED, NORMALISABLE),
    "hmc": (PROVED, COERCIVE),
    "sghmc": (PROVED, COERCIVE),
    "sgld": (PROVED, NORMALISABLE),
    "sgnht": (PROVED, COERCIVE),
    "sgrhmc_bounded": (PROVED, COERCIVE),
    "third_order_langevin": (PROVED, COERCIVE),
    "sgrhmc": (UNDECIDED, None),  # 1/G may grow without a bound
    "sgrld": (UNDECIDED, None),
    "sgrld_reciprocal": (UNDECIDED, None),  # nothing is known of U at the edge
    "jacobi_beta": (PROVED, None),
    "mirror_sgld": (UNDECIDED, None),
    "mirror_sghmc": (UNDECIDED, None),
    "sgrld_simplex_expanded_mean_reflected": (UNDECIDED, None),
    "sgrld_simplex_expanded_mean": (PROVED, None),
    "sgrld_simplex_reduced_mean": (PROVED, None),
    "sgrld_simplex_expanded_natural": (PROVED, None),
    "sgrld_simplex_reduced_natural": (PROVED, None),
    "wright_fisher_dirichlet": (PROVED, None),
    "scir": (PROVED, None),
    "lognormal_exp_ou": (PROVED, None),
    "scir_posterior": (UNDECIDED, None),
    "corv_sgld": (PROVED, NORMALISABLE),
    "corv_sghmc": (PROVED, COERCIVE_IN_PHI),
    "corv_sgnht": (PROVED, COERCIVE_IN_PHI),
    "ito_sgld": (
        UNDECIDED,
        None,
    ),  # phi goes to -oo in finite time where theta reaches 0, and that depends on U
}


@pytest.mark.slow
def test_the_catalog():
    found = {name: outcome(entry) for name, entry in catalog_recipes().items()}
    assert {
        name: (o.verdict, next(iter(o.assumptions), None)) for name, o in found.items()
    } == CATALOG


# -- second looks
# --------------------------------------------------------------------------------------------------


def concrete(name: str):
    entry = catalog_recipes()[name]
    block = entry.state[0]
    return bind(entry, {Potential("U", block): total(block**4) / 4})


@pytest.mark.parametrize(
    "name", ["hmc", "sghmc", "sgnht", "sgrhmc_bounded", "third_order_langevin"]
)
def test_the_generator_of_H_is_bounded_by_H_far_out(name):
    """``L H / (1 + H)`` in explicit coordinates, at random points of growing norm."""
    system = explicit(concrete(name), 2)
    z, V = system.z, system.H
    LV = sum(f * diff(V, c) for f, c in zip(system.drift, z, strict=True))
    LV += sum(system.D[i, j] * diff(V, z[i], z[j]) for i in range(len(z)) for j in range(len(z)))
    ratio = lambdify(z, LV / (1 + V - V.subs(dict.fromkeys(z, 0))))
    draw = random.Random(1)
    for size in (1, 10, 100, 1000):
        assert max(ratio(*(draw.uniform(-size, size) for _ in z)) for _ in range(200)) < 30


def feller(f, D=1.0):
    """Feller's ``v(x) = integral of s' (integral of 1/(s' D))`` from 0 to x, as the time that a
    smooth ladder of steps takes.
    """
    g = lambdify(x, f, "mpmath")
    inner, v, at, found = mpmath.mpf(0), mpmath.mpf(0), mpmath.mpf(0), {}
    h = mpmath.mpf(1) / 400
    while at < 8:
        rate = g(at + h / 2) / D
        factor = mpmath.exp(-rate * h)
        inner = inner * factor + (1 - factor) / (rate * D) if rate else inner + h / D
        v, at = v + inner * h, at + h
        found[round(float(at), 4)] = v
    return found[2.0], found[4.0], found[8.0]


@pytest.mark.parametrize("f", [-x + exp(x**2 / 2), 4 * x**3, x * log(1 + x**2) ** 2 + x**2])
def test_where_it_is_refuted_the_integral_of_feller_settles(f):
    two, four, eight = feller(f)
    assert eight - four < 0.8 * (four - two)


@pytest.mark.parametrize("f", [x, -(x**3), -x, x / (1 + x**2)])
def test_where_it_is_proved_the_integral_of_feller_grows(f):
    two, four, eight = feller(f)
    assert eight - four > 0.8 * (four - two)


def slow_feller(b, a) -> list[float]:
    """Feller's v up to 2, 4, ..., 2^16: with ``w = s' M``, ``w' = 1/a - k w`` and ``v' = w``.

    Each of the small steps in log(x) is solved exactly with the coefficients at its middle.
    """
    b_of, a_of = (lambdify(x, e, "math") for e in (b, a))
    du, w, v, found = math.log(2) / 400, 1.0, 0.0, []
    for n in range(16 * 400):
        at = math.exp((n + 0.5) * du)
        rate, gain, length = b_of(at) / a_of(at), 1 / a_of(at), at * du
        factor = math.exp(min(-rate * length, 300.0))
        w = w * factor + (gain * length if rate == 0 else gain * (1 - factor) / rate)
        v += w * length
        if v > 1e200:
            return [v]
        if (n + 1) % 400 == 0:
            found.append(v)
    return found


def is_finite_by_steps(b, a) -> bool:
    """Whether v settles: what is added from 2^15 to 2^16 is less than what is added before."""
    found = slow_feller(b, a)
    return len(found) > 1 and found[-1] - found[-2] < 0.9 * (found[-2] - found[-3])


@pytest.mark.by_default(20)
@pytest.mark.parametrize("seed", range(60))
def test_random_coordinates_agree_with_feller_by_steps(seed):
    """``b = c x (1 + x^2)^m`` and ``a = (1 + x^2)^n``; the border, where both are undecided, is
    left out.
    """
    draw = random.Random(seed)
    c = Rational(draw.choice((-3, -1, 1, 2, 3, 5)), 2)
    m, n = (Rational(draw.randint(-1, 4), 2), Rational(draw.randint(0, 6), 2))
    if m + 1 == n and c == 1:
        n += 1
    b, a = c * x * (1 + x**2) ** m, (1 + x**2) ** n
    wanted = REFUTED if is_finite_by_steps(b, a) else PROVED
    subject = subject_of(drift(b, 0 * x, a))
    found = decide_by_coordinates(subject.dynamics, subject.H)
    assert found.verdict is wanted, (b, a)


def test_a_coordinate_is_not_judged_where_others_enter_its_noise():
    joint = Recipe((x, y), -(x**4) + y**2, Matrix([[1 + y**2, 0], [0, 1]]), zeros(2))
    assert outcome(joint).verdict is UNDECIDED

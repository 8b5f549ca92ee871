"""``normalisable``: what is proved and refuted, and masses over growing boxes by quadrature, which
share no code with it.
"""

import math
from itertools import pairwise
from random import Random

import mpmath
import numpy as np
import pytest
from cases.catalog_recipes import catalog_recipes
from helpers.outcomes import outcome_of
from scipy.integrate import dblquad, quad
from scipy.special import gamma
from sympy import (
    Dummy,
    Function,
    Integer,
    Interval,
    Rational,
    Symbol,
    cos,
    cosh,
    exp,
    lambdify,
    log,
    loggamma,
    oo,
    sin,
    sqrt,
    tanh,
)

from recipe import Field, Parameter, Potential, Recipe, Scalar, Simplex, Vector, total
from recipe.language.blocks import Block
from verify import Verdict, verify
from verify.decide.asymptotics.growth import bound, compare, leading
from verify.diffusion.infinity.mass import decide_finite
from verify.verdict import Outcome

PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED

theta = Vector("theta")
r = Vector("r", like=theta)
tau = Scalar("tau")
x, y = Scalar("x"), Scalar("y")
p = Scalar("p", domain=Interval.open(0, oo))
u = Scalar("u", domain=Interval.open(0, 1))
q = Vector("q", domain=Interval.open(0, oo))
s = Vector("s", domain=Simplex())
U = Potential("U", theta)
G = Field("G", theta, positive=True)
F = Function("F")(theta)
a = Symbol("a", positive=True)
b = Symbol("b", real=True)
alpha, beta = Parameter("alpha", like=q, positive=True), Parameter("beta", like=q, positive=True)
alpha_s, lam = (
    Parameter("alpha", like=s, positive=True),
    Parameter("lambda_", like=theta, positive=True),
)
d = theta.dim


def outcome(H, *state: Block) -> Outcome:
    report = verify(
        Recipe(state, H, [[0] * len(state) for _ in state], [[0] * len(state) for _ in state])
    )
    return outcome_of(report, "normalisable")


# -- one coordinate, and quadrature
# ------------------------------------------------------------------------------------------------

FINITE = [
    x**2 / 2,
    x**4 - x**2,
    x**4 - 5 * x**3,
    cosh(x),
    sqrt(1 + x**2),
    log(1 + x**2),
    3 * log(1 + x**2) / 4,
    log(1 + exp(x)) - x / 2,
    log(1 + exp(x)) + x**2,
    exp(x) - x,
    x**2 + sin(x),
    x**2 * (2 + tanh(x)),
    x**2 + log(1 + exp(-3 * x)),
    2 * log(1 + x**2) / 3,
    x**2 / (1 + x**2) + x**2,
    log(cosh(x)),
    p - log(p) / 2,
    p + 1 / p,
    log(p) / 2 + p,
    2 * log(1 + p) - log(p) / 2,
    1 / p + 2 * log(p),
    -log(u) - 2 * log(1 - u),
    log(u) / 2 + log(1 - u) / 3,
    log(u * (1 - u)) / 2,
    1 / u,
    loggamma(p + 1) - p,
    loggamma(p),
    log(1 - log(u)) * 2 + log(u),
    log(-log(u)) / 2,
]
INFINITE = [
    log(1 + x**2) / 2,
    log(1 + x**2) / 3,
    -(x**2),
    -(x**4) + x**2,
    x**3,
    exp(x),
    exp(-(x**2)),
    sin(x),
    1 / (1 + x**2),
    log(1 + exp(x)),
    log(1 + exp(x)) - x,
    x,
    tanh(x),
    log(p),
    log(p) + p,
    3 * log(p) / 2 + p,
    -log(p) + 2 * log(1 + p),
    -1 / p + p,
    log(u),
    2 * log(1 - u),
    -1 / u,
    log(1 + sqrt(1 + x**2)),
    x - exp(x),
    2 * loggamma(p) + 3 * log(p),
    log(-log(u)),
]


def expected(H, verdict):
    return [pytest.param(h, verdict, id=f"{verdict.value}: {h}") for h in H]


@pytest.mark.by_default(20)
@pytest.mark.parametrize(("H", "verdict"), expected(FINITE, PROVED) + expected(INFINITE, REFUTED))
def test_the_tails_of_one_coordinate(H, verdict):
    found = outcome(H, *H.free_symbols)
    assert found.verdict is verdict
    assert (found.witness is not None) == (verdict is REFUTED)


def masses(H) -> list[float]:
    """The mass of exp(-H) within boxes that grow towards both ends of the domain, five times
    each.
    """
    (block,) = H.free_symbols
    density = lambdify(block, exp(-H), ["numpy", "scipy"])
    found = []
    for k in (1, 2, 3, 4):
        low, high = {x: (-(5.0**k), 5.0**k), p: (5.0**-k, 5.0**k), u: (5.0**-k, 1 - 5.0**-k)}[block]
        cuts = sorted(
            {
                low,
                high,
                *(
                    c
                    for c in (-100, -10, -1, -0.1, 0, 1e-3, 0.01, 0.1, 0.5, 0.9, 1, 10, 100, 1000)
                    if low < c < high
                ),
            }
        )
        found.append(sum(quad(density, c, e, limit=200)[0] for c, e in pairwise(cuts)))
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("H", FINITE, ids=str)
def test_a_mass_that_is_proved_finite_settles(H):
    one, two, three, four = masses(H)
    assert four - three < 0.7 * (two - one) + 1e-9
    assert math.isfinite(four)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("H", INFINITE, ids=str)
def test_a_mass_that_is_refuted_grows_at_least_like_a_logarithm(H):
    try:
        one, two, three, four = masses(H)
    except OverflowError:
        return
    assert not four - three < 0.9 * (two - one)


def test_a_function_without_a_known_tail_is_undecided():
    iterated = log(log(log(20 + x**2)))
    assert outcome(log(1 + x**2) / 2 + iterated, x).verdict is UNDECIDED
    assert outcome(log(x**2), x).verdict is UNDECIDED  # not defined at 0


# -- several blocks
# --------------------------------------------------------------------------------------------------

SEVERAL = [
    (PROVED, total(theta**2), (theta,)),
    (PROVED, total(beta * q - (alpha - 1) * log(q)), (q,)),
    (REFUTED, total(q + log(q)), (q,)),
    (
        PROVED,
        total(theta**2) * exp(-tau) / 2 + d * tau / 2 + tau**2 / 2,
        (theta, tau),
    ),  # Neal's funnel
    (
        REFUTED,
        total(theta**2) * exp(-tau) / 2 + d * tau / 2,
        (theta, tau),
    ),  # with a flat prior of tau
    (
        PROVED,
        total(r**2 * (1 + theta**2)) / 2 - total(log(1 + theta**2)) / 2 + total(theta**4),
        (theta, r),
    ),
    (REFUTED, total(r**2 * (1 + theta**2)) / 2, (theta, r)),  # r integrates to 1/sqrt(1 + theta^2)
    (PROVED, x**4 + y**4 - x * y, (x, y)),
    (PROVED, x**4 + y**4 - x**2 * y, (x, y)),
    (PROVED, x**2 + y**2 + x * y, (x, y)),
    (REFUTED, x**2 + y**2 + 3 * x * y, (x, y)),
    (REFUTED, (x - y) ** 2, (x, y)),
    (REFUTED, x**2, (x, y)),
    (REFUTED, x**2 - y**4, (x, y)),
    (REFUTED, x**4 * y**2 + exp(y), (x, y)),  # on a horn about y -> -oo
    (REFUTED, Integer(0), (x,)),
    (PROVED, Integer(0), (u,)),
    (PROVED, (x**2 + y**2) ** 2, (x, y)),
    (PROVED, total(theta) ** 2 + total(theta**2), (theta,)),
    (PROVED, total(cosh(theta)) + total(r**4) - total(r * theta), (theta, r)),
    (REFUTED, x**2 * y**2, (x, y)),
    (REFUTED, (x - y) ** 4, (x, y)),
    (PROVED, sqrt(1 + x**2 + y**2), (x, y)),
    (UNDECIDED, (x + y + tau) ** 60, (x, y, tau)),
    (PROVED, -total((a - 1) * log(s)), (s,)),
    (REFUTED, total(log(s)), (s,)),
    (PROVED, -total((alpha_s - 1) * log(s)) - (a - 1) * log(1 - total(s)), (s,)),  # Dirichlet
    (
        PROVED,
        -total((alpha_s - 1) * log(s))
        - (a - 1) * log(1 - total(s))
        + total(s * (1 - s))
        + total(s**2) ** 2,
        (s,),
    ),
    (REFUTED, -total((alpha_s - 1) * log(s)) + (a + 1) * log(1 - total(s)), (s,)),
    (REFUTED, -b * log(1 - total(s)), (s,)),  # at b <= -1
    (UNDECIDED, -total((alpha_s - 2) * log(s)), (s,)),
    (
        PROVED,
        -total((alpha - 1) * log(q))
        + total(q)
        + total(beta) * log(total(q))
        - total(beta * log(q)),
        (q,),
    ),
    (PROVED, -total((alpha - 1) * log(q)) + sqrt(total(q)), (q,)),
    (REFUTED, -total((alpha - 1) * log(q)) + total(alpha) * log(total(q)) + total(q), (q,)),  # at 0
    (
        REFUTED,
        -total((alpha - 1) * log(q)) - log(total(q)) + log(1 + total(q)),
        (q,),
    ),  # at infinity
    (
        UNDECIDED,
        -total((alpha - 1) * log(q)) - total(alpha) * log(total(q)) + log(1 + total(q)),
        (q,),
    ),  # finite for small alpha
    (UNDECIDED, -total((alpha - 1) * log(q)) + total(beta) * log(total(q)) + total(q), (q,)),
    (PROVED, -total(lam * theta) + (a + total(lam)) * log(1 + total(exp(theta))), (theta,)),
    (REFUTED, -total(lam * theta) + total(lam) * log(1 + total(exp(theta))), (theta,)),
    (REFUTED, total(lam * theta) + total(exp(theta)), (theta,)),
    (PROVED, -total(lam * theta) + total(exp(theta)) + total(theta**2), (theta,)),
    (REFUTED, a * log(1 + x**2), (x,)),  # at a = 1/4
    (REFUTED, b * x**2, (x,)),
    (PROVED, (a + 1) / 2 * log(1 + x**2 / a), (x,)),  # Student
    (PROVED, (a + 1) * log(1 + x**2) * sqrt(2), (x,)),
]


@pytest.mark.by_default(15)
@pytest.mark.parametrize(
    ("verdict", "H", "state"), SEVERAL, ids=[f"{v.value}: {H}" for v, H, _ in SEVERAL]
)
def test_several_blocks_and_parameters(verdict, H, state):
    found = outcome(H, *state)
    assert found.verdict is verdict


def test_the_witness_says_which_tail_and_for_which_parameters():
    found = outcome(log(1 + x**2) / 2, x).witness
    assert found.point == {"x": "-> -oo"}
    assert found.finding == "as x -> -oo, H is about log(-x)"
    assert outcome(b * x**2, x).witness.point["b"].startswith("-")


@pytest.mark.parametrize(
    "H",
    [x**4 + y**4 - x * y, x**2 + y**2 + x * y, (x**2 + y**2) ** 2, x**4 + y**4 - x**2 * y],
    ids=str,
)
def test_masses_in_the_plane(H):
    density = lambdify((x, y), exp(-H))
    small, large = (dblquad(density, -c, c, -c, c)[0] for c in (6, 12))
    assert abs(large - small) < 1e-6


RADIAL = [
    (lambda v: (1 - v) ** 0.7, 1),
    (lambda v: np.exp(-v), np.inf),
    (lambda v: (1 + v) ** -4.0, np.inf),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("g", "edge"), RADIAL, ids=["simplex", "gamma", "natural"])
def test_liouvilles_integral_by_quadrature(g, edge):
    one, two = 0.8, 1.7
    inner = lambda x: quad(lambda y: x ** (one - 1) * y ** (two - 1) * g(x + y), 0, edge - x)[0]  # noqa: E731
    double = quad(inner, 0, edge)[0]
    single = (
        gamma(one)
        * gamma(two)
        / gamma(one + two)
        * quad(lambda v: g(v) * v ** (one + two - 1), 0, edge)[0]
    )
    assert abs(double / single - 1) < 1e-5


# -- abstract functions
# --------------------------------------------------------------------------------------------------


def test_an_unknown_potential_is_taken_to_be_normalisable_and_that_is_said():
    assert outcome(U + total(r**2) / 2, theta, r).assumptions == ("exp(-U) is normalisable",)
    assert outcome(U + total(r**2 * G) / 2 - total(log(G)) / 2, theta, r).assumptions == (
        "exp(-U) is normalisable",
    )
    assert outcome(U / 2 + total(theta**2), theta).assumptions == ("exp(-(U/2)) is normalisable",)
    assert outcome(total(F), theta).assumptions == ("exp(-total(F(theta))) is normalisable",)


def test_nothing_is_assumed_of_more_than_the_potential():
    assert (
        outcome(U + total(r**2 * G) / 2, theta, r).verdict is UNDECIDED
    )  # the log-determinant is missing
    assert outcome(U - total(theta**2), theta).verdict is UNDECIDED
    assert outcome(-U, theta).verdict is UNDECIDED
    assert outcome(U - total(r**2), theta, r).verdict is REFUTED  # whatever U is


@pytest.mark.slow
def test_the_catalog():
    for entry in catalog_recipes().values():
        found = next(line for line in verify(entry).lines if line.name == "normalisable")
        assumed = ("exp(-U) is normalisable",) if entry.abstract else ()
        assert (found.outcome.verdict, found.outcome.assumptions) == (PROVED, assumed)
        assert not found.required


def test_it_enters_the_verdict_where_it_is_required_and_where_it_is_refuted():
    improper = Recipe((x,), x, 1, 0)
    assert verify(improper).verdict is REFUTED
    open_one = Recipe((x,), log(2 + sin(x)) + x**2 / (1 + cos(x) ** 2), 1, 0)
    assert (
        next(line for line in verify(open_one).lines if line.name == "normalisable").outcome.verdict
        is UNDECIDED
    )
    assert verify(open_one).verdict is PROVED
    assert verify(open_one, require=["normalisable"]).verdict is UNDECIDED


def test_what_is_decided_twice_is_decided_once():
    decide_finite(x**2, (x,))
    before = decide_finite.cache_info().hits
    decide_finite(x**2, (x,))
    assert decide_finite.cache_info().hits == before + 1


# -- leading terms
# --------------------------------------------------------------------------------------------------

t = Dummy("t", positive=True)


@pytest.mark.parametrize(
    "e",
    [
        t**2 + sin(t),
        log(1 + t**2) / 2,
        log(1 + exp(t)) - t,
        exp(-(t**2) + t),
        (1 + t**2) / (2 + t**2),
        sqrt(t**2 + t),
        cosh(t) - t,
        log(3 + t) * t,
        exp(-log(1 + t**2)),
        tanh(t) / t,
        log(exp(-t) / 2),
        (1 + 1 / t) ** t,
        log((1 + t**2) / (3 + t)),
        loggamma(t),
        t**3 * exp(-t),
        log(2 + 1 / t),
        exp(sqrt(t) + log(t)),
        log(1 + exp(t**2) + t),
    ],
    ids=str,
)
def test_a_leading_term_is_approached_by_the_function(e):
    order = leading(e, t)
    term = (
        order.coefficient
        * t**order.power
        * log(t) ** order.logs
        * exp(sum(c * t**k for k, c in order.rates))
    )
    gaps = [abs(float((e / term).subs(t, n).evalf(60)) - 1) for n in (10, 30, 90)]
    assert gaps[2] < gaps[0] or gaps[2] < 1e-12
    assert gaps[2] < 0.6


@pytest.mark.parametrize(
    "e", [t - sqrt(t**2 + 1), a * t**2 - t**2, b * t, exp(exp(t)), sin(t), t**2 * sin(t)], ids=str
)
def test_no_leading_term_is_guessed(e):
    assert leading(e, t) is None


def test_bounds_hold_where_there_is_no_leading_term():
    assert bound(t**2 * sin(t) + t, t).power == 2
    assert compare(bound(t - sqrt(t**2 + 1), t), leading(t, t)) == 0


# -- random functions against their values far out
# ------------------------------------------------------------------------------

TERMS = [
    x**4,
    x**3,
    x**2,
    x,
    log(1 + x**2),
    sqrt(1 + x**2),
    exp(x / 2),
    exp(-x),
    cosh(x),
    sin(x),
    log(1 + exp(x)),
    1 / (1 + x**2),
    x**2 * tanh(x),
    log(2 + cosh(x)),
    x * sin(x),
    log(1 + x**2) ** 2,
    x / sqrt(1 + x**2),
    log(1 + x**2 + x**4),
]
MONOMIALS = [x**4, y**4, x**2, y**2, x * y, x**3 * y, x**2 * y**2, x * y**2, x, y, x**6, y**6]


def drawn(terms, seed: int):
    draw = Random(seed)
    return (
        sum(Rational(draw.randint(-6, 6), 4) * e for e in draw.sample(terms, draw.randint(2, 4)))
        + 0 * x
    )


def against_logarithm(H, sign: int, far: int) -> float:
    """``H(x)/log|x|`` at a place far out; at least one of a few neighbours, as sines oscillate."""
    with mpmath.workdps(30):
        places = [sign * (mpmath.exp(far) + k) for k in range(4)]
        f = lambdify(x, H, "mpmath")
        return float(min(f(c) for c in places) / far)


@pytest.mark.by_default(40)
@pytest.mark.parametrize("seed", range(120))
def test_a_random_function_of_one_coordinate_is_judged_as_its_values_say(seed):
    H = drawn(TERMS, seed)
    verdict = decide_finite(H, (x,)).verdict
    tails = [against_logarithm(H, sign, 12) for sign in (1, -1)]
    if verdict is PROVED:
        assert min(tails) > 1
    if verdict is REFUTED:
        assert min(tails) < 1.2


@pytest.mark.by_default(40)
@pytest.mark.parametrize("seed", range(120))
def test_a_random_polynomial_in_two_coordinates_is_judged_as_its_values_say(seed):
    H = drawn(MONOMIALS, seed)
    if decide_finite(H, (x, y)).verdict is PROVED:
        f = lambdify((x, y), H)
        draw = Random(seed)
        points = [
            (
                draw.choice((1, -1)) * 10 ** draw.uniform(0, 6),
                draw.choice((1, -1)) * 10 ** draw.uniform(0, 6),
            )
            for _ in range(400)
        ]
        assert all(f(c, e) > 0 for c, e in points if max(abs(c), abs(e)) > 1e3)


def test_most_random_functions_are_decided():
    verdicts = [decide_finite(drawn(TERMS, seed), (x,)).verdict for seed in range(120)]
    assert verdicts.count(UNDECIDED) < 24

"""``uniqueness``: verdicts, and the rank of brackets by plain sympy in explicit coordinates, which
shares no code with it.
"""

import itertools
from random import Random

import pytest
from cases.catalog_recipes import catalog_recipes
from helpers.outcomes import outcome_of
from oracles.explicit import explicit
from sympy import Function, Interval, Matrix, Rational, Symbol, diff, exp, eye, oo, sqrt, zeros

from recipe import Dense, Noise, Potential, Recipe, Scalar, Update, Vector, bind, dot, grad, total
from verify import Verdict, verify
from verify.engine import NO_REFLECTIONS
from verify.verdict import Outcome

PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED

theta = Vector("theta")
p, r = Vector("p", like=theta), Vector("r", like=theta)
xi, x, y, z = Scalar("xi"), Scalar("x"), Scalar("y"), Scalar("z")
half = Scalar("half", domain=Interval.open(0, oo))
closed = Scalar("closed", domain=Interval(0, oo))
U = Potential("U", theta)
M = Dense("M", theta, positive=True)
A, eps, c = Symbol("A", positive=True), Symbol("epsilon", positive=True), Symbol("c", real=True)
d = theta.dim
K = total(r**2) / 2
FRICTION, CANONICAL = Matrix([[0, 0], [0, A]]), Matrix([[0, -1], [1, 0]])


def outcome(declared) -> Outcome:
    return outcome_of(verify(declared), "uniqueness")


def skew(n: int, entries: dict) -> Matrix:
    Q = zeros(n)
    for (a, b), e in entries.items():
        Q[a, b], Q[b, a] = e, -e
    return Q


def last(n: int, value=1) -> Matrix:
    D = zeros(n)
    D[n - 1, n - 1] = value
    return D


NORM = (x**2 + y**2 + z**2) / 2
CASES = {
    "langevin": (PROVED, Recipe((theta,), total(theta**4), 1, 0)),
    "correlated noise": (
        PROVED,
        Recipe((x, y), (x**2 + y**2) / 2, Matrix([[1 + x**2, x], [x, 1]]), zeros(2)),
    ),
    "sghmc": (PROVED, Recipe((theta, r), total(theta**4) + K, FRICTION, CANONICAL)),
    "sghmc, abstract": (PROVED, Recipe((theta, r), U + K, FRICTION, CANONICAL)),
    "sghmc, mass matrix": (
        PROVED,
        Recipe((theta, r), total(theta**4) + K, FRICTION, Matrix([[0, -M], [M, 0]])),
    ),
    "sghmc, one rotation each way": (
        PROVED,
        Recipe((x, y), (x**2 + y**2) / 2, last(2), skew(2, {(0, 1): 1})),
    ),
    "a chain": (PROVED, Recipe((x, y, z), NORM, last(3), skew(3, {(0, 1): 1, (1, 2): 1}))),
    "a metric that vanishes nowhere": (
        PROVED,
        Recipe((x, y), (x**2 + y**2) / 2, last(2), skew(2, {(0, 1): 2 + x**2})),
    ),
    "half line": (PROVED, Recipe((half,), half, half, 0)),
    "D = theta^2": (REFUTED, Recipe((theta,), total(theta**2) / 2, theta**2, 0)),
    "D = x^2": (REFUTED, Recipe((x,), x**2 / 2, x**2, 0)),
    "a bracket that vanishes at 0": (
        REFUTED,  # x moves by -x y, and never passes 0
        Recipe((x, y), (x**2 + y**2) / 2, last(2), skew(2, {(0, 1): x})),
    ),
    "a friction of unknown sign": (
        UNDECIDED,
        Recipe((x, y), (x**2 + y**2) / 2, last(2, c**2), skew(2, {(0, 1): 1})),
    ),
    "noise of rank one": (
        REFUTED,
        Recipe((x, y), (x**2 + y**2) / 2, Matrix([[1, 1], [1, 1]]), zeros(2)),
    ),
    "hmc": (REFUTED, Recipe((theta, r), U + K, zeros(2), CANONICAL)),
    "decoupled rotation": (
        REFUTED,
        Recipe((x, y, z), NORM, Matrix.diag(1, 0, 0), skew(3, {(1, 2): 1})),
    ),
    "noise of rank one that turns": (
        UNDECIDED,
        Recipe((x, y), (x**2 + y**2) / 2, Matrix([[1, 1], [1, 1]]), skew(2, {(0, 1): 1})),
    ),
    "noise that vanishes on a line that is crossed": (
        UNDECIDED,
        Recipe((x, y), (x**2 + y**2) / 2, Matrix.diag(x**2, 1), skew(2, {(0, 1): 1})),
    ),
    "noise that vanishes on a line": (
        REFUTED,
        Recipe((x, y), (x**2 + y**2) / 2, Matrix.diag(x**2, 1), zeros(2)),
    ),
    "a point of rest": (
        REFUTED,
        Recipe((x, y), (x**2 + y**2) / 2, (x**2 + y**2) * eye(2), zeros(2)),
    ),
    "no point of rest": (
        UNDECIDED,
        Recipe((x, y), (x**2 + y**2) / 2 + x, (x**2 + y**2) * eye(2), skew(2, {(0, 1): 1})),
    ),
    "coupling through an unknown gradient": (
        UNDECIDED,
        Recipe((r, theta), U + K, last(2), skew(2, {(0, 1): 1})),
    ),
    "the edge belongs to the domain": (UNDECIDED, Recipe((closed,), closed, 1 + closed, 0)),
    "not smooth": (UNDECIDED, Recipe((x, y), (x**2 + y**2) ** Rational(3, 2), eye(2), zeros(2))),
    "no law": (UNDECIDED, Recipe((x,), 0 * x, 1, 0)),
    "not stationary": (
        UNDECIDED,
        Update(eps, {x: x + eps * x + sqrt(2 * eps) * Noise("w", like=x)}, x**2),
    ),
    "a frozen coordinate": (
        REFUTED,
        Recipe((x, y), (x**2 + y**2) / 2, Matrix.diag(1, 0), zeros(2)),
    ),
    "a frozen block": (
        REFUTED,
        Recipe((theta, r, xi), U + K + xi**2, Matrix.diag(0, A, 0), skew(3, {(0, 1): -1})),
    ),
    "nothing moves": (REFUTED, Recipe((half,), half, 0, 0)),
    "frozen, and it changes the others": (
        REFUTED,
        Recipe((x, y), x**2 * (1 + y**2) + y**2, Matrix.diag(1, 0), zeros(2)),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_verdicts(name):
    verdict, declared = CASES[name]
    found = outcome(declared)
    assert found.verdict is verdict, found.by
    assert (found.witness is not None) == (verdict is REFUTED)


def test_what_is_taken_for_granted_is_said():
    assert outcome(CASES["sghmc"][1]).assumptions == ()
    assert set(outcome(CASES["sghmc, abstract"][1]).assumptions) == {
        "exp(-U) is normalisable",
        "U goes to infinity at infinity",
    }
    assert (
        outcome(CASES["half line"][1]).assumptions == ()
    )  # boundary proves that its edge is never reached
    G = Function("G", positive=True)
    metric = Recipe((theta,), total(theta**2), 1 / G(theta), 0)
    assert outcome(metric).assumptions == ("the process does not explode",)


def test_nothing_is_taken_for_granted_of_a_concrete_recipe():
    spiral = exp((x**2 + y**2) / 2)  # which explodes, or is not seen to
    wild = Recipe((x, y), x**2 + y**2, eye(2), skew(2, {(0, 1): x * y**5 * spiral**3}))
    assert outcome(wild).by == "non-explosion is undecided"
    tame = Recipe((x, y), x**2 + y**2, eye(2), skew(2, {(0, 1): x * y**5}))
    assert outcome(tame).verdict is PROVED
    assert outcome(tame).assumptions == ()


def test_the_reasons_are_said():
    assert outcome(CASES["D = theta^2"][1]).by == "theta never passes 0"
    assert outcome(CASES["hmc"][1]).by == "H never changes"
    assert outcome(CASES["noise of rank one"][1]).by == "x - y never changes"
    assert outcome(CASES["decoupled rotation"][1]).by == "y**2/2 + z**2/2 never changes"
    assert outcome(CASES["a point of rest"][1]).by == "the law of one point is invariant as well"
    assert outcome(CASES["a friction of unknown sign"][1]).by.startswith(
        "D is not proved to be positive definite everywhere"
    )
    assert (
        outcome(CASES["a chain"][1]).by
        == "Hoermander's condition holds everywhere, by 2 rounds of brackets"
    )
    assert outcome(CASES["a frozen coordinate"][1]).by == "y never moves"
    assert "y" in outcome(CASES["a frozen coordinate"][1]).witness.point


def test_a_claim_is_judged_as_well():
    w = Noise("w", like=theta, covariance=M)
    claim = Update(eps, {theta: theta - eps * dot(M, grad(U, theta)) + sqrt(2 * eps) * w}, U)
    assert outcome(claim).verdict is PROVED


FULL = "D is not proved to be positive definite everywhere on the blocks that have noise"
CATALOG = {
    "fisher_sgld": (PROVED, "D is positive definite everywhere"),
    "sgld": (PROVED, "D is positive definite everywhere"),
    "sgrld": (PROVED, "D is positive definite everywhere"),
    "sgrld_reciprocal": (PROVED, "D is positive definite everywhere"),
    "sghmc": (PROVED, "Hoermander's condition holds everywhere, by one round of brackets"),
    "sgrhmc": (PROVED, "Hoermander's condition holds everywhere, by one round of brackets"),
    "sgrhmc_bounded": (PROVED, "Hoermander's condition holds everywhere, by one round of brackets"),
    "sgnht": (PROVED, "Hoermander's condition holds everywhere, by 2 rounds of brackets"),
    "third_order_langevin": (
        PROVED,
        "Hoermander's condition holds everywhere, by 2 rounds of brackets",
    ),
    "lognormal_exp_ou": (PROVED, "D is positive definite everywhere"),
    "scir_posterior": (PROVED, "D is positive definite everywhere"),
    "scir": (UNDECIDED, "it is not proved that the process never reaches the edge of its domain"),
    "hmc": (REFUTED, "H never changes"),
    "jacobi_beta": (
        UNDECIDED,
        "it is not proved that the process never reaches the edge of its domain",
    ),
    "mirror_sgld": (UNDECIDED, NO_REFLECTIONS),
    "mirror_sghmc": (UNDECIDED, NO_REFLECTIONS),
    "corv_sgld": (PROVED, "D is positive definite everywhere"),
    "ito_sgld": (PROVED, "D is positive definite everywhere"),
    "corv_sghmc": (PROVED, "Hoermander's condition holds everywhere, by one round of brackets"),
    "corv_sgnht": (PROVED, "Hoermander's condition holds everywhere, by 2 rounds of brackets"),
    "sgrld_simplex_expanded_mean": (
        UNDECIDED,
        "it is not proved that the process never reaches the edge of its domain",
    ),
    "sgrld_simplex_expanded_mean_reflected": (UNDECIDED, NO_REFLECTIONS),
    "sgrld_simplex_expanded_natural": (PROVED, "D is positive definite everywhere"),
    "sgrld_simplex_reduced_mean": (UNDECIDED, FULL),  # matrices with a part outside of the diagonal
    "sgrld_simplex_reduced_natural": (UNDECIDED, FULL),
    "wright_fisher_dirichlet": (UNDECIDED, FULL),
}


@pytest.mark.slow
def test_the_catalog():
    found = {name: outcome(entry) for name, entry in catalog_recipes().items()}
    assert {name: (o.verdict, o.by) for name, o in found.items()} == CATALOG


# -- a second look: brackets in explicit coordinates
# -------------------------------------------------------------------------------


def rank_at(system, point, depth: int) -> int:
    """The rank of the noise's fields and their brackets with drift and noise, each of them written
    out.
    """
    places, n = system.z, len(system.z)

    def bracket(a, b):
        return [
            sum(a[k] * diff(b[i], places[k]) - b[k] * diff(a[i], places[k]) for k in range(n))
            for i in range(n)
        ]

    columns = [
        [system.D[i, j] for i in range(n)] for j in range(n)
    ]  # of D itself: they span what those of its root span
    noise = [v for v in columns if any(v)]
    found, newest = list(noise), list(noise)
    for _ in range(depth):
        newest = [
            b
            for v, w in itertools.product([system.drift, *noise], newest)
            if any(b := bracket(v, w))
        ]
        found += newest
    return Matrix([[e.subs(point) for e in v] for v in found]).rank() if found else 0


def points(system, count: int):
    draw = Random(3)
    yield dict.fromkeys(system.z, Rational(0))
    for _ in range(count):
        yield {s: Rational(draw.randint(-8, 8), 4) for s in system.z}


CONCRETE = ["sghmc", "sgnht", "third_order_langevin", "sgrhmc_bounded", "sgld"]


@pytest.mark.parametrize("dim", [1, 2])
@pytest.mark.parametrize("name", CONCRETE)
def test_what_is_proved_has_full_rank_at_every_point_that_is_tried(name, dim):
    entry = catalog_recipes()[name]
    system = explicit(bind(entry, {U: total(entry.state[0] ** 4) / 4}), dim)
    for point in points(system, 3):
        assert rank_at(system, point, 2) == len(system.z)


SMALL = [
    "correlated noise",
    "sghmc, one rotation each way",
    "a chain",
    "a metric that vanishes nowhere",
]


@pytest.mark.parametrize("name", SMALL)
def test_small_systems_that_are_proved_have_full_rank(name):
    system = explicit(CASES[name][1], 1)
    for point in points(system, 5):
        assert rank_at(system, point, 2) == len(system.z)


@pytest.mark.parametrize(
    "name",
    ["D = x^2", "a bracket that vanishes at 0", "decoupled rotation", "hmc", "a frozen coordinate"],
)
def test_where_rank_is_lacking_somewhere_nothing_is_proved(name):
    system = explicit(CASES[name][1], 1)
    assert min(rank_at(system, point, 2) for point in points(system, 5)) < len(system.z)
    assert outcome(CASES[name][1]).verdict is not PROVED


def test_two_laws_where_D_vanishes():
    """``D = x^2``, ``H = x^2/2``: the law of each half line is invariant by itself, as x = 0 is
    never crossed.
    """
    system = explicit(CASES["D = x^2"][1], 1)
    (place,) = system.z
    assert system.drift[0].subs(place, 0) == system.D[0, 0].subs(place, 0) == 0

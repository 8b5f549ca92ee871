"""Zero testing: identities are proved, near misses are refuted by a witness that an independent
evaluation confirms.
"""

import random

import pytest
from explicit import World
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Expr, Function, Rational, Symbol, cos, exp, log, sin, sqrt, tan, tanh

from recipe import Dense, Field, Potential, Vector, dot, grad, total
from recipe.language.abstract import jets_from_sympy
from recipe.language.calculus import directional, partial
from recipe.language.symbols import OTHER
from recipe.language.total import substitute
from verify.decide.zero.canonical import Canonical
from verify.decide.zero.decide import DisagreementError, _require_zero_at_points, decide_zero
from verify.decide.zero.errors import CannotDecideError
from verify.verdict import Verdict

theta = Vector("theta")
r = Vector("r", like=theta)
phi = Vector("phi")
d = theta.dim
U, V = Potential("U", theta), Potential("V", theta, r)
F = Field("F", theta, positive=True)
M, S = Dense("M", theta), Dense("S", theta, symmetric=True)
g, h = Function("g", positive=True), Function("h")
a, c = Symbol("a", positive=True), Symbol("c", positive=True)
b = Symbol("b", real=True)

IDENTITIES = {
    "pythagoras": sin(theta) ** 2 + cos(theta) ** 2 - 1,
    "pythagoras summed": total(sin(theta) ** 2) + total(cos(theta) ** 2) - d,
    "tangent": tan(b) * cos(b) - sin(b),
    "partial fractions": total(1 / (1 + theta**2)) + total(theta**2 / (1 + theta**2)) - d,
    "two denominators": total(3 / ((1 + theta**2) * (4 + theta**2)))
    - total(1 / (1 + theta**2))
    + total(1 / (4 + theta**2)),
    "two denominators of one family": total((c - a) / ((a + theta) * (c + theta)))
    - total(1 / (a + theta))
    + total(1 / (c + theta)),
    "a denominator with a sum in it": total(theta / (theta + total(theta**2)))
    + total(theta**2) * total(1 / (theta + total(theta**2)))
    - d,
    "powers of a denominator": total(theta**4 / (1 + theta**2) ** 2)
    + 2 * total(theta**2 / (1 + theta**2) ** 2)
    + total(1 / (1 + theta**2) ** 2)
    - d,
    "exponentials": exp(theta + b) * exp(-theta / 2) - exp(theta / 2) * exp(b),
    "hyperbolic": tanh(theta) - (exp(2 * theta) - 1) / (exp(2 * theta) + 1),
    "logarithms": log(a * (1 + theta**2)) - log(a) - log(1 + theta**2),
    "softplus": log(1 + exp(-theta)) - log(1 + exp(theta)) + theta,
    "symbolic powers": (a * c) ** b - a**b * c**b,
    "roots": sqrt(1 + theta**2) * sqrt(a + a * theta**2) - sqrt(a) * (1 + theta**2),
    "roots of different order": Rational(1) * a ** Rational(1, 2) * a ** Rational(1, 3)
    - a ** Rational(5, 6),
    "a root of a function": g(theta) / sqrt(g(theta)) - sqrt(g(theta)),
    "mixed partials": partial(partial(V, theta), r.at(OTHER))
    - partial(partial(V, r.at(OTHER)), theta),
    "large exponent": exp(998 * b / 997) * exp(-b) - exp(b / 997),
    "equal arguments": h(theta * (1 + theta)) - h(theta + theta**2),
}

NEAR_MISSES = {
    "a coefficient": total(sin(theta) ** 2) + total(cos(theta) ** 2) - d - Rational(1, 10**15),
    "small lengths only": (d - 1) * (d - 2) * total(r**2),
    "newton": total(r) ** 3 - 3 * total(r) * total(r**2) + 2 * total(r**3),
    "one length only": total(r**2) - total(r) ** 2,
    "unequal arguments": h(theta) - h(2 * theta),
    "a function and its derivative": h(theta) - h(theta).diff(theta),
    "not symmetric": M.entry(0, OTHER) - M.entry(OTHER, 0),
    "hessian entries": partial(grad(U, theta), theta) - partial(grad(U, theta), theta.at(OTHER)),
    "two lengths": total(theta) * total(phi) - total(theta) * phi.dim,
    "root": sqrt(1 + theta**2) - 1 - theta**2 / 2,
    "constants": exp(1) - Rational(2718281828459045, 10**15),
}


@pytest.mark.parametrize("name", IDENTITIES)
def test_an_identity_is_proved(name):
    assert decide_zero(IDENTITIES[name]).verdict is Verdict.PROVED


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_a_near_miss_is_refuted_by_a_witness(name):
    outcome = decide_zero(jets_from_sympy(NEAR_MISSES[name]))
    assert outcome.verdict is Verdict.REFUTED
    assert "not 0" in outcome.witness.finding


def test_small_lengths_do_not_deceive():
    assert decide_zero(NEAR_MISSES["newton"]).witness.point["d_theta"] == "3"
    assert decide_zero(NEAR_MISSES["one length only"]).witness.point["d_theta"] == "2"


def test_quadratic_forms_are_equal_up_to_the_names_of_their_indices():
    skew = total(r * apply_hessian(theta)) - total(theta * apply_hessian(r))
    assert decide_zero(skew).verdict is Verdict.PROVED
    assert (
        decide_zero(total(r * dot(S, theta)) - total(theta * dot(S, r))).verdict is Verdict.PROVED
    )
    assert (
        decide_zero(total(r * dot(M, theta)) - total(theta * dot(M, r))).verdict is Verdict.REFUTED
    )


def test_chains_of_matrices_are_equal_in_every_order():
    twice = dot(S, dot(S, r))
    assert decide_zero(total(r * twice) - total(dot(S, r) ** 2)).verdict is Verdict.PROVED


def test_no_index_is_captured():
    # Sums within sums whose bodies do not factor: the inner index must stay apart from the outer
    # one.
    coupled = total(1 / (1 + theta**2 + total(theta**2 * r**2)))
    assert decide_zero(coupled - substitute(coupled, {r: 2 * r})).verdict is not Verdict.PROVED
    e = total(h(theta * total(h(theta)))) - total(h(theta * d * h(theta)))
    assert decide_zero(e).verdict is Verdict.REFUTED


def apply_hessian(v):
    return directional(grad(U, theta), {theta: v})


def test_what_is_out_of_reach_is_said_and_not_decided():
    with pytest.raises(CannotDecideError):
        Canonical().read(Symbol("x") ** 100_000 + 1)


@pytest.mark.parametrize(
    "e",
    [exp(10**30 * log(k) + b, evaluate=False) for k in (2 * a, 2, 1 + b**2)]
    + [a ** (10**30), (a * b) ** 200 * exp(10**19 * log(a))],
    ids=str,
)
def test_a_huge_exponent_is_out_of_reach_and_no_crash(e):
    with pytest.raises(CannotDecideError):
        Canonical().read(e)


def test_a_contradiction_between_the_deciders_stops_everything():
    with pytest.raises(DisagreementError):
        _require_zero_at_points(1 + theta**2)


def words() -> list[Expr]:
    return [
        theta,
        r,
        a,
        b,
        d,
        g(theta),
        h(theta),
        F,
        total(theta),
        total(r * theta),
        total(h(theta)),
        total(F * r),
        grad(U, theta),
        sin(theta),
        exp(theta / 2),
        sqrt(1 + theta**2),
        1 / (1 + theta**2),
        log(1 + exp(r)),
        total(1 / (a + theta**2)),
    ]


@st.composite
def expressions(draw: st.DrawFn) -> Expr:
    e = draw(st.sampled_from(words()))
    for _ in range(draw(st.integers(1, 5))):
        other = draw(st.sampled_from(words()))
        e = draw(
            st.sampled_from([e + other, e * other, e - 2 * other, e**2 + other, e / (1 + other**2)])
        )
    return e


def rewritten(e: Expr) -> Expr:
    """The same function, written otherwise by sympy."""
    return e.expand() if len(e.args) < 6 else e.together()


@settings(derandomize=True, deadline=None, max_examples=60)
@given(expressions(), st.integers(0, 10**6))
def test_rewriting_is_proved_and_a_change_is_never_proved(e, seed):
    assert decide_zero(rewritten(e) - e).verdict is Verdict.PROVED
    assert decide_zero(e).verdict is not Verdict.PROVED or value_of(e, seed) == 0
    changed = decide_zero(e - rewritten(e) + random.Random(seed).choice(words()) / 7)
    assert changed.verdict is not Verdict.PROVED


def value_of(e: Expr, seed: int) -> Expr:
    """An independent value, in explicit coordinates."""
    world = World({theta.length: 2, phi.length: 2})
    value = world.read(e, {0: 0})
    rng = random.Random(seed)
    value = value.subs({s: Rational(rng.randint(-40, 40), 16) for s in value.free_symbols})
    return 0 if abs(value.evalf(40)) < 1e-30 else 1


def test_the_matrix_of_a_rank_one_difference_vanishes_at_small_lengths_only():
    off_diagonal = (d - 2) * r * r.at(OTHER)
    assert decide_zero(off_diagonal).witness.point["d_theta"] == "3"

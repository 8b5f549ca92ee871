"""Zero testing: identities are proved, near misses are refuted by a witness that an independent
evaluation confirms.
"""

import random
from math import prod

import pytest
from cases.vanishing_expressions import (
    IDENTITIES,
    NEAR_MISSES,
    M,
    S,
    U,
    a,
    b,
    d,
    expressions,
    h,
    phi,
    r,
    theta,
    words,
)
from flint import fmpz_mpoly_ctx
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.explicit import World
from sympy import Expr, Rational, Symbol, exp, log

from recipe import dot, grad, total
from recipe.language.abstract import jets_from_sympy
from recipe.language.calculus import directional
from recipe.language.symbols import OTHER
from recipe.language.total import substitute
from verify.decide.zero.canonical import Canonical
from verify.decide.zero.decide import DisagreementError, _require_zero_at_points, decide_zero
from verify.decide.zero.errors import CannotDecideError
from verify.decide.zero.ratio import factors_of
from verify.decide.zero.show_difference import factored
from verify.verdict import Verdict


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


def test_a_polynomial_with_huge_coefficients_is_still_a_product():
    """python-flint sorts the factors of a polynomial by machine words, and fails beyond them."""
    u, v = fmpz_mpoly_ctx.get(("u", "v"), "lex").gens()
    for size in (3, 2**40, 2**70, 2**2000):
        for poly in ((size * u + 1) * (u + v) ** 2 * -4, (u + size) * (u + size + 2), size * u + 1):
            constant, factors = factors_of(poly)
            assert constant * prod((f**n for f, n in factors), start=u**0) == poly
    huge = (a + 2**70) * (b + 2**71 + 1) / 3
    assert (factored(huge) - huge).expand() == 0

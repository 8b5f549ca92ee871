"""Equations of numbers with unknown numbers in place of functions and sums: what follows from
them, and what does not.
"""

import time

import numpy as np
import pytest
from sympy import Rational, exp, log, sqrt, tanh

import catalog.sgld
from codegen import generate
from recipe import Data, Posterior, Scalar, Vector, bind, total
from recipe.language.symbols import OTHER
from recipe_cli.program.translation import translation_of
from verify.translation.reference.equality import EqualityProver
from verify.translation.reference.generalise import common_exponents_apart, generalised
from verify.verdict import Verdict

theta = Vector("theta")
other = theta.at(OTHER)
a, b = Scalar("a"), Scalar("b")
UNITS = 24  # the canonical form of a sum of so many hyperbolic tangents has 2^24 terms


def prover():
    return EqualityProver([theta.length])


def test_a_sum_of_many_hyperbolic_tangents_is_proved():
    units = [Scalar(f"v{k}") * tanh(total(theta) + k) for k in range(UNITS)]
    ours = (a - sum(units)) ** 2
    theirs = a**2 - 2 * a * sum(units) + sum(units) ** 2
    assert prover().equal(theirs, ours)


def residual(units, last=1):
    scales = [Scalar(f"v{k}") for k in range(units)]
    return a - sum(v * tanh(total(theta) + k) for k, v in enumerate(scales)) + last * tanh(b)


def test_a_sum_of_more_terms_than_a_canonical_form_has_room_for_is_one_number():
    """Where this was missed, a network of 200 units was left undecided."""
    e = residual(300)
    assert prover().equal(e * (exp(b) + e * a), e * exp(b) + a * e**2)
    assert prover().equal(-e * exp(b) * (a + 1), (-e) * exp(b) * a - e * exp(b))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (residual(12) * exp(b), residual(12) * exp(a)),
        (residual(12) * exp(b), -residual(12) * exp(b)),
        (residual(12) * residual(12, last=2), residual(12) ** 2),
        (residual(12) ** 2 * exp(b), residual(12) ** 2 * exp(b) + residual(12) * 0 + 1),
    ],
)
def test_a_long_sum_is_not_taken_for_another_number(ours, theirs):
    assert not prover().equal(ours, theirs)
    assert all(g != 0 for g in generalised(ours - theirs))


def test_a_long_sum_with_a_free_coordinate_is_not_replaced():
    """Bound by a total around it, it is another number at each coordinate."""
    e = sum(Scalar(f"v{k}") * tanh(theta + k) for k in range(12))
    false = total(e * exp(e)) * b - total(e) * total(exp(e)) * b
    assert not any(g == 0 for g in generalised(false))
    general, *_ = generalised(e * exp(e) + e * tanh(total(theta)))
    assert general.has(tanh(theta))


def softmax(components, shift=0, last=0):
    exponents = [Scalar(f"v{k}") - a**2 * k - shift for k in range(components)]
    return exp(exponents[0] + last) / sum(map(exp, exponents))


def test_a_softmax_with_its_largest_term_taken_out_is_proved():
    """With a canonical form the time of this grew with the cube of the terms."""
    assert prover().equal(softmax(40, tanh(b)), softmax(40))
    assert common_exponents_apart(sum(exp(Scalar(f"v{k}") + b) for k in range(9))) == exp(b) * sum(
        exp(Scalar(f"v{k}")) for k in range(9)
    )


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (softmax(9, tanh(b), last=tanh(b)), softmax(9)),
        (softmax(9, tanh(b), last=-tanh(b)), softmax(9)),
        (softmax(9, tanh(b)) + exp(tanh(b)), softmax(9) + exp(-tanh(b))),
        (exp(tanh(b)) * softmax(9), softmax(9)),
    ],
)
def test_another_softmax_is_not_proved(ours, theirs):
    assert not prover().equal(ours, theirs)
    assert all(g != 0 for g in generalised(ours - theirs))


@pytest.mark.parametrize(
    "e",
    [
        exp(a + b) + 2 * a * exp(a - tanh(b)) - exp(a) * b,
        exp(a + b) + exp(b),
        1 + exp(a + b) + exp(a),
        (exp(a + b) + exp(a) ** 2) / (exp(a + b) * tanh(exp(a) + exp(a + b)) - exp(b)),
    ],
)
def test_taking_common_exponents_apart_keeps_the_value(e):
    apart = common_exponents_apart(e)
    for x, y in ((0.3, -1.2), (2.5, 0.7)):
        values = {a: x, b: y}
        assert abs(float(e.subs(values)) / float(apart.subs(values)) - 1) < 1e-12


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (exp(a) * exp(-a), 1 + 0 * a),
        (log(exp(a) + 1) - log(exp(-a) + 1), a),
        (tanh(a), (exp(2 * a) - 1) / (exp(2 * a) + 1)),
        (sqrt(total(theta**2)) ** 2, total(theta**2)),
    ],
)
def test_functions_that_are_related_are_still_proved(ours, theirs):
    assert prover().equal(ours, theirs)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (tanh(a) + tanh(b), tanh(a) + tanh(a)),
        (tanh(total(theta)), total(tanh(theta))),
        (exp(a) * exp(b), exp(a) * exp(a)),
        (tanh(theta), tanh(other)),
        (total(theta * tanh(theta)), total(theta) * tanh(theta)),
        (tanh(a), tanh(a + Rational(1, 10**30))),
        (total(theta) * total(theta**2), total(theta**3)),
    ],
)
def test_false_twins_are_not_proved(ours, theirs):
    assert not prover().equal(ours, theirs)
    assert all(g != 0 for g in generalised(ours - theirs))


def test_nothing_with_a_free_coordinate_is_replaced():
    e = tanh(theta) * total(tanh(theta) * a) + tanh(other)
    general, *_ = generalised(e)
    assert {tanh(theta), tanh(other)} <= general.atoms(tanh)
    assert total(tanh(theta) * a) not in list(general.atoms(type(total(theta))))


def network(units):
    first = Vector("w1")
    weights = [first, *(Vector(f"w{k}", like=first) for k in range(2, units + 1))]
    scales = [Scalar(f"v{k}") for k in range(1, units + 1)]
    x, y = Data("x", like=first), Data("y")
    out = sum(v * tanh(total(w * x)) for v, w in zip(scales, weights, strict=True))
    prior = -sum(total(w**2) for w in weights) / 2 - sum(v**2 for v in scales) / 2
    data = {x: np.ones((3, 2)), y: np.ones(3)}
    return Posterior((*weights, *scales), -((y - out) ** 2) / 2, prior, data)


def seconds_to_prove(units):
    module = generate(bind(catalog.sgld.sgld, {catalog.sgld.U: network(units)}))
    began = time.process_time()
    assert translation_of(module).verdict is Verdict.PROVED
    return time.process_time() - began


def test_a_network_of_two_units_is_proved():
    assert seconds_to_prove(2) < 20


@pytest.mark.slow
def test_the_time_of_a_proof_does_not_explode_with_the_number_of_units():
    """Measured: 1.9 s for 10 units and 6.4 s for 20; before, 10 units were not
    proved within 200 s."""
    assert seconds_to_prove(20) < 6 * seconds_to_prove(10) + 10


@pytest.mark.slow
def test_names_of_our_own_making_may_be_longer_than_names_that_users_type():
    """A loop over sixteen blocks is named after all of them."""
    module = generate(bind(catalog.sgld.sgld, {catalog.sgld.U: network(30)}))
    assert "def step(" in module.source

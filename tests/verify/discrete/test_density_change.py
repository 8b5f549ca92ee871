"""What a step does to the density against what it does to test functions, right rules and wrong
ones: ``E[phi c_k] = E[A_k phi]``.

The left side is ``verify.discrete.weak_order``, the right side ``slow_order``, which shares no code
with it.
"""

from __future__ import annotations

import random

import pytest
from oracles.slow_order import SlowStep, normal, quartic
from sympy import Expr, Integer, Poly, Rational, Symbol, expand, sqrt

from recipe import Dense, Noise, Potential, Update, Vector, dot, grad, total
from verify.discrete.weak_order import invariant_order
from verify.discrete.weak_order.density_change import expansion_of
from verify.discrete.weak_order.step import step_of

h = Symbol("h", positive=True)
theta = Vector("theta")
r = Vector("r", like=theta)
w, n = Noise("w", like=theta), Noise("n", like=theta)
POWERS = 6
TARGETS = {
    "normal": (
        total(theta**2) / 2 + total(r**2),
        {theta: normal(Integer(1)), r: normal(Rational(1, 2))},
    ),
    "quartic": (total(theta**4) / 4 + total(r**2) / 2, {theta: quartic, r: normal(Integer(1))}),
}


def random_polynomial(rng: random.Random, degree: int) -> Expr:
    return sum(
        (
            Rational(rng.randint(-3, 3), rng.randint(1, 2)) * theta**i * r**j
            for i in range(degree + 1)
            for j in range(degree + 1 - i)
        ),
        Integer(0),
    )


def random_value(rng: random.Random, block: Vector) -> Expr:
    """Near the identity, with noise of mean zero at the root of the step and anything at higher
    powers.
    """
    value = block + h * random_polynomial(rng, 2)
    for draw in (w, n):
        if rng.random() < 0.5:
            value += sqrt(h) * draw * random_polynomial(rng, 1)
    if rng.random() < 0.5:
        value += h * rng.choice((w**2, w * n, sqrt(h) * w, sqrt(h), h)) * random_polynomial(rng, 1)
    return value


def random_update(seed: int, target: Expr) -> Update:
    rng = random.Random(seed)
    if rng.random() < 0.3:
        return Update(h, {block: random_value(rng, block) for block in (theta, r)}, target)
    blocks = [theta, r, *rng.choices((theta, r), k=rng.randint(0, 1))]
    rng.shuffle(blocks)
    return Update(h, [(block, random_value(rng, block)) for block in blocks], target)


def mean(e: Expr, moments: dict) -> Expr:
    return sum(
        (c * moments[theta](i) * moments[r](j) for (i, j), c in Poly(e, theta, r).terms()),
        Integer(0),
    ).expand()


@pytest.mark.by_default(2)
@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("seed", range(12))
def test_both_sides_of_the_adjoint(seed, name):
    target, moments = TARGETS[name]
    update = random_update(seed, target)
    expansion = expansion_of(step_of(update), POWERS)
    slow = SlowStep(update, {}, POWERS - 1)
    for i, j in ((1, 0), (0, 1), (2, 0), (1, 1), (3, 0), (1, 2)):
        moved = slow.step(slow.gen[theta] ** i * slow.gen[r] ** j)
        for power in range(1, POWERS):
            change = expansion.ring.expression(expansion.changes[power])
            seen = slow.under_target(moved.get(power, slow.ring.zero), moments)
            assert expand(mean(theta**i * r**j * change, moments) - seen) == 0, (i, j, power)


def test_a_matrix_and_correlated_noise_have_one_entry_in_one_dimension():
    U = Potential("U", theta)
    M = Dense("M", theta, positive=True)
    c = Noise("c", like=theta, covariance=M)
    order = invariant_order(
        Update(h, {theta: theta - h * dot(M, grad(U, theta)) + sqrt(2 * h) * c}, U)
    )
    assert (order.order, order.exact) == (1, True)
    assert "nothing is said of d > 1" in order.scope
    assert (
        invariant_order(Update(h, {theta: theta - h * grad(U, theta) + sqrt(2 * h) * c}, U)).order
        == 0
    )

"""Found on 21 November 2026: folded Euler steps were *proved* to become the reflected process where
the drift is infinite at the edge.
"""

from __future__ import annotations

from helpers.outcomes import outcome_of
from sympy import Interval, Symbol, log, oo, sqrt

from recipe import (
    Fold,
    Noise,
    Potential,
    Recipe,
    Update,
    Vector,
    discretised,
    mirror,
    total,
)
from verify import Verdict, verify

PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED

theta = Vector("theta", domain=Interval(0, oo))
U, C, eps = Potential("U", theta), Symbol("C", positive=True), Symbol("epsilon", positive=True)
HALF, UPPER, BOTH = Interval.open(0, oo), Interval.open(-oo, 3), Interval.open(-1, 2)

inside = Vector("theta", domain=HALF)
shape, rate = Symbol("shape", positive=True), Symbol("rate", positive=True)
GAMMA = mirror(Recipe((inside,), total(rate * inside - (shape - 1) * log(inside)), 1, 0), inside)


def test_folded_steps_with_an_infinite_drift_at_the_edge_are_not_said_to_become_reflected():
    """The reflected diffusion has the law, for every shape; of shapes below 1 its folded Euler
    steps have another limit.
    """
    assert verify(GAMMA).verdict is PROVED
    assert outcome_of(verify(discretised(GAMMA, "euler")), "consistency").verdict is UNDECIDED
    noise = sqrt(2 * eps) * Noise("w", like=inside)
    rule = Update(
        eps, {inside: Fold(inside - eps * (rate - (shape - 1) / inside) + noise, 0, oo)}, GAMMA.H
    )
    assert outcome_of(verify(rule), "boundary").verdict is UNDECIDED
    published = Recipe(GAMMA.state, GAMMA.H, 1, 0, update=rule, reflections=GAMMA.reflections)
    outcome = outcome_of(verify(published), "agrees-with-update")
    assert outcome.verdict is UNDECIDED
    assert "not proved to be bounded up to theta = 0" in outcome.by

"""Found on 21 November 2026: a noise budget was *proved* to suffice where the noise may vanish."""

import pytest
from sympy import Matrix, Symbol

from catalog.sghmc import U, r, theta
from recipe import (
    Recipe,
    discretised,
    total,
)
from verify import Verdict, verify
from verify.obligations.step.noise_budget import NOISE_BUDGET
from verify.subject import subject_of


def outcome(recipe, scheme):
    return next(
        line.outcome
        for line in verify(discretised(recipe, scheme)).lines
        if line.name == "noise-budget"
    )


@pytest.mark.parametrize("D_rr", [r**4, Symbol("C0", nonnegative=True)], ids=str)
def test_where_the_noise_may_vanish_it_is_not_proved_to_suffice(D_rr):
    """At r = 0, or without friction, the range of D has no r."""
    recipe = Recipe(
        (theta, r), U + total(r**2) / 2, Matrix([[0, 0], [0, D_rr]]), Matrix([[0, -1], [1, 0]])
    )
    outcome = NOISE_BUDGET.discharge(subject_of(discretised(recipe, "euler")))
    assert outcome.verdict is Verdict.UNDECIDED
    assert "not shown to be positive" in outcome.by

"""Found on 21 November 2026: a noise budget was *proved* to suffice where the noise may vanish."""

import pytest
from sympy import Matrix, Symbol

from catalog.sghmc import U, r, theta
from recipe import (
    Recipe,
    discretised,
    total,
)
from verify import Verdict
from verify.engine import outcome_of


@pytest.mark.parametrize("D_rr", [r**4, Symbol("C0", nonnegative=True)], ids=str)
def test_where_the_noise_may_vanish_it_is_not_proved_to_suffice(D_rr):
    """At r = 0, or without friction, the range of D has no r."""
    recipe = Recipe(
        (theta, r), U + total(r**2) / 2, Matrix([[0, 0], [0, D_rr]]), Matrix([[0, -1], [1, 0]])
    )
    outcome = outcome_of(discretised(recipe, "euler"), "noise-budget")
    assert outcome.verdict is Verdict.UNDECIDED
    assert "not proved to be positive" in outcome.by

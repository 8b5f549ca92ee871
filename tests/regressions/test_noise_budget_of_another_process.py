"""Found on 21 November 2026: a noise budget was *proved* of a printed rule that is another process
than its recipe.
"""

from sympy import Symbol, sqrt

from catalog.sghmc import C, U, r, sghmc, theta
from recipe import (
    Noise,
    Recipe,
    Update,
    discretised,
    grad,
)
from verify import Verdict, verify


def outcome(recipe, scheme):
    return next(
        line.outcome
        for line in verify(discretised(recipe, scheme)).lines
        if line.name == "noise-budget"
    )


def test_a_printed_rule_that_is_another_process_has_no_budget():
    h = Symbol("h", positive=True)
    w = Noise("w", like=r)
    other = Update(
        h,
        [(r, r - h * grad(U, theta) - h * C * r + sqrt(C * h) * w), (theta, theta + h * r)],
        sghmc.H,
    )
    half_the_noise = Recipe(sghmc.state, sghmc.H, sghmc.D.written, sghmc.Q.written, update=other)
    assert outcome(half_the_noise, "printed").verdict is Verdict.UNDECIDED

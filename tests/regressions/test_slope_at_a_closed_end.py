"""Found on 21 November 2026: a map was *proved* to be smooth or monotone although its slope has no
value, or is zero, at an end that belongs to its domain.
"""

import pytest
from sympy import (
    Abs,
    Interval,
    Lambda,
    S,
    log,
    oo,
    sqrt,
)

from recipe.declare.transformations.map import PHI, Map
from verify.diffusion.change_of_variable.monotone import decide_monotone
from verify.verdict import Verdict

PROVED, REFUTED, UNDECIDED = Verdict


def given(f, inverse=None, domain=S.Reals) -> Map:
    return Map(
        "f", Lambda(PHI, f(PHI)), None if inverse is None else Lambda(PHI, inverse(PHI)), domain
    )


@pytest.mark.parametrize(
    ("f", "domain", "verdict"),
    [
        (lambda p: p**2, Interval(0, oo), REFUTED),
        (lambda p: p**2, Interval.open(0, oo), PROVED),
        (lambda p: -((1 - p) ** 2), Interval(0, 1), REFUTED),
        (lambda p: -((1 - p) ** 2), Interval.Ropen(0, 1), PROVED),
        (lambda p: p**2 + p, Interval(0, oo), PROVED),
        (lambda p: p / (1 + Abs(p)), Interval(0, oo), PROVED),
        (lambda p: p * Abs(p), Interval(0, oo), REFUTED),
        (sqrt, Interval(0, oo), UNDECIDED),
        (log, Interval(0, oo), UNDECIDED),
    ],
)
def test_an_end_that_belongs_to_the_domain_is_looked_at(f, domain, verdict):
    outcome = decide_monotone(given(f, domain=domain))
    assert outcome.verdict is verdict
    assert verdict is not REFUTED or "is 0 there" in outcome.witness.finding

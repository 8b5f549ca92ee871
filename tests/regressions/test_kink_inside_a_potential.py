"""Found on 21 November 2026: the kink of U(f(phi)), in which no absolute value is written, was not
seen, and uniqueness was *proved* by Hoermander's condition, which takes smooth coefficients.
"""

from helpers.outcomes import outcome_of
from sympy import Abs, Interval, Matrix, Symbol, sign

from recipe import (
    Field,
    Potential,
    Preimage,
    Recipe,
    Vector,
    discretised,
    maps,
    total,
)
from verify import Verdict, verify
from verify.subject import subject_of

PROVED, REFUTED, UNDECIDED = Verdict
AROUND = Interval.open(-1, 1)
theta = Vector("theta", domain=AROUND)
phi = Preimage("phi", theta, maps.softsign)
r, U = Vector("r", like=theta), Potential("U", theta)
C, eps = Symbol("C", positive=True), Symbol("epsilon", positive=True)


UNWRITTEN = Recipe(
    (phi, r), U + total(r**2) / 2, Matrix([[0, 0], [0, C]]), Matrix([[0, -1], [1, 0]])
)


def test_an_abstract_function_of_the_image_has_the_kinks_of_the_map():
    """U(f(phi)) is C^1 only, though no absolute value is written anywhere."""
    subject = subject_of(UNWRITTEN)
    assert not any(e.has(Abs, sign) for e in (subject.H, *subject.dynamics.coefficients()))
    for what, names in (
        (UNWRITTEN, ("uniqueness", "non-explosion")),
        (discretised(UNWRITTEN, "BAOAB"), ("invariant-order",)),
    ):
        report = verify(what)
        for name in names:
            assert outcome_of(report, name).verdict is UNDECIDED
            assert "there is a kink at phi = 0" in outcome_of(report, name).by
    assert outcome_of(verify(UNWRITTEN), "stationarity").verdict is PROVED
    field = Recipe((phi,), total(phi**2) / 2, Field("G", theta, positive=True), 0)
    assert outcome_of(verify(field), "uniqueness").verdict is UNDECIDED

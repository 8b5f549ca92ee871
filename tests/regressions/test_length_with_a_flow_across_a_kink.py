"""Found on 22 November 2026: a report said that a refuted rule is right in one dimension, although
D jumps at a kink there.
"""

from helpers.outcomes import outcome_of
from sympy import Interval, Symbol, sign, sqrt

from recipe import (
    Noise,
    Preimage,
    Update,
    Vector,
    maps,
    total,
)
from verify import Verdict, verify
from verify.engine import discharged
from verify.verdict import undecided

h, g, a, T, M, mu, al = (
    Symbol(name, positive=True) for name in ("h", "gamma", "a", "T", "M", "mu", "alpha")
)


def of_the_law(obligation, subject, outcomes):
    """What the verdict of an audit rests on, and the law that was found."""
    asked = obligation.required or obligation.name == "stationary-law"
    return discharged(obligation, subject, outcomes) if asked else undecided("not asked for")


def test_no_length_is_said_where_there_may_be_a_flow_across_a_kink():
    """D jumps at 0, so that the law is not kept at length one either, although the residual off the
    kink is zero there.
    """
    y = Vector("y", domain=Interval.open(-1, 1))
    f = Preimage("f", y, maps.softsign)
    D, n = 1 + sign(f) / 2, y.dim
    rule = {f: f - h * (D + n - 1) * f + sqrt(2 * h * D) * Noise("wy", like=y)}
    outcome = outcome_of(
        verify(Update(h, rule, total(f**2) / 2), discharge=of_the_law), "stationarity"
    )
    assert outcome.verdict is Verdict.REFUTED
    assert (outcome.facts, outcome.scope) == ((), None)
    alone = outcome_of(
        verify(Update(h, {b: e.xreplace({n: 1}) for b, e in rule.items()}, total(f**2) / 2)),
        "stationarity",
    )
    assert alone.verdict is not Verdict.PROVED

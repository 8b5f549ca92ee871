"""Found on 20 November 2026: a rule with sqrt(1 - step), which exists for small steps, was
*refuted*.
"""

from cases.wrong_claims import (
    eps,
    theta,
    w,
)
from helpers.outcomes import outcome_of
from sympy import (
    sqrt,
)

from recipe import (
    Update,
    total,
)
from verify import Verdict, verify

PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED


def test_a_rule_that_exists_for_small_steps_is_not_refuted():
    rule = {theta: sqrt(1 - eps) * theta + sqrt(eps) * w}
    report = verify(Update(eps, rule, total(theta**2) / 2))
    assert report.verdict is PROVED
    assert "the step is so small" in outcome_of(report, "well-defined").assumptions[0]

"""Found on 20 November 2026: with a domain that ends at 0.1, a pole at 1/10 was not seen, and the
recipe was *proved* to be well defined.
"""

import pytest
from helpers.outcomes import outcome_of
from sympy import (
    Interval,
    Rational,
    log,
    sqrt,
)

from recipe import (
    Recipe,
    Vector,
    total,
)
from verify import Verdict, verify
from verify.report import Report

PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED


def of(report: Report, name: str) -> Verdict:
    """The verdict on one obligation."""
    return outcome_of(report, name).verdict


def plain(block, D, H=None):
    return Recipe((block,), total(block**2) if H is None else H, D, 0)


@pytest.mark.parametrize("low", [0.1, sqrt(2) / 20])
def test_ends_of_a_domain_are_the_numbers_that_were_written(low):
    v = Vector("v", domain=Interval(low, 1))
    assert of(verify(plain(v, 1, total(1 / (3 * v - Rational(3, 10))))), "well-defined") is (
        REFUTED if low == 0.1 else UNDECIDED
    )
    assert of(verify(plain(v, 1, total(log(v)))), "well-defined") is PROVED

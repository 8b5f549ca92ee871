"""Found on 20 November 2026: a D that is not symmetric, [[1, 10], [0, 1]], was *proved* to be
positive semidefinite.
"""

from helpers.outcomes import outcome_of
from sympy import (
    Matrix,
)

from recipe import (
    Recipe,
    Scalar,
)
from verify import Verdict, verify
from verify.report import Report

PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED


def of(report: Report, name: str) -> Verdict:
    """The verdict on one obligation."""
    return outcome_of(report, name).verdict


x, y, z = Scalar("x"), Scalar("y"), Scalar("z")


def test_what_is_not_symmetric_is_judged_by_its_quadratic_form():
    report = verify(Recipe((x, y), x**2 + y**2, Matrix([[1, 10], [0, 1]]), Matrix.zeros(2)))
    assert of(report, "diffusion-psd") is REFUTED

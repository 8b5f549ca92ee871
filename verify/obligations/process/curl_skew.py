"""``curl-skew``: Q is skew-symmetric."""

from __future__ import annotations

from recipe import Recipe
from verify.obligation import Obligation, of_recipes
from verify.obligations.process.matrices import compare_with_transpose
from verify.subject import Subject
from verify.verdict import Outcome, conjunction


def discharge(subject: Subject) -> Outcome:
    """Entry by entry, the diagonal blocks included."""
    assert isinstance(subject.declared, Recipe)
    return conjunction(compare_with_transpose(subject.declared.Q, sign=1), by="entry by entry")


CURL_SKEW = Obligation(
    name="curl-skew",
    statement="Q = -Q^T",
    explanation=(
        "Q turns the gradient without changing H along the flow; only a skew-symmetric Q leaves"
        " exp(-H) alone."
    ),
    discharge=discharge,
    across_kinks=True,
    of_reflected=True,
    applies=of_recipes,
)

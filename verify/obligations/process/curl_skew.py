"""``curl-skew``: Q is skew-symmetric."""

from __future__ import annotations

from recipe import Recipe
from verify.decide.matrices import decide_skew
from verify.obligation import Obligation, of_recipes
from verify.subject import Subject
from verify.verdict import Outcome


def discharge(subject: Subject) -> Outcome:
    """Entry by entry, the diagonal blocks included."""
    assert isinstance(subject.declared, Recipe)
    return decide_skew(subject.declared.Q)


CURL_SKEW = Obligation(
    name="curl-skew",
    statement="Q = -Q^T",
    latex=r"Q = -Q^{\top}",
    explanation=(
        "Q turns the gradient without changing H along the flow; only a skew-symmetric Q leaves"
        " exp(-H) alone."
    ),
    discharge=discharge,
    across_kinks=True,
    of_reflected=True,
    applies=of_recipes,
)

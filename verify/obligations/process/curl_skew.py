"""``curl-skew``: Q is skew-symmetric."""

from __future__ import annotations

from recipe import Recipe
from verify.decide.matrices import decide_skew
from verify.obligation import Obligation, of_recipes
from verify.subject import Subject
from verify.verdict import Outcome


def discharge(subject: Subject) -> Outcome:
    """Decide every entry, those of the diagonal blocks included."""
    assert isinstance(subject.declared, Recipe)
    return decide_skew(subject.declared.Q)


CURL_SKEW = Obligation(
    name="curl-skew",
    statement="Q = -Q^T",
    latex=r"Q = -Q^{\top}",
    explanation=(
        "Q turns the gradient without changing H along the flow; only with a skew-symmetric Q is"
        " exp(-H) left unchanged."
    ),
    discharge=discharge,
    handles_kinks=True,
    handles_reflections=True,
    applies=of_recipes,
)

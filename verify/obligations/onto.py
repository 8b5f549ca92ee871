"""``onto``: a change of variable reaches every value of theta, and its inverse goes back."""

from __future__ import annotations

from verify.map.of_blocks import for_every_map, has_maps
from verify.map.onto import decide_onto
from verify.obligation import Obligation, of_diffusions
from verify.subject import KernelSubject, Subject
from verify.verdict import Outcome


def discharge(subject: Subject | KernelSubject) -> Outcome:
    """The limits of a monotone f at both ends, and ``f(g(theta)) = theta``."""
    return for_every_map(subject, lambda _, f, domain: decide_onto(f, domain))


ONTO = Obligation(
    name="onto",
    statement="f takes the domain of phi onto that of theta, and f(g(theta)) = theta for the inverse g",
    explanation=(
        "A map that stops short of an end of the domain cuts the law off there: sigmoid reaches no theta beyond 1. The limits of f "
        "are found by exact leading terms; a monotone f takes every value between them. An end that belongs to the domain is not "
        "reached, and has no probability."
    ),
    discharge=discharge,
    of_reflected=True,
    across_kinks=True,
    applies=lambda subject: of_diffusions(subject) and has_maps(subject),
    vacuous="no block stands for another",
)

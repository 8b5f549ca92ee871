"""``onto``: a change of variable reaches every value of theta, and its declared inverse
inverts it.
"""

from __future__ import annotations

from verify.diffusion.change_of_variable.bijection import decide_all_onto
from verify.diffusion.change_of_variable.maps_of_blocks import has_maps
from verify.obligation import Obligation, of_diffusions

ONTO = Obligation(
    name="onto",
    statement=(
        "f takes the domain of phi onto that of theta, and f(g(theta)) = theta for the inverse g"
    ),
    explanation=(
        "A map that stops short of an end of the domain cuts the law off there: sigmoid reaches no"
        " theta beyond 1. The limits of f are found by exact leading terms; a monotone f takes"
        " every value between them. An end that belongs to the domain is not reached, and has"
        " probability zero."
    ),
    discharge=decide_all_onto,
    handles_reflections=True,
    handles_kinks=True,
    applies=lambda subject: of_diffusions(subject) and has_maps(subject),
    vacuous="no block stands for another",
)

"""``monotone``: a change of variable has a derivative that is positive everywhere, or negative
everywhere.
"""

from __future__ import annotations

from verify.diffusion.change_of_variable.bijection import decide_all_monotone
from verify.diffusion.change_of_variable.maps_of_blocks import has_maps
from verify.obligation import Obligation, of_diffusions

MONOTONE = Obligation(
    name="monotone",
    statement="theta = f(phi) has f' > 0 everywhere, or f' < 0 everywhere; or det f' != 0",
    explanation=(
        "Only then does a law of theta give a law of phi and the other way round, with the density"
        " exp(-H(f(phi))) |f'(phi)|. A map that is flat at one point, such as phi^3, is invertible,"
        " but its phi has a density that vanishes there. f' is derived, written in terms of phi or"
        " of one exponential of it, and its roots are counted exactly (Sturm). A map of all"
        " coordinates together is one-to-one by its inverse, and has the density exp(-H(f(phi)))"
        " |det f'(phi)|."
    ),
    discharge=decide_all_monotone,
    handles_reflections=True,
    handles_kinks=True,
    applies=lambda subject: of_diffusions(subject) and has_maps(subject),
    vacuous="no block stands for another",
)

"""``lipschitz``: a change of variable has a bounded derivative.

This is Assumption 2 of Yokoi, Otsuka and Sato (2020).
"""

from __future__ import annotations

from verify.diffusion.change_of_variable.lipschitz import decide_lipschitz
from verify.diffusion.change_of_variable.maps_of_blocks import for_every_map, has_maps
from verify.obligation import Obligation, of_diffusions
from verify.subject import Subject
from verify.verdict import Outcome


def discharge(subject: Subject) -> Outcome:
    """Decide whether the supremum of |f'| is finite, exactly."""
    return for_every_map(subject, lambda _, f, domain: decide_lipschitz(f))


LIPSCHITZ = Obligation(
    name="lipschitz",
    statement="sup |f'| is finite",
    explanation=(
        "Yokoi et al. assume it (Assumption 2) for the weak convergence of theta = f(phi): an"
        " error of phi is then not magnified. exp is not Lipschitz, softplus is. It says nothing"
        " about the drift of phi; lipschitz-drift does."
    ),
    discharge=discharge,
    handles_reflections=True,
    handles_kinks=True,
    applies=lambda subject: of_diffusions(subject) and has_maps(subject),
    vacuous="no block stands for another",
    required=False,
)

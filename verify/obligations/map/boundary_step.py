"""``boundary-step``: one Euler step of phi stays bounded as theta = f(phi) goes to an edge of its
domain.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr

from recipe import Recipe
from recipe.language.entry import parts
from verify.diffusion.change_of_variable.boundary_step import decide_boundary_step
from verify.diffusion.change_of_variable.maps_of_blocks import for_every_map, has_maps
from verify.obligation import Obligation
from verify.subject import Subject
from verify.verdict import Outcome


def discharge(subject: Subject) -> Outcome:
    """Compare leading terms of D and of the drift at each end of phi where theta goes to a finite
    edge.
    """
    return for_every_map(
        subject, lambda phi, f, domain: decide_boundary_step(f, phi, list(_coefficients(subject)))
    )


def _coefficients(subject: Subject) -> Iterator[tuple[str, Expr]]:
    """Yield the entries of D and the drifts, with their names."""
    for (row, column), entry in subject.dynamics.diffusion.items():
        for e in parts(entry):
            yield f"D[{row}, {column}]", e
    for block, e in subject.dynamics.drift.items():
        yield f"the drift of {block}", e


BOUNDARY_STEP = Obligation(
    name="boundary-step",
    statement=(
        "as theta goes to a finite edge of its domain, the drift and the diffusion of one Euler"
        " step stay bounded"
    ),
    explanation=(
        "One step is phi + eps f + sqrt(2 eps) B w. Near the edge of theta the map is flat. The"
        " noise of Ito's transform is 1/f', so that its steps are then unbounded, whatever eps"
        " (Yokoi et al., Theorem 2); the steps of CoRV are not (Theorem 3). This is about discrete"
        " steps only: the continuous process has the law exp(-H) either way."
    ),
    discharge=discharge,
    handles_kinks=True,
    applies=lambda subject: isinstance(subject.declared, Recipe) and has_maps(subject),
    required=False,
)

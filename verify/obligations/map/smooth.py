"""``smooth``: a change of variable has derivatives of every order."""

from __future__ import annotations

from recipe.language.abstract import written_image
from verify.diffusion.change_of_variable.maps_of_blocks import for_every_map, has_maps
from verify.diffusion.change_of_variable.smooth import decide_smooth, decide_smooth_expression
from verify.obligation import Obligation, of_diffusions
from verify.subject import Subject
from verify.verdict import Outcome


def discharge(subject: Subject) -> Outcome:
    """Decide it by the structure of f, and at a kink by the limits of its derivatives from both
    sides.
    """
    return for_every_map(
        subject,
        lambda _, f, domain: decide_smooth(f),
        lambda phi: decide_smooth_expression(written_image(phi)),
    )


SMOOTH = Obligation(
    name="smooth",
    statement="f has derivatives of every order on its domain",
    explanation=(
        "softsign has an absolute value in it: its second derivative jumps at 0. It still carries"
        " a law over, and the other proofs hold on both sides of 0 and, as D exp(-H) is continuous,"
        " across it. An obligation that needs more derivatives is undecided, and says so."
    ),
    discharge=discharge,
    handles_reflections=True,
    handles_kinks=True,
    applies=lambda subject: of_diffusions(subject) and has_maps(subject),
    vacuous="no block stands for another",
    required=False,
)

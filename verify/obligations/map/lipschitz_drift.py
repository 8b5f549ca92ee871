"""``lipschitz-drift``: the term that a map adds to the drift of CoRV is bounded and Lipschitz."""

from __future__ import annotations

from recipe import Recipe
from verify.diffusion.change_of_variable.lipschitz import decide_lipschitz_drift
from verify.diffusion.change_of_variable.maps_of_blocks import for_every_map
from verify.obligation import Obligation
from verify.subject import Subject
from verify.verdict import Outcome


def discharge(subject: Subject) -> Outcome:
    """Decide whether the suprema of ``|(log f')'|`` and of its derivative are finite, exactly."""
    return for_every_map(subject, lambda _, f, domain: decide_lipschitz_drift(f))


def is_corv(subject: Subject) -> bool:
    """Return True for a recipe that was made by a change of random variables."""
    declared = subject.declared
    return (
        isinstance(declared, Recipe)
        and declared.transform is not None
        and declared.transform.kind == "corv"
    )


LIPSCHITZ_DRIFT = Obligation(
    name="lipschitz-drift",
    statement="sup |(log f')'| and sup |(log f')''| are finite",
    explanation=(
        "The drift of CoRV is -f' U'(f) + (log f')'. The first term depends on U; the second one"
        " depends on the map alone, and is Lipschitz if (log f')'' is bounded. A Lipschitz f is not"
        " enough: the inverse complementary log-log has (log f')'' = -exp(phi), and the drift of"
        " softsign jumps at 0."
    ),
    discharge=discharge,
    handles_kinks=True,
    applies=is_corv,
    required=False,
)

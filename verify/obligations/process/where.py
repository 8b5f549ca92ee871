"""``where``: each condition between parameters that a recipe or a claim is declared under excludes
something that is refuted.
"""

from __future__ import annotations

from dataclasses import replace

from recipe import Kernel, Recipe, Update
from recipe.declare.replace_fields import with_fields
from recipe.language.assumed import ParameterCondition
from recipe.rebuild.map_kernel import under_conditions
from verify.obligation import Obligation, Outcomes, of_diffusions, of_kernels
from verify.subject import KernelSubject, Subject
from verify.verdict import Outcome, Verdict, proved, undecided

# What is asked where a condition fails, in this order, until something is refuted.
ASKED = (
    "well-defined",
    "diffusion-psd",
    "boundary",
    "normalisable",
    "non-explosion",
    "stationarity",
)


ASKED_OF_KERNELS = ("well-defined", "normalisable", "invariance")


def discharge(subject: Subject | KernelSubject, outcomes: Outcomes) -> Outcome:
    """Prove of each condition that an obligation is refuted somewhere where it fails alone."""
    declared = subject.declared
    assert isinstance(declared, Recipe | Update | Kernel)
    found = {c: _refuted_outside(declared, c, outcomes) for c in declared.where}
    open_ones = [f"where {c} fails nothing was refuted" for c, by in found.items() if by is None]
    if open_ones:
        return undecided("; ".join(open_ones))
    return proved("; ".join(f"where {c} fails, {by}" for c, by in found.items()))


def _refuted_outside(
    declared: Recipe | Update | Kernel, condition: ParameterCondition, outcomes: Outcomes
) -> str | None:
    """The obligation that is refuted under the opposite of one condition and all others, with its
    witness; None if there is none.
    """
    where = (*(c for c in declared.where if c != condition), condition.negated)
    outside = (
        under_conditions(declared, where)
        if isinstance(declared, Kernel)
        else with_fields(declared, where=where)
    )
    for name, outcome in outcomes.about(outside):
        if outcome.verdict is Verdict.REFUTED and outcome.witness is not None:
            return f"{name} is refuted: {outcome.by} ({_shown(outcome.witness.point)})"
    return None


def _shown(point: dict[str, str | list[str]]) -> str:
    return ", ".join(
        f"{name} = {value if isinstance(value, str) else '[' + ', '.join(value) + ']'}"
        for name, value in point.items()
    )


WHERE = Obligation(
    name="where",
    statement="each declared condition excludes parameters for which an obligation is refuted",
    explanation=(
        "A sampler may be declared under conditions between its parameters, such as n + alpha >= 1."
        " They belong to the scope of every proof, and numbers are checked against them. This line"
        " says what lies outside, where one condition fails and all others hold: an obligation that"
        " is refuted for some parameters there, with a witness, or that the question is open. A"
        " condition that excludes nothing wrong narrows the scope for nothing."
    ),
    discharge=discharge,
    asks=ASKED,
    applies=lambda subject: of_diffusions(subject) and bool(subject.declared.where),
    handles_reflections=True,
    required=False,
    vacuous="no condition between parameters is declared",
)

KERNEL_WHERE = replace(
    WHERE,
    asks=ASKED_OF_KERNELS,
    applies=lambda subject: of_kernels(subject) and bool(subject.declared.where),
)

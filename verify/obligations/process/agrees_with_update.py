"""``agrees-with-update``: the limit of the published update rule has the recipe's drift and
diffusion.
"""

from __future__ import annotations

from recipe import Recipe
from recipe.language.calculus import gradient
from verify.decide.smoothness import first_fault
from verify.decide.zero.decide import decide_zero
from verify.diffusion.noise_laws import decide_draws
from verify.diffusion.published_rule import (
    decide_limit,
    decide_reflections,
    has_update,
    published,
)
from verify.diffusion.small_step import decide_expansion
from verify.obligation import Obligation
from verify.subject import Subject
from verify.verdict import Outcome, Verdict, conjunction, undecided


def discharge(subject: Subject) -> Outcome:
    """Compare targets, drifts and entries of D.

    The update rule is declared separately from H, D and Q, so this checks the recipe against the
    paper.
    """
    assert isinstance(subject.declared, Recipe)
    assert subject.declared.update is not None
    expansion = decide_expansion(subject.declared.update)
    if expansion.verdict is not Verdict.PROVED:
        return expansion
    theirs, step = published(subject), str(subject.declared.update.step)
    # If this difference is a constant, both targets are the same law.
    difference = subject.declared.H - subject.declared.update.target
    jump = first_fault(difference, subject.state, 0)
    targets = [
        (
            f"the target of the update, by {b}",
            decide_zero(gradient(difference, b)) if jump is None else undecided(str(jump)),
        )
        for b in subject.state
    ]
    limit = [
        *decide_limit(subject.dynamics, theirs, step),
        decide_reflections(subject, subject.declared.update),
    ]
    draws = decide_draws(subject.declared.update)
    return conjunction([*targets, *draws, *limit], by="drift and diffusion of the limit are equal")


AGREES_WITH_UPDATE = Obligation(
    name="agrees-with-update",
    statement="lim E[dz]/eps = f and lim Cov[dz]/eps = 2 D for the published rule",
    latex=(
        r"\lim \mathrm{E}[\mathrm{d}z] / \epsilon = f, \quad \lim \mathrm{Cov}[\mathrm{d}z] /"
        r" \epsilon = 2 D"
    ),
    explanation=(
        "The rule as it is printed, expanded in the square root of its step, must be this recipe"
        " and no other process."
    ),
    discharge=discharge,
    handles_kinks=True,
    handles_reflections=True,
    applies=has_update,
)

"""``consistency``: the discrete step has, in the limit, the drift and diffusion that it was made
from.
"""

from __future__ import annotations

from dataclasses import replace

from sympy import S, nan, oo, zoo

from recipe import Discretisation, NoncentralChiSquared, Recipe, RecipeError, Update, limit_of
from recipe.declare.reflect_update import unfolded
from verify.decide.zero.decide import decide_zero
from verify.diffusion.noise_laws import decide_draws
from verify.diffusion.published_rule import decide_limit, decide_reflections
from verify.obligation import Obligation
from verify.subject import Subject
from verify.verdict import Outcome, Verdict, conjunction, undecided


def discharge(subject: Subject) -> Outcome:
    """Drift by drift and entry by entry; what is recorded must become the state itself."""
    assert isinstance(subject.declared, Discretisation)
    update = subject.declared.update
    recorded = [
        (f"what is recorded of {b}", decide_zero(e.xreplace({update.step: 0}) - b))
        for b, e in update.observe
    ]  # exact: at step 0 nothing is left but the state
    try:
        limit = [
            *decide_draws(update),
            *decide_limit(subject.dynamics, limit_of(update), str(update.step)),
        ]
        limit.append(decide_reflections(subject, update))
    except RecipeError as error:
        return _moves_at_once(update) or undecided(str(error))
    return conjunction(
        [*limit, *recorded],
        by="the limit of the step has the drift and the diffusion of the recipe",
    )


def _moves_at_once(update: Update) -> Outcome | None:
    """Refuted where one assignment, and no other, moves its block however small the step is: then
    no limit is a diffusion.

    What an assignment is made of is continuous in the step where it has a value at 0. So dz has a
    limit at the witness that is not zero, or a random one; its second moment does not vanish
    (Fatou), and with drift and diffusion it would.
    """
    at_rest = [(b, e.xreplace({update.step: S.Zero})) for b, e in unfolded(update).update.rule]
    moving = [(b, e) for b, e in at_rest if e != b]
    if len(moving) != 1 or moving[0][1].has(nan, zoo, oo, -oo, NoncentralChiSquared):
        return None
    block, e = moving[0]
    outcome = decide_zero(e - block)
    if outcome.verdict is not Verdict.REFUTED:
        return None
    return replace(
        outcome,
        by=(
            f"the rule of {block} does not vanish with the step: at {update.step} = 0 it is {e},"
            f" not {block}"
        ),
    )


def is_made_from_a_recipe(subject: Subject) -> bool:
    """Whether it is a step with a recipe to be consistent with; of a printed rule alone,
    stationarity judges the limit.
    """
    return isinstance(subject.declared, Discretisation) and isinstance(subject.declared.of, Recipe)


CONSISTENCY = Obligation(
    name="consistency",
    statement="lim E[dz]/eps = f and lim Cov[dz]/eps = 2 D for the discrete step",
    explanation=(
        "As its step vanishes the scheme must become the process that was proved, for every d. This"
        " is the least that is asked of a scheme; how far its own invariant law is from exp(-H) at"
        " a finite step is invariant-order."
    ),
    discharge=discharge,
    handles_kinks=True,
    handles_reflections=True,
    applies=is_made_from_a_recipe,
)

"""``consistency``: the discrete step has, in the limit, the drift and diffusion that it was made from."""

from __future__ import annotations

from recipe import Discretisation, Recipe, RecipeError, limit_of
from verify.draws import decide_draws
from verify.obligation import Obligation
from verify.obligations.agrees_with_update import decide_limit, decide_reflections
from verify.subject import Subject
from verify.verdict import Outcome, conjunction, undecided
from verify.zero.decide import decide_zero


def discharge(subject: Subject) -> Outcome:
    """Drift by drift and entry by entry; what is recorded must become the state itself."""
    assert isinstance(subject.declared, Discretisation)
    update = subject.declared.update
    recorded = [
        (f"what is recorded of {b}", decide_zero(e.xreplace({update.step: 0}) - b)) for b, e in update.observe
    ]  # exact: at step 0 nothing is left but the state
    try:
        limit = [*decide_draws(update), *decide_limit(subject.dynamics, limit_of(update), str(update.step))]
        limit.append(decide_reflections(subject, update))
    except RecipeError as error:
        return undecided(str(error))
    return conjunction([*limit, *recorded], by="the limit of the step has the drift and the diffusion of the recipe")


def is_made_from_a_recipe(subject: Subject) -> bool:
    """Whether it is a step with a recipe to be consistent with; of a printed rule alone, stationarity judges the limit."""
    return isinstance(subject.declared, Discretisation) and isinstance(subject.declared.of, Recipe)


CONSISTENCY = Obligation(
    name="consistency",
    statement="lim E[dz]/eps = f and lim Cov[dz]/eps = 2 D for the discrete step",
    explanation=(
        "As its step vanishes the scheme must become the process that was proved, for every d. This is the least that is asked of "
        "a scheme; how far its own invariant law is from exp(-H) at a finite step is invariant-order."
    ),
    discharge=discharge,
    across_kinks=True,
    of_reflected=True,
    applies=is_made_from_a_recipe,
)

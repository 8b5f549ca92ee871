"""``consistency``: in the limit the discrete step has the drift and diffusion of its recipe."""

from __future__ import annotations

from dataclasses import replace

from sympy import S, nan, oo, zoo

from recipe import Discretisation, NoncentralChiSquared, Recipe, RecipeError, Update, limit_of
from recipe.declare.reflect_update import unfolded
from verify.decide.zero.decide import decide_zero
from verify.diffusion.noise_laws import decide_draws
from verify.diffusion.published_rule import decide_limit, decide_reflections
from verify.diffusion.small_step import decide_expansion
from verify.obligation import Obligation
from verify.subject import Subject
from verify.verdict import Outcome, Verdict, conjunction, undecided


def discharge(subject: Subject) -> Outcome:
    """Compare drifts and entries of D; and a recorded value must become the state itself as the
    step vanishes.
    """
    assert isinstance(subject.declared, Discretisation)
    update = subject.declared.update
    expansion = decide_expansion(update)
    if expansion.verdict is not Verdict.PROVED:
        return _moves_at_once(update) or expansion
    # This is exact: at step 0 the recorded value is the state.
    recorded = [
        (f"the recorded value of {b}", decide_zero(e.xreplace({update.step: 0}) - b))
        for b, e in update.observe
    ]
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
    """Refute it if exactly one assignment moves its block however small the step is; else return
    None.

    The limit is then no diffusion: an assignment is continuous in the step if it has a value at
    step 0. So dz has a nonzero or a random limit at the witness, and its second moment does not
    vanish (Fatou); with a drift and a diffusion it would.
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
    """Return True for a step of a recipe.

    For a step of a claim, stationarity judges the limit.
    """
    return isinstance(subject.declared, Discretisation) and isinstance(subject.declared.of, Recipe)


CONSISTENCY = Obligation(
    name="consistency",
    statement="lim E[dz]/eps = f and lim Cov[dz]/eps = 2 D for the discrete step",
    explanation=(
        "As its step vanishes the scheme must become the process that was proved, for every d."
        " This is the least that a scheme must satisfy; how far its own invariant law is from"
        " exp(-H) at a finite step is invariant-order."
    ),
    discharge=discharge,
    handles_kinks=True,
    handles_reflections=True,
    applies=is_made_from_a_recipe,
)

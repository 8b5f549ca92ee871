"""``agrees-with-update``: the published update rule has, in the limit, the recipe's drift and diffusion."""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr

from recipe import Recipe, RecipeError, limit_of
from recipe.calculus import gradient
from recipe.dynamics import Dynamics
from recipe.entry import combine
from verify.obligation import Obligation
from verify.subject import Subject
from verify.verdict import Outcome, Verdict, conjunction
from verify.zero.decide import decide_zero
from verify.zero.entry import decide_zero_entry
from verify.zero.shown import shown_factored


def discharge(subject: Subject) -> Outcome:
    """Drift by drift and entry by entry; the update is an input of its own, so this checks the recipe against the paper."""
    assert isinstance(subject.declared, Recipe)
    assert subject.declared.update is not None
    try:
        published = limit_of(subject.declared.update)
    except RecipeError as error:
        raise RecipeError(f"update: {error}") from None
    parts = [*_drifts(subject.dynamics, published), *_diffusions(subject.dynamics, published)]
    difference = subject.declared.H - subject.declared.update.target  # the law is the same if this is a constant
    targets = [(f"the target of the update, by {b}", decide_zero(gradient(difference, b))) for b in subject.state]
    return conjunction([*targets, *parts], by="drift and diffusion of the limit are equal")


def _drifts(ours: Dynamics, published: Dynamics) -> list[tuple[str, Outcome]]:
    return [(f"the drift of {b}", _decide_difference(published.drift[b] - ours.drift[b])) for b in ours.state]


def _decide_difference(difference: Expr) -> Outcome:
    outcome = decide_zero(difference)
    if outcome.verdict is Verdict.PROVED:
        return outcome
    return replace(outcome, by=f"the published one minus the derived one is {shown_factored(difference)}")


def _diffusions(ours: Dynamics, published: Dynamics) -> list[tuple[str, Outcome]]:
    return [
        (f"the diffusion between {row} and {column}", decide_zero_entry(combine(published.diffusion[row, column], entry, -1)))
        for (row, column), entry in ours.diffusion.items()
    ]


def has_update(subject: Subject) -> bool:
    """Whether there is a published rule to compare with."""
    return isinstance(subject.declared, Recipe) and subject.declared.update is not None


AGREES_WITH_UPDATE = Obligation(
    name="agrees-with-update",
    statement="lim E[dz]/eps = f and lim Cov[dz]/eps = 2 D for the published rule",
    explanation="The rule as it is printed, expanded in the square root of its step, must be this recipe and no other process.",
    discharge=discharge,
    applies=has_update,
)

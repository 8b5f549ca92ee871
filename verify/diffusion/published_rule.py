"""The rule that a recipe is said to be, and whether the limit of a rule is a given diffusion."""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr

from recipe import Recipe, RecipeError, Update, limit_of
from recipe.declare.dynamics import Dynamics
from recipe.declare.reflect_update import unfolded
from recipe.language.blocks import Block
from recipe.language.entry import Entry, combine
from verify.decide.matrices import describe
from verify.decide.zero.decide import decide_zero
from verify.decide.zero.entry import decide_zero_entry
from verify.decide.zero.show_difference import factored, formula, shown_factored
from verify.diffusion.boundary.edges import edges
from verify.diffusion.boundary.reflected import has_bounded_coefficients
from verify.subject import Subject
from verify.verdict import Outcome, Verdict, proved, undecided

NOT_BOUNDED = "drift and diffusion are not proved to be bounded"


def published(subject: Subject) -> Dynamics:
    """The limit of the rule that the recipe is said to be.

    Raises:
        RecipeError: where it has none.
    """
    assert isinstance(subject.declared, Recipe)
    assert subject.declared.update is not None
    try:
        return limit_of(subject.declared.update)
    except RecipeError as error:
        raise RecipeError(f"update: {error}") from None


def decide_limit(ours: Dynamics, theirs: Dynamics, step: str) -> list[tuple[str, Outcome]]:
    """Whether the limit of a rule is a given diffusion: drift by drift, and entry by entry of D."""
    return [*_drifts(ours, theirs, step), *_diffusions(ours, theirs, step)]


def decide_reflections(subject: Subject, update: Update) -> tuple[str, Outcome]:
    """Whether a rule reflects what the recipe reflects."""
    ours, theirs = (
        sorted(map(str, r)) for r in (subject.reflections, unfolded(update).reflections)
    )
    if ours != theirs:
        said, done = (" and ".join(r) or "nothing is reflected" for r in (ours, theirs))
        return "reflections", undecided(f"of the recipe {said}; of the rule {done}")
    for edge in (e for reflection in subject.reflections for e in edges(reflection.block)):
        if not has_bounded_coefficients(edge, subject):
            return "reflections", undecided(
                f"{NOT_BOUNDED} up to {edge}, and then folded steps need not become the reflected"
                " process"
            )
    return "reflections", proved("")


def _drifts(ours: Dynamics, theirs: Dynamics, step: str) -> list[tuple[str, Outcome]]:
    return [
        (f"the drift of {b}", _decide_drift(theirs.drift[b] - ours.drift[b], b, step))
        for b in ours.state
    ]


def _decide_drift(difference: Expr, block: Block, step: str) -> Outcome:
    outcome = decide_zero(difference)
    if outcome.verdict is Verdict.PROVED:
        return outcome
    by = f"that of the rule minus the derived one is {shown_factored(difference)}"
    if outcome.verdict is Verdict.UNDECIDED:
        return replace(outcome, by=by)
    gained = f"to be this recipe, the rule of {block} must gain {step} * ({factored(-difference)})"
    return replace(outcome, by=by, residual=formula(difference), repair=gained)


def _diffusions(ours: Dynamics, theirs: Dynamics, step: str) -> list[tuple[str, Outcome]]:
    return [
        (
            f"the diffusion between {row} and {column}",
            _decide_diffusion(entry, theirs.diffusion[row, column], (row, column), step),
        )
        for (row, column), entry in ours.diffusion.items()
    ]


def _decide_diffusion(ours: Entry, theirs: Entry, place: tuple[Block, Block], step: str) -> Outcome:
    outcome = decide_zero_entry(combine(theirs, ours, -1))
    if outcome.verdict is not Verdict.REFUTED:
        return outcome
    row, column = place
    noise = f"the noise of {row}" if row == column else f"the noises of {row} and {column}"
    has = (
        f"{noise} must have the covariance 2*{step} * ({describe(ours)}), not 2*{step} *"
        f" ({describe(theirs)})"
    )
    return replace(
        outcome,
        by=f"that of the rule is {describe(theirs)}, D has {describe(ours)}",
        repair=f"to be this recipe, {has}",
    )


def has_update(subject: Subject) -> bool:
    """Whether there is a published rule to compare with."""
    return isinstance(subject.declared, Recipe) and subject.declared.update is not None

"""``normalisable``: exp(-H) has a finite integral over the domain."""

from __future__ import annotations

from dataclasses import replace

from recipe import Recipe
from recipe.language.free_symbols import parameters_of
from recipe.language.symbols import Indexed
from verify.decide.points.point import Point
from verify.diffusion.change_of_variable.bijection import is_bijection
from verify.diffusion.infinity.mass import decide_finite
from verify.diffusion.nonsmooth import at_kinks, kinks
from verify.obligation import Obligation, Outcomes
from verify.subject import Subject
from verify.verdict import Outcome, Verdict, Witness, undecided

MAX_PARAMETER_CHOICES = 16  # at so many values of the parameters a refutation is searched for


def discharge(subject: Subject, outcomes: Outcomes) -> Outcome:
    """Decide it by the tails of H.

    A recipe that was made by a transform has the mass of the one that it was made from, and is
    decided there, as abstract functions are declared in its coordinates. If the tails depend on
    parameters, a few values of these may refute it.
    """
    transform = subject.declared.transform if isinstance(subject.declared, Recipe) else None
    if transform is not None and is_bijection(subject):
        ((_, found),) = outcomes.about(transform.of)
        return replace(
            found,
            by=(
                f"{transform.preimage} has the law of {transform.image} in other coordinates:"
                f" {found.by}"
            ),
        )
    found_kinks = kinks(subject)
    if found_kinks:
        return undecided(
            f"H has a kink, at {at_kinks(found_kinks)}, and tails are compared only without kinks"
        )
    try:
        outcome = decide_finite(subject.H, subject.state)
        return (
            _refuted_somewhere(subject) or outcome
            if outcome.verdict is Verdict.UNDECIDED
            else outcome
        )
    except RecursionError:
        return undecided("H is nested too deeply for its tails to be decided")


def _refuted_somewhere(subject: Subject) -> Outcome | None:
    """Refute it at a few values of the parameters; None if it is refuted at none of them."""
    parameters = [s for s in parameters_of([subject.H]) if not isinstance(s, Indexed)]
    for seed in range(MAX_PARAMETER_CHOICES if parameters else 0):
        values = Point({}, seed).choose_all(parameters)
        if values is None:
            return None
        outcome = decide_finite(subject.H.xreplace(values), subject.state)
        if outcome.witness is not None:
            point = {str(s): str(v) for s, v in values.items()} | outcome.witness.point
            return Outcome(Verdict.REFUTED, outcome.by, Witness(point, outcome.witness.finding))
    return None


NORMALISABLE = Obligation(
    name="normalisable",
    statement="the integral of exp(-H) over the domain is finite",
    latex=r"\int e^{-H} \, \mathrm{d}z < \infty",
    explanation=(
        "Only then is exp(-H) a probability law up to its constant; an improper posterior is the"
        " usual way to fail. H is split into independent parts, and the tails of each are compared"
        " with powers of the distance and of its logarithm. For an unknown U it is assumed that"
        " exp(-U) is normalisable, and the report says so."
    ),
    discharge=discharge,
    asks=("normalisable",),
    handles_reflections=True,
    handles_kinks=True,
    required=False,
)

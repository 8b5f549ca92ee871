"""``normalisable``: exp(-H) has a finite integral over the domain."""

from __future__ import annotations

from dataclasses import replace

from recipe import Recipe
from recipe.language.free_symbols import parameters_of
from recipe.language.symbols import Indexed
from verify.decide.zero.point import Point
from verify.diffusion.change_of_variable.bijection import is_bijection
from verify.diffusion.infinity.mass import decide_finite
from verify.diffusion.nonsmooth import at_kinks, kinks
from verify.obligation import Obligation, Outcomes
from verify.subject import Subject
from verify.verdict import Outcome, Verdict, Witness, undecided

CHOICES = 16  # values of the parameters at which a refutation is looked for


def discharge(subject: Subject, known: Outcomes) -> Outcome:
    """By the tails of H; where they depend on parameters, a few values of them may refute it.

    A transform does not change the mass, and what is abstract is better spoken of in the
    coordinates that it was declared in.
    """
    transform = subject.declared.transform if isinstance(subject.declared, Recipe) else None
    if transform is not None and is_bijection(subject):
        ((_, found),) = known.about(transform.of)
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
            f"the tails of what has a kink, at {at_kinks(found_kinks)}, are not compared here"
        )
    try:
        outcome = decide_finite(subject.H, subject.state)
        return (
            _refuted_somewhere(subject) or outcome
            if outcome.verdict is Verdict.UNDECIDED
            else outcome
        )
    except RecursionError:
        return undecided("H is nested too deeply to look at its tails")


def _refuted_somewhere(subject: Subject) -> Outcome | None:
    parameters = [s for s in parameters_of([subject.H]) if not isinstance(s, Indexed)]
    for seed in range(CHOICES if parameters else 0):
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
        " usual way to fail. H is taken apart into independent parts, and the tails of each are"
        " compared with powers of the distance and of its logarithm. An unknown U is taken to have"
        " a normalisable exp(-U), and that is said."
    ),
    discharge=discharge,
    asks=("normalisable",),
    of_reflected=True,
    across_kinks=True,
    required=False,
)

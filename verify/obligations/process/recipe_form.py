"""``recipe-form``: a skew Q that puts a claim into the form of the complete recipe."""

from __future__ import annotations

from recipe import Update
from recipe.declare.replace_fields import with_fields
from recipe.printing.derivation import recipe_latex, recipe_text
from verify.audit.skew import find_recipe
from verify.obligation import Obligation, Outcomes, of_claims
from verify.subject import Subject
from verify.verdict import Assumption, Formula, Outcome, Verdict, undecided

NONE_FOUND = (
    "no Q was found by a linear ansatz over the terms of drift and grad H, which refutes nothing"
)


def discharge(subject: Subject, known: Outcomes) -> Outcome:
    """Proved where a recipe is found and verified, with the claim as its published update."""
    assert isinstance(subject.declared, Update)
    found = find_recipe(subject.declared, subject.dynamics, subject.gradient)
    if found is None:
        return undecided(NONE_FOUND)
    assumed: list[Assumption] = []
    for name, outcome in known.about(found):
        if outcome.verdict is not Verdict.PROVED:
            return undecided(
                f"a Q was found, and of the recipe with it {name} is {outcome.verdict.value}"
            )
        assumed += outcome.assumed
    shown = with_fields(found, update=None)
    formula = Formula(recipe_text(shown), recipe_latex(shown).strip("$"))
    by = (
        "with this Q, v = div Q - Q grad H; the recipe is proved, and the rule is its published"
        " update"
    )
    return Outcome(Verdict.PROVED, by, assumed=tuple(dict.fromkeys(assumed)), found=formula)


RECIPE_FORM = Obligation(
    name="recipe-form",
    statement=(
        "f = -(D + Q) grad H + Gamma with D the diffusion of the rule, and a skew Q that is shown"
    ),
    latex=r"f = -(D + Q) \nabla H + \Gamma, \quad Q = -Q^{\top}",
    explanation=(
        "Every diffusion that leaves exp(-H) stationary, with a current that vanishes far out, is"
        " an instance of the complete recipe (Ma, Chen & Fox 2015, theorem 2). Here the theorem is"
        " made constructive: Q is looked for as a combination of skew matrices whose entries are"
        " quotients of terms of the drift by terms of grad H, by exact linear algebra, and the"
        " recipe is verified like any other. Where none is found nothing is refuted: on a circle a"
        " flow may be stationary and have no Q."
    ),
    discharge=discharge,
    applies=of_claims,
    required=False,
    given=("stationarity", Verdict.PROVED),
    asks=(
        "well-defined",
        "diffusion-symmetric",
        "curl-skew",
        "diffusion-psd",
        "stationarity",
        "agrees-with-update",
    ),
)

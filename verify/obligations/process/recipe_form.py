"""``recipe-form``: a skew Q that writes a claim as a complete recipe."""

from __future__ import annotations

from recipe import Update
from recipe.declare.replace_fields import with_fields
from recipe.printing.derivation import recipe_latex, recipe_text
from verify.audit.skew import find_recipe
from verify.obligation import Obligation, Outcomes, of_claims
from verify.subject import Subject
from verify.verdict import Assumption, Formula, Outcome, Verdict, undecided

NO_Q_FOUND = (
    "no Q was found by a linear ansatz over the terms of drift and grad H, which refutes nothing"
)


def discharge(subject: Subject, outcomes: Outcomes) -> Outcome:
    """Search for a recipe, and verify it with the claim as its published update.

    It is undecided if no recipe is found, or the recipe is not proved.
    """
    assert isinstance(subject.declared, Update)
    found = find_recipe(subject.declared, subject.dynamics, subject.gradient)
    if found is None:
        return undecided(NO_Q_FOUND)
    assumed: list[Assumption] = []
    for name, outcome in outcomes.about(found):
        if outcome.verdict is not Verdict.PROVED:
            return undecided(
                f"a Q was found, but {name} is {outcome.verdict.value} for the recipe with it"
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
        "Every diffusion that leaves exp(-H) stationary, with a current that vanishes at infinity,"
        " is an instance of the complete recipe (Ma, Chen & Fox 2015, theorem 2). Here the theorem"
        " is made constructive: Q is searched for by exact linear algebra as a combination of skew"
        " matrices whose entries are quotients of terms of the drift by terms of grad H, and the"
        " recipe is verified like any other. If no Q is found nothing is refuted: on a circle a"
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

"""``stationary-law``: the law that a refuted claim leaves stationary instead of its target."""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr, Function

from recipe import Field, RecipeError, Update
from recipe.language.free_symbols import parameters_of
from recipe.printing.latex import latex
from recipe.rebuild.bind import put_meanings
from recipe.rebuild.map_kernel import rewritten_update
from verify.audit.law import find_law
from verify.decide.zero.show_difference import abbreviated, explained
from verify.obligation import Obligation, Outcomes, of_claims
from verify.scope import scope_of
from verify.subject import Subject, subject_of
from verify.verdict import Assumption, Formula, Outcome, Verdict, undecided

NO_LAW_FOUND = (
    "no other law was found among combinations of the terms of H, of logarithms of factors of D"
    " and of the drift, and of integrals of the drift of single coordinates"
)
MASS = "normalisable"  # it is assumed if undecided; the other obligations must be proved


def discharge(subject: Subject, outcomes: Outcomes) -> Outcome:
    """Search for a law, and verify it; if the rule has fields, then also with elementwise functions
    in their place.
    """
    assert isinstance(subject.declared, Update)
    found = _law_of(subject.declared, outcomes)
    if found is not None:
        return found
    elementwise = _with_elementwise_fields(subject.declared)
    found = None if elementwise is None else _law_of(elementwise, outcomes)
    if elementwise is None or found is None:
        return undecided(NO_LAW_FOUND)
    return (
        replace(found, scope=scope_of(elementwise))
        if found.verdict is Verdict.PROVED
        else undecided(NO_LAW_FOUND)
    )


def _law_of(update: Update, outcomes: Outcomes) -> Outcome | None:
    """Return the outcome about the law that was found.

    None if no law was found, or it is not proved.
    """
    H = find_law(update, subject_of(update).dynamics)
    return None if H is None else _verified(update, H, outcomes)


def _verified(update: Update, H: Expr, outcomes: Outcomes) -> Outcome | None:
    """Verify the law as a claim of its own.

    All obligations but ``normalisable`` must be proved, else the result is None. A law of infinite
    mass is undecided, with a fact that says so.
    """
    pairs = list(update.rule)
    law = Update(update.step, pairs if update.sequential else dict(pairs), H, where=update.where)
    assumed: list[Assumption] = []
    for name, outcome in outcomes.about(law):
        if name == MASS and outcome.verdict is Verdict.REFUTED:
            fact = (
                f"exp(-H') is stationary, with H' = {abbreviated(H)[0]}, and its mass is"
                f" infinite{_where(outcome, H)}"
            )
            return replace(
                undecided("no law was found but a density of infinite mass for some parameters"),
                facts=(fact,),
            )
        if name != MASS:
            if outcome.verdict is not Verdict.PROVED:
                return None
            assumed += map(_of_the_law, outcome.assumed)
    shown, where = abbreviated(H)
    formula = Formula(str(shown), f"H' = {latex(H)}", (*explained(H), *where))
    by = f"the rule leaves exp(-H') stationary, with H' = {shown}"
    return Outcome(Verdict.PROVED, by, assumed=tuple(dict.fromkeys(assumed)), found=formula)


def _of_the_law(assumption: Assumption) -> Assumption:
    """Return an assumption about exp(-H) as one about exp(-H'), which no line of the report
    discharges.
    """
    if not assumption.obligations:
        return assumption
    return Assumption(assumption.sentence.replace("exp(-H)", "exp(-H')"))


def _where(outcome: Outcome, H: Expr) -> str:
    """Return the parameters at which an infinite mass was found, as text; the mass may be finite at
    others.
    """
    point = {} if outcome.witness is None else outcome.witness.point
    values = [
        f"{name} = {point[name]}" for name in sorted(map(str, parameters_of([H]))) if name in point
    ]
    return f" where {', '.join(values)}" if values else ""


def _with_elementwise_fields(update: Update) -> Update | None:
    """Return the rule with each value of a field depending on its own coordinate alone.

    None if the rule has no field, or cannot be written so.
    """
    fields = [a for a in update.abstract if isinstance(a, Field)]
    meanings = {
        F: Function(F.base, real=True, positive=bool(F.is_positive) or None)(F.block)
        for F in fields
    }
    try:
        return rewritten_update(update, lambda e: put_meanings(e, meanings)) if fields else None
    except RecipeError:
        return None


STATIONARY_LAW = Obligation(
    name="stationary-law",
    statement="div v - v . grad H' = 0 with v = f + D grad H' - div D, for an H' that is shown",
    latex=r"\nabla \cdot v - v \cdot \nabla H' = 0, \quad v = f + D \nabla H' - \nabla \cdot D",
    explanation=(
        "A rule that does not leave its target stationary often leaves another law stationary, and"
        " that law tells how large the error is: U/T, or U + total(log(G)) if a correction is"
        " missing. H' is searched for as a combination of the terms of H, of logarithms of the"
        " factors of D and of the drift, and of integrals where a coordinate moves by itself, with"
        " unknown coefficients that are solved for exactly. It is then verified like any other"
        " claim. If none is found nothing follows: the rule may have a law without a formula, or"
        " none at all."
    ),
    discharge=discharge,
    applies=of_claims,
    required=False,
    given=("stationarity", Verdict.REFUTED),
    asks=("well-defined", "stationarity", MASS, "boundary"),
)

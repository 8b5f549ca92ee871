"""``stationary-law``: the law that a refuted claim does leave stationary."""

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

NONE_FOUND = (
    "no other law was found among combinations of the terms of H, logarithms of what stands in D"
    " and in the drift, and integrals of the drift of single coordinates"
)
MASS = "normalisable"  # what is open of the mass is assumed; the others must be proved


def discharge(subject: Subject, known: Outcomes) -> Outcome:
    """Proved where a law is found and verified; then for elementwise functions in place of fields,
    where there are such.
    """
    assert isinstance(subject.declared, Update)
    found = _law_of(subject.declared, known)
    if found is not None:
        return found
    elementwise = _with_elementwise_fields(subject.declared)
    found = None if elementwise is None else _law_of(elementwise, known)
    if elementwise is None or found is None:
        return undecided(NONE_FOUND)
    return (
        replace(found, scope=scope_of(elementwise))
        if found.verdict is Verdict.PROVED
        else undecided(NONE_FOUND)
    )


def _law_of(update: Update, known: Outcomes) -> Outcome | None:
    H = find_law(update, subject_of(update).dynamics)
    return None if H is None else _verified(update, H, known)


def _verified(update: Update, H: Expr, known: Outcomes) -> Outcome | None:
    """The law as a claim of its own: what is required must be proved; one whose mass is infinite is
    no law, which is said.
    """
    pairs = list(update.rule)
    law = Update(update.step, pairs if update.sequential else dict(pairs), H)
    assumed: list[Assumption] = []
    for name, outcome in known.about(law):
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
    """An assumption about exp(-H) as one about exp(-H'), which no line of the report discharges."""
    if not assumption.obligations:
        return assumption
    return Assumption(assumption.sentence.replace("exp(-H)", "exp(-H')"))


def _where(outcome: Outcome, H: Expr) -> str:
    """The parameters at which an infinite mass was found, where there are some; at others it may be
    finite.
    """
    point = {} if outcome.witness is None else outcome.witness.point
    values = [
        f"{name} = {point[name]}" for name in sorted(map(str, parameters_of([H]))) if name in point
    ]
    return f" where {', '.join(values)}" if values else ""


def _with_elementwise_fields(update: Update) -> Update | None:
    """The rule where each value of a field depends on its own coordinate alone; None where there is
    no field.
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
        "A rule that does not leave its target stationary often has another law, and to know it"
        " says how much is lost: U/T, or U + total(log(G)) where a correction is missing. H' is"
        " looked for as a combination of the terms of H, of logarithms of the factors of D and the"
        " drift, and of integrals where a coordinate moves by itself, with unknown coefficients"
        " that are solved for exactly. It is then verified like any other claim. That none is found"
        " says nothing: the rule may have a law that has no formula, or none at all."
    ),
    discharge=discharge,
    applies=of_claims,
    required=False,
    given=("stationarity", Verdict.REFUTED),
    asks=("well-defined", "stationarity", MASS, "boundary"),
)

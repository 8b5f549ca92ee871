"""``well-defined`` of data with labels: the joint law is positive and finite for all labels."""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr, Integer, Symbol

from recipe.language.total import substitute, total
from recipe.latent.increments import with_one_count
from recipe.latent.labels import ITEM, Labels
from recipe.signs.defined import Condition, conditions
from verify.decide.definedness import NO_POINT, decide_condition, has_a_point
from verify.labels.subject import LabelSubject
from verify.obligation import Obligation, of_labels
from verify.verdict import Outcome, Verdict, conjunction, undecided


def discharge(subject: LabelSubject) -> Outcome:
    """Decide every condition on denominators, logarithms and Gamma functions."""
    model, z = subject.declared, subject.declared.labels
    if not has_a_point([*(e for e, _ in model.written()), *subject.state]):
        return undecided(NO_POINT)
    named: dict[object, tuple[str, Outcome]] = {}
    for e, where in model.written():
        if where == "conditional":
            continue  # its weights are judged with those of the joint law
        whole: Expr = with_one_count(e, z)
        if z.each == ITEM and whole.has(z.count) and z.counts in whole.free_symbols:
            whole = whole.xreplace({z.count: total(z.counts)})
        for condition in conditions(whole):
            named.setdefault(condition, (where, _decide(condition, z)))
    return conjunction(
        named.values(),
        f"{len(named)} conditions on signs, for all counts and on the whole domain",
    )


def _decide(condition: Condition, z: Labels) -> Outcome:
    """Decide a condition for all counts; it is refuted by counts that a datum can have.

    A proof holds for more: for counts above the size, and for a count beside any counts by column.
    """
    outcome = decide_condition(condition)
    if outcome.verdict is not Verdict.REFUTED or not condition.e.free_symbols & {z.size, z.count}:
        return outcome
    for values in _states(z, by_column=z.counts in condition.e.free_symbols):
        e, of = (substitute(x, values) for x in (condition.e, condition.of))
        restricted = decide_condition(replace(condition, e=e, of=of))
        if restricted.verdict is Verdict.REFUTED:
            return restricted
    return undecided(f"{condition.e} was not decided for all counts that a datum can have")


def _states(z: Labels, by_column: bool) -> list[dict[Symbol, Expr]]:
    """Return substitutions after which all counts of a label are those of some datum."""
    if z.each != ITEM:
        return [{z.count: Integer(1), z.size: total(z.counts)}]
    further = Symbol(f"{z.name}_further", integer=True, nonnegative=True)
    n = total(z.counts) if by_column else z.count
    with_others = {z.size: n + further + 1, z.labels: further + 2}
    whole = {z.size: substitute(n, more := {z.count: z.count + 1, z.counts: z.counts + 1}), **more}
    return [with_others, whole]


LABELS_WELL_DEFINED = Obligation(
    name="well-defined",
    statement=(
        "log p(x, z | theta) and the log prior are finite for all labels z and all theta of the"
        " domain, so that no labels become impossible as theta moves"
    ),
    explanation=(
        "Each logarithm and each Gamma function must have a positive argument, for all counts that"
        " labels can have. Then every z has a positive probability wherever theta is: the support"
        " does not depend on theta, which Fisher's identity needs."
    ),
    discharge=discharge,
    handles_kinks=True,
    applies=of_labels,
)

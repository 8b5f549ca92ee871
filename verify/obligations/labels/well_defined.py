"""``well-defined`` of data with labels: the joint law is positive and finite for all labels."""

from __future__ import annotations

from sympy import Expr

from recipe.language.total import total
from recipe.latent.increments import with_one_count
from recipe.signs.defined import conditions
from verify.decide.definedness import NO_POINT, decide_condition, has_a_point
from verify.labels.subject import LabelSubject
from verify.obligation import Obligation, of_labels
from verify.verdict import Outcome, conjunction, undecided


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
        if whole.has(z.count) and z.counts in whole.free_symbols:
            whole = whole.xreplace({z.count: total(z.counts)})
        for condition in conditions(whole):
            named.setdefault(condition, (where, decide_condition(condition)))
    return conjunction(
        named.values(),
        f"{len(named)} conditions on signs, for all counts and on the whole domain",
    )


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

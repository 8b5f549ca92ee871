"""Is the weight of a label in a draw that of the joint law, up to a factor of all labels?"""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr, expand_log, log

from recipe.language.domain import on_simplex
from recipe.latent.increments import with_one_size, without_gammas
from recipe.signs.defined import POSITIVE, Condition
from recipe.signs.sign import is_positive
from verify.decide.definedness import breaking_point
from verify.decide.zero.decide import decide_zero, vanishes
from verify.labels.subject import LabelSubject
from verify.labels.two_labels import K, L, of_label, that_can_occur, with_own
from verify.verdict import Outcome, Verdict, conjunction, proved, refuted, undecided

STATES = (
    ("the item has a third label before its draw", 0, 0),
    ("the item has label k before its draw", 1, 0),
    ("the item has label l before its draw", 0, 1),
)
ALONE = (("", 0, 0),)
ON_A_SIMPLEX = "rows on a simplex: no two of them that can occur were looked for"


def decide_positive(subject: LabelSubject) -> Outcome:
    """Decide whether every label has a positive weight in every draw."""
    z = subject.declared.labels
    weight = with_one_size(with_own(subject.weight, z, 0), z)
    if is_positive(weight):
        return proved("signs")
    shown = that_can_occur(of_label(weight, K, z, subject.state), z, third=True)
    witness = None if _on_simplex(subject) else breaking_point(Condition(shown, POSITIVE, shown))
    if witness is not None:
        return refuted("the weight of a label is not positive at the witness", witness)
    return undecided(f"the sign of the weight {subject.weight} was not found")


def decide_conditional(subject: LabelSubject) -> Outcome:
    """Decide whether the weights of two labels have the ratio of the joint law, wherever the item
    was before its draw.
    """
    states = STATES if subject.reads_own_label else ALONE
    parts = [("weight", decide_positive(subject))]
    parts += [(name, _decide_ratio(subject, *own)) for name, *own in states]
    weight = subject.declared.labels.text_of(subject.declared.weight)
    outcome = conjunction(parts, "the ratio of the weights of two labels is that of the joint law")
    if outcome.verdict is Verdict.PROVED:
        return replace(outcome, facts=(f"the weight is {weight}",))
    return replace(
        outcome,
        by=outcome.by.removeprefix(": "),
        repair=f"the weight must be {weight}, up to a factor without the label",
    )


def _decide_ratio(subject: LabelSubject, own_k: int, own_l: int) -> Outcome:
    return _decide_difference(
        subject, _excess(subject, K, own_k) - _excess(subject, L, own_l), third=True
    )


def difference_that_can_occur(subject: LabelSubject) -> Expr:
    """Return how far the log of the ratio of two weights is from that of the joint law, in states
    that can occur, if the item has a third label before its draw.
    """
    z = subject.declared.labels
    difference = _excess(subject, K, 0) - _excess(subject, L, 0)
    return that_can_occur(with_one_size(difference, z), z, third=True)


def _excess(subject: LabelSubject, label: str, own: int) -> Expr:
    """The log of the weight of a label, less what the item adds to its log joint law."""
    model = subject.declared
    weight = with_own(subject.weight, model.labels, own)
    return of_label(log(weight) - model.increment, label, model.labels, model.blocks)


def decide_balance(subject: LabelSubject) -> Outcome:
    """Decide whether one draw between two labels keeps the conditional law.

    With two labels a law is kept if and only if as much of it goes from k to l as from l to k.
    """
    z = subject.declared.labels

    def weight(label: str, own: int) -> Expr:
        return of_label(with_own(subject.weight, z, own), label, z, subject.state)

    def flow(start: str, end: str) -> Expr:
        law = of_label(subject.declared.increment, start, z, subject.state)
        there, stay = weight(end, 0), weight(start, 1)
        return law + log(there) - log(stay + there)

    return _decide_difference(subject, flow(K, L) - flow(L, K), third=False)


def _decide_difference(subject: LabelSubject, difference: Expr, third: bool) -> Outcome:
    """Decide whether an expression of two labels is zero; a witness is a state that can occur."""
    difference = with_one_size(difference, subject.declared.labels)
    if vanishes(difference) or vanishes(without_gammas(expand_log(difference))):
        return proved("canonical form")
    if _on_simplex(subject):
        return undecided(ON_A_SIMPLEX)
    outcome = decide_zero(that_can_occur(difference, subject.declared.labels, third))
    if outcome.verdict is not Verdict.PROVED:
        return outcome
    general = decide_zero(difference)  # rows of one column are in its scope as well
    return general if general.verdict is Verdict.PROVED else undecided("for rows of two columns")


def _on_simplex(subject: LabelSubject) -> bool:
    return any(on_simplex(block) for block in subject.state)

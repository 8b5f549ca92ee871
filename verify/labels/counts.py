"""Is the gradient of the joint law affine in the counts, and is a printed estimate the derived
one?
"""

from __future__ import annotations

from sympy import Expr, Integer, Symbol

from recipe.language.blocks import Block
from recipe.language.data import VectorData
from recipe.language.errors import OutsideLanguageError
from recipe.language.symbols import Indexed, assumptions_of, generic
from recipe.language.total import total
from recipe.latent.increments import with_one_count
from recipe.latent.labels import ITEM, Labels
from verify.decide.zero.decide import decide_zero
from verify.labels.subject import LabelSubject
from verify.verdict import Outcome, Verdict, undecided


def decide_affine(subject: LabelSubject, block: Block) -> Outcome:
    """Decide whether the gradient by a block is affine in ``z.count`` and ``z.counts``.

    With g at the counts a and b, it is ``g(a + b) - g(a) - g(b) + g(0) = 0``.
    """
    z = subject.declared.labels
    e = with_one_count(subject.declared.datum_gradient[block], z)
    facts = assumptions_of(z.counts)
    other = Indexed.__new__(VectorData, f"{z.counts.base}_other", z.like.length, 0, (), **facts)
    other_count = Symbol(f"{z.count}_other", **assumptions_of(z.count))

    def at(count: Expr, counts: Expr) -> Expr:
        places = {s for s in e.atoms(VectorData) if generic(s) == z.counts}
        moved = {s: _moved(counts, s.label) for s in places}
        return e.xreplace({z.count: count, **moved})

    difference = (
        at(z.count + other_count, z.counts + other)
        - at(z.count, z.counts)
        - at(other_count, other)
        + at(Integer(0), Integer(0))
    )
    return decide_zero(difference)


def _moved(e: Expr, label: int) -> Expr:
    return e.xreplace({s: s.at(label) for s in e.atoms(Indexed)})


def decide_estimate(subject: LabelSubject, block: Block) -> Outcome:
    """Decide whether the printed estimate of the gradient by a block is the derived one."""
    model, z = subject.declared, subject.declared.labels
    assert model.gradient is not None
    try:
        estimate = model.estimate_of(block)
    except OutsideLanguageError as error:
        return undecided(str(error))
    affine = decide_affine(subject, block)
    if affine.verdict is not Verdict.PROVED:
        return undecided(
            f"the gradient of {block} was not shown to be affine in the counts of a datum, and sums"
            " of counts determine no other"
        )
    printed = model.gradient[block]
    if z.each == ITEM:  # the same number, as each item has one column
        printed = printed.xreplace({z.members: total(z.summed)})
    rest = Symbol(f"{z.data}_beyond_the_minibatch", integer=True, nonnegative=True)
    difference = (printed - estimate).xreplace({z.data: z.batch + rest})
    outcome = decide_zero(difference)
    if outcome.verdict is not Verdict.REFUTED or z.members not in difference.free_symbols:
        return outcome
    occurs = decide_zero(_that_can_occur(difference, z))
    if occurs.verdict is Verdict.REFUTED:
        return occurs
    return undecided("no minibatch that can occur was found in which it differs")


def _that_can_occur(e: Expr, z: Labels) -> Expr:
    """An expression of the counts of a minibatch, in minibatches that can occur: some data have the
    label in every draw, each with an item in every column, and further data may have it or not.
    """
    members = Symbol(z.members.name, integer=True, positive=True)
    further = Symbol(f"{z.batch}_without_the_label", integer=True, nonnegative=True)
    facts = assumptions_of(z.summed)
    base = f"{z.summed.base}_beyond_one_an_item"
    more = Indexed.__new__(VectorData, base, z.like.length, 0, (), **facts)
    places = {s for s in e.atoms(VectorData) if generic(s) == z.summed}
    at = {s: members + more.at(s.label) for s in places}
    return e.xreplace({**at, z.members: members, z.batch: members + further})

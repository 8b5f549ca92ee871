"""Detailed balance of a proposal with a density, against mean and covariance that are derived from the rule by another way."""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr, S, log

from recipe.calculus import contract, partial
from recipe.errors import OutsideLanguageError
from recipe.expectation import NOISE, expectation
from recipe.free import abstract_of
from recipe.kernel.part import MetropolisHastings
from recipe.kernel.partner import at_partner
from recipe.symbols import GENERIC, OTHER, Block, Indexed, Vector, generic
from recipe.total import relabel
from recipe.update import Update
from verify.signs.sign import is_positive
from verify.verdict import Outcome, Witness, conjunction, proved, undecided
from verify.zero.decide import decide_zero, vanishes

Moments = dict[Block, tuple[Expr, Expr]]


def decide_hastings(part: MetropolisHastings) -> Outcome:
    """``pi(x) q(y | x) a(x, y)`` is symmetric in x and y, and q is positive wherever both points are in the domain."""
    moments = moments_of(part.proposal)
    if isinstance(moments, str):
        return undecided(moments)
    named = [(f"the variance of {b}", _positive(b, variance)) for b, (_, variance) in moments.items()]
    named.append(("log ratio - log pi(y) q(x | y) / (pi(x) q(y | x))", _balance(part, moments)))
    by = "the log ratio is that of pi(y) q(x | y) and pi(x) q(y | x), with a density q that is positive everywhere"
    outcome = conjunction(named, by=by)
    edges = [b.name for b in moments if b.domain != S.Reals]
    lines = (f"a proposal outside the domain of {' or '.join(edges)} is rejected",) if edges else ()
    return replace(outcome, assumptions=(*outcome.assumptions, *lines))


def moments_of(update: Update) -> Moments | str:
    """Mean and variance of each block that moves, whose coordinates are independent and normal; or why that is not proved."""
    moving = [(b, e) for b, e in update.rule if e != b]
    if update.sequential and len(moving) > 1:
        return "the rule is sequential, so that its joint density is not derived"
    for block, e in moving:
        for w in {generic(s) for s in e.atoms(*NOISE)}:
            slopes = [partial(e, w), partial(e, w.at(OTHER))] if isinstance(w, Indexed) else [partial(e, w)]
            if any(slope.has(*NOISE) for slope in slopes):
                return f"{block} := {e} is not linear in its noise, so that it is not normal"
    try:
        noise = {b: e - expectation(e) for b, e in moving}
        if any(not vanishes(c) for c in _covariances(noise)):
            return "two coordinates of the proposal are not independent"
        return {b: (expectation(e), expectation(noise[b] ** 2)) for b, e in moving}
    except OutsideLanguageError as error:
        return str(error)


def _covariances(noise: dict[Block, Expr]) -> list[Expr]:
    """Everything in the covariance of the noise that is off its diagonal."""
    blocks = list(noise)
    found = [expectation(noise[b] * relabel(noise[b], GENERIC, OTHER)) for b in blocks if isinstance(b, Vector)]
    for k, a in enumerate(blocks):
        for b in blocks[k + 1 :]:
            found += [expectation(noise[a] * noise[b]), expectation(noise[a] * relabel(noise[b], GENERIC, OTHER))]
    return found


def _positive(block: Block, variance: Expr) -> Outcome:
    """D > 0: without it the move back has no density where the noise vanishes."""
    if is_positive(variance):
        return proved("it is positive")
    return undecided(f"{variance} is not proved to be positive everywhere, so that a move to {block} may have no way back")


def _balance(part: MetropolisHastings, moments: Moments) -> Outcome:
    second = dict(part.partners)
    if set(second) != set(moments):
        return undecided("the partners of the proposal are not the blocks that it moves")
    minus_log = part.proposal.target
    for block, (mean, variance) in moments.items():
        minus_log += contract((second[block] - mean) ** 2 / (2 * variance) + log(variance) / 2, block)
    if not set(abstract_of([part.cost])) <= set(part.proposal.abstract):
        return undecided("the cost has abstract functions that the proposal has not")
    difference = part.cost - minus_log
    outcome = decide_zero(difference - at_partner(difference, part.partners))
    if outcome.witness is not None and not _differ(outcome.witness, part):
        return undecided("it is not zero where both states are one, which says nothing of functions of the state")
    return outcome


def _differ(witness: Witness, part: MetropolisHastings) -> bool:
    """Whether the two states of a witness are apart: only then do functions of both have values that are free."""
    return all(witness.point.get(a.name) != witness.point.get(b.name) for a, b in part.partners)

"""The transitions of an exact step, block by block: each block moves by itself, and its rule must
draw from the law of its process.

A map theta = f(phi) may lead to a process phi whose law is known. Drift and noise of phi follow
from those of theta by Ito's formula, and its rule from that of theta by the map. f must map the
real line onto the domain, with an inverse; then phi is judged in the place of theta.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sympy import Expr, Interval, expand_mul

from recipe.declare.transformations.map import Map
from recipe.declare.update import Update
from recipe.language.blocks import Block
from recipe.language.calculus import abstract_atoms, explicit
from recipe.language.chi_squared import NoncentralChiSquared
from recipe.language.domain import finite_ends
from recipe.language.entry import parts
from recipe.language.errors import OutsideLanguageError
from recipe.language.expectation import NOISE
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import name_of
from recipe.language.total import substitute
from recipe.scheme.exact import Exact, Transition
from recipe.scheme.summed_data import SummedData
from recipe.signs.defined import NONNEGATIVE, POSITIVE, PROVERS, Condition, conditions, is_smooth
from verify.decide.zero.canonical import normalised
from verify.decide.zero.decide import vanishes
from verify.discrete.exact.data import can_be_positive, posteriors_of, sums_over_data
from verify.discrete.exact.kolmogorov import decide_transition
from verify.discrete.exact.law import ChiSquaredLaw, Law, law_of
from verify.subject import Subject
from verify.verdict import Outcome, Verdict, proved, undecided

DEGREES = "the degrees of freedom"

Found = Iterator[tuple[str, Outcome]]


@dataclass(frozen=True)
class MatchedTransition:
    """The process of one block, and the law that the rule draws its next value from; sums over
    ``data`` are written as symbols.
    """

    variable: Block
    law: Law
    drift: Expr
    noise: Expr
    data: tuple[SummedData, ...] = ()


def judged(
    subject: Subject, update: Update, exact: Exact
) -> list[tuple[Transition, MatchedTransition]]:
    """Return each declared transition with the process and the law that are to be compared.

    Raises:
        RecipeError: where a block is not seen to move by itself with a draw of its own.
    """
    _check_apart(subject, update, exact)
    return [(t, _matched_transition(subject, update, t)) for t in exact.transitions]


def _check_apart(subject: Subject, update: Update, exact: Exact) -> None:
    """Refuse blocks that share a draw or noise, recur, or have no declared transition."""
    used: dict[str, Block] = {}
    for block, e in update.rule:
        for w in e.atoms(*NOISE):
            if used.setdefault(name_of(w), block) != block:
                raise OutsideLanguageError(f"{block} and {used[name_of(w)]} move by one draw, {w}")
    if len(update.rule) != len(subject.state):
        raise OutsideLanguageError("a block recurs, or has no rule")
    missing = next(
        (b for b in subject.state if b not in {t.block for t in exact.transitions}), None
    )
    if missing is not None:
        raise OutsideLanguageError(f"no exact transition is declared for {missing}")
    for (row, column), entry in subject.dynamics.diffusion.items():
        first, *rest = parts(entry)
        if any(e != 0 for e in ([first, *rest] if row != column else rest)):
            raise OutsideLanguageError(
                f"the noises of {row} and {column} are not independent from coordinate to"
                " coordinate"
            )


def _matched_transition(
    subject: Subject, update: Update, transition: Transition
) -> MatchedTransition:
    """Return the process of one block, or of its preimage under a map, with the law that its rule
    draws from.
    """
    block = transition.block
    data = sums_over_data(subject, block, transition.map)
    meaning = {d.gradient: d.written_out for d in data}
    noise, *_ = parts(subject.dynamics.diffusion[block, block])
    drift, noise = (e.xreplace(meaning) for e in (subject.dynamics.drift[block], noise))
    rule = dict(update.rule)[block].xreplace(meaning)
    for e in (drift, noise, rule):
        others = blocks_in(e, subject.state) - {block}
        if others or any(not isinstance(a, NoncentralChiSquared) for a in abstract_atoms(e)):
            raise OutsideLanguageError(
                f"{e} is not an expression of one coordinate of {block} alone"
            )
    if transition.map is None:
        return MatchedTransition(
            block, law_of(_with_short_parameters(rule), block), drift, noise, data
        )
    phi, f = transition.variable, transition.map(transition.variable)
    base = _rule_of_preimage(rule, transition, f)
    slope, bend = (explicit(e, phi) for e in (f, explicit(f, phi)))
    across = substitute(noise, {block: f}) / slope**2
    along = (substitute(drift, {block: f}) - bend * across) / slope
    return MatchedTransition(phi, law_of(base, phi), along, across, data)


def _rule_of_preimage(rule: Expr, transition: Transition, image: Expr) -> Expr:
    """Return the rule of phi of which the rule of theta is the image: the declared rule where its
    image is still that of theta, and a derived one otherwise.
    """
    assert transition.map is not None
    assert transition.map.inverse is not None
    moved = substitute(rule, {transition.block: image})
    if vanishes(moved - transition.map(transition.base)):
        return transition.base
    return normalised(transition.map.inverse(moved))


def _with_short_parameters(rule: Expr) -> Expr:
    """Return the rule with the degrees of freedom multiplied out, so that terms cancel."""
    return rule.xreplace(
        {
            x: NoncentralChiSquared(x.noise, expand_mul(x.df), x.nonc)
            for x in rule.atoms(NoncentralChiSquared)
        }
    )


def decide_transitions(
    subject: Subject, update: Update, found: list[tuple[Transition, MatchedTransition]]
) -> Found:
    """Yield every condition of exactness, by name, with its outcome."""
    for transition, process in found:
        where = str(transition.block)
        if transition.map is not None:
            yield f"{where} = f({transition.variable})", _is_a_map_onto(transition, transition.map)
        for data in process.data:
            yield f"{where}: the gradient", _estimates(data, subject)
        for name, outcome in decide_transition(
            process.law, process.variable, update.step, process.drift, process.noise
        ):
            yield f"{where}: {name}", _of_data(outcome, process) if name == DEGREES else outcome


def _estimates(data: SummedData, subject: Subject) -> Outcome:
    """Return a proof with the assumption that a gradient written by the user estimates the derived
    one.
    """
    if posteriors_of(subject)[data.gradient.head].user_gradient is None:
        return proved("")
    return proved(
        "",
        f"gradient= of {data.gradient.head} estimates the gradient that its log_likelihood and"
        " log_prior have",
    )


def _of_data(outcome: Outcome, process: MatchedTransition) -> Outcome:
    """Return the outcome for degrees of freedom that depend on data.

    The given data may satisfy the condition where other data do not. So it becomes an assumption on
    the data, if some data satisfy it for all parameters.
    """
    assert isinstance(process.law, ChiSquaredLaw)
    df = process.law.draw.df
    sums = tuple(d for d in process.data if d.total in df.free_symbols)
    if outcome.verdict is Verdict.PROVED or not sums:
        return outcome
    if process.variable in df.free_symbols:
        return undecided(f"{df} > 0 could not be proved for all data")
    said = " and ".join(f"{d.total} the sum over the data of {d.each}" for d in sums)
    if not can_be_positive(df, sums):
        return undecided(
            f"no data were found for which, whatever the parameters are, {df} > 0, with {said}"
        )
    return proved("of the data", f"the data are such that {df} > 0, with {said}")


def _is_a_map_onto(transition: Transition, f: Map) -> Outcome:
    """Prove that f is smooth and maps the real line onto the domain, with its inverse; undecided
    otherwise, as nothing then follows for the law.
    """
    theta, phi = transition.block, transition.variable
    assert f.inverse is not None
    image, back = f(phi), f.inverse(theta)
    inverse = vanishes(f(back) - theta) and vanishes(f.inverse(image) - phi)
    inside = all(PROVERS[c.sign](c.e) for c in (*_inside(image, theta.domain), *conditions(back)))
    if inverse and inside and is_smooth(image):
        return proved("a smooth map and its inverse")
    return undecided(
        f"{f} is not seen to be a smooth map of the real line onto {theta.domain} and back"
    )


def _inside(e: Expr, domain: Interval) -> list[Condition]:
    """Return the conditions for e to lie in an interval."""
    return [
        Condition(end.gap(e), NONNEGATIVE if end.belongs else POSITIVE, e)
        for end in finite_ends(domain)
    ]

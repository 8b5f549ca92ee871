"""``well-defined``: every expression has a value at every point of the domain."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr, Symbol

from recipe import Update
from recipe.entry import parts
from verify.definedness import Condition, conditions, decide_condition, decide_for_small_steps
from verify.obligation import Obligation
from verify.subject import Subject
from verify.verdict import Outcome, Verdict, conjunction, undecided
from verify.zero.decide import explicit_sizes
from verify.zero.point import NoValueError, Point


def discharge(subject: Subject) -> Outcome:
    """Collect every condition on denominators, logarithms and roots, and decide each."""
    if not _has_a_point(subject):
        return undecided("no point was found that satisfies all assumptions; a proof about an empty domain would say nothing")
    named: dict[object, tuple[str, Outcome]] = {}
    for e, where in expressions_of(subject):
        for condition in conditions(e):
            if condition not in named:
                named[condition] = (where, _decide(condition, subject))
    count = len(named)
    by = "no denominators, logarithms or roots" if count == 0 else f"{count} condition{'s' if count > 1 else ''} on signs"
    return conjunction(named.values(), by=by)


def _decide(condition: Condition, subject: Subject) -> Outcome:
    outcome = decide_condition(condition)
    if outcome.verdict is Verdict.PROVED or not isinstance(subject.declared, Update):
        return outcome
    step = subject.declared.step
    # The limit exists all the same, and is judged by itself: sqrt(1 - eps) is a rule for steps below 1.
    return decide_for_small_steps(condition, step) if step in condition.e.free_symbols else outcome


def expressions_of(subject: Subject) -> Iterator[tuple[Expr, str]]:
    """Every expression that must have a value, with its place."""
    yield from subject.written
    for block, e in subject.dynamics.drift.items():
        yield e, f"the drift of {block}"
    for (row, column), entry in subject.dynamics.diffusion.items():
        for e in parts(entry):
            yield e, f"the diffusion between {row} and {column}"


def _has_a_point(subject: Subject) -> bool:
    """Whether every symbol can be given a value that satisfies what was declared of it."""
    expressions = [e for e, _ in subject.written]
    point = Point(next(explicit_sizes(expressions)), seed=1)
    try:
        for e in (*expressions, *subject.state):
            for s in sorted(e.atoms(Symbol), key=str):
                point.choose(s)
    except NoValueError:
        return False
    return True


WELL_DEFINED = Obligation(
    name="well-defined",
    statement="H, D, Q, the drift and the diffusion are defined at every point of the domain",
    explanation=(
        "A denominator that can vanish, or a logarithm or root of something negative, leaves the process undefined there. "
        "Each such condition is proved from the signs that the declared assumptions give to its parts."
    ),
    discharge=discharge,
)

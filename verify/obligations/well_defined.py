"""``well-defined``: every expression has a value at every point of the domain."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr

from recipe import Update
from recipe.entry import parts
from verify.definedness import NO_POINT, Condition, conditions, decide_condition, decide_for_small_steps, has_a_point
from verify.obligation import Obligation
from verify.subject import Subject
from verify.verdict import Outcome, Verdict, conjunction, undecided


def discharge(subject: Subject) -> Outcome:
    """Collect every condition on denominators, logarithms and roots, and decide each."""
    if not has_a_point([*(e for e, _ in subject.written), *subject.state]):
        return undecided(NO_POINT)
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


WELL_DEFINED = Obligation(
    name="well-defined",
    statement="H, D, Q, the drift and the diffusion are defined at every point of the domain",
    explanation=(
        "A denominator that can vanish, or a logarithm or root of something negative, leaves the process undefined there. "
        "Each such condition is proved from the signs that the declared assumptions give to its parts."
    ),
    discharge=discharge,
)

"""Check that the laws which a rule draws from exist; a rule without a value at any step has no
meaningful limit.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Symbol

from recipe import NoncentralChiSquared, Update
from recipe.language.free_symbols import abstract_of
from recipe.signs.defined import NONNEGATIVE, Condition, own_conditions
from verify.decide.definedness import breaking_point, decide_condition, decide_for_small_steps
from verify.verdict import Outcome, Verdict, proved, undecided


def decide_draws(update: Update) -> Iterator[tuple[str, Outcome]]:
    """Decide the conditions on the parameters of every draw that is not normal, as (name of the
    draw, outcome).
    """
    for block, e in update.rule:
        for draw in sorted(e.atoms(NoncentralChiSquared), key=str):
            for condition in own_conditions(draw):
                yield f"the draw of {block}", _decide(condition, update.step)


def _decide(condition: Condition, step: Symbol) -> Outcome:
    outcome = decide_condition(condition)
    if outcome.verdict is Verdict.PROVED:
        return outcome
    if abstract_of([condition.e]):
        return _where_it_holds(condition)
    return decide_for_small_steps(condition, step) if step in condition.e.free_symbols else outcome


def _where_it_holds(condition: Condition) -> Outcome:
    """Accept a condition that holds for some abstract functions and not for others, if it can hold
    at all.

    The limit is then stated for those for which it holds, which is recorded as an assumption.
    """
    if breaking_point(Condition(-condition.e, NONNEGATIVE)) is None:
        return undecided(f"no point was found where {condition}")
    return proved(
        "where the rule has a value",
        f"the rule draws where {condition}, and is not considered elsewhere",
    )

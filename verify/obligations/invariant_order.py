"""``invariant-order``: how close the invariant law of a step is to exp(-H), as a power of the step, in one dimension."""

from __future__ import annotations

from recipe import Discretisation, RecipeError
from verify.obligation import Obligation, of_steps
from verify.order import Order, invariant_order
from verify.subject import Subject
from verify.verdict import Outcome, Verdict, proved, undecided
from verify.zero.errors import CannotDecideError


def discharge(subject: Subject) -> Outcome:
    """Proved where the order is positive, whatever it is; refuted where exp(-H) is not even right as the step vanishes."""
    assert isinstance(subject.declared, Discretisation)
    try:
        order = invariant_order(subject.declared.update)
    except (RecipeError, CannotDecideError) as error:
        return undecided(str(error))
    if order.order > 0:
        return proved(_said(order), *order.assumptions)
    if not order.exact:
        return undecided(order.by)
    return Outcome(Verdict.REFUTED, _said(order), order.witness, order.assumptions)


def _said(order: Order) -> str:
    lines = [f"order {order.known} of the joint law ({order.by})", *map(str, order.marginals), f"for: {order.scope}"]
    return "; ".join(lines)


INVARIANT_ORDER = Obligation(
    name="invariant-order",
    statement="A_k^dagger exp(-H) = 0 for k <= p, where E phi(z') = phi + sum_k step^k A_k phi",
    explanation=(
        "The chain has a law of its own, which is exp(-H) only in the limit of small steps. The order p says how fast they come "
        "together: the density is off by a multiple of step^p."
    ),
    discharge=discharge,
    applies=of_steps,
    required=False,
)

"""``invariant-order``: the order of the distance between exp(-H) and the law that the step leaves
invariant.
"""

from __future__ import annotations

from recipe import Discretisation, RecipeError
from verify.decide.zero.errors import CannotDecideError
from verify.discrete.weak_order import Order, invariant_order
from verify.discrete.weak_order.prime_notation import power_of_step, shown
from verify.obligation import Obligation, of_steps
from verify.subject import Subject
from verify.verdict import Outcome, Verdict, assuming, undecided


def discharge(subject: Subject) -> Outcome:
    """Prove it from order 1 on, and refute it below.

    The outcome has a scope of its own, as the expansion is made in one dimension.
    """
    assert isinstance(subject.declared, Discretisation)
    try:
        found = invariant_order(subject.declared.update)
    except (RecipeError, CannotDecideError) as error:
        return undecided(str(error))
    if found.order < 1 and not found.exact:
        return undecided(f"the law is not proved to be right at any order ({found.by})")
    verdict = Verdict.PROVED if found.order >= 1 else Verdict.REFUTED
    how = f"order {found.known}: {found.by}"
    witness = found.witness if verdict is Verdict.REFUTED else None
    return Outcome(
        verdict, how, witness, assuming(found.assumptions), scope=found.scope, facts=_facts(found)
    )


def _facts(found: Order) -> tuple[str, ...]:
    density = () if found.correction is None else (_density(found),)
    return (*density, *map(str, found.marginals))


def _density(found: Order) -> str:
    return (
        f"its density is exp(-H) (1 + {power_of_step(found.order)} ({shown(found.correction)}) +"
        " ...), up to normalisation"
    )


INVARIANT_ORDER = Obligation(
    name="invariant-order",
    statement=(
        "A_k^dagger exp(-H) = 0 for k = 1..p with p >= 1, where E phi(z') = phi + sum_k eps^k"
        " A_k phi"
    ),
    explanation=(
        "A scheme leaves a law near exp(-H) invariant, and the order p says how near: averages are"
        " off by about eps^p. A consistent scheme has order 1 at least, BAOAB has 2. The law of the"
        " positions alone may be better than the joint one. It is assumed that the scheme has an"
        " invariant law that depends smoothly on the step; explicit Euler on a quartic potential"
        " has none. For an abstract U the order is proved in one dimension; a higher order for"
        " every d is then refuted."
    ),
    discharge=discharge,
    applies=of_steps,
    required=False,
)

"""The smallest edit of a refuted claim that makes exp(-target) stationary, proved before it is
proposed.

The residual of an edited rule is linear in the coefficient c of most edits. So c is read off two
residuals where their quotient is constant. The rule with this c is then put to the zero test like
any other claim, and this test alone decides.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice

from sympy import Expr

from recipe import RecipeError, Update, limit_of
from recipe.declare.dynamics import Dynamics
from recipe.language.blocks import Block
from recipe.language.entry import is_zero_entry
from recipe.signs.defined import conditions
from verify.audit.parameters import is_constant
from verify.audit.repair.edits import Claim, Edit, edits_of
from verify.audit.repair.pairs import pairs_of
from verify.audit.repair.residual import is_readable, operations, residual_of
from verify.decide.definedness import holds
from verify.decide.zero.canonical import Canonical
from verify.decide.zero.decide import vanishes
from verify.decide.zero.errors import CannotDecideError
from verify.decide.zero.generators import CAPACITIES
from verify.diffusion.infinity.mass import decide_finite
from verify.generator.fokker_planck import residual
from verify.verdict import Verdict

MAX_EDITS = 60
MAX_SECONDS = 5.0  # of processor time; a refutation does not wait longer for advice
MAX_RESIDUAL_OPERATIONS = 1500  # for a longer residual no edit is sought


@dataclass(frozen=True)
class Repair:
    """An update rule for which stationarity is proved, and, in words, how it differs from the
    claimed rule.
    """

    text: str
    update: Update


def find_repair(claim: Claim, is_sound: Callable[[Update], bool] = lambda _: True) -> Repair | None:
    """Find the cheapest edit of a refuted rule for which stationarity is proved.

    Args:
        claim: the refuted rule, its limit and the gradient of its target.
        is_sound: a further condition on the edited rule, tested after stationarity is proved.

    Returns:
        The first edit, by the number of operations that change, or two edits of the drift together.
            None where no edit is proved, or where the search would be too long: None says nothing
            about the rule.
    """
    for text, meant in claim.update.meant:  # what the code shows goes before what could be edited
        if _is_repaired(meant, is_sound):
            return Repair(text, meant)
    left_over = residual(claim.dynamics, claim.gradient)
    if left_over.count_ops() > MAX_RESIDUAL_OPERATIONS:
        return None
    for build, describe in _candidates(claim, left_over):
        try:
            update = build()
            a_law = update.target == claim.update.target or _may_have_finite_mass(update)
            if not (
                a_law and _is_defined(update, claim.update) and is_readable(text := describe())
            ):
                continue
        except (RecipeError, RecursionError):
            continue  # the edited rule leaves the language, or cannot be followed
        if _is_repaired(update, is_sound):
            return Repair(text, update)
    return None


def _is_repaired(update: Update, is_sound: Callable[[Update], bool]) -> bool:
    """Return True if stationarity is proved of a rule, all of whose blocks move, and it is sound;
    False where it has no limit, leaves the language, or cannot be followed.
    """
    try:
        moves = _all_move(limit_of(update))
        return moves and vanishes(residual_of(update)) and is_sound(update)
    except (RecipeError, RecursionError):
        return False


def _candidates(
    claim: Claim, left_over: Expr
) -> Iterator[tuple[Callable[[], Update], Callable[[], str]]]:
    """Yield single edits, and then pairs of edits of the drift: for each a function that makes the
    rule, and one that describes it.
    """
    for edit, c in _by_cost(claim, left_over):
        yield partial(edit.build, c), partial(edit.describe, c)
    for pair in pairs_of(claim, left_over):
        yield partial(pair.update, claim.update), pair.describe


def _by_cost(claim: Claim, left_over: Expr) -> Iterator[tuple[Edit, Expr]]:
    """Yield the edits whose coefficient is known, with this coefficient, those with the fewest
    operations first.

    An edit is solved for its coefficient only when all cheaper ones were yielded.
    """
    deadline = time.process_time() + MAX_SECONDS
    solved: list[tuple[int, int, Edit, Expr]] = []
    for n, edit in enumerate(sorted(islice(edits_of(claim), MAX_EDITS), key=lambda e: e.cost)):
        while solved and solved[0][0] <= edit.cost:
            yield heapq.heappop(solved)[2:]
        if time.process_time() > deadline:
            return
        c = (
            _coefficient(edit, left_over, claim.dynamics.state)
            if edit.fixed is None
            else edit.fixed
        )
        if c is not None:
            heapq.heappush(solved, (edit.cost + operations(c), n, edit, c))
    while solved:
        yield heapq.heappop(solved)[2:]


def _coefficient(edit: Edit, left_over: Expr, state: tuple[Block, ...]) -> Expr | None:
    """Return the c at which the residual vanishes if it is linear in c; None where this c is not a
    constant.
    """
    try:
        canonical = Canonical(CAPACITIES[0])
        before, after = (
            canonical.read(left_over),
            canonical.read(residual_of(edit.build(edit.start + 1))),
        )
        if (after - before).is_zero():
            return None
        c = canonical.generators.expression(canonical.read(edit.start) + before / (before - after))
    except (RecipeError, CannotDecideError, RecursionError):
        return None
    return c if is_constant(c, state) else None


def _is_defined(update: Update, claimed: Update) -> bool:
    """Return True if an edit brings in no expression that may be without a value, such as a
    division by a parameter that may be zero.
    """
    before, after = ({c for e, _ in u.written() for c in conditions(e)} for u in (claimed, update))
    return all(holds(c, update.step) for c in after - before)


def _may_have_finite_mass(update: Update) -> bool:
    """Return False if the density of a repaired target is known to have an infinite mass."""
    return decide_finite(update.target, update.state).verdict is not Verdict.REFUTED


def _all_move(dynamics: Dynamics) -> bool:
    """Return True if every block moves: a rule that does nothing keeps every law and samples
    nothing.
    """
    return all(
        dynamics.drift[b] != 0 or not is_zero_entry(dynamics.diffusion[b, b])
        for b in dynamics.state
    )

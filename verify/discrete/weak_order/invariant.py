"""The order to which the invariant law of a step is ``exp(-H)``.

With ``E phi(z') = phi + sum_k step^k A_k phi``, an invariant density ``rho (1 + step^p f + ...)``
needs ``A_k^dagger rho = 0`` for k <= p and ``A_1^dagger (rho f) = -A_{p+1}^dagger rho`` (Talay &
Tubaro 1990; Abdulle, Vilmart & Zygalakis 2014, "High order numerical approximation of the invariant
measure of ergodic SDEs"; Leimkuhler, Matthews & Stoltz 2016). Where the recorded values are not the
state, their law is ``Q^dagger`` applied to the law of the state, and the density that is pushed
through the step is the formal ``(Q^dagger)^-1 rho``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sympy import Expr, Rational

from recipe.declare.update import Update
from recipe.language.blocks import Block
from recipe.language.errors import OutsideLanguageError
from recipe.language.expectation import NOISE
from verify.decide.zero.decide import decide_zero
from verify.discrete.weak_order.density_change import Expansion, expansion_of
from verify.discrete.weak_order.marginal import Marginal, marginal_of
from verify.discrete.weak_order.poisson import correction
from verify.discrete.weak_order.prime_notation import power_of_step, shown
from verify.discrete.weak_order.scope import assumptions_for, scope_in_one_dimension
from verify.discrete.weak_order.step import Step, step_of
from verify.verdict import Outcome, Verdict, Witness

HIGHEST_K = 4  # A_k is compared with zero up to this k


@dataclass(frozen=True)
class Order:
    """The proved order of the invariant law, for everything in ``scope`` and under ``assumptions``.

    Attributes:
        order: the law of the whole state is right up to ``step^order``.
        exact: whether the order is proved to be no higher, because ``residual`` is not zero at
            ``witness``. With abstract functions that means: not for all of them.
        by: how the order is known, or why no more is.
        scope: for which laws and lengths the order is proved, in words.
        assumptions: what the proof assumes, in words.
        residual: ``A_{p+1}^dagger rho / rho``; None where ``exact`` is False.
        witness: a point at which the residual is not zero; None where ``exact`` is False.
        correction: f in ``rho (1 + step^p f)``, up to a normalising constant; None where no
            polynomial in the jets was found.
        marginals: the orders of the laws of some blocks alone.
    """

    order: Rational
    exact: bool
    by: str
    scope: str
    assumptions: tuple[str, ...]
    residual: Expr | None = None
    witness: Witness | None = None
    correction: Expr | None = None
    marginals: tuple[Marginal, ...] = ()

    @property
    def known(self) -> str:
        """The order in words, such as "at least 2"."""
        return f"{'exactly' if self.exact else 'at least'} {self.order}"

    def __str__(self) -> str:
        lines = [f"joint law: order {self.known} ({self.by})"]
        if self.correction is not None:
            lines.append(
                f"leading correction: exp(-H) (1 + {power_of_step(self.order)}"
                f" ({shown(self.correction)})), up to normalisation"
            )
        lines += [str(marginal) for marginal in self.marginals]
        return "\n".join(
            [*lines, f"for: {self.scope}", *(f"given that {line}" for line in self.assumptions)]
        )


def invariant_order(
    update: Update, *, highest: int = HIGHEST_K, marginals: Iterable[Sequence[Block]] | None = None
) -> Order:
    """Return the largest p with ``A_k^dagger exp(-H) = 0`` for all k <= p, in one dimension.

    Args:
        update: one step, a printed rule or a discretised recipe.
        highest: the largest k that is tried; where A_k vanishes for all of them, the order is at
            least this k.
        marginals: groups of blocks whose laws are judged by themselves; by default each block.

    Returns:
        The order, exact or at least so much.

    Raises:
        RecipeError: where the step has no noise, is not near the identity (a refresh), has no
            limit, or is not smooth.
    """
    step = step_of(update)
    _check_noise(step)
    for k in range(2, max(2, highest) + 1):
        expansion = expansion_of(step, 2 * k + 1)
        power, outcome = _first_change(expansion)
        if outcome is not None:
            break
    kept = (
        [(block,) for block in update.state]
        if marginals is None
        else [tuple(blocks) for blocks in marginals]
    )
    return _order_from(
        expansion, power, outcome, [blocks for blocks in kept if set(blocks) != set(update.state)]
    )


def _check_noise(step: Step) -> None:
    if not any(e.has(*NOISE) for stage in step.stages for _, e in stage):
        raise OutsideLanguageError(
            "the step has no noise, and a flow keeps many laws: only with a refresh of its momenta"
            " does it have a law to be judged"
        )


def _order_from(
    expansion: Expansion, power: int, outcome: Outcome | None, kept: Sequence[tuple[Block, ...]]
) -> Order:
    """Return the order that follows from the first power of s at which the density changes."""
    update, order = expansion.step.update, Rational(power, 2) - 1
    scope, assumptions = scope_in_one_dimension(update), assumptions_for(update)
    if outcome is None or outcome.verdict is Verdict.UNDECIDED:
        by = f"A_k^dagger exp(-H) = 0 for k <= {order}"
        by += (
            "; more was not looked at"
            if outcome is None
            else f"; whether the next one is zero is undecided: {outcome.by}"
        )
        found = tuple(Marginal(blocks, order, False, "as the joint law") for blocks in kept)
        return Order(order, False, by, scope, assumptions, marginals=found)
    ring, residual = expansion.ring, expansion.changes[power]
    by = f"A_{Rational(power, 2)}^dagger exp(-H) = ({shown(ring.expression(residual))}) exp(-H)"
    if expansion.step.recorded:
        by += ", with A of the formal kernel of what is recorded"
    if order <= 0:
        return Order(
            order, True, by, scope, assumptions, ring.expression(residual), outcome.witness
        )
    f = correction(residual, expansion.maps, expansion.gradient, ring)
    found = tuple(marginal_of(blocks, order, f, expansion) for blocks in kept)
    density = None if f is None else ring.expression(f)
    return Order(
        order,
        True,
        by,
        scope,
        assumptions,
        ring.expression(residual),
        outcome.witness,
        density,
        found,
    )


def _first_change(expansion: Expansion) -> tuple[int, Outcome | None]:
    """Return the first power of s at which the density changes, with the outcome that shows it.

    The outcome is None where no change is known below ``end``.
    """
    for power, change in enumerate(expansion.changes):
        if change == 0:
            continue
        outcome = decide_zero(expansion.ring.expression(change))
        if outcome.verdict is not Verdict.PROVED:
            return power, outcome
    return expansion.end + (1 if expansion.even and expansion.end % 2 else 0), None

"""``stationarity``: exp(-H) solves the stationary Fokker-Planck equation in the interior of the domain."""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr

from recipe.calculus import divergence, inner
from recipe.dynamics import Dynamics
from recipe.entry import apply, divergence_of
from recipe.symbols import Block
from verify.obligation import Obligation
from verify.subject import Subject
from verify.verdict import Outcome, Verdict, proved
from verify.zero.decide import decide_zero
from verify.zero.shown import shown_factored

LEDGER = "exp(-H) is normalisable and the process does not explode (without these a stationary law need not be invariant)"


def discharge(subject: Subject) -> Outcome:
    """``div v - v . grad H = 0`` with ``v = f + D grad H - div D``: the current of exp(-H) is v exp(-H).

    For a recipe this is a check of our own calculus: the drift is derived from Q, and Q does not enter here again.
    """
    v = current(subject.dynamics, subject.gradient)
    residual = divergence(v) - inner(v, subject.gradient)
    outcome = decide_zero(residual)
    if outcome.verdict is Verdict.REFUTED:
        return replace(outcome, by=f"the residual is {shown_factored(residual)}")
    if outcome.verdict is Verdict.UNDECIDED:
        return outcome
    return proved(f"the Fokker-Planck residual is zero ({outcome.by})", LEDGER)


def current(dynamics: Dynamics, grad_H: dict[Block, Expr]) -> dict[Block, Expr]:
    """``v = f + D grad H - div D``, one component a block."""
    return {
        row: dynamics.drift[row] + sum(_diffusive(dynamics, row, column, grad_H) for column in dynamics.state)
        for row in dynamics.state
    }


def _diffusive(dynamics: Dynamics, row: Block, column: Block, grad_H: dict[Block, Expr]) -> Expr:
    entry = dynamics.diffusion[row, column]
    return apply(entry, grad_H[column], column) - divergence_of(entry, column)


STATIONARITY = Obligation(
    name="stationarity",
    statement="div v - v . grad H = 0 with v = f + D grad H - div D",
    explanation=(
        "This is the stationary Fokker-Planck equation for the density exp(-H). It holds in the interior; that the law is then "
        "invariant also needs a normalisable density, no explosion, and no flow through the edge of the domain."
    ),
    discharge=discharge,
)

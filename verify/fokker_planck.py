"""The current of exp(-H), and what is left over in the stationary Fokker-Planck equation."""

from __future__ import annotations

from sympy import Expr

from recipe.calculus import divergence, inner
from recipe.dynamics import Dynamics
from recipe.entry import apply, divergence_of
from recipe.symbols import Block


def current(dynamics: Dynamics, grad_H: dict[Block, Expr]) -> dict[Block, Expr]:
    """``v = f + D grad H - div D``, one component a block: the probability current of exp(-H) is ``v exp(-H)``."""
    return {
        row: dynamics.drift[row] + sum(_diffusive(dynamics, row, column, grad_H) for column in dynamics.state)
        for row in dynamics.state
    }


def residual(dynamics: Dynamics, grad_H: dict[Block, Expr]) -> Expr:
    """``div v - v . grad H``: the Fokker-Planck equation divided by ``-exp(-H)``; zero iff exp(-H) is stationary."""
    v = current(dynamics, grad_H)
    return divergence(v) - inner(v, grad_H)


def _diffusive(dynamics: Dynamics, row: Block, column: Block, grad_H: dict[Block, Expr]) -> Expr:
    entry = dynamics.diffusion[row, column]
    return apply(entry, grad_H[column], column) - divergence_of(entry, column)

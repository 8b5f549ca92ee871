"""The probability current of exp(-H), the residual of the stationary Fokker-Planck equation, and
the generator.
"""

from __future__ import annotations

from sympy import Expr, S

from recipe.declare.dynamics import Dynamics
from recipe.language.blocks import Block
from recipe.language.calculus import divergence, gradient, inner
from recipe.language.entry import apply, divergence_of


def current(dynamics: Dynamics, grad_H: dict[Block, Expr]) -> dict[Block, Expr]:
    """``v = f + D grad H - div D`` by block; ``v exp(-H)`` is the probability current of
    exp(-H).
    """
    return {
        row: dynamics.drift[row]
        + sum(_diffusive(dynamics, row, column, grad_H) for column in dynamics.state)
        for row in dynamics.state
    }


def residual(dynamics: Dynamics, grad_H: dict[Block, Expr]) -> Expr:
    """``div v - v . grad H``: the Fokker-Planck equation divided by ``-exp(-H)``.

    It is zero iff exp(-H) solves the stationary equation.
    """
    v = current(dynamics, grad_H)
    return divergence(v) - inner(v, grad_H)


def generator(dynamics: Dynamics, V: Expr) -> Expr:
    """``L V = f . grad V + sum of D_ij d_i d_j V``, the mean rate of change of V along the process.

    The sum is computed as ``div(D grad V) - (div D) . grad V``.
    """
    slope = {b: gradient(V, b) for b in dynamics.state}
    flux, across = dict.fromkeys(dynamics.state, S.Zero), dict(dynamics.drift)
    for (row, column), entry in dynamics.diffusion.items():
        flux[row] += apply(entry, slope[column], column)
        across[row] -= divergence_of(entry, column)
    return divergence(flux) + inner(across, slope)


def _diffusive(dynamics: Dynamics, row: Block, column: Block, grad_H: dict[Block, Expr]) -> Expr:
    entry = dynamics.diffusion[row, column]
    return apply(entry, grad_H[column], column) - divergence_of(entry, column)

"""What a recipe does: the correction Gamma, the drift and the diffusion, for every length d."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from sympy import Expr

from recipe.declare.recipe import Recipe
from recipe.language.calculus import gradient, tidy
from recipe.language.entry import Entry, parts
from recipe.language.symbols import Block


@dataclass(frozen=True)
class Dynamics:
    """An Ito diffusion ``dz = f dt + B dW`` with ``B B^T = 2 D``.

    ``drift`` has one component a block, ``diffusion[b, c]`` is the entry of D between two blocks.
    """

    state: tuple[Block, ...]
    drift: dict[Block, Expr]
    diffusion: dict[tuple[Block, Block], Entry]

    def coefficients(self) -> list[Expr]:
        """Every expression in the drift and in D."""
        return [
            *self.drift.values(),
            *(p for entry in self.diffusion.values() for p in parts(entry)),
        ]


@dataclass(frozen=True)
class Derivation:
    """The dynamics of a recipe, with the pieces that the drift was put together from."""

    gradient: dict[Block, Expr]
    gamma: dict[Block, Expr]
    dynamics: Dynamics

    def _repr_latex_(self) -> str:
        from recipe.printing.derivation import (
            dynamics_latex,
        )  # what shows a derivation imports this file

        return dynamics_latex(self)


@lru_cache(maxsize=256)
def derive(recipe: Recipe) -> Derivation:
    """``f = -(D + Q) grad H + Gamma``, ``Gamma_i = sum_j d(D_ij + Q_ij)/dz_j`` (Ma, Chen & Fox
    2015, equation 3).
    """
    grad_H = {block: gradient(recipe.H, block) for block in recipe.state}
    from_D, from_Q = recipe.D.divergence(), recipe.Q.divergence()
    gamma = {block: tidy(from_D[block] + from_Q[block]) for block in recipe.state}
    D_grad, Q_grad = recipe.D.times(grad_H), recipe.Q.times(grad_H)
    drift = {block: tidy(gamma[block] - D_grad[block] - Q_grad[block]) for block in recipe.state}
    diffusion = {
        (row, column): recipe.D.entry(row, column)
        for row in recipe.state
        for column in recipe.state
    }
    return Derivation(grad_H, gamma, Dynamics(recipe.state, drift, diffusion))

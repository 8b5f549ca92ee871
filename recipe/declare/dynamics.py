"""Derive the dynamics of a recipe: the correction Gamma, the drift and the diffusion, for every
length d.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr

from recipe.declare.recipe import Recipe
from recipe.language.assumed import cached
from recipe.language.blocks import Block
from recipe.language.calculus import gradient, tidy
from recipe.language.entry import Entry, parts


@dataclass(frozen=True)
class Dynamics:
    """An Ito diffusion ``dz = f dt + B dW`` with ``B B^T = 2 D``.

    Attributes:
        state: the blocks.
        drift: ``f``, one expression of the generic coordinate for each block.
        diffusion: ``D``, the ``Entry`` between each pair (row block, column block).
    """

    state: tuple[Block, ...]
    drift: dict[Block, Expr]
    diffusion: dict[tuple[Block, Block], Entry]

    def __repr__(self) -> str:
        # printing imports this file
        from recipe.printing.summary import dynamics_summary

        return dynamics_summary(self, "Dynamics")

    def coefficients(self) -> list[Expr]:
        """Return every expression in the drift and in D."""
        return [
            *self.drift.values(),
            *(p for entry in self.diffusion.values() for p in parts(entry)),
        ]


@dataclass(frozen=True)
class Derivation:
    """The dynamics of a recipe, and the terms that the drift consists of.

    Attributes:
        gradient: the gradient of H, one expression for each block.
        gamma: the correction Gamma, one expression for each block.
        dynamics: the diffusion that follows.
    """

    gradient: dict[Block, Expr]
    gamma: dict[Block, Expr]
    dynamics: Dynamics

    def __repr__(self) -> str:
        from recipe.printing.summary import dynamics_summary

        return dynamics_summary(self.dynamics, "Derivation")

    def _repr_latex_(self) -> str:
        # printing imports this file
        from recipe.printing.derivation import dynamics_latex

        return dynamics_latex(self)


@cached(maxsize=256)
def derive(recipe: Recipe) -> Derivation:
    """Derive Gamma, the drift and the diffusion of a recipe (Ma, Chen & Fox 2015, equation 3).

    ``f = -(D + Q) grad H + Gamma`` with ``Gamma_i = sum_j d(D_ij + Q_ij)/dz_j``.

    Args:
        recipe: the sampler.

    Returns:
        The derivation; it holds for every length of the blocks.

    Raises:
        OutsideLanguageError: where an expression has no derivative in the language.
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

"""Posteriors whose data enter the drift through one sum: ``D grad U = D grad U_prior + sum over the
data``.

For counts z with probabilities theta, each datum adds ``-z`` to ``theta dU/dtheta``, whatever theta
is. So a drift that is affine with the prior alone stays affine with the data. A minibatch then
estimates its constant term and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Symbol, expand_mul

from recipe.declare.recipe import Recipe
from recipe.language.abstract import Partial, Potential
from recipe.language.free_symbols import UnusedNames, blocks_in
from recipe.language.symbols import Block, Parameter, Vector


@dataclass(frozen=True)
class SummedData:
    """A gradient that depends on the data through one sum: ``gradient = prior + total / noise``.

    Attributes:
        gradient: the gradient of the potential by the block.
        prior: the gradient of minus the log prior.
        noise: the entry of D of the block.
        each: ``noise`` times the gradient of minus the log likelihood of one datum, free of the
            state.
        total: a symbol for the sum of ``each`` over the data.
    """

    gradient: Partial
    prior: Expr
    noise: Expr
    each: Expr
    total: Symbol

    @property
    def written_out(self) -> Expr:
        """The gradient as a function of the sum."""
        return self.prior + self.total / self.noise

    @property
    def from_gradient(self) -> Expr:
        """The sum as a function of the gradient, for a step that is given an estimate of the
        gradient.
        """
        return expand_mul(self.noise * self.gradient) - expand_mul(self.noise * self.prior)


def summed_data(
    recipe: Recipe, block: Block, noise: Expr, names: UnusedNames
) -> tuple[SummedData, ...]:
    """The gradients by the block of those potentials whose data enter through one sum."""
    found = []
    for U, posterior in recipe.posteriors:
        if block not in U.blocks or posterior.log_likelihood is None:
            continue
        each = expand_mul(noise * posterior.datum_gradient[block])
        if not blocks_in(each, recipe.state):
            name = names.fresh(f"data_{block.name}")
            total = Parameter(name, like=block if isinstance(block, Vector) else None)
            found.append(
                SummedData(_gradient(U, block), posterior.prior_gradient[block], noise, each, total)
            )
    return tuple(found)


def _gradient(U: Potential, block: Block) -> Partial:
    return U._eval_derivative(block)  # type: ignore[return-value]

"""What a posterior says of the drift where its data enter it through one sum: ``D grad U = D grad
U_prior + sum over the data``.

For counts z with probabilities theta, ``theta dU/dtheta`` has ``-z`` of each datum, whatever theta
is. So a drift that is affine with the prior alone stays so, and an estimate of the gradient
estimates its constant and nothing else.
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
    """``gradient = prior + total / noise``, where ``total`` is the sum over the data of ``each``,
    which is free of the state.

    ``noise`` is the block's entry of D, ``each`` that times minus the gradient of the log
    likelihood of one datum.
    """

    gradient: Partial
    prior: Expr
    noise: Expr
    each: Expr
    total: Symbol

    @property
    def written_out(self) -> Expr:
        """The gradient by the sum."""
        return self.prior + self.total / self.noise

    @property
    def from_gradient(self) -> Expr:
        """The sum by the gradient, as a step that is given an estimate of it reads it."""
        return expand_mul(self.noise * self.gradient) - expand_mul(self.noise * self.prior)


def summed_data(
    recipe: Recipe, block: Block, noise: Expr, names: UnusedNames
) -> tuple[SummedData, ...]:
    """The gradients by the block of the potentials whose posterior has data of that kind."""
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

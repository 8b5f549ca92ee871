"""Posteriors whose data enter the drift through one sum: ``D grad U = D grad U_prior + sum over the
data``.

For counts z with probabilities theta, each datum adds ``-z`` to ``theta dU/dtheta``, whatever theta
is. So a drift that is affine with the prior alone stays affine with the data. A minibatch then
estimates its constant term and nothing else. The same holds of the preimage of a block under a map
f, with ``D / f'`` in the place of D: of phi = log(theta) with D = theta^2, where a datum adds
``-z`` to ``theta dU/dtheta`` as well.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Symbol, expand_mul

from recipe.declare.recipe import Recipe
from recipe.declare.transformations.map import Map
from recipe.language.abstract import Partial, Potential
from recipe.language.blocks import Block, Vector
from recipe.language.data import Parameter
from recipe.language.free_symbols import UnusedNames, blocks_in


@dataclass(frozen=True)
class SummedData:
    """A gradient that depends on the data through one sum: ``gradient = prior + total / weight``.

    Attributes:
        gradient: the gradient of the potential by the block.
        prior: the gradient of minus the log prior.
        weight: the entry of D of the block; of a preimage, divided by the slope of its map.
        each: ``weight`` times the gradient of minus the log likelihood of one datum, free of the
            state.
        total: a symbol for the sum of ``each`` over the data.
    """

    gradient: Partial
    prior: Expr
    weight: Expr
    each: Expr
    total: Symbol

    @property
    def written_out(self) -> Expr:
        """The gradient as a function of the sum."""
        return self.prior + self.total / self.weight

    @property
    def from_gradient(self) -> Expr:
        """The sum as a function of the gradient, for a step that is given an estimate of the
        gradient.
        """
        return expand_mul(self.weight * self.gradient) - expand_mul(self.weight * self.prior)


def summed_data(
    recipe: Recipe, block: Block, weight: Expr, names: UnusedNames
) -> tuple[SummedData, ...]:
    """The gradients by the block of those potentials whose data, with this weight, enter through
    one sum.
    """
    found = []
    for U, posterior in recipe.posteriors:
        if block not in U.blocks or posterior.log_likelihood is None:
            continue
        each = expand_mul(weight * posterior.datum_gradient[block])
        if not blocks_in(each, recipe.state):
            name = names.fresh(f"data_{block.name}")
            total = Parameter(name, like=block if isinstance(block, Vector) else None)
            found.append(
                SummedData(
                    _gradient(U, block), posterior.prior_gradient[block], weight, each, total
                )
            )
    return tuple(found)


def slope_at(f: Map, theta: Block) -> Expr:
    """The derivative of a map at the preimage of theta, as an expression of theta."""
    assert f.inverse is not None
    return f.derivative(f.inverse(theta))


def _gradient(U: Potential, block: Block) -> Partial:
    return U._eval_derivative(block)  # type: ignore[return-value]

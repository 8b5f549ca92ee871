"""Symbols for the variance of a minibatch gradient, which the compiled kernel estimates while it
runs.
"""

from __future__ import annotations

from typing import Any

from sympy import Symbol

from recipe.language.abstract import Potential
from recipe.language.blocks import Block, Vector
from recipe.language.symbols import GENERIC, Indexed


class VectorVariance(Indexed):
    """The variance of the estimated gradient of a potential, at the generic coordinate of a
    ``Vector``.
    """

    __slots__ = ()

    @property
    def potential(self) -> Potential:
        """The potential whose gradient is estimated."""
        return self.extra[0]  # type: ignore[no-any-return]

    @property
    def block(self) -> Block:
        """The block that the gradient is taken by."""
        return self.extra[1]  # type: ignore[no-any-return]


class ScalarVariance(Symbol):
    """The variance of the estimated derivative of a potential by a ``Scalar``."""

    __slots__ = ("block", "potential")
    block: Block
    potential: Potential

    def __new__(cls, potential: Potential, block: Block) -> ScalarVariance:
        obj = Symbol.__xnew__(cls, f"V_{potential}_{block}", nonnegative=True)
        obj.potential, obj.block = potential, block
        return obj  # type: ignore[no-any-return]

    def _hashable_content(self) -> tuple[Any, ...]:
        return (self.name, self.potential, self.block)

    def __reduce__(self) -> tuple[Any, ...]:
        return ScalarVariance, (self.potential, self.block)

    def __getnewargs_ex__(self) -> Any:
        raise TypeError("variances are pickled through __reduce__")


def gradient_variance(potential: Potential, block: Block) -> VectorVariance | ScalarVariance:
    """The symbol ``V`` for the variance of the minibatch gradient of a potential by each coordinate
    of a block.
    """
    if not isinstance(block, Vector):
        return ScalarVariance(potential, block)
    name = f"V_{potential}_{block}"
    return Indexed.__new__(
        VectorVariance, name, block.length, GENERIC, (potential, block), nonnegative=True
    )  # type: ignore[return-value]

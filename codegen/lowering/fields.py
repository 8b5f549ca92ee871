"""The fields of the records that a step reads and writes, and their names."""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Symbol

from codegen.lowering.names import RESERVED_FIELDS, field_namer
from codegen.lowering.places import Array
from recipe.language.abstract import Dense, Potential
from recipe.language.blocks import Block
from recipe.language.symbols import Length, name_of


class Fields:
    """The fields of ``State`` and ``Params``.

    Args:
        state: the blocks in the order in which they are stored.
        parameters: the parameters of the rules.

    Attributes:
        blocks: the field of the state that holds each block.
        settings: the field of ``Params`` that holds each parameter and constant matrix.
        scratch: the length of each scratch array by its name; None for a single number.
        variances: the fields with the running variance of each estimated gradient.
        factors: the field of ``Params`` with the Cholesky factor of each covariance matrix.
    """

    def __init__(self, state: tuple[Block, ...], parameters: Iterable[Symbol]) -> None:
        self._state_names, self._setting_names = field_namer(RESERVED_FIELDS), field_namer()
        self.blocks: dict[Block, str] = {b: self._state_names.fresh(b.name) for b in state}
        self.settings: dict[Symbol, str] = {
            s: self._setting_names.fresh(name_of(s)) for s in parameters
        }
        self.scratch: dict[str, Length | None] = {}
        self.variances: dict[Potential, tuple[str, ...]] = {}
        self.factors: dict[Dense, str] = {}

    def reserve(self, wish: str, length: Length | None) -> Array:
        """Return a new scratch array.

        Args:
            wish: its name, to which a number is added if another field has it.
            length: its length; None for an array that holds one number.
        """
        name = self._state_names.fresh(wish)
        self.scratch[name] = length
        return Array("out", name)

    def matrix(self, M: Dense) -> Array:
        """Return the field of ``Params`` that holds a constant matrix."""
        if M not in self.settings:
            self.settings[M] = self._setting_names.fresh(M.name)
        return Array("params", self.settings[M])

    def factor(self, M: Dense) -> Array:
        """Return the field of ``Params`` that holds the Cholesky factor of a constant matrix."""
        self.matrix(M)
        if M not in self.factors:
            self.factors[M] = self._setting_names.fresh(f"{M.name}_cholesky")
        return Array("params", self.factors[M])

    def variance(self, U: Potential, block: Block) -> Array:
        """Return the array with the running variance of an estimated gradient, by a block."""
        if U not in self.variances:
            arrays = [self.reserve(f"variance_{U.name}_{b.name}", b.length) for b in U.blocks]
            self.variances[U] = tuple(array.field for array in arrays)
        return Array("state", self.variances[U][U.blocks.index(block)])

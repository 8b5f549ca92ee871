"""The symbols that mean the same in a step and in the gradient of a posterior: parameters and
lengths.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import singledispatchmethod

from sympy import Expr, Symbol

from codegen.lowering.names import Namer
from codegen.lowering.places import Array
from recipe.language.data import VectorParameter
from recipe.language.symbols import GENERIC, Length


@dataclass(frozen=True)
class CommonLeaves:
    """Finds the place in memory that a parameter or a length is read from.

    Attributes:
        settings: the field of ``Params`` for each parameter.
        namer: hands out names of local variables.
        sizes: the local variable of each length that has been read so far.
    """

    settings: Mapping[Symbol, str]
    namer: Namer
    sizes: dict[Length, Symbol] = field(default_factory=dict)

    @singledispatchmethod
    def read(self, e: Expr) -> Expr:
        """Return the symbol or cell from which the text reads a parameter or a length."""
        return Symbol(f"params.{self.settings[e]}", real=True)

    @read.register
    def _(self, e: VectorParameter) -> Expr:
        return Array("params", self.settings[e.at(GENERIC)])["i"]

    @read.register
    def _(self, e: Length) -> Expr:
        if e not in self.sizes:
            self.sizes[e] = Symbol(self.namer.fresh(e.name), positive=True)
        return self.sizes[e]

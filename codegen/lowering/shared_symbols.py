"""The symbols that are read from the same place in a step and in the gradient of a posterior:
parameters and lengths.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import singledispatchmethod

from sympy import Expr, Symbol

from codegen.lowering.names import Namer
from codegen.lowering.places import Array
from recipe.language.symbols import GENERIC, Length, VectorParameter


@dataclass(frozen=True)
class CommonLeaves:
    """Reads parameters from ``settings``, the fields of ``Params``, and collects in ``sizes`` the
    lengths that are used as numbers.
    """

    settings: Mapping[Symbol, str]
    namer: Namer
    sizes: dict[Length, Symbol] = field(default_factory=dict)

    @singledispatchmethod
    def read(self, e: Expr) -> Expr:
        """The symbol that a parameter or a length is read from."""
        return Symbol(f"params.{self.settings[e]}", real=True)

    @read.register
    def _(self, e: VectorParameter) -> Expr:
        return Array("params", self.settings[e.at(GENERIC)])["i"]

    @read.register
    def _(self, e: Length) -> Expr:
        if e not in self.sizes:
            self.sizes[e] = Symbol(self.namer.fresh(e.name), positive=True)
        return self.sizes[e]

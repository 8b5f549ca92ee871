"""Evaluate a rule in numbers, at given lengths and with smooth functions in place of the abstract
ones: a second road from a rule to numbers, which shares nothing with the way that it was read.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy
from sympy import Expr, Symbol
from sympy.core.function import AppliedUndef

from recipe.language.abstract import Field, Partial, Potential
from recipe.language.errors import RecipeError
from recipe.language.symbols import GENERIC, Indexed, Length, generic, name_of
from recipe.language.total import Total, opened

FUNCTIONS: dict[Any, Any] = {
    sympy.exp: np.exp, sympy.log: np.log, sympy.sin: np.sin, sympy.cos: np.cos,
    sympy.tan: np.tan, sympy.sinh: np.sinh, sympy.cosh: np.cosh, sympy.tanh: np.tanh,
    sympy.atan: np.arctan, sympy.Abs: np.abs, sympy.sign: np.sign,
    sympy.erf: np.vectorize(lambda x: float(sympy.erf(float(x)))),
}  # fmt: skip


class NoNumberError(RecipeError):
    """An expression whose value in numbers is not known."""


@dataclass
class Numbers:
    """The numbers of everything that stands in a rule.

    Attributes:
        values: the value of each block, parameter and noise: an array for one with coordinates.
        sizes: the number of coordinates of each length.
    """

    values: dict[Symbol, Any]
    sizes: Mapping[str, int]
    _labels: dict[int, int] = field(default_factory=dict)

    def of(self, e: Expr, label: int = GENERIC) -> Any:
        """The value of an expression: an array over the coordinates at ``label``, or a number."""
        if isinstance(e, Length):
            return float(self.sizes[str(e)])
        if isinstance(e, Field):
            return field_value(e, self.values[generic(e.block)])
        if isinstance(e, Potential):
            return potential_value(e, [self.values[b] for b in e.blocks])
        if isinstance(e, Partial):
            return self._slope(e)
        if isinstance(e, Indexed):
            if e.label != label:
                raise NoNumberError(f"{e} stands beside another coordinate")
            return self.values[generic(e)]
        if isinstance(e, Symbol):
            return self.values[e]
        if isinstance(e, Total):
            body, inside = opened(e)
            size = self.sizes[str(e.index.length)]
            return np.sum(np.broadcast_to(self.of(body, inside), (size,)))
        if e.is_number:
            return float(e)
        return self._operation(e, [self.of(a, label) for a in e.args])

    def _operation(self, e: Expr, args: list[Any]) -> Any:
        if isinstance(e, sympy.Add):
            return sum(args)
        if isinstance(e, sympy.Mul):
            return np.prod(np.broadcast_arrays(*args), axis=0)
        if isinstance(e, sympy.Pow):
            return np.power(np.asarray(args[0], dtype=float), args[1])
        if isinstance(e, AppliedUndef):
            number = _number_of(e.func.__name__)
            return 1.5 + 0.4 * np.sin(sum(args) + number)
        if e.func in FUNCTIONS:
            return FUNCTIONS[e.func](args[0])
        raise NoNumberError(f"{e} has no value in numbers here")

    def _slope(self, e: Partial) -> Any:
        if len(e.wrt) != 1 or not isinstance(e.head, Potential):
            raise NoNumberError(f"{e} has no value in numbers here")
        block = generic(e.wrt[0])
        at = e.head.blocks.index(block)
        return potential_slope(e.head, [self.values[b] for b in e.head.blocks], at)


def _number_of(name: str) -> float:
    """A number between 0 and 1 that belongs to a name."""
    return zlib.crc32(name.encode()) / 2**32


def potential_value(U: Potential, point: list[Any]) -> float:
    """The value of a smooth function of all coordinates that belongs to the name of a potential."""
    scale = 0.5 + _number_of(U.name)
    flat = np.concatenate([np.ravel(x) for x in point])
    return float(np.sum(scale * flat**2 / 2 + 0.3 * np.cos(flat)) + 0.05 * np.sum(flat) ** 2)


def potential_slope(U: Potential, point: list[Any], block: int) -> Any:
    """The derivative of ``potential_value`` by the coordinates of one block."""
    scale = 0.5 + _number_of(U.name)
    everything = sum(float(np.sum(x)) for x in point)
    x = np.asarray(point[block], dtype=float)
    return scale * x - 0.3 * np.sin(x) + 0.1 * everything


def field_value(G: Field, x: Any) -> Any:
    """The values of a smooth positive field that belongs to its name."""
    return 1.5 + 0.3 * np.sin(x + _number_of(name_of(G))) + 0.1 * np.tanh(np.sum(x))

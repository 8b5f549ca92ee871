"""Expressions of the language as arrays of numbers: a replica a row, a coordinate a column.

An expression is walked, node by node, so that no text is ever evaluated. A value has the axes
(replica, coordinate at the first label, coordinate at the second one, ...), of length one where it
does not depend on them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import numpy as np
import sympy
from scipy import special
from sympy import Expr, Lambda, Symbol

from recipe.language.abstract import DenseEntry, Partial, Potential
from recipe.language.errors import RecipeError
from recipe.language.fold import Fold, FoldSign
from recipe.language.phi import Phi
from recipe.language.symbols import GENERIC, Block, Indexed, Length, Noise, Vector, generic, name_of
from recipe.language.total import Total

Array = np.ndarray[Any, Any]
State = dict[str, Array]
Gradient = Callable[..., Any]

FUNCTIONS: Mapping[type, Callable[..., Array]] = {
    sympy.exp: np.exp, sympy.log: np.log, sympy.sin: np.sin, sympy.cos: np.cos, sympy.tan: np.tan,
    sympy.sinh: np.sinh, sympy.cosh: np.cosh, sympy.tanh: np.tanh, sympy.asinh: np.arcsinh,
    sympy.acosh: np.arccosh, sympy.atanh: np.arctanh, sympy.asin: np.arcsin, sympy.acos: np.arccos,
    sympy.atan: np.arctan, sympy.erf: special.erf, sympy.Abs: np.abs, sympy.sign: np.sign,
    sympy.loggamma: special.gammaln, sympy.digamma: special.digamma,
}  # fmt: skip
CONSTANTS = {sympy.pi: np.pi, sympy.E: np.e, sympy.oo: np.inf, -sympy.oo: -np.inf}


@dataclass(frozen=True)
class Meanings:
    """What the symbols of a rule stand for.

    ``values`` by name: blocks and noise of shape (replicas, length); parameters, numbers or one
    value a coordinate, shape (length,); matrices, shape (rows, columns). ``lengths`` by the name of
    the length; ``gradients`` by the name of the potential: functions of its blocks, arrays of shape
    (replicas, length), that return the gradient by each of them (one array where there is one
    block).
    """

    values: Mapping[str, Any]
    lengths: Mapping[str, int]
    gradients: Mapping[str, Gradient] = field(default_factory=dict)
    _called: dict[str, tuple[Array, ...]] = field(default_factory=dict, compare=False)

    def with_values(self, values: Mapping[str, Any]) -> Meanings:
        """The same with other values beside those that are there; gradients are taken anew."""
        return replace(self, values={**self.values, **values}, _called={})

    def length_of(self, symbol: Any) -> int:
        """The coordinates of a block or a noise, one of a number."""
        return self.lengths[symbol.length.name] if isinstance(symbol, Indexed) else 1

    def of(self, e: Expr, block: Block) -> Array:
        """The value of an expression of one coordinate of a block, shape (replicas or 1,
        length).
        """
        with np.errstate(all="ignore"):
            value = value_at(e, (GENERIC,), self)
        return np.broadcast_to(value, (value.shape[0], self.length_of(block)))

    def gradient(self, U: Potential) -> tuple[Array, ...]:
        """The gradient of a potential by each of its blocks."""
        if U.name not in self._called:
            self._called[U.name] = self._fresh_gradient(U)
        return self._called[U.name]

    def _fresh_gradient(self, U: Potential) -> tuple[Array, ...]:
        function = self.gradients.get(U.name)
        if function is None:
            raise RecipeError(
                f"grad({U.name}) has no numbers: bind an expression to {U.name}, or give"
                f" gradients={{'{U.name}': function}}"
            )
        places = [self.place(name_of(block)) for block in U.blocks]
        with np.errstate(all="ignore"):
            found = function(*places)
        listed = found if isinstance(found, tuple | list) else (found,)
        given = tuple(np.asarray(g, dtype=float) for g in listed)
        if [g.shape for g in given] != [p.shape for p in places]:
            raise RecipeError(
                f"the gradient of {U.name} has shapes {[g.shape for g in given]} at blocks of"
                f" shapes {[p.shape for p in places]}; it takes and returns arrays of shape"
                " (replicas, length), one a block"
            )
        return given

    def place(self, name: str) -> Array:
        """The numbers of a block of a potential; where the state has a block that stands for it,
        the image of that.
        """
        if name in self.values:
            return np.asarray(self.values[name])
        if name not in self.images:
            raise RecipeError(f"the potential depends on {name}, which is no block of the state")
        forward, preimage = self.images[name]
        return apply_elementwise(forward, np.asarray(self.values[preimage]))

    @property
    def images(self) -> Mapping[str, tuple[Lambda, str]]:
        """The function whose image a block is, and of which block of the state, by the name of the
        image.
        """
        return self.values.get(IMAGES_KEY, {})


IMAGES_KEY = " images"  # no name has a space


def images_of(state: tuple[Block, ...]) -> dict[str, Any]:
    """What ``Meanings`` must know of blocks that stand for others."""
    return {
        IMAGES_KEY: {b.image.name: (b.forward, name_of(b)) for b in state if b.image is not None}
    }


def apply_elementwise(function: Lambda, x: Array) -> Array:
    """A function of one number at every number of an array."""
    (variable,) = function.variables
    plain = Symbol("x")
    with np.errstate(all="ignore"):
        value = value_at(
            function.expr.xreplace({variable: plain}), (), Meanings({"x": x.reshape(-1)}, {})
        )
    return np.broadcast_to(value, (x.size,)).reshape(x.shape)


Axes = tuple[int, ...]


def value_at(e: Expr, axes: Axes, m: Meanings) -> Array:
    """The value of an expression, with the axes (replica, and a coordinate for each label)."""
    if isinstance(e, Total):
        return value_at(e.body, (*axes, e.index.label), m).sum(axis=-1)
    known = leaf_value(e, axes, m)
    if known is not None:
        return known
    inner = log1p_argument(e)
    if inner is not None:
        return np.log1p(value_at(inner, axes, m))
    return combined_value(e, [value_at(a, axes, m) for a in e.args])


def leaf_value(e: Expr, axes: Axes, m: Meanings) -> Array | None:
    """The value of what has no parts that are expressions; None for all else."""
    if isinstance(e, Partial):
        return _derivative(e, axes, m)
    if isinstance(e, DenseEntry):
        return _entry(e, axes, m)
    if isinstance(e, Length):
        return _number(m.lengths[e.name], axes)
    if isinstance(e, Symbol):
        return _symbol(e, axes, m)
    if e.is_Rational:
        return _number(e.p / e.q, axes)
    return _number(CONSTANTS[e], axes) if e in CONSTANTS else None


def log1p_argument(e: Expr) -> Expr | None:
    """The x of ``log(1 + x)``, which keeps its digits where x is small; None for all else."""
    return (
        e.args[0] - 1
        if isinstance(e, sympy.log) and e.args[0].is_Add and sympy.S.One in e.args[0].args
        else None
    )


def combined_value(e: Expr, parts: Sequence[Array]) -> Array:
    """The value of an expression from those of its arguments."""
    if e.is_Add:
        return reduce(np.add, parts)
    if e.is_Mul:
        return reduce(np.multiply, parts)
    if e.is_Pow:
        return (
            np.sqrt(parts[0])
            if e.exp == sympy.S.Half
            else np.power(parts[0], _exponent(e.exp, parts[1]))
        )
    function = {**FUNCTIONS, **LANGUAGE_FUNCTIONS}.get(type(e))
    if function is None:
        raise RecipeError(f"{e} has no numbers: bind what is abstract in it first")
    return function(*parts)


def _number(x: float, axes: Axes) -> Array:
    return np.full((1,) * (len(axes) + 1), float(x))


def _exponent(written: Expr, value: Array) -> Any:
    """Whole powers of numbers below zero are real."""
    return float(written) if written.is_Rational else value


def _symbol(s: Symbol, axes: Axes, m: Meanings) -> Array:
    name = name_of(s)
    if name not in m.values:
        raise RecipeError(
            f"{name} has no value: give it, params={{'{name}': ...}}"
            if not isinstance(s, Potential)
            else f"{name} has no value here"
        )
    value = np.asarray(m.values[name], dtype=float)
    if isinstance(s, Noise) and s.covariance is not None:
        value = value @ np.linalg.cholesky(np.asarray(m.values[s.covariance.name], dtype=float)).T
    if not isinstance(s, Indexed):
        return value.reshape(value.shape[0] if value.ndim else 1, *(1,) * len(axes))
    rows = value if value.ndim == 2 else value.reshape(1, -1)
    return _placed(rows, s.label, axes, m.lengths[s.length.name])


def _placed(rows: Array, label: int, axes: Axes, length: int) -> Array:
    """An array of shape (replicas, length) with its coordinates along the axis of a label."""
    if rows.shape[1] not in (1, length):
        raise RecipeError(
            f"an array of {rows.shape[1]} coordinates stands where {length} are; give one value a"
            " coordinate"
        )
    place = axes.index(label)
    wide = np.broadcast_to(rows, (rows.shape[0], length))
    return wide.reshape(rows.shape[0], *(1,) * place, length, *(1,) * (len(axes) - place - 1))


def _derivative(e: Partial, axes: Axes, m: Meanings) -> Array:
    if not isinstance(e.head, Potential) or len(e.wrt) != 1:
        raise RecipeError(f"{e} has no numbers: bind an expression to {name_of(e.head)} first")
    (by,) = e.wrt
    rows = m.gradient(e.head)[e.head.blocks.index(generic(by))]
    if not isinstance(by, Vector):
        return rows.reshape(rows.shape[0], *(1,) * len(axes))
    return _placed(rows, by.label, axes, rows.shape[1])


def _entry(e: DenseEntry, axes: Axes, m: Meanings) -> Array:
    if e.matrix.name not in m.values:
        raise RecipeError(
            f"the matrix {e.matrix.name} has no value: give it, params={{'{e.matrix.name}': ...}}"
        )
    matrix = np.asarray(m.values[e.matrix.name], dtype=float)
    row, column = (axes.index(label) for label in e.labels)
    if row == column:
        return _placed(np.diag(matrix).reshape(1, -1), e.labels[0], axes, len(matrix))
    turned = matrix if row < column else matrix.T
    shape = [1] * (len(axes) + 1)
    shape[min(row, column) + 1], shape[max(row, column) + 1] = turned.shape
    return turned.reshape(shape)


def reflected_into(x: Array, lower: float, upper: float) -> tuple[Array, Array]:
    """Numbers reflected at the ends until they lie between them, and whether that took an odd
    number of reflections.
    """
    if np.isinf(upper):
        return lower + np.abs(x - lower), x < lower
    if np.isinf(lower):
        return upper - np.abs(upper - x), x > upper
    width = upper - lower
    times = np.floor((x - lower) / width)
    rest = x - lower - times * width
    odd = times % 2 == 1
    return lower + np.where(odd, width - rest, rest), odd


def _fold(x: Array, lower: Array, upper: Array) -> Array:
    return reflected_into(x, lower.item(), upper.item())[0]


def _fold_sign(x: Array, lower: Array, upper: Array) -> Array:
    return np.where(reflected_into(x, lower.item(), upper.item())[1], -1.0, 1.0)


def _phi(order: Array, z: Array) -> Array:
    """``phi_k`` by its recursion, and by its series where that would cancel."""
    k = int(order.item())
    value = np.exp(z)
    for j in range(1, k + 1):
        value = (np.expm1(z) if j == 1 else value - 1 / special.factorial(j - 1)) / np.where(
            z == 0, 1, z
        )
    small = np.abs(z) < 0.5
    series = sum(np.where(small, z, 0.0) ** n / special.factorial(n + k) for n in range(16))
    return np.where(small, series, value)


LANGUAGE_FUNCTIONS: Mapping[type, Callable[..., Array]] = {
    Fold: _fold,
    FoldSign: _fold_sign,
    Phi: _phi,
}

"""Expressions of the language as arrays of numbers: a replica a row, a coordinate a column.

An expression is evaluated node by node, so that no text is ever executed. A value has the axes
(replica, coordinate at the first label, coordinate at the second one, ...); an axis on which it
does not depend has length one.
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

from recipe.declare.transformations.joint_map import JointMap
from recipe.language.abstract import DenseEntry, Partial, Potential
from recipe.language.blocks import Block, Vector
from recipe.language.errors import RecipeError
from recipe.language.fold import Fold, FoldSign
from recipe.language.noise import Noise
from recipe.language.phi import Ein, Phi
from recipe.language.symbols import GENERIC, Indexed, Length, generic, name_of
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
    """The values of the symbols of a rule.

    Attributes:
        values: by name: blocks and noise, arrays (replicas, length); parameters, numbers or arrays
            (length,); matrices, arrays (rows, columns).
        lengths: the number of coordinates, by the name of the length.
        gradients: by the name of the potential: a function of its blocks, arrays (replicas,
            length), that returns the gradient by each of them, one array if there is one block.
    """

    values: Mapping[str, Any]
    lengths: Mapping[str, int]
    gradients: Mapping[str, Gradient] = field(default_factory=dict)
    _called: dict[str, tuple[Array, ...]] = field(default_factory=dict, compare=False)

    def with_values(self, values: Mapping[str, Any]) -> Meanings:
        """Return these meanings with further values, or others; gradients are computed anew."""
        return replace(self, values={**self.values, **values}, _called={})

    def length_of(self, symbol: Any) -> int:
        """Return the number of coordinates of a block or noise; 1 for a scalar."""
        return self.lengths[symbol.length.name] if isinstance(symbol, Indexed) else 1

    def of(self, e: Expr, block: Block) -> Array:
        """Return the value of an expression at the coordinates of a block, an array (replicas or 1,
        length).
        """
        with np.errstate(all="ignore"):
            value = value_at(e, (GENERIC,), self)
        return np.broadcast_to(value, (value.shape[0], self.length_of(block)))

    def gradient(self, U: Potential) -> tuple[Array, ...]:
        """Return the gradient of a potential by each of its blocks, arrays (replicas, length)."""
        if U.name not in self._called:
            self._called[U.name] = self._fresh_gradient(U)
        return self._called[U.name]

    def _fresh_gradient(self, U: Potential) -> tuple[Array, ...]:
        """Compute the gradient of a potential by each of its blocks, and check the shapes."""
        function = self.gradients.get(U.name)
        if function is None:
            raise RecipeError(
                f"grad({U.name}) is abstract: bind an expression to {U.name}, or give"
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
        """Return the values of a block of a potential.

        If the state has a block that stands for it, they are the image of the values of that block.
        """
        if name in self.values:
            return np.asarray(self.values[name])
        if name not in self.images:
            raise RecipeError(
                f"the potential depends on {name}, which is no block of the state: add the block,"
                " or bind the potential"
            )
        forward, preimage = self.images[name]
        return apply_map(forward, np.asarray(self.values[preimage]))

    @property
    def images(self) -> Mapping[str, tuple[Lambda, str]]:
        """By the name of a block that is an image: its function, and the block of the state that it
        is an image of.
        """
        return self.values.get(IMAGES_KEY, {})


IMAGES_KEY = " images"  # among values; no name of a symbol has a space


def images_of(state: tuple[Block, ...]) -> dict[str, Any]:
    """Return the entry of ``values`` for blocks of a state that stand for others."""
    return {
        IMAGES_KEY: {b.image.name: (b.forward, name_of(b)) for b in state if b.image is not None}
    }


def apply_map(function: Lambda, x: Array) -> Array:
    """Return the values of the map of a block at an array (replicas, length)."""
    if not isinstance(function, JointMap):
        return apply_elementwise(function, x)
    (variable,) = function.variables
    m = Meanings({variable.name: x}, {variable.length.name: x.shape[1]})
    with np.errstate(all="ignore"):
        return np.broadcast_to(value_at(function.expr, (GENERIC,), m), x.shape)


def apply_elementwise(function: Lambda, x: Array) -> Array:
    """Return the values of a function of one number at all numbers of an array."""
    (variable,) = function.variables
    plain = Symbol("x")
    with np.errstate(all="ignore"):
        value = value_at(
            function.expr.xreplace({variable: plain}), (), Meanings({"x": x.reshape(-1)}, {})
        )
    return np.broadcast_to(value, (x.size,)).reshape(x.shape)


Axes = tuple[int, ...]


def value_at(e: Expr, axes: Axes, m: Meanings) -> Array:
    """Return the value of an expression, with the axes (replica, one coordinate for each label)."""
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
    """Return the value of an expression without parts; None for all others."""
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
    """Return the x of ``log(1 + x)``, which ``log1p`` takes without losing digits; None for all
    other expressions.
    """
    return (
        e.args[0] - 1
        if isinstance(e, sympy.log) and e.args[0].is_Add and sympy.S.One in e.args[0].args
        else None
    )


def combined_value(e: Expr, parts: Sequence[Array]) -> Array:
    """Return the value of an expression from the values of its arguments."""
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
        raise RecipeError(f"{e} has no numerical value: bind its abstract functions first")
    return function(*parts)


def _number(x: float, axes: Axes) -> Array:
    return np.full((1,) * (len(axes) + 1), float(x))


def _exponent(written: Expr, value: Array) -> Any:
    """Return a rational exponent as a number, so that whole powers of negative numbers are real."""
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
    """Return an array (replicas, length) with its coordinates along the axis of a label."""
    if rows.shape[1] not in (1, length):
        raise RecipeError(
            f"an array has {rows.shape[1]} coordinates and must have {length}: give one value for"
            " each coordinate"
        )
    place = axes.index(label)
    wide = np.broadcast_to(rows, (rows.shape[0], length))
    return wide.reshape(rows.shape[0], *(1,) * place, length, *(1,) * (len(axes) - place - 1))


def _derivative(e: Partial, axes: Axes, m: Meanings) -> Array:
    if not isinstance(e.head, Potential) or len(e.wrt) != 1:
        raise RecipeError(f"{e} is abstract: bind an expression to {name_of(e.head)} first")
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
    """Return numbers reflected at the ends of an interval until they lie in it, and whether that
    took an odd number of reflections.
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
    """Return ``phi_k`` by its recursion, or by its series where the recursion cancels."""
    k = int(order.item())
    value = np.exp(z)
    for j in range(1, k + 1):
        value = (np.expm1(z) if j == 1 else value - 1 / special.factorial(j - 1)) / np.where(
            z == 0, 1, z
        )
    small = np.abs(z) < 0.5
    series = sum(np.where(small, z, 0.0) ** n / special.factorial(n + k) for n in range(16))
    return np.where(small, series, value)


def _ein(x: Array) -> Array:
    """Return the integral of ``(1 - exp(-t))/t`` from 0 to x, by its series where it is short."""
    small = np.abs(x) < 1
    inside = np.where(small, x, 0.0)
    series = sum((-1) ** (n + 1) * inside**n / (n * special.factorial(n)) for n in range(1, 20))
    away = np.where(small, 1.0, x)
    rest = np.where(away > 0, special.exp1(np.abs(away)), -special.expi(-away))
    found: Array = np.where(small, series, np.euler_gamma + np.log(np.abs(away)) + rest)
    return found


LANGUAGE_FUNCTIONS: Mapping[type, Callable[..., Array]] = {
    Fold: _fold,
    FoldSign: _fold_sign,
    Phi: _phi,
    Ein: _ein,
}

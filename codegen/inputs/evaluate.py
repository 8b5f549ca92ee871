"""Values of an expression of blocks, parameters and data at many draws, in numpy.

Every array has the axes (draw, row of the data, one a free or bound index). Logarithms of sums of
exponentials are taken without leaving the range of float64.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import mpmath
import numpy as np
import sympy
from sympy import Add, Expr, Mul, Symbol

from recipe.language.data import ScalarData, VectorData
from recipe.language.errors import RecipeError
from recipe.language.phi import Ein
from recipe.language.symbols import GENERIC, Indexed, Length, generic, name_of
from recipe.language.total import Total, labels
from recipe.signs.sign import is_positive

Axes = tuple[int, ...]  # the labels of the indices, in the order of their axes


def _log_gamma(x: float) -> float:
    """Return the logarithm of abs(Gamma(x)); infinite at a pole and where it overflows."""
    try:
        return math.lgamma(x)
    except (ValueError, OverflowError):
        return math.inf


def _polygamma(order: Any, x: float) -> float:
    """Return the polygamma function, by mpmath, which comes with sympy."""
    try:
        return float(mpmath.psi(int(order), float(x)))
    except (ValueError, ArithmeticError):  # at a pole
        return math.nan


def _ein(x: Any) -> np.ndarray:
    """Return the integral of ``(1 - exp(-t))/t`` from 0 to x for x >= 0, and NaN below: the power
    series up to 3, and the continued fraction of E1 above (DLMF 6.6.4 and 6.9.1).
    """
    x = np.asarray(x, dtype=float)
    short, series = np.clip(x, 0.0, 3.0), np.zeros(x.shape)
    for k in range(28, 0, -1):
        series = short * ((-1.0) ** (k + 1) / (k * math.factorial(k)) + series)
    long = np.maximum(x, 3.0)
    rest = long + 61.0
    for k in range(30, 0, -1):
        rest = long + (2.0 * k - 1.0) - k * k / rest
    above = np.log(long) + np.euler_gamma + np.exp(-long) / rest
    found: np.ndarray = np.where(x < 3.0, series, above)
    return np.where(x >= 0, found, np.nan)


# functions that generated modules have and numpy lacks
SPECIAL = {
    "Ein": _ein,
    "erf": np.vectorize(math.erf, otypes=[float]),
    "loggamma": np.vectorize(_log_gamma, otypes=[float]),
    "polygamma": np.vectorize(_polygamma, otypes=[float]),
}
FUNCTIONS: dict[type, Any] = {
    sympy.exp: np.exp,
    sympy.sin: np.sin,
    sympy.cos: np.cos,
    sympy.tan: np.tan,
    sympy.sinh: np.sinh,
    sympy.cosh: np.cosh,
    sympy.tanh: np.tanh,
    sympy.atan: np.arctan,
    sympy.Abs: np.abs,
    sympy.sign: np.sign,
    Ein: SPECIAL["Ein"],
    sympy.erf: SPECIAL["erf"],
    sympy.loggamma: SPECIAL["loggamma"],
    sympy.polygamma: SPECIAL["polygamma"],
}


@dataclass(frozen=True)
class Values:
    """The numbers behind the symbols of an expression.

    Attributes:
        draws: draws of blocks and values of parameters, by symbol: of the shape (draws,), or
            (draws, length) for one with coordinates; the first axis may have the length 1.
        data: arrays of data, by symbol: of the shape (rows,) or (rows, length); labels that name
            coordinates are of the shape (rows,).
        sizes: the numbers of coordinates that the draws do not show, by length.
    """

    draws: Mapping[Symbol, np.ndarray]
    data: Mapping[Symbol, np.ndarray] = field(default_factory=dict)
    sizes: Mapping[Length, int] = field(default_factory=dict)

    def at(self, e: Expr) -> np.ndarray:
        """Return the values of an expression, of the shape (draws, rows), or (draws, rows, length)
        for one of a generic coordinate. An axis that the expression does not depend on has the
        length 1.

        Raises:
            RecipeError: for a symbol without a value.
        """
        with np.errstate(all="ignore"):
            return self._value(e, (GENERIC,) if GENERIC in labels(e) else ())

    def _value(self, e: Expr, axes: Axes) -> np.ndarray:
        if isinstance(e, Total):
            return self._total(e, axes)
        if isinstance(e, Symbol):
            return self._symbol(e, axes)
        if e.is_number:
            return np.full((1,) * (len(axes) + 2), float(e))
        if isinstance(e, sympy.log):
            return self._log(e.args[0], axes)
        parts = [self._value(a, axes) for a in e.args]
        if e.is_Add:
            return reduce(np.add, parts)
        if e.is_Mul:
            return reduce(np.multiply, parts)
        if e.is_Pow:
            return self._power(e, parts)
        if type(e) not in FUNCTIONS:
            raise RecipeError(f"{e} has no numerical value; write it out")
        return FUNCTIONS[type(e)](*parts)  # type: ignore[no-any-return]

    def _power(self, e: Expr, parts: list[np.ndarray]) -> np.ndarray:
        if e.base is sympy.S.Exp1:
            return np.exp(parts[1])
        if e.exp == sympy.S.Half:
            return np.sqrt(parts[0])
        return np.power(parts[0], float(e.exp) if e.exp.is_Rational else parts[1])

    def _log(self, e: Expr, axes: Axes) -> np.ndarray:
        """The logarithm of an expression; of a sum of positive terms by their logarithms."""
        if isinstance(e, sympy.exp):
            return self._value(e.args[0], axes)
        if e.has(sympy.exp):
            base, power = e.as_base_exp()
            if power.is_number and is_positive(base):
                return float(power) * self._log_of_parts(base, axes)
        return np.log(self._value(e, axes))

    def _log_of_parts(self, e: Expr, axes: Axes) -> np.ndarray:
        parts = Mul.make_args(e) if e.is_Mul else Add.make_args(e)
        if len(parts) > 1 and all(is_positive(p) for p in parts):
            join = np.add if e.is_Mul else np.logaddexp
            return reduce(join, (self._log(p, axes) for p in parts))
        if isinstance(e, Total) and is_positive(e.body):
            within = self._log(e.body, (*axes, e.index.label))
            return self._summed(np.logaddexp.reduce(within, axis=-1), within, e, np.add, np.log)
        return np.log(self._value(e, axes))

    def _total(self, e: Total, axes: Axes) -> np.ndarray:
        hot = next((s for s in Mul.make_args(e.body) if getattr(s, "labels", None)), None)
        inner = (*axes, e.index.label)
        if hot is not None:
            found = self._value(e.body / hot, inner)
            if found.shape[1] == 1:
                return self._gathered(found, self._labels(generic(hot)))
        within = self._value(e.body, inner)
        return self._summed(within.sum(axis=-1), within, e, np.multiply, float)

    def _summed(self, found: Any, within: Any, e: Total, repeat: Any, of: Any) -> np.ndarray:
        """A sum of which every summand may be the same number."""
        size = self._size(e.index.length)
        return repeat(found, of(size)) if within.shape[-1] == 1 < size else found  # type: ignore[no-any-return]

    def _gathered(self, found: np.ndarray, at: np.ndarray) -> np.ndarray:
        """Take the coordinate of the last axis that each row names."""
        if found.shape[-1] == 1:
            return found[..., 0]
        return np.moveaxis(found[..., at], -1, 1)[:, :, 0]

    def _symbol(self, s: Symbol, axes: Axes) -> np.ndarray:
        if isinstance(s, Length):
            return np.full((1,) * (len(axes) + 2), float(self._size(s)))
        if isinstance(s, VectorData) and s.labels is not None:
            hot = self._labels(generic(s))[:, None] == np.arange(self._size(s.length))
            return self._placed(hot[None].astype(float), s.label, axes)
        if isinstance(s, VectorData):
            return self._placed(self._datum(s)[None].astype(float), s.label, axes)
        if isinstance(s, ScalarData):
            return self._datum(s).astype(float).reshape(1, -1, *(1,) * len(axes))
        here = generic(s)
        if here not in self.draws:
            raise RecipeError(f"{name_of(s)} has no value here; give it, params={{'{here}': ...}}")
        value = np.asarray(self.draws[here], dtype=float)
        if isinstance(s, Indexed):
            return self._placed(value[:, None, :], s.label, axes)
        return value.reshape(-1, *(1,) * (len(axes) + 1))

    def _placed(self, value: np.ndarray, label: int, axes: Axes) -> np.ndarray:
        """Return an array (draws, rows, length) with its coordinates along the axis of a label."""
        place, after = axes.index(label), len(axes) - axes.index(label) - 1
        return value.reshape(*value.shape[:2], *(1,) * place, value.shape[2], *(1,) * after)

    def _labels(self, s: VectorData) -> np.ndarray:
        """Return the coordinate that each row names, or the one that all of them name."""
        if s.coordinate is not None:
            return np.array([s.coordinate])
        labels = self._datum(s if s in self.data else s.labels).astype(int)
        return np.where(labels == self._size(s.length), 0, labels) if s.but_last else labels

    def _datum(self, s: Any) -> np.ndarray:
        if generic(s) not in self.data:
            raise RecipeError(f"{name_of(s)} has no data here; give them in data=")
        return np.asarray(self.data[generic(s)])

    def _size(self, length: Length) -> int:
        if length in self.sizes:
            return self.sizes[length]
        everything = (*self.draws.items(), *self.data.items())
        for s, value in everything:
            if isinstance(s, Indexed) and s.length == length and np.ndim(value) == 2:
                return int(np.shape(value)[1])
        raise RecipeError(f"the length of {length.owner} is not known here")

"""Rounding errors of an expression: the error of every intermediate result, carried through to the
end.

The error of a sum whose terms cancel is relative to its largest term, wherever the sum stands in
the expression, and a function of the sum passes that error on. This is a running error analysis
(Higham 2002, Accuracy and Stability of Numerical Algorithms, section 3.3) with the finite error in
place of its first order: a function is evaluated at both ends of the interval of its argument.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import sympy
from sympy import Expr, Symbol

from recipe.declare.transformations.joint_map import JointMap
from recipe.language.abstract import Partial
from recipe.language.blocks import Block
from recipe.language.fold import Fold
from recipe.language.symbols import GENERIC, name_of
from recipe.language.total import Total
from verify.statistics.numbers.arrays import (
    Array,
    Axes,
    Meanings,
    combined_value,
    leaf_value,
    log1p_argument,
    value_at,
)

# These functions are not monotone, and change by no more than their argument.
LIPSCHITZ = (Fold, sympy.sin, sympy.cos)
ValueAndError = tuple[Array, Array]  # a value, and a bound on its error


@dataclass(frozen=True)
class Rounding:
    """Arithmetic of limited precision on values of which some are not exact.

    A block without an error is exact, because the kernel was given that state. Parameters and
    gradients are rounded.

    Attributes:
        meanings: the values of the symbols.
        relative: the relative precision.
        errors: bounds on the errors of values, by name.
    """

    meanings: Meanings
    relative: float
    errors: Mapping[str, Array] = field(default_factory=dict)

    def of(self, e: Expr, block: Block) -> Array:
        """Return a bound on the error of an expression at the coordinates of a block; infinite if
        none is known.

        Args:
            e: the expression.
            block: the block.
        """
        with np.errstate(all="ignore"):
            value, error = _carried(e, (GENERIC,), self)
        rows = max(value.shape[0], error.shape[0])
        return np.broadcast_to(
            np.where(np.isnan(error), np.inf, error), (rows, self.meanings.length_of(block))
        )

    @cached_property
    def moved(self) -> list[Meanings]:
        """Values in which the blocks of potentials are moved to the ends of their intervals, and to
        a mixture of both ends.
        """
        far = {**self.errors, **{name: self._of_image(name) for name in self.meanings.images}}
        if not far:
            return []
        values = {name: np.asarray(self.meanings.place(name)) for name in far}
        ends = [{name: np.ones(x.shape[-1]) for name, x in far.items()}]
        ends.append({name: (-1.0) ** np.arange(x.shape[-1]) for name, x in far.items()})
        return [
            self.meanings.with_values(
                {name: values[name] + way * sign[name] * far[name] for name in far}
            )
            for sign in ends
            for way in (1, -1)
        ]

    def _of_image(self, name: str) -> Array:
        """Return a bound on the error of the image of a block: its own rounding, and the error of
        the block.
        """
        at = self.meanings.place(name)
        forward, source = self.meanings.images[name]
        if source not in self.errors:
            return self.relative * np.abs(at)
        x = self.meanings.values[source]
        if isinstance(forward, JointMap):
            # onto a simplex: a logarithm of a probability changes by at most 2 (1 + sqrt(d + 1))
            # times the largest change of a coordinate
            largest = np.max(self.errors[source], axis=-1, keepdims=True)
            change = np.expm1(2 * (1 + np.sqrt(x.shape[-1] + 1)) * largest)
            return np.asarray(np.abs(at) * (change + self.relative))
        ends = (
            self.meanings.with_values({source: x + way * self.errors[source]}).place(name)
            for way in (1, -1)
        )
        return np.asarray(
            np.maximum(*(np.abs(end - at) for end in ends)) + self.relative * np.abs(at)
        )


def _carried(e: Expr, axes: Axes, r: Rounding) -> ValueAndError:
    """Return the value of an expression and a bound on its error."""
    if isinstance(e, Total):
        value, error = _carried(e.body, (*axes, e.index.label), r)
        wide = np.broadcast_to(value, np.broadcast_shapes(value.shape, error.shape))
        return value_at(e, axes, r.meanings), (error + r.relative * np.abs(wide)).sum(axis=-1)
    known = leaf_value(e, axes, r.meanings)
    if known is not None:
        return known, _of_leaf(e, axes, r, known)
    inner = log1p_argument(e)
    if inner is not None:
        return _through(e, [inner], np.log1p, axes, r)
    if e.is_Add:
        return _sum([_carried(a, axes, r) for a in e.args], r)
    if e.is_Mul:
        return _product([_carried(a, axes, r) for a in e.args], r)
    return _through(e, e.args, lambda *x: combined_value(e, x), axes, r)


def _of_leaf(e: Expr, axes: Axes, r: Rounding, value: Array) -> Array:
    """Return a bound on the error of an expression without parts."""
    rounded = r.relative * np.where(np.isfinite(value), np.abs(value), 0.0)
    if isinstance(e, Symbol):
        name = name_of(e)
        if name in r.errors:
            placed = leaf_value(e, axes, r.meanings.with_values({name: r.errors[name]}))
            assert placed is not None
            return np.abs(placed)
        is_state = np.ndim(r.meanings.values.get(name, 0.0)) == 2
        return np.zeros_like(value) if is_state else rounded
    if isinstance(e, Partial):
        ends = [leaf_value(e, axes, m) for m in r.moved]
        return np.asarray(
            rounded
            + np.max([np.abs(end - value) for end in ends if end is not None], axis=0, initial=0.0)
        )
    return rounded


def _sum(parts: Sequence[ValueAndError], r: Rounding) -> ValueAndError:
    value, error = parts[0]
    size = np.abs(value)
    for v, far in parts[1:]:
        value, error, size = value + v, error + far, size + np.abs(v)
    return value, error + r.relative * size


def _product(parts: Sequence[ValueAndError], r: Rounding) -> ValueAndError:
    value, error = parts[0]
    for v, far in parts[1:]:
        value, error = value * v, np.abs(value) * far + np.abs(v) * error + error * far
    return value, error + r.relative * np.abs(value)


def _through(
    e: Expr, args: Sequence[Expr], function: Callable[..., Array], axes: Axes, r: Rounding
) -> ValueAndError:
    """Return the value and error of a function, evaluated at both ends of the interval of each
    argument.
    """
    parts = [_carried(a, axes, r) for a in args]
    values = [v for v, _ in parts]
    value = function(*values)
    error = r.relative * np.abs(value)
    for k, (v, far) in enumerate(parts):
        if args[k].is_number:
            continue
        if isinstance(e, LIPSCHITZ):
            error = error + far
            continue
        ends = (
            function(*values[:k], _inside(e, v, v + way * far), *values[k + 1 :]) for way in (1, -1)
        )
        error = error + np.maximum(*(np.abs(end - value) for end in ends))
        if e.is_Pow and k == 0 and not e.exp.is_nonnegative:
            error = np.where(far >= np.abs(v), np.inf, error)  # a pole is between the ends
    return value, error


def _inside(e: Expr, value: Array, end: Array) -> Array:
    """Return an end of the interval of an argument: for a root at least zero, if the argument
    itself is not negative.
    """
    return (
        np.where((value >= 0) & (end < 0), 0.0, end) if e.is_Pow and not e.exp.is_integer else end
    )

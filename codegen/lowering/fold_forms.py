"""Folds of a coordinate into its interval, as device functions.

What is inside keeps its bits. What is folded is kept inside of the open interval as well, off its ends by the smallest possible
amount: a density or a gradient may be infinite on an edge. A value that is not a number passes, so that the run stops.
"""

from __future__ import annotations

import math
import sys
from functools import singledispatch

from sympy import Expr, Function, Rational, oo

from codegen.device.intrinsics import device
from recipe.language.fold import FOLDS, Fold


class FoldAbove(Function):
    """``(x, low)``: folded onto ``x > low``."""


class FoldBelow(Function):
    """``(x, high)``: folded onto ``x < high``."""


class FoldBetween(Function):
    """``(x, low, high)``: folded between two ends."""


class TurnAbove(Function):
    """The sign of the velocity where ``FoldAbove`` puts a coordinate back."""


class TurnBelow(Function):
    """The same of ``FoldBelow``."""


class TurnBetween(Function):
    """The same of ``FoldBetween``."""


@device
def fold_above(x: float, low: float, least: float) -> float:
    """x reflected at its lower end; at least the next number above it."""
    y = 2.0 * low - x if x < low else x
    return least if y < least else y


@device
def fold_below(x: float, high: float, most: float) -> float:
    """x reflected at its upper end; at most the next number below it."""
    y = 2.0 * high - x if x > high else x
    return most if y > most else y


@device
def fold_between(x: float, low: float, high: float, least: float, most: float) -> float:
    """x reflected at both ends, as often as it takes: a triangular wave."""
    width = high - low
    y = x if low <= x <= high else low + (width - abs(abs(x - low) % (2.0 * width) - width))
    y = least if y < least else y
    return most if y > most else y


@device
def turn_above(x: float, low: float) -> float:
    """-1 where x is reflected."""
    return -1.0 if x < low else 1.0


@device
def turn_below(x: float, high: float) -> float:
    """-1 where x is reflected."""
    return -1.0 if x > high else 1.0


@device
def turn_between(x: float, low: float, high: float) -> float:
    """-1 where x is reflected an odd number of times."""
    turned = abs(x - low) % (2.0 * (high - low)) > high - low
    return -1.0 if turned != (x < low) else 1.0


DEVICES = (
    (FoldAbove, fold_above), (FoldBelow, fold_below), (FoldBetween, fold_between),
    (TurnAbove, turn_above), (TurnBelow, turn_below), (TurnBetween, turn_between),
)  # fmt: skip


def with_folds(e: Expr) -> Expr:
    """The folds of the language by which ends are finite."""
    return e.replace(lambda f: isinstance(f, FOLDS), _by_ends) if e.has(*FOLDS) else e


def _by_ends(f: Expr) -> Expr:
    x, low, high = f.args
    above, below, between = (FoldAbove, FoldBelow, FoldBetween) if isinstance(f, Fold) else (TurnAbove, TurnBelow, TurnBetween)
    if high == oo:
        return above(x, low)
    return below(x, high) if low == -oo else between(x, low, high)


@singledispatch
def limits_of(f: Expr) -> list[Expr]:
    """The numbers that a fold passes after the coordinate: the ends, and the outermost numbers inside of them."""
    return list(f.args[1:])


@limits_of.register
def _(f: FoldAbove) -> list[Expr]:
    return [f.args[1], _inside(f.args[1], math.inf)]


@limits_of.register
def _(f: FoldBelow) -> list[Expr]:
    return [f.args[1], _inside(f.args[1], -math.inf)]


@limits_of.register
def _(f: FoldBetween) -> list[Expr]:
    low, high = f.args[1:]
    return [low, high, _inside(low, math.inf), _inside(high, -math.inf)]


def _inside(end: Expr, towards: float) -> Expr:
    """The next number from an end as it is rounded; from 0 the smallest one with a finite inverse."""
    return Rational(math.copysign(sys.float_info.min, towards) if end == 0 else math.nextafter(float(end), towards))

"""Rewrite the folds of a coordinate into its interval: one function for each kind of interval."""

from __future__ import annotations

import math
import sys
from functools import singledispatch

from sympy import Expr, Function, Rational, oo

from codegen.lowering.special_forms import contains
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
    """The sign of the velocity where ``FoldBelow`` puts a coordinate back."""


class TurnBetween(Function):
    """The sign of the velocity where ``FoldBetween`` puts a coordinate back."""


FOLD_FORMS = (FoldAbove, FoldBelow, FoldBetween, TurnAbove, TurnBelow, TurnBetween)


def with_folds(e: Expr) -> Expr:
    """Replace each fold of the language by the function for its finite ends."""
    return e.replace(lambda f: isinstance(f, FOLDS), _by_ends) if contains(e, FOLDS) else e


def _by_ends(f: Expr) -> Expr:
    """Return the function for the finite ends of one fold, with these ends as arguments."""
    x, low, high = f.args
    above, below, between = (
        (FoldAbove, FoldBelow, FoldBetween)
        if isinstance(f, Fold)
        else (TurnAbove, TurnBelow, TurnBetween)
    )
    if high == oo:
        return above(x, low)
    return below(x, high) if low == -oo else between(x, low, high)


@singledispatch
def limits_of(f: Expr) -> list[Expr]:
    """Return the arguments of a fold that follow the coordinate: its ends, and the outermost floats
    inside of them.
    """
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
    """Return the float next to an end, in the direction ``towards``; next to 0 the smallest float
    with a finite inverse.
    """
    return Rational(
        math.copysign(sys.float_info.min, towards)
        if end == 0
        else math.nextafter(float(end), towards)
    )

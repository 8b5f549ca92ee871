"""The residual of an edited rule, and measures of how likely a person is to write it: operations of
a factor, digits of a number.
"""

from __future__ import annotations

import re

from sympy import Expr

from recipe import Update, limit_of
from recipe.language.calculus import gradient
from verify.generator.fokker_planck import residual

MAX_DIGITS = 12  # a longer number is no slip of the pen, and no one reads it


def residual_of(update: Update) -> Expr:
    """Return the Fokker-Planck residual of a rule and its target."""
    dynamics = limit_of(update)
    return residual(dynamics, {block: gradient(update.target, block) for block in dynamics.state})


def operations(factor: Expr) -> int:
    """Return how many operations a factor adds to the text of a rule: 0 for a number, and 2 for
    zero, which takes a summand away.
    """
    if factor == 0:
        return 2
    return 0 if factor.is_Rational else int(factor.count_ops())


def is_readable(text: str) -> bool:
    """Return True if a repair has no number that nobody would write."""
    return not re.search(rf"\d{{{MAX_DIGITS + 1},}}", text)

"""What is left over of an edited rule; how much there is to write of a factor in one, and what
nobody would write.
"""

from __future__ import annotations

import re

from sympy import Expr

from recipe import Update, limit_of
from recipe.language.calculus import gradient
from verify.generator.fokker_planck import residual

LONGEST_NUMBER = 12  # digits; a longer number is no slip of the pen, and no one reads it


def residual_of(update: Update) -> Expr:
    """The Fokker-Planck residual of a rule and its target."""
    dynamics = limit_of(update)
    return residual(dynamics, {block: gradient(update.target, block) for block in dynamics.state})


def operations(factor: Expr) -> int:
    """How much there is to write of a factor; a number is little, and zero says that something must
    go.
    """
    if factor == 0:
        return 2
    return 0 if factor.is_Rational else int(factor.count_ops())


def is_readable(text: str) -> bool:
    """Whether a repair is free of numbers that nobody would write."""
    return not re.search(rf"\d{{{LONGEST_NUMBER + 1},}}", text)

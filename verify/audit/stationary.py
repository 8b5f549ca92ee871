"""Whether exp(-H) is stationary, by proof alone: no witness is looked for where it is not."""

from __future__ import annotations

from sympy import Expr

from recipe.declare.dynamics import Dynamics
from recipe.language.symbols import Block
from verify.decide.zero.decide import vanishes
from verify.generator.fokker_planck import current, residual


def is_stationary(dynamics: Dynamics, gradient: dict[Block, Expr]) -> bool:
    """Proved by the residual, or because there is no current at all, which asks for no sums over
    coordinates.
    """
    return has_no_current(dynamics, gradient) or vanishes(residual(dynamics, gradient))


def has_no_current(dynamics: Dynamics, gradient: dict[Block, Expr]) -> bool:
    """Whether ``v = f + D grad H - div D`` is zero in every block: then the process is reversible,
    and its law stationary.
    """
    return all(vanishes(e) for e in current(dynamics, gradient).values())

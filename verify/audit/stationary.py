"""Is exp(-H) stationary? By proof alone: no counterexample is sought where no proof is found."""

from __future__ import annotations

from sympy import Expr

from recipe.declare.dynamics import Dynamics
from recipe.language.blocks import Block
from verify.decide.zero.decide import vanishes
from verify.generator.fokker_planck import current, residual


def is_stationary(dynamics: Dynamics, gradient: dict[Block, Expr]) -> bool:
    """Return True if exp(-H) is proved to be stationary; False leaves it open.

    The proof is a residual of zero, or that there is no current at all, which needs no sums over
    coordinates.
    """
    return has_no_current(dynamics, gradient) or vanishes(residual(dynamics, gradient))


def has_no_current(dynamics: Dynamics, gradient: dict[Block, Expr]) -> bool:
    """Return True if ``v = f + D grad H - div D`` is proved to be zero in every block: then the
    process is reversible with respect to exp(-H).
    """
    return all(vanishes(e) for e in current(dynamics, gradient).values())

"""Does noise reach every direction at every point, so that L is hypoelliptic?"""

from __future__ import annotations

from sympy import Expr

from recipe.declare.dynamics import Dynamics
from recipe.language.text import listed
from recipe.signs.defined import is_smooth
from verify.diffusion.hypoelliptic.hoermander import reached_blocks
from verify.verdict import Outcome, proved, undecided


def decide_spanning(dynamics: Dynamics, H: Expr) -> Outcome:
    """Prove that noise reaches every direction at every point, directly or by brackets; undecided
    otherwise.

    Source:
        Hoermander, "Hypoelliptic second order differential equations" (1967).
    """
    if not is_smooth(H, *dynamics.coefficients()):
        return undecided("H, the drift and D are not proved to be smooth everywhere")
    found = reached_blocks(dynamics)
    if found is None:
        return undecided(
            "D is not proved to be positive definite everywhere on the blocks that have noise"
        )
    missing = [b for b in dynamics.state if b not in found.blocks]
    if not found.blocks:
        return undecided("there is no noise; whether the flow is ergodic is not decided")
    if missing:
        return undecided(f"noise is not proved to reach {listed(missing)} at every point")
    if found.levels == 0:
        return proved("D is positive definite everywhere")
    rounds = "one round" if found.levels == 1 else f"{found.levels} rounds"
    return proved(f"Hoermander's condition holds everywhere, by {rounds} of brackets")

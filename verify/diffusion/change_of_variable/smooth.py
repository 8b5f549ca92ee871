"""Is a map infinitely differentiable? If not, which derivative is the first to jump?"""

from __future__ import annotations

from sympy import Expr

from recipe.declare.transformations.map import Map
from recipe.signs.defined import is_smooth
from verify.decide.asymptotics.leading import certain_sign
from verify.diffusion.change_of_variable.smooth_branch import branches_of, slope_at
from verify.verdict import Outcome, Witness, proved, refuted, undecided

MAX_ORDERS = 8
CONSEQUENCE_OF_A_JUMP = (
    "a law is carried over where f' is continuous, and the Fokker-Planck equation holds on both"
    " sides; uniqueness, the order of a step and exact transitions need more"
)
NOT_SEEN_TO_BE_SMOOTH = undecided("f is not proved to be smooth everywhere inside")


def decide_smooth_expression(f: Expr) -> Outcome:
    """Decide by its structure whether an expression has derivatives of every order."""
    return proved("f has derivatives of every order") if is_smooth(f) else NOT_SEEN_TO_BE_SMOOTH


def decide_smooth(f: Map) -> Outcome:
    """Decide whether a map has derivatives of every order.

    *Proved* by structure if the map has no kink. At a kink, the limits of each derivative from both
    sides are compared; the first that differ refute. Agreement up to MAX_ORDERS leaves it
    undecided.
    """
    sides = branches_of(f)
    if len(sides) == 1:
        return decide_smooth_expression(sides[0].f)
    if not all(is_smooth(branch.f) for branch in sides):
        return NOT_SEEN_TO_BE_SMOOTH
    left, right = sides
    for order in range(1, MAX_ORDERS):
        before, after = slope_at(left, True, order), slope_at(right, False, order)
        jump = None if before is None or after is None else certain_sign(after - before)
        if jump is None:
            return undecided(f"the limits of the derivative of order {order} at 0 are not decided")
        if jump != 0:
            name = f"f{chr(39) * order}"
            by = f"f is C^{order - 1} only, as {name} jumps at 0" + (
                f": {CONSEQUENCE_OF_A_JUMP}" if order > 1 else ""
            )
            return refuted(
                by, Witness({str(right.x): "0"}, f"{name} goes from {before} to {after} there")
            )
    return undecided(f"the derivatives at 0 agree up to the order {MAX_ORDERS - 1}")

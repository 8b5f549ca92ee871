"""Exact bounds for ``f'`` and for ``(log |f'|)'``, the part of the CoRV drift that comes from the
map.

Yokoi et al. assume that f is Lipschitz (their Assumption 2). The drift need not be Lipschitz then:
the inverse complementary log-log is, but has ``(log f')'' = -exp(phi)``.
"""

from __future__ import annotations

from sympy import Expr

from recipe.declare.transformations.map import Map
from recipe.signs.defined import is_smooth
from recipe.signs.sign import is_positive
from verify.decide.asymptotics.leading import certain_sign
from verify.decide.zero.canonical import normalised
from verify.diffusion.change_of_variable.monotone import decide_monotone, slope_sign
from verify.diffusion.change_of_variable.roots import Range, range_of
from verify.diffusion.change_of_variable.smooth_branch import SmoothBranch, branches_of, limit_of
from verify.diffusion.change_of_variable.variable import Variable, fraction, variable
from verify.verdict import Outcome, Verdict, Witness, proved, refuted, undecided

NOT_RATIONAL = (
    "is not a rational function of phi or of one exponential of it, with zeros in closed form, so"
    " no bound was decided"
)


def decide_lipschitz(f: Map) -> Outcome:
    """Decide whether f is Lipschitz, by computing ``sup |f'|``.

    Between two zeros of ``(log |f'|)'`` the slope is monotone, so it is enough to compare values at
    these zeros and at the ends.
    """
    return _bounded(
        f,
        "|f'|",
        [_range_of_slope(branch) for branch in branches_of(f)],
        "Lipschitz with the constant sup |f'| = {}",
    )


def decide_lipschitz_drift(f: Map) -> Outcome:
    """Decide whether ``(log |f'|)'`` is bounded, has a bounded derivative, and is continuous at a
    kink.
    """
    sides = branches_of(f)
    drift_bound = _bounded(
        f,
        "|(log f')'|",
        [_range_of_log_slope_derivative(branch, 0) for branch in sides],
        "|(log f')'| <= {}",
    )
    if drift_bound.verdict is not Verdict.PROVED:
        return drift_bound
    if len(sides) > 1:
        before, after = (
            limit_of(sides[0].log_slope_derivative, sides[0], True),
            limit_of(sides[1].log_slope_derivative, sides[1], False),
        )
        jump = None if before is None or after is None else certain_sign(after - before)
        if jump is None:
            return undecided("whether (log f')' is continuous at 0 is not decided")
        if jump != 0:
            finding = f"(log f')' goes from {before} to {after} there"
            return refuted("the drift jumps", Witness({str(sides[1].x): "0"}, finding))
    derivative_bound = _bounded(
        f,
        "|(log f')''|",
        [_range_of_log_slope_derivative(branch, 1) for branch in sides],
        "|(log f')''| <= {}",
    )
    return (
        proved(f"{drift_bound.by}, {derivative_bound.by}")
        if derivative_bound.verdict is Verdict.PROVED
        else derivative_bound
    )


# the range of an expression of phi, the variable in which it was found, and that expression
Found = tuple[Range, Variable, Expr] | None


def _bounded(f: Map, what: str, found: list[Found], by: str) -> Outcome:
    monotone = decide_monotone(f)
    if monotone.verdict is not Verdict.PROVED:
        return undecided("f is not proved to be monotone")
    largest: Range | None = None
    for part in found:
        if part is None:
            return undecided(f"{what} {NOT_RATIONAL}")
        over, y, e = part
        if not over.is_bounded:
            where = y.phi_at(over.at_high if not over.high.is_finite else over.at_low)
            finding = f"{what}, the size of {e}, goes to infinity as phi goes to {where}"
            return refuted(f"{what} is not bounded", Witness({str(y.x): str(where)}, finding))
        if largest is None or certain_sign(over.size - largest.size) == 1:
            largest = over
    assert largest is not None
    return proved(by.format(largest.size))


def _range_of_slope(branch: SmoothBranch) -> Found:
    slope = normalised(branch.slope)
    log_slope_derivative = normalised(branch.log_slope_derivative)
    y = variable([slope, log_slope_derivative], branch.x)
    zeros_of_slope = None if y is None else fraction(y.read(log_slope_derivative))
    if y is None or zeros_of_slope is None or slope_sign(branch) is None:
        return _between_its_ends(branch)
    over = range_of(y.read(slope), zeros_of_slope, y)
    return None if over is None else (over, y, slope)


def _between_its_ends(branch: SmoothBranch) -> Found:
    """The range of the slope where its derivative has one sign by its structure: the slope is then
    monotone, and lies between its limits at the ends.
    """
    bend = branch.slope.diff(branch.x)
    rises, falls = (is_positive(s * bend) or is_positive(normalised(s * bend)) for s in (1, -1))
    limits = [limit_of(branch.slope, branch, upper) for upper in (False, True)]
    if not (rises or falls) or not is_smooth(branch.slope) or None in limits:
        return None
    low, high = branch.x.domain.start, branch.x.domain.end
    ends = [(limits[0], low), (limits[1], high)]
    (least, at_least), (most, at_most) = ends if rises else ends[::-1]
    y = Variable(branch.x, None, low, high)
    return Range(least, most, at_least, at_most), y, branch.slope


def _range_of_log_slope_derivative(branch: SmoothBranch, order: int) -> Found:
    e = normalised(
        branch.log_slope_derivative.diff(branch.x, order) if order else branch.log_slope_derivative
    )
    y = variable([e], branch.x)
    found = None if y is None else fraction(y.read(e))
    if y is None or found is None:
        return None
    over = range_of(y.read(e), found.derivative(), y)
    return None if over is None else (over, y, e)

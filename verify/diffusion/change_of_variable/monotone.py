"""Is ``f' > 0`` on the whole domain, or ``f' < 0`` on the whole domain?"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr, S

from recipe.declare.transformations.map import Map
from recipe.language.assumed import cached
from recipe.signs.defined import conditions
from recipe.signs.sign import is_positive
from verify.decide.asymptotics.leading import certain_sign
from verify.decide.definedness import decide_condition
from verify.decide.zero.canonical import normalised
from verify.diffusion.change_of_variable.roots import point_inside, sign_of, zeros
from verify.diffusion.change_of_variable.smooth_branch import (
    NO_VALUES,
    SmoothBranch,
    branches_of,
    slope_at,
    value_at,
)
from verify.diffusion.change_of_variable.variable import Fraction, Variable, fraction, variable
from verify.verdict import Outcome, Verdict, Witness, proved, refuted, undecided

POINTS_PER_SIDE = 24  # at which signs of f' are compared


@cached(maxsize=256)
def decide_monotone(f: Map) -> Outcome:
    """Decide whether f is strictly monotone with a continuous f' that vanishes nowhere.

    Each smooth branch is decided by the structure of f' or by counting its roots, a kink by the
    limits of f' from both sides, a closed end by values there. *Refuted* with a point where f'
    vanishes or changes its sign.
    """
    found = [_on_branch(branch) for branch in branches_of(f)]
    for wanted in (Verdict.REFUTED, Verdict.UNDECIDED):
        for outcome in found:
            if outcome.verdict is wanted:
                return outcome
    if len(found) > 1:
        at_kink = _across_kink(f, *branches_of(f))
        if at_kink is not None:
            return at_kink
    at_ends = _at_closed_ends(f)
    if at_ends is not None:
        return at_ends
    (x,) = f.forward.variables
    return proved(f"f' = {normalised(f.derivative(x))} {'>' if direction(f) > 0 else '<'} 0")


def direction(f: Map) -> int:
    """1 for an increasing map, -1 for a decreasing one. The map must be monotone."""
    return slope_sign(branches_of(f)[0]) or 0


def _on_branch(branch: SmoothBranch) -> Outcome:
    if branch.f.has(*NO_VALUES):
        return undecided("f is not proved to have values")
    for e in (branch.f, branch.slope):
        for condition in conditions(e):
            outcome = decide_condition(condition)
            if outcome.verdict is not Verdict.PROVED:
                return outcome
    if slope_sign(branch) is not None:
        return proved("f' has one sign")
    return _refuted(branch) or undecided(
        f"the sign of f' = {branch.slope} is not decided, neither by its structure nor by its roots"
    )


@cached(maxsize=256)
def slope_sign(branch: SmoothBranch) -> int | None:
    """The sign of f' if it is proved to be the same on the whole branch; None if not."""
    slope = normalised(branch.slope)
    for sign in (1, -1):
        if is_positive(sign * branch.slope) or is_positive(sign * slope):
            return sign
    found = as_fraction(slope, branch)
    return None if found is None else sign_of(*found)


def as_fraction(e: Expr, branch: SmoothBranch) -> tuple[Fraction, Variable] | None:
    """An expression of phi as a quotient of polynomials in some variable, and that variable; None
    if there is none.
    """
    y = variable([e], branch.x)
    found = None if y is None else fraction(y.read(e))
    return None if y is None or found is None else (found, y)


def _refuted(branch: SmoothBranch) -> Outcome | None:
    """Refute by a zero of f', or by two points at which f' has different signs; None if none were
    found.
    """
    slope, name = normalised(branch.slope), str(branch.x)
    found = as_fraction(slope, branch)
    for root in zeros(*found) or () if found is not None else ():
        phi = found[1].phi(root) if found is not None else root
        return refuted("f' vanishes", Witness({name: str(phi)}, f"f' = {slope} is 0 there"))
    at_sign: dict[int, Expr] = {}
    for phi in _points(branch):
        sign = certain_sign(branch.slope.xreplace({branch.x: phi}))
        if sign is not None:
            at_sign.setdefault(sign, phi)
    if 0 in at_sign:
        return refuted("f' vanishes", Witness({name: str(at_sign[0])}, f"f' = {slope} is 0 there"))
    if len(at_sign) < 2:
        return None
    finding = f"f' = {slope} is negative there, and positive at {name} = {at_sign[1]}"
    return refuted("f' changes its sign", Witness({name: str(at_sign[-1])}, finding))


def _points(branch: SmoothBranch) -> Iterator[Expr]:
    """Rational points inside the domain, from the middle outwards."""
    low, high = branch.x.domain.start, branch.x.domain.end
    middle = point_inside(low, high)
    yield middle
    for k in range(1, POINTS_PER_SIDE):
        yield from (
            middle + (end - middle) * S(k) / POINTS_PER_SIDE
            if end.is_finite
            else middle + s * S(k) / 2
            for end, s in ((low, -1), (high, 1))
        )


def _at_closed_ends(f: Map) -> Outcome | None:
    """The first failure at an end that belongs to the domain; None if there is none.

    f must have a value there, and f' a nonzero one.
    """
    sides, domain = branches_of(f), f.domain
    closed = [] if domain.left_open else [(sides[0], domain.start)]
    closed += [] if domain.right_open else [(sides[-1], domain.end)]
    for branch, end in closed:
        if value_at(branch.f, branch.x, end) is None:
            return undecided(f"f is not proved to have a value at {end}")
        slope = value_at(branch.slope, branch.x, end)
        size = None if slope is None else certain_sign(slope)
        if size == 0:
            finding = f"f' = {normalised(branch.slope)} is 0 there"
            return refuted("f' vanishes", Witness({str(branch.x): str(end)}, finding))
        if size is None:
            return undecided(f"f' is not proved to have a nonzero value at {end}")
    return None


def _across_kink(f: Map, left: SmoothBranch, right: SmoothBranch) -> Outcome | None:
    """The first failure at 0 for a map with two branches; None if there is none.

    f must have a value at 0, and f' the same nonzero limit from both sides.
    """
    (phi,) = f.forward.variables
    if value_at(f.forward.expr, phi, S.Zero) is None:
        return undecided("f is not proved to have a value at 0")
    before, after = slope_at(left, upper=True), slope_at(right, upper=False)
    if before is None or after is None:
        return undecided("the limits of f' at 0 are not decided")
    jump, size = (certain_sign(e) for e in (after - before, after))
    if jump in (1, -1):
        return refuted(
            "f is not differentiable",
            Witness({str(right.x): "0"}, f"f' goes from {before} to {after} there"),
        )
    if size == 0:
        return refuted("f' vanishes", Witness({str(right.x): "0"}, "f' is 0 there"))
    return (
        None
        if jump == 0 and size is not None
        else undecided("the limits of f' at 0 are not compared")
    )

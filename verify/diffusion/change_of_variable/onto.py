"""Does a monotone map take its domain onto the domain of theta? Does the given inverse invert
it?
"""

from __future__ import annotations

from sympy import Abs, Expr, Interval, S

from recipe.declare.transformations.map import Map
from recipe.language.domain import finite_ends
from recipe.signs.defined import PROVERS, Condition, conditions
from recipe.signs.sign import is_positive
from verify.decide.asymptotics.leading import certain_sign
from verify.decide.zero.canonical import normalised
from verify.decide.zero.decide import decide_zero, vanishes
from verify.diffusion.change_of_variable.limits import compare_limits
from verify.diffusion.change_of_variable.monotone import decide_monotone, direction
from verify.diffusion.change_of_variable.roots import point_inside
from verify.diffusion.change_of_variable.smooth_branch import (
    NO_VALUES,
    branches_of,
    coordinate,
    limit_of,
    sides,
    value_at,
    without_kink,
)
from verify.verdict import Outcome, Verdict, Witness, proved, refuted, undecided


def decide_onto(f: Map, domain: Interval) -> Outcome:
    """Decide whether f maps its domain onto ``domain``, and whether the given inverse is one.

    A monotone continuous map takes every value between its limits at both ends, so the limits
    decide.
    """
    if decide_monotone(f).verdict is not Verdict.PROVED:
        return undecided("f is not proved to be monotone, so its limits do not determine its image")
    image = image_of(f)
    if image is None:
        return undecided(
            f"the limits of {f.forward.expr} at the ends of {f.domain} are not decided"
        )
    reached = _reached(f, image, domain)
    if reached.verdict is not Verdict.PROVED or f.inverse is None:
        return reached
    back = _goes_back(f, domain)
    return (
        proved(f"{reached.by}; f(g(theta)) = theta for g = {f.inverse.expr}")
        if back.verdict is Verdict.PROVED
        else back
    )


def image_of(f: Map) -> tuple[Expr, Expr] | None:
    """The limits of a monotone map at the ends of its domain, the smaller one first; None if one is
    not decided.
    """
    parts = branches_of(f)
    low, high = limit_of(parts[0].f, parts[0], False), limit_of(parts[-1].f, parts[-1], True)
    if low is None or high is None:
        return None
    return (low, high) if direction(f) > 0 else (high, low)


def _reached(f: Map, image: tuple[Expr, Expr], domain: Interval) -> Outcome:
    """Decide whether the interval between the limits is ``domain``, apart from its ends."""
    for limit, end, upper in zip(image, (domain.start, domain.end), (False, True), strict=True):
        towards = f.domain.end if upper == (direction(f) > 0) else f.domain.start
        side = compare_limits(limit, end)
        if side is None:
            return undecided(
                f"whether the limit {limit} of f is the end {end} of the domain is not decided"
            )
        if side == 0:
            continue
        beyond = side > 0 if upper else side < 0
        finding = f"f goes to {limit} as phi goes to {towards}, " + (
            f"beyond the end {end} of the domain"
            if beyond
            else f"and the domain of theta goes on to {end}"
        )
        repair = f"choose a map onto {domain}, or give theta the domain {Interval.open(*image)}"
        return refuted(
            "f does not go onto the domain", Witness({"phi": str(towards)}, finding), repair
        )
    ends = [str(end.at) for end in finite_ends(domain) if end.belongs]
    omitted = f", but for {' and '.join(ends)}, which has no probability" if ends else ""
    return proved(
        f"f is continuous and goes to {image[0]} and {image[1]} at the ends of {f.domain}{omitted}"
    )


def _goes_back(f: Map, domain: Interval) -> Outcome:
    """Prove ``f(g(theta)) = theta`` on the domain, or ``g(f(phi)) = phi``.

    The two are equivalent, as f is known to be monotone and onto.
    """
    found = _right_inverse(f, domain)
    if found.verdict is Verdict.UNDECIDED and _is_left_inverse(f):
        found = proved("")
    return _at_kinks(f, domain) if found.verdict is Verdict.PROVED else found


def _at_kinks(f: Map, domain: Interval) -> Outcome:
    """Prove ``f(g(theta)) = theta`` at the kinks of f and g, which the smooth branches leave
    out.
    """
    assert f.inverse is not None
    (phi,), (theta,) = f.forward.variables, f.inverse.variables
    of_inverse = [S.Zero] if f.inverse.expr.has(Abs) and domain.start < 0 < domain.end else []
    of_map = (
        [value_at(f.forward.expr, phi, S.Zero)]
        if f.kink and f.domain.start < 0 < f.domain.end
        else []
    )
    for point in (*of_inverse, *of_map):
        back = None if point is None else value_at(f.inverse.expr, theta, point)
        there = None if back is None else value_at(f.forward.expr, phi, back)
        if there is None or certain_sign(there - point) != 0:
            return undecided(
                f"the inverse {f.inverse.expr} is not proved to have a value at the kink, and to"
                " invert f there"
            )
    return proved("")


def _right_inverse(f: Map, domain: Interval) -> Outcome:
    assert f.inverse is not None
    for low, high in sides(domain, f.kink or f.inverse.expr.has(Abs)):
        theta = coordinate("theta", low, high)
        g = without_kink(f.inverse(theta))
        missing = (
            "it is singular"
            if g.has(*NO_VALUES)
            else next((c for c in conditions(g) if not _holds(c)), None)
        )
        if missing is not None:
            return undecided(
                f"the inverse {f.inverse.expr} is not proved to have a value everywhere: {missing}"
            )
        if not all(_is_above(d) for d in _distances(g, f.domain)):
            return undecided(f"the inverse {g} is not proved to stay in {f.domain}")
        outcome = _returns(without_kink(f(g)) - theta, theta)
        if outcome.verdict is not Verdict.PROVED:
            return outcome
    return proved("")


def _is_left_inverse(f: Map) -> bool:
    for branch in branches_of(f):
        assert f.inverse is not None
        back = without_kink(f.inverse(branch.f))
        if (
            back.has(*NO_VALUES)
            or not all(map(_holds_somehow, conditions(back)))
            or not vanishes(back - branch.x)
        ):
            return False
    return True


def _holds_somehow(condition: Condition) -> bool:
    return _holds(condition) or _holds(Condition(normalised(condition.e), condition.sign))


def _holds(condition: Condition) -> bool:
    return PROVERS[condition.sign](condition.e)


def _distances(g: Expr, domain: Interval) -> list[Expr]:
    """The distances of g from the finite ends of an interval, which are positive inside."""
    return [
        d
        for d, end in ((g - domain.start, domain.start), (domain.end - g, domain.end))
        if end.is_finite
    ]


def _is_above(distance: Expr) -> bool:
    return is_positive(distance) or is_positive(normalised(distance))


def _returns(back: Expr, theta: Expr) -> Outcome:
    """Decide whether ``f(g(theta)) - theta`` is zero, given as ``back``.

    It is zero if its canonical form is, or if its derivative is zero and it vanishes at one point.
    """
    outcome = decide_zero(back)
    if outcome.verdict is Verdict.REFUTED:
        assert outcome.witness is not None
        finding = f"f(g(theta)) - theta: {outcome.witness.finding}"
        return refuted(
            "the given inverse does not invert f", Witness(outcome.witness.point, finding)
        )
    somewhere = back.xreplace({theta: point_inside(theta.domain.start, theta.domain.end)})
    if outcome.verdict is Verdict.PROVED or (
        vanishes(back.diff(theta)) and certain_sign(somewhere) == 0
    ):
        return proved("")
    return undecided(f"f(g(theta)) = theta is not proved for g = {back + theta}")

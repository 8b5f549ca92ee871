"""Is ``f' > 0``, or ``f' < 0``, on the whole of the domain?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from sympy import Expr, S

from recipe.declare.map import Map
from recipe.language.sign import is_positive
from verify.decide.asymptotics.leading import certain_sign
from verify.decide.definedness import conditions, decide_condition
from verify.decide.zero.canonical import normalised
from verify.diffusion.change_of_variable.roots import point_inside, sign_of, zeros
from verify.diffusion.change_of_variable.smooth_branch import (
    NO_VALUES,
    SmoothBranch,
    pieces,
    slope_at,
    value_at,
)
from verify.diffusion.change_of_variable.variable import Fraction, Variable, fraction, variable
from verify.verdict import Outcome, Verdict, Witness, proved, refuted, undecided

STEPS = 24  # points on each side at which signs of f' are compared


@lru_cache(maxsize=256)
def decide_monotone(f: Map) -> Outcome:
    """On every piece by structure or by the roots of f', at a kink by its limits from both sides,
    at closed ends by its values.
    """
    found = [_on_piece(piece) for piece in pieces(f)]
    for wanted in (Verdict.REFUTED, Verdict.UNDECIDED):
        for outcome in found:
            if outcome.verdict is wanted:
                return outcome
    if len(found) > 1:
        at_kink = _across_kink(f, *pieces(f))
        if at_kink is not None:
            return at_kink
    at_ends = _at_closed_ends(f)
    if at_ends is not None:
        return at_ends
    (x,) = f.forward.variables
    return proved(f"f' = {normalised(f.derivative(x))} {'>' if direction(f) > 0 else '<'} 0")


def direction(f: Map) -> int:
    """1 for a map that increases, -1 for one that decreases, given that it is monotone."""
    return slope_sign(pieces(f)[0]) or 0


def _on_piece(piece: SmoothBranch) -> Outcome:
    if piece.f.has(*NO_VALUES):
        return undecided("f is not proved to have values")
    for e in (piece.f, piece.slope):
        for condition in conditions(e):
            outcome = decide_condition(condition)
            if outcome.verdict is not Verdict.PROVED:
                return outcome
    if slope_sign(piece) is not None:
        return proved("f' has one sign")
    return _refuted(piece) or undecided(
        f"the sign of f' = {piece.slope} is neither read off nor decided by counting roots"
    )


@lru_cache(maxsize=256)
def slope_sign(piece: SmoothBranch) -> int | None:
    """The sign of f' where it is one and the same everywhere on the piece."""
    slope = normalised(piece.slope)
    for sign in (1, -1):
        if is_positive(sign * piece.slope) or is_positive(sign * slope):
            return sign
    found = as_fraction(slope, piece)
    return None if found is None else sign_of(*found)


def as_fraction(e: Expr, piece: SmoothBranch) -> tuple[Fraction, Variable] | None:
    """An expression of phi as a quotient of polynomials in a variable, with that variable."""
    y = variable([e], piece.x)
    found = None if y is None else fraction(y.read(e))
    return None if y is None or found is None else (found, y)


def _refuted(piece: SmoothBranch) -> Outcome | None:
    """A zero of f', or two points with different signs of it."""
    slope, name = normalised(piece.slope), str(piece.x)
    found = as_fraction(slope, piece)
    for root in zeros(*found) or () if found is not None else ():
        phi = found[1].phi(root) if found is not None else root
        return refuted("f' vanishes", Witness({name: str(phi)}, f"f' = {slope} is 0 there"))
    at_sign: dict[int, Expr] = {}
    for phi in _points(piece):
        sign = certain_sign(piece.slope.xreplace({piece.x: phi}))
        if sign is not None:
            at_sign.setdefault(sign, phi)
    if 0 in at_sign:
        return refuted("f' vanishes", Witness({name: str(at_sign[0])}, f"f' = {slope} is 0 there"))
    if len(at_sign) < 2:
        return None
    finding = f"f' = {slope} is negative there, and positive at {name} = {at_sign[1]}"
    return refuted("f' changes its sign", Witness({name: str(at_sign[-1])}, finding))


def _points(piece: SmoothBranch) -> Iterator[Expr]:
    """Rational points inside, from the middle outwards."""
    low, high = piece.x.domain.start, piece.x.domain.end
    middle = point_inside(low, high)
    yield middle
    for k in range(1, STEPS):
        yield from (
            middle + (end - middle) * S(k) / STEPS if end.is_finite else middle + s * S(k) / 2
            for end, s in ((low, -1), (high, 1))
        )


def _at_closed_ends(f: Map) -> Outcome | None:
    """What is wrong at an end that belongs to the domain, if anything: there f' must have a value,
    and not be 0.
    """
    sides, domain = pieces(f), f.domain
    closed = [] if domain.left_open else [(sides[0], domain.start)]
    closed += [] if domain.right_open else [(sides[-1], domain.end)]
    for piece, end in closed:
        if value_at(piece.f, piece.x, end) is None:
            return undecided(f"that f has a value at {end} is not proved")
        slope = value_at(piece.slope, piece.x, end)
        size = None if slope is None else certain_sign(slope)
        if size == 0:
            finding = f"f' = {normalised(piece.slope)} is 0 there"
            return refuted("f' vanishes", Witness({str(piece.x): str(end)}, finding))
        if size is None:
            return undecided(f"that f' has a value at {end}, which is not 0, is not proved")
    return None


def _across_kink(f: Map, left: SmoothBranch, right: SmoothBranch) -> Outcome | None:
    """What is wrong at 0 with a map in two pieces, if anything: f must have a value, and f' the
    same limits, not 0.
    """
    (phi,) = f.forward.variables
    if value_at(f.forward.expr, phi, S.Zero) is None:
        return undecided("that f has a value at 0 is not proved")
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

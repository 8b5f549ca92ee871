"""Is an expression zero, for every length, at every point, for every abstract function?

*Proved* by canonical form, *refuted* by a point where ball arithmetic excludes zero. The second
decider looks at both; where it cannot confirm a proof, the value at explicit points must not
exclude zero. What both leave open is looked at in points of general position, with more digits and
larger lengths.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from sympy import Abs, Expr, sign

from recipe.language.symbols import GENERIC, OTHER, Length
from recipe.language.total import labels
from verify.checker import Answer
from verify.decide.identities.proved_signs import rewrite_proved_signs
from verify.decide.points.balls import WORKING_BITS, NoValueError, at_precision, shown_ball
from verify.decide.points.condition_places import Places
from verify.decide.points.general_position import lengths_in
from verify.decide.points.point import Point
from verify.decide.zero.canonical import is_zero
from verify.decide.zero.errors import CannotDecideError
from verify.decide.zero.prove_by_rules import is_zero_by_identities
from verify.decide.zero.second_decider import second_opinion
from verify.verdict import Outcome, Witness, proved, refuted, undecided

MAX_LENGTH_CHOICES = 27
POINTS_PER_LENGTH_CHOICE = 4
NEGLIGIBLE_RADIUS = 1e-12  # a ball around zero this small is not computed with more digits
FURTHER_LENGTHS, POINTS_FURTHER, FURTHER_BITS = (3, 4, 5, 6, 7, 8), 4, (128, 1024)
CONFIRMATION_POINTS = 3  # points at which a proof by canonical form alone is evaluated


class DisagreementError(RuntimeError):
    """Two deciders contradict each other: a fault of this program, never a verdict."""


def decide_zero(e: Expr) -> Outcome:
    """Decide whether ``e`` is identically zero: for every length, at every point, for every
    abstract function.

    The labels GENERIC and OTHER stand for two different coordinates. *Proved* by the canonical
    form; *refuted* with a witness at which ball arithmetic excludes zero; otherwise *undecided*,
    with the reason.

    Raises:
        DisagreementError: if the two deciders contradict each other.
    """
    if e == 0:
        return proved("it is written as 0")
    zero, reason = _has_zero_form(e)
    if zero:
        return proved(_confirmation(e))
    witness = find_nonzero(e) or _search_further(e)
    if witness is not None:
        if second_opinion(e).kind == "zero":
            raise DisagreementError(
                f"{e} is not zero at {witness.point}, and the second decider says that it is zero"
            )
        return refuted("it is not zero at the witness", witness)
    if is_zero_by_identities(e):
        _confirm_identities(e)
        return proved("identities between functions")
    return undecided(reason)


def vanishes(e: Expr) -> bool:
    """Return True if both deciders find the expression identically zero, which proves it.

    False leaves the question open.
    """
    if e != 0:
        zero, _ = _has_zero_form(e)
        if not zero:
            return False
        _confirmation(e)
    return True


def _has_zero_form(e: Expr) -> tuple[bool, str]:
    """Return (True, ...) if the canonical form is zero, else False and the reason to report."""
    try:
        return is_zero(
            e
        ), "its canonical form is not zero, and no point was found where it is certainly not zero"
    except CannotDecideError as error:
        return False, str(error)
    except RecursionError:
        return False, "it is nested too deeply for a canonical form"


def _confirmation(e: Expr) -> str:
    """Confirm a proof by canonical form with the second decider, and say what supports the proof.

    Where the second decider has no answer, the value at a few points must not exclude zero.
    """
    if _require_no_contradiction(e).kind == "zero":
        return "canonical form, confirmed by a second decider"
    _require_zero_at_points(e)
    return "canonical form"


def _confirm_identities(e: Expr) -> None:
    """Ask the second decider about an expression that identities prove zero.

    It gives each absolute value a side of its own; sides that contradict each other, as of ``x -
    1`` and ``1 - x``, say nothing.
    """
    e = rewrite_proved_signs(e)
    if not e.has(Abs, sign):
        _require_no_contradiction(e)


def _require_no_contradiction(e: Expr) -> Answer:
    """Ask the second decider about an expression that was proved zero.

    Raises:
        DisagreementError: if it is certain that the expression is not.
    """
    second = second_opinion(e)
    if second.kind == "nonzero" and second.certain:
        raise DisagreementError(
            f"{e} was proved to be zero, and the second decider says that {second.why}"
        )
    return second


def find_nonzero(e: Expr) -> Witness | None:
    """A point where the expression is certainly not zero; None if none was found, which proves
    nothing.
    """
    for point, places in points(e, POINTS_PER_LENGTH_CHOICE):
        for bits in WORKING_BITS:
            try:
                value = at_precision(bits, lambda p=point, at=places: p.evaluate(e, at))  # type: ignore[misc]
            except NoValueError:
                break
            if not value.contains(0):
                return Witness(point.shown(), f"the value is {shown_ball(value)}, not 0")
            if value.rad() < NEGLIGIBLE_RADIUS:
                break  # more digits would hardly show anything else than zero
    return None


def _search_further(e: Expr) -> Witness | None:
    """A point where the expression is certainly not zero, of larger lengths, in general position,
    with many digits; None if none was found.
    """
    for size in FURTHER_LENGTHS if lengths_in(e) else FURTHER_LENGTHS[:1]:
        sizes = dict.fromkeys(lengths_in(e), size)
        for seed in range(POINTS_FURTHER):
            point = Point(sizes, seed, generic=True)
            for bits in FURTHER_BITS:
                try:
                    value = at_precision(
                        bits,
                        lambda p=point: p.evaluate(e, {GENERIC: 0, OTHER: 1}),  # type: ignore[misc]
                    )
                except NoValueError:
                    break
                if not value.contains(0):
                    return Witness(point.shown(), f"the value is {shown_ball(value)}, not 0")
    return None


def points(e: Expr, tries: int, *, edge: bool = False) -> Iterator[tuple[Point, Places]]:
    """Points of the domain for small lengths, each with the coordinates that GENERIC and OTHER
    denote there.

    ``tries`` points for each choice of lengths; ``edge`` prefers values at the ends of domains, and
    begins with the origin.
    """
    free = labels(e)
    places = {GENERIC: 0, OTHER: 1}
    for sizes in explicit_sizes([e]):
        if OTHER in free and min(sizes.values(), default=1) < 2:
            continue
        for k in range(tries):
            seed = 1000 * sum(sizes.values()) + k
            yield Point(sizes, seed, edge=edge, origin=edge and k == 0), places


def explicit_sizes(expressions: list[Expr]) -> Iterator[Mapping[Length, int]]:
    """Choices of a number from 1 to 3 for every length in the expressions, smallest sum first."""
    lengths = sorted(set().union(*(lengths_in(e) for e in expressions)), key=str)
    for sizes in itertools.islice(
        sorted(itertools.product((1, 2, 3), repeat=len(lengths)), key=sum), MAX_LENGTH_CHOICES
    ):
        yield dict(zip(lengths, sizes, strict=True))


def _require_zero_at_points(e: Expr) -> None:
    """Evaluate an expression that was proved zero at a few points; a value other than zero is a
    fault.
    """
    for point, places in itertools.islice(points(e, 1), CONFIRMATION_POINTS):
        try:
            value = at_precision(
                WORKING_BITS[1],
                lambda p=point, at=places: p.evaluate(e, at),  # type: ignore[misc]
            )
        except NoValueError:
            continue
        if not value.contains(0):
            raise DisagreementError(
                f"canonical form says that {e} is zero, and at {point.shown()} it is {value}"
            )

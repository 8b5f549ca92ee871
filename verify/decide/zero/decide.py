"""Is an expression zero, for every length, at every point, for every abstract function?

*Proved* by canonical form, *refuted* by a point where ball arithmetic excludes zero. The second
decider looks at both; where it cannot confirm a proof, the value at explicit points must not
exclude zero.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from sympy import Expr

from recipe.language.symbols import GENERIC, OTHER, Indexed, Length
from recipe.language.total import Total, labels
from verify.decide.zero.canonical import is_zero
from verify.decide.zero.errors import CannotDecideError
from verify.decide.zero.point import BITS, NoValueError, Places, Point, at_precision, shown_ball
from verify.decide.zero.second_decider import second_opinion
from verify.verdict import Outcome, Witness, proved, refuted, undecided

MOST_SIZES = 27  # choices of lengths
TRIES = 4  # points for each choice of lengths
NEGLIGIBLE = 1e-12  # the radius of a ball that contains zero and is not worth a second look
LOOKS = 3  # points at which a proof is looked at once more


class DisagreementError(RuntimeError):
    """Two deciders contradict each other: a fault of this program, never a verdict."""


def decide_zero(e: Expr) -> Outcome:
    """Decide whether ``e`` vanishes identically; labels GENERIC and OTHER are two different
    coordinates.
    """
    if e == 0:
        return proved("it is written as 0")
    zero, reason = _has_zero_form(e)
    if zero:
        return proved(_looked_at_again(e))
    witness = find_nonzero(e)
    if witness is not None:
        if second_opinion(e).kind == "zero":
            raise DisagreementError(
                f"{e} is not zero at {witness.point}, and the second decider says that it is zero"
            )
        return refuted("it is not zero at the witness", witness)
    return undecided(reason)


def vanishes(e: Expr) -> bool:
    """Whether an expression is proved to be zero, by both deciders; no point is looked for where it
    is not.
    """
    if e != 0:
        zero, _ = _has_zero_form(e)
        if not zero:
            return False
        _looked_at_again(e)
    return True


def _has_zero_form(e: Expr) -> tuple[bool, str]:
    """Whether the canonical form is zero, and what is to be said where it is not."""
    try:
        return is_zero(
            e
        ), "its canonical form is not zero, and no point was found where it is certainly not zero"
    except CannotDecideError as error:
        return False, str(error)
    except RecursionError:
        return False, "it is nested too deeply for a canonical form"


def _looked_at_again(e: Expr) -> str:
    """By what a proof is supported, after a second look."""
    second = second_opinion(e)
    if second.kind == "zero":
        return "canonical form, confirmed by a second decider"
    if second.kind == "nonzero" and second.certain:
        raise DisagreementError(
            f"canonical form says that {e} is zero, and the second decider says that {second.why}"
        )
    _look_again(e)
    return "canonical form"


def find_nonzero(e: Expr) -> Witness | None:
    """A point where the expression is certainly not zero."""
    for point, places in points(e, TRIES):
        for bits in BITS:
            try:
                value = at_precision(bits, lambda p=point, at=places: p.evaluate(e, at))  # type: ignore[misc]
            except NoValueError:
                break
            if not value.contains(0):
                return Witness(point.shown(), f"the value is {shown_ball(value)}, not 0")
            if value.rad() < NEGLIGIBLE:
                break  # more digits would hardly show anything else than zero
    return None


def points(e: Expr, tries: int, *, edge: bool = False) -> Iterator[tuple[Point, Places]]:
    """Points of the domain for small lengths, with the coordinates that the free labels
    stand for.
    """
    free = labels(e)
    places = {GENERIC: 0, OTHER: 1}
    for sizes in explicit_sizes([e]):
        if OTHER in free and min(sizes.values(), default=1) < 2:
            continue
        for k in range(tries):
            yield Point(sizes, seed=1000 * sum(sizes.values()) + k, edge=edge), places


def explicit_sizes(expressions: list[Expr]) -> Iterator[Mapping[Length, int]]:
    """Small numbers for every length in the expressions, the smallest first."""
    lengths = sorted(set().union(*(_lengths(e) for e in expressions)), key=str)
    for sizes in itertools.islice(
        sorted(itertools.product((1, 2, 3), repeat=len(lengths)), key=sum), MOST_SIZES
    ):
        yield dict(zip(lengths, sizes, strict=True))


def _lengths(e: Expr) -> set[Length]:
    return (
        e.atoms(Length)
        | {s.length for s in e.atoms(Indexed)}
        | {t.index.length for t in e.atoms(Total)}
    )


def _look_again(e: Expr) -> None:
    for point, places in itertools.islice(points(e, 1), LOOKS):
        try:
            value = at_precision(BITS[1], lambda p=point, at=places: p.evaluate(e, at))  # type: ignore[misc]
        except NoValueError:
            continue
        if not value.contains(0):
            raise DisagreementError(
                f"canonical form says that {e} is zero, and at {point.shown()} it is {value}"
            )

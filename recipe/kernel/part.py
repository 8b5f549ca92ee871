"""The parts of a kernel as data: moves that always happen, Metropolis tests, and repetition.

Every part is a Markov kernel on one state that is said to leave one law ``exp(-target)`` invariant.
Noise belongs to a part: two parts, or two repetitions of one, draw independently even where their
``Noise`` has one name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sympy import Expr, Integer, Symbol

from recipe.declare.update import Update
from recipe.language.blocks import Block
from recipe.language.errors import RecipeError

# a number, or the two ends of the range from which it is drawn, uniformly and afresh each time
Times = int | tuple[int, int]

STEP, REFRESH, FLIP = "step", "refresh", "flip"
MAX_REPETITIONS = 1_000_000  # in one sweep


@dataclass(frozen=True)
class Move:
    """A rule that is always carried out.

    Attributes:
        update: the rule.
        kind: how it was made: ``STEP``, ``REFRESH`` or ``FLIP``.
    """

    update: Update
    kind: str


@dataclass(frozen=True)
class MetropolisHastings:
    """A proposal with a density, accepted with probability ``min(1, exp(log ratio))`` (Hastings
    1970, Biometrika 57).

    The log ratio is ``cost(x, y) - cost(y, x)`` with ``cost(x, y) = H(x) - log q(y | x)``; terms
    that are symmetric in x and y are left out. A proposal outside the domain, or with a ratio that
    is not a number, is rejected: the state stays.

    Attributes:
        proposal: the rule that proposes.
        partners: pairs of a block that moves and its partner, the block of the proposed state.
        cost: ``cost(x, y)``, an expression of the blocks of the state x and of their partners in y;
            functions of whole blocks are taken at x.
    """

    proposal: Update
    partners: tuple[tuple[Block, Block], ...]
    cost: Expr


@dataclass(frozen=True)
class MetropolisedMap:
    """``times`` steps of a deterministic map Psi, accepted with probability ``min(1, exp(H(z) -
    H(Psi(z))))``.

    Rejected, the state becomes F(z), where F turns the sign of the blocks in ``flips`` (Horowitz
    1991, Physics Letters B 268). A proposal outside the domain, or with a ratio that is not a
    number, is rejected.

    Attributes:
        map: the rule of one step of Psi, without noise.
        times: the number of steps, or the range that it is drawn from.
        flips: the blocks whose sign F turns.
        flip_on_rejection: if False, a rejected state stays z, which is right only where a full
            refresh of the flipped blocks follows.
    """

    map: Update
    times: Times
    flips: tuple[Block, ...]
    flip_on_rejection: bool = True


@dataclass(frozen=True)
class MetropolisedPath:
    """A proposal with noise in it: ``test.times`` rounds of ``around``, the map of ``test``, and
    ``around`` again.

    It is accepted with probability ``min(1, exp(-sum of the changes of H along the maps))``. The
    changes of H by ``around`` do not count, as it leaves exp(-H) invariant (Garriga-Alonso &
    Fortuin 2021, arXiv 2102.01691). Rejected, the state is the one before the first ``around``,
    with the signs turned that ``test`` says.

    Attributes:
        around: the part that is carried out before and after each map.
        test: the map, its number of steps, and the signs to turn on rejection.
    """

    around: Move
    test: MetropolisedMap


@dataclass(frozen=True)
class Repeat:
    """Parts that are carried out one after another, ``times`` times over; the number never depends
    on the state.

    Attributes:
        parts: the parts.
        times: the number, or the range from which it is drawn afresh in each sweep.
    """

    parts: tuple[Part, ...]
    times: Times


@dataclass(frozen=True)
class RepeatForEvery:
    """Parts that are carried out one after another, L times over, for every positive integer L.

    A kernel cannot contain this, because a kernel is carried out; ``averaged`` takes it.

    Attributes:
        parts: the parts.
        times: the symbol L.
    """

    parts: tuple[Part, ...]
    times: Symbol


Leaf = Move | MetropolisHastings | MetropolisedMap | MetropolisedPath
Part = Leaf | Repeat


def repeat(part: object, times: object) -> Repeat | RepeatForEvery:
    """A part, or all parts of a kernel, several times over.

    Args:
        part: a part or a whole kernel.
        times: the number of repetitions; or ``(low, high)`` for a number drawn uniformly from that
            range, afresh in each sweep; or a symbol, ``Symbol("L", integer=True, positive=True)``,
            for every number, which only ``averaged`` takes.

    Returns:
        A ``Repeat``; for a symbol a ``RepeatForEvery``.

    Raises:
        RecipeError: where ``part`` is no part, or the number could depend on the state, is not
            positive, or exceeds ``MAX_REPETITIONS``.
    """
    if isinstance(times, Symbol) and times.is_integer and times.is_positive:
        return RepeatForEvery(parts_in(part), times)
    return Repeat(parts_in(part), checked_times(times))


def parts_in(part: object) -> tuple[Part, ...]:
    """Return a part as a tuple of one, and a kernel as the tuple of its parts.

    Raises:
        RecipeError: where ``part`` is neither.
    """
    if isinstance(part, Part):
        return (part,)
    if isinstance(part, RepeatForEvery):
        raise RecipeError(
            f"times={part.times} is a symbol, and a kernel is carried out: give it a number;"
            " averaged(...) takes symbols"
        )
    parts = getattr(part, "parts", ())
    if not parts or not all(isinstance(p, Part) for p in parts):
        raise RecipeError(
            f"{part!r} is no part of a kernel; parts are step(...), refresh(...), flip(...),"
            " metropolis(...), repeat(...) and whole kernels"
        )
    return tuple(parts)


def checked_times(times: object) -> Times:
    """Return the number of repetitions, or the two ends of its range.

    Raises:
        RecipeError: where it is not an integer, or a range of integers, between 1 and
            ``MAX_REPETITIONS``.
    """
    ends = times if isinstance(times, tuple) else (times, times)
    numbers = [int(n) for n in ends if isinstance(n, int | Integer) and not isinstance(n, bool)]
    if len(ends) != 2 or len(numbers) != 2:
        why = (
            "; a number that depends on the state would change the law that is sampled"
            if isinstance(times, Expr)
            else ""
        )
        raise RecipeError(
            f"times={times} must be an integer, or (low, high) for a number drawn uniformly from"
            f" that range{why}"
        )
    low, high = numbers
    if not 1 <= low <= high:
        raise RecipeError(f"times={times}: at least one step, and the lower end of a range first")
    if high > MAX_REPETITIONS:
        raise RecipeError(
            f"times={times}: at most {MAX_REPETITIONS} steps a sweep; a longer run is steps=, not"
            " times="
        )
    return low if low == high else (low, high)


def updates_of(part: Part) -> Iterator[Update]:
    """Yield the rules that a part is made of; those of repeated parts once.

    Args:
        part: the part of a kernel.
    """
    match part:
        case (
            Move(update=update) | MetropolisHastings(proposal=update) | MetropolisedMap(map=update)
        ):
            yield update
        case MetropolisedPath(around=around, test=test):
            yield around.update
            yield test.map
        case Repeat(parts=parts):
            for inner in parts:
                yield from updates_of(inner)


def leaves_of(part: Part) -> Iterator[Leaf]:
    """Yield the parts inside of a part that are no repetitions, each once."""
    if isinstance(part, Repeat):
        for inner in part.parts:
            yield from leaves_of(inner)
    else:
        yield part

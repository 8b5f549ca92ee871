"""The parts of a kernel as data: moves that always happen, Metropolis tests, and repetition.

Every part is a Markov kernel on one state, said to leave one law ``exp(-target)`` invariant. Noise
belongs to a part: two parts, or two repetitions of one, draw independently even where their
``Noise`` has one name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sympy import Expr, Integer, Symbol

from recipe.declare.update import Update
from recipe.language.errors import RecipeError
from recipe.language.symbols import Block

Times = (
    int | tuple[int, int]
)  # a number, or the ends of the range that it is drawn from, uniformly and afresh each time

STEP, REFRESH, FLIP = "step", "refresh", "flip"
MOST_TIMES = 1_000_000


@dataclass(frozen=True)
class Move:
    """A rule that is always carried out; ``kind`` is ``STEP``, ``REFRESH`` or ``FLIP``, what it was
    made as.
    """

    update: Update
    kind: str


@dataclass(frozen=True)
class MetropolisHastings:
    """A proposal with a density, accepted with probability ``min(1, exp(log ratio))`` (Hastings
    1970, Biometrika 57).

    The log ratio is ``cost(x, y) - cost(y, x)`` with ``cost(x, y) = H(x) - log q(y | x)``, up to
    what is the same with x and y exchanged. ``cost`` is an expression of the state x and of the
    proposed state y, whose blocks are the second ones of ``partners`` (one for each block that
    moves); functions of whole blocks are taken at x. A proposal outside the domain, or with a ratio
    that is not a number, is rejected: the state stays.
    """

    proposal: Update
    partners: tuple[tuple[Block, Block], ...]
    cost: Expr


@dataclass(frozen=True)
class MetropolisedMap:
    """``times`` steps of a deterministic map Psi, accepted with probability ``min(1, exp(H(z) -
    H(Psi(z))))``.

    Rejected, the state becomes F(z), where F turns the sign of the blocks in ``flips`` (Horowitz
    1991, Physics Letters B 268); with ``flip_on_rejection=False`` it stays z, which is right only
    where a full refresh of these blocks follows. A proposal outside the domain, or with a ratio
    that is not a number, is rejected.
    """

    map: Update
    times: Times
    flips: tuple[Block, ...]
    flip_on_rejection: bool = True


@dataclass(frozen=True)
class MetropolisedPath:
    """A proposal with noise in it: ``test.times`` rounds of ``around``, the map of ``test``, and
    ``around`` again.

    It is accepted with probability ``min(1, exp(-sum of the changes of H along the maps))``; what
    ``around`` does to H is not counted, as it leaves exp(-H) invariant (Garriga-Alonso & Fortuin
    2021, arXiv 2102.01691). Rejected, the state is the one before the first ``around``, with the
    signs turned that ``test`` says.
    """

    around: Move
    test: MetropolisedMap


@dataclass(frozen=True)
class Repeat:
    """The parts one after another, ``times`` times over; the number never depends on the state."""

    parts: tuple[Part, ...]
    times: Times


@dataclass(frozen=True)
class RepeatForEvery:
    """The parts one after another, ``times`` times over, for every positive integer in the place of
    that symbol.

    It is no part of a kernel, which is carried out; ``averaged`` takes it.
    """

    parts: tuple[Part, ...]
    times: Symbol


Leaf = Move | MetropolisHastings | MetropolisedMap | MetropolisedPath
Part = Leaf | Repeat


def repeat(part: object, times: object) -> Repeat | RepeatForEvery:
    """A part, or all of a kernel, ``times`` times over: a number, or ``(low, high)`` for one drawn
    uniformly, afresh each time.

    A symbol, ``Symbol("L", integer=True, positive=True)``, stands for every number; only
    ``averaged`` takes that.

    Raises:
        RecipeError: where the number could depend on the state, or is not positive.
    """
    if isinstance(times, Symbol) and times.is_integer and times.is_positive:
        return RepeatForEvery(parts_in(part), times)
    return Repeat(parts_in(part), checked_times(times))


def parts_in(part: object) -> tuple[Part, ...]:
    """A part as a tuple of one, a kernel as the tuple of its parts.

    Raises:
        RecipeError: where it is neither.
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
    """The number of repetitions, or the ends of its range."""
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
    if high > MOST_TIMES:
        raise RecipeError(
            f"times={times}: at most {MOST_TIMES} steps a sweep; a longer run is steps=, not times="
        )
    return low if low == high else (low, high)


def updates_of(part: Part) -> Iterator[Update]:
    """The rules that a part is made of."""
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
    """The parts that are no repetitions, each once."""
    if isinstance(part, Repeat):
        for inner in part.parts:
            yield from leaves_of(inner)
    else:
        yield part

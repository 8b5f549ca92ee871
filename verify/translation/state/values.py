"""What a name of a module stands for while its text is read: besides real numbers, which are
expressions of ``recipe``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sympy import Expr

from recipe.language.symbols import Length


@dataclass(frozen=True)
class Record:
    """A named tuple that was passed: ``state``, ``out``, ``params``, ``data``, ``draws``."""

    name: str


@dataclass(frozen=True)
class Array:
    """An array of one dimension, with its length (None for one number)."""

    owner: str
    field: str
    length: Length | None


@dataclass(frozen=True)
class Matrix:
    """A constant matrix among the parameters; ``entry`` is the text of a symbol, see ``Legend``."""

    of: Any


@dataclass(frozen=True)
class DataColumn:
    """The array of a datum, one row a datum."""

    symbol: Any
    field: str


@dataclass(frozen=True)
class Size:
    """The number of coordinates of a length, as an integer."""

    length: Length


class WholeNumber(int):
    """An unsigned whole number, ``np.uint64(3)``: it counts and numbers, and takes no part in the
    arithmetic of real numbers.
    """


@dataclass(frozen=True)
class Pairs:
    """Half of the number of coordinates, rounded down."""

    length: Length


@dataclass(frozen=True)
class Half:
    """Half of the number of coordinates, rounded up."""

    length: Length


@dataclass(frozen=True)
class PairsInVectors:
    """How many pairs are drawn where they are used: at most all of them; the rest is drawn
    ahead.
    """

    length: Length


@dataclass(frozen=True)
class Place:
    """The coordinate of a loop: the one that ``label`` stands for.

    ``part`` says which coordinates the loop goes through: ``all``, or in a loop over pairs those of
    the ``first`` half, of the ``second`` one, or the ``middle`` one that an odd number leaves over.
    ``eight`` is one of the eight that ``lanes`` stands for.
    """

    length: Length | None
    label: int
    part: str = "all"


@dataclass(frozen=True)
class Chunk:
    """What one turn of a loop goes through that cuts all coordinates, or (without a length) all
    rows, into pieces of ``room``.
    """

    key: int
    room: int
    length: Length | None = None
    label: int | None = None


@dataclass(frozen=True)
class PieceSize:
    """How many there are in a piece."""

    of: Chunk


@dataclass(frozen=True)
class PieceFirst:
    """The first coordinate of a piece."""

    of: Chunk


@dataclass(frozen=True)
class Offset:
    """Which one of a piece: the generic one, or the one that is ``shift`` further where a loop
    takes ``step`` at a time.
    """

    of: Chunk
    shift: int = 0
    step: int = 1
    part: str = "all"


@dataclass(frozen=True)
class Local:
    """An array on the stack with that much room, of numbers or of ``rows``."""

    key: int
    room: int
    rows: bool


@dataclass(frozen=True)
class RowNumber:
    """The number of a row of the data, or of the one that is ``shift`` further."""

    shift: int = 0


@dataclass(frozen=True)
class RowOf:
    """The numbers of one row."""

    column: DataColumn
    row: RowNumber


@dataclass(frozen=True)
class MatrixRow:
    """A row of a matrix."""

    of: Any
    place: Place


@dataclass(frozen=True)
class Eights:
    """Eight running sums, by what they are together."""

    total: Expr


@dataclass(frozen=True)
class MaskedEights:
    """Eight numbers: ``new`` where there are coordinates, and ``old`` beyond."""

    new: Expr
    old: Expr


@dataclass(frozen=True)
class Clock:
    """The counter of random numbers: of a step, or of a repetition inside of it."""

    name: str


@dataclass(frozen=True)
class StreamKey:
    """The key of random numbers: which use of them."""

    purpose: int


@dataclass(frozen=True)
class Drawn:
    """One of the two numbers of ``normal_pair``."""

    key: StreamKey
    clock: Clock
    counter: str  # the part of the place that it was drawn for
    component: int


@dataclass(frozen=True)
class CounterAhead:
    """Which of the pairs that are drawn ahead has the counter of this place."""

    place: Place


@dataclass(frozen=True)
class Flag:
    """Whether all of these numbers are finite; of one that stands with a condition on ``x``,
    whether that is true of it.
    """

    of: frozenset[Expr | tuple[Expr, str]] = frozenset()


@dataclass(frozen=True)
class Repetitions:
    """How often something is repeated: between the two numbers, drawn uniformly; the most is what a
    clock is multiplied with.
    """

    low: int
    high: int
    key: StreamKey | None
    clock: Clock | None


@dataclass(frozen=True)
class Decision:
    """Whether a state is accepted: inside of its domain, and the logarithm of a uniform number
    below the ratio.
    """

    log_ratio: Expr
    key: StreamKey
    clock: Clock
    at: Mapping[Array, Expr] = field(compare=False)  # what the arrays held where this was asked


@dataclass(frozen=True)
class Rows:
    """The rows of a minibatch as they were drawn last, or (``none``) all of the data."""

    none: bool = False


@dataclass(frozen=True)
class Token:
    """An argument that is passed on as it is: ``seed``, ``chain``, ``rows``, ``row``, ..."""

    name: str

"""The values of names while a text is read.

Real numbers are expressions of ``recipe``; the classes here are all other values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sympy import Expr

from recipe.language.data import VectorData
from recipe.language.symbols import Length


@dataclass(frozen=True)
class Record:
    """A named tuple that is an argument: ``state``, ``out``, ``params``, ``data`` or ``draws``."""

    name: str


@dataclass(frozen=True)
class Array:
    """An array of one dimension with its length; the length is None for an array of one number."""

    owner: str
    field: str
    length: Length | None


@dataclass(frozen=True)
class Matrix:
    """A constant matrix among the parameters."""

    of: Any


@dataclass(frozen=True)
class DataColumn:
    """The array of a datum, with one entry or row for each row of the data."""

    symbol: Any
    field: str


@dataclass(frozen=True)
class Size:
    """The number of coordinates of a length, as an integer."""

    length: Length


class WholeNumber(int):
    """An unsigned integer such as ``np.uint64(3)``: a counter, and no part of real arithmetic."""


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
    """The number of pairs that are drawn where they are used, at most all; the others are drawn
    ahead.
    """

    length: Length


@dataclass(frozen=True)
class Place:
    """The coordinate of a loop.

    Attributes:
        length: the length of the block; None for one number.
        label: the label of the coordinate in expressions.
        part: the coordinates that the loop visits. ``all``; in a loop over pairs those of the
            ``first`` half, of the ``second`` half, or the ``middle`` one that is left of an odd
            number; ``eight`` for one of the eight coordinates of ``lanes``.
    """

    length: Length | None
    label: int
    part: str = "all"


@dataclass(frozen=True)
class Chunk:
    """The coordinates, or the rows, of one turn of a loop that cuts all of them into chunks.

    Attributes:
        key: a number that distinguishes it from other chunks.
        room: the largest number of coordinates or rows in it.
        length: the length of the block; None for a chunk of rows.
        label: the label of its coordinates in expressions; None for a chunk of rows.
    """

    key: int
    room: int
    length: Length | None = None
    label: int | None = None


@dataclass(frozen=True)
class ChunkSize:
    """The number of coordinates or rows in a chunk."""

    of: Chunk


@dataclass(frozen=True)
class ChunkFirst:
    """The first coordinate of a chunk."""

    of: Chunk


@dataclass(frozen=True)
class Offset:
    """A position in a chunk: the generic one, or the one ``shift`` after it.

    Attributes:
        of: the chunk.
        shift: the distance from the generic position.
        step: the number of positions that one turn of the loop takes.
        part: ``all``, or ``eight`` for one of eight coordinates.
    """

    of: Chunk
    shift: int = 0
    step: int = 1
    part: str = "all"


@dataclass(frozen=True)
class Local:
    """An array on the stack with room for so many numbers or, if ``rows`` is true, row numbers."""

    key: int
    room: int
    rows: bool


@dataclass(frozen=True)
class RowNumber:
    """The number of a row of the data: the generic row, or the one ``shift`` after it."""

    shift: int = 0


@dataclass(frozen=True)
class RowOf:
    """The numbers of one row of the data."""

    column: DataColumn
    row: RowNumber


@dataclass(frozen=True)
class LabelledCoordinate:
    """The coordinate that the label of the generic row names.

    Attributes:
        hot: the datum that is 1 at this coordinate and 0 at every other one.
    """

    hot: VectorData


@dataclass(frozen=True)
class MatrixRow:
    """A row of a matrix."""

    of: Any
    place: Place


@dataclass(frozen=True)
class Eights:
    """Eight running sums, known by their total."""

    total: Expr


@dataclass(frozen=True)
class MaskedEights:
    """Eight numbers: ``new`` for lanes with a coordinate, ``old`` for the lanes beyond the last
    one.
    """

    new: Expr
    old: Expr


@dataclass(frozen=True)
class Clock:
    """The counter of random numbers: that of a step, or of a repetition inside of a step."""

    name: str


@dataclass(frozen=True)
class StreamKey:
    """The key of random numbers for one purpose."""

    purpose: int


@dataclass(frozen=True)
class Drawn:
    """One of the two numbers of ``normal_pair``."""

    key: StreamKey
    clock: Clock
    counter: str  # the ``part`` of the coordinate whose counter it was drawn with
    component: int


@dataclass(frozen=True)
class CounterAhead:
    """The index of the pair for a coordinate among the pairs that are drawn ahead."""

    place: Place


@dataclass(frozen=True)
class Flag:
    """A boolean that is true only if all of these numbers are finite.

    A number that comes with a condition on ``x`` must satisfy that condition as well.
    """

    of: frozenset[Expr | tuple[Expr, str]] = frozenset()


@dataclass(frozen=True)
class Repetitions:
    """A number of repetitions, drawn uniformly from ``low`` to ``high``; the clock is multiplied by
    ``high``.
    """

    low: int
    high: int
    key: StreamKey | None
    clock: Clock | None


@dataclass(frozen=True)
class Decision:
    """The boolean that accepts a state: it is in its domain, and log(u) is below the log ratio.

    Here u is a uniform random number.
    """

    log_ratio: Expr
    key: StreamKey
    clock: Clock
    at: Mapping[Array, Expr] = field(compare=False)  # the contents of arrays at the test


@dataclass(frozen=True)
class Rows:
    """The rows of a minibatch as they were last drawn; all rows of the data if ``none`` is true."""

    none: bool = False


@dataclass(frozen=True)
class Token:
    """An argument that is only passed on, such as ``seed``, ``chain`` or ``rows``."""

    name: str

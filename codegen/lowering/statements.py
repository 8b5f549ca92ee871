"""The statements of a plan: what one step computes, in order, with no word about how.

The leaves of their expressions are numbers in arrays (``Cell``) and names (``params.A``,
``total_1``). In the body of a loop, and there only, ``i`` is the coordinate. ``out`` holds the
values that this step has written so far and ``state`` the state before it; in the in-place loop of
``run`` they are the same object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from sympy import Expr, S, Set, Symbol

from codegen.lowering.places import Array, Cell
from recipe.language.abstract import Dense, Potential
from recipe.language.blocks import Block, Simplex
from recipe.language.domain import finite_ends, on_simplex
from recipe.language.symbols import Length


@dataclass(frozen=True)
class Let:
    """``target = value``, once a step; ``store`` is the cell that the value is stored into, if
    any.
    """

    target: Symbol
    value: Expr
    store: Cell | None = None
    comment: str = ""


@dataclass(frozen=True)
class Sums:
    """``target = sum over i of value`` for several targets in one loop."""

    function: str
    length: Length
    targets: tuple[Symbol, ...]
    values: tuple[Expr, ...]


@dataclass(frozen=True)
class GradientCall:
    """Evaluate the gradient of a potential; each block is read from ``out`` or ``state``, the
    result goes to scratch of ``out``.

    ``images`` come first: they compute the blocks of the potential that stand in the state as other
    ones (``Preimage``).
    """

    potential: Potential
    places: tuple[Array, ...]
    scratch: tuple[Array, ...]
    images: tuple[Statement, ...] = ()


@dataclass(frozen=True)
class MatrixProduct:
    """``target[i] = sum over j of M[i, j] * value_j`` (M[j, i] if transposed): the one doubly
    nested loop.
    """

    function: str
    target: Array
    matrix: Array
    transposed: bool
    rows: Length
    columns: Length
    value: Expr


@dataclass(frozen=True)
class ChiSquared:
    """``target[i]`` = a draw from the non-central chi-squared law with parameters ``df[i]`` and
    ``nonc[i]``; all are scratch.

    ``local`` is what ``step`` calls the array of draws that it is given, ``key`` the key of the
    random numbers of ``run``.
    """

    name: str
    target: Array
    df: Array
    nonc: Array
    local: Array
    key: str
    length: Length | None


@dataclass(frozen=True)
class ElementwiseLoop:
    """One fused elementwise loop: it computes the local values first, and then stores some of them
    into cells.
    """

    function: str
    length: Length
    locals: tuple[tuple[Symbol, Expr], ...]
    stores: tuple[tuple[Cell, Symbol], ...]
    comments: tuple[str, ...]


@dataclass(frozen=True)
class RowsJoin:
    """``cells += values`` for one row of the data after another. With a length, the cells are those
    at coordinate ``i`` of arrays of that length; without one they are single numbers.

    ``function`` adds one row at one coordinate, ``sums`` are what it calls the results so far.
    """

    function: str
    length: Length | None
    cells: tuple[Symbol, ...]
    sums: tuple[Symbol, ...]
    values: tuple[Expr, ...]
    comments: tuple[str, ...]


@dataclass(frozen=True)
class ValueCall:
    """Evaluate the potential itself, from all of the data; the fields are those of
    ``GradientCall``.
    """

    potential: Potential
    places: tuple[Array, ...]
    scratch: tuple[Array, ...]
    images: tuple[Statement, ...] = ()


@dataclass(frozen=True)
class Loop:
    """Statements that are repeated, each time with fresh noise.

    ``times`` is the range that the number of repetitions is drawn from, its ends included.
    ``clock`` names the counter of random numbers inside of the loop, ``count`` the number of
    repetitions, and ``key`` the key of the random number that decides it.
    """

    times: tuple[int, int]
    clock: str
    count: str
    key: str
    statements: tuple[Statement, ...]
    noises: tuple[NoiseDraw, ...]


@dataclass(frozen=True)
class Restored:
    """``field``, an array of that length (None for a number), becomes what was saved in ``source``,
    or minus that.
    """

    field: Array
    source: Array
    length: Length | None
    flipped: bool


@dataclass(frozen=True)
class Test:
    """Accept the state with probability ``min(1, exp(log_ratio))``, or go back; ``key`` is the key
    of its random numbers.
    """

    accepted: str
    log_ratio: Expr
    key: str
    restored: tuple[Restored, ...]


Statement = (
    Let
    | Sums
    | GradientCall
    | MatrixProduct
    | ChiSquared
    | ElementwiseLoop
    | RowsJoin
    | ValueCall
    | Loop
    | Test
)


@dataclass(frozen=True)
class NoiseDraw:
    """One noise symbol of the update.

    ``local`` is the name of its value at a coordinate in the loops, ``pair`` are the names of the
    two values that a fused loop draws at once, and ``key`` is the key of its random numbers.
    """

    name: str
    local: Symbol
    pair: tuple[str, str]
    key: str
    length: Length | None
    matrix: Dense | None

    @cached_property
    def cell(self) -> Cell:
        """The value at the coordinate, where all values are there as an array."""
        return Array("", self.local.name)["i"]


@dataclass(frozen=True)
class Carried:
    """Evaluations that a step leaves in scratch for the next one, which begins where the step ends.

    ``calls`` are those that open a step. ``mark`` is the field of the number in scratch that says
    for which step they are right, counted from 1; 0 stands for no step.
    """

    calls: tuple[GradientCall | ValueCall, ...]
    mark: str


@dataclass(frozen=True)
class Recorded:
    """The numbers that are recorded instead of the state: scratch arrays by block, and the
    statements and noises that fill them.
    """

    fields: Mapping[Block, str]
    statements: tuple[Statement, ...]
    noises: tuple[NoiseDraw, ...]


@dataclass(frozen=True)
class Plan:
    """A whole step: the fields that it reads and writes, and its statements in order.

    ``fields`` gives the field of ``State`` that holds each block, ``settings`` the field of
    ``Params`` that holds each parameter or matrix, ``factors`` that of the Cholesky factor of a
    matrix. ``scratch`` gives the length of each array in ``State`` that is no block (None for a
    number). ``variances`` are those among them that hold the variance of an estimated gradient, by
    block of the potential. ``valued`` are the potentials whose values are compared. ``sizes`` are
    the lengths that are used as numbers. ``statistics`` is the field of ``Draws`` for the
    acceptance rate, where there is a Metropolis test. ``in_place`` says that the step is a composed
    kernel, which overwrites the state; only ``run`` carries it out.
    """

    state: tuple[Block, ...]
    fields: Mapping[Block, str]
    settings: Mapping[Symbol, str]
    scratch: Mapping[str, Length | None]
    variances: Mapping[Potential, tuple[str, ...]]
    factors: Mapping[Dense, str]
    noises: tuple[NoiseDraw, ...]
    potentials: tuple[Potential, ...]
    statements: tuple[Statement, ...]
    sizes: Mapping[Length, Symbol]
    carried: Carried | None
    recorded: Recorded
    valued: tuple[Potential, ...]
    in_place: bool
    statistics: tuple[str, ...]

    @property
    def kept(self) -> dict[str, str]:
        """The field of ``State`` that each block's field of ``Draws`` is copied from."""
        return {f: self.recorded.fields.get(b, f) for b, f in self.fields.items()}

    @property
    def on_simplex(self) -> bool:
        """Whether a block is on a simplex, where no coordinate alone tells that a step has left the
        domain.
        """
        return any(on_simplex(b) for b in self.state)

    def conditions(self, cell: Cell, x: str) -> list[str]:
        """What is asked of a number ``x`` that is stored into a cell: whether it is finite, and
        between the ends of the domain.

        On a simplex that is not enough, and ``invalid_block`` asks after every step.
        """
        domains = [
            b.domain
            for b, field in self.fields.items()
            if cell.array.field == field and not on_simplex(b)
        ]
        return conditions(domains[0] if domains else S.Reals, x)


def conditions(domain: Set, x: str) -> list[str]:
    """The conditions on one coordinate ``x``: it is finite, and inside of the finite ends of its
    domain.
    """
    finite = f"abs({x}) <= LARGEST"
    if isinstance(domain, Simplex):
        return [finite, f"{x} > 0.0"]
    return [
        finite,
        *(
            f"{x} {'>' if end.inward == 1 else '<'}{'=' * end.belongs} {float(end.at)!r}"
            for end in finite_ends(domain)
        ),
    ]


def every(statements: Iterable[Statement]) -> Iterator[Statement]:
    """The statements, those inside of loops and those that compute images for evaluations."""
    for s in statements:
        yield s
        if isinstance(s, Loop):
            yield from every(s.statements)
        elif isinstance(s, GradientCall | ValueCall):
            yield from s.images


def every_noise(plan: Plan) -> tuple[NoiseDraw, ...]:
    """All draws, those inside of loops included."""
    inner = (d for s in every(plan.statements) if isinstance(s, Loop) for d in s.noises)
    return (*plan.noises, *inner, *plan.recorded.noises)


def scalar_pairs(noises: Iterable[NoiseDraw]) -> list[tuple[NoiseDraw, ...]]:
    """The scalar draws, two by two in their order: two share a counter of the generator, under the
    key of the first.
    """
    numbers = [d for d in noises if d.length is None]
    return [tuple(numbers[n : n + 2]) for n in range(0, len(numbers), 2)]


def chi_squared_draws(plan: Plan) -> tuple[ChiSquared, ...]:
    """The draws of a step that are not normal, in the order of the scheme."""
    return tuple(s for s in plan.statements if isinstance(s, ChiSquared))


def noise_uses(statements: Iterable[Statement], draw: NoiseDraw) -> list[Statement]:
    """The loops that read a noise, one entry a loop."""
    return [s for s in every(statements) if any(draw.cell in e.free_symbols for e in bodies(s))]


def bodies(statement: Statement) -> tuple[Expr, ...]:
    """The expressions in the loop body of a statement; none for a statement without a loop."""
    match statement:
        case Sums() | RowsJoin():
            return statement.values
        case MatrixProduct():
            return (statement.value,)
        case ElementwiseLoop():
            return tuple(e for _, e in statement.locals)
        case _:
            return ()


def expressions(statement: Statement) -> tuple[Expr, ...]:
    """Every expression of a statement."""
    match statement:
        case Let():
            return (statement.value,)
        case Test():
            return (statement.log_ratio,)
        case _:
            return bodies(statement)

"""The loop over rows of the data: in tiles of 32 rows, so that the processor has many rows on their
way at once.

The rows of a tile are asked for one tile ahead. Each statement is carried out for all rows of the
tile before the next one: sums over coordinates four rows at a time, numbers in a loop over the
rows, and last the rows join the results. They join in their order, one after another, so the bits
do not depend on the tiles.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from sympy import Symbol

from codegen.lowering.names import Namer
from codegen.lowering.places import Array, Cell
from codegen.lowering.program import (
    Assign,
    AssignAll,
    Comment,
    Do,
    For,
    Function,
    If,
    Instruction,
    Place,
    Return,
    Value,
    assign,
    call,
)
from codegen.lowering.statements import Let, RowsJoin, Statement, Sums, expressions
from codegen.printing.loop_bodies import arguments, sum_comments
from codegen.printing.reductions import (
    WIDE,
    Joining,
    by_eights,
    joined_by_eight,
    joining,
    small_sum,
    sum_function,
)
from codegen.printing.step import let_lines
from recipe.language.symbols import Length

ROWS_AT_ONCE = ("k", "k + np.uint64(1)", "k + np.uint64(2)", "k + np.uint64(3)")
TILE_ROWS = 32


@dataclass(frozen=True)
class RowLoop:
    """The functions that the loop calls, and the loop itself."""

    functions: list[Function]
    lines: list[Instruction]


def row_loop(
    statements: Sequence[Statement],
    joins: Sequence[RowsJoin],
    passed: Sequence[str],
    counts: Mapping[Length, str],
    fetched: Iterable[str],
    namer: Namer,
    there: Collection[str] = (),
) -> RowLoop:
    """The loop over the rows of ``rows``, or over all ``used`` of them.

    Args:
        statements: compute the numbers of a row.
        joins: how a row joins the results.
        passed: the first arguments of every loop function.
        counts: names the number of coordinates of each length.
        fetched: the arrays of the data whose rows hold many numbers.
        namer: gives new names.
        there: the names of loop functions that are printed already.
    """
    writer = _Writer(passed, counts, namer, _kept(statements, joins, namer), there)
    inner: list[Instruction] = []
    for group in _groups(statements):
        lets = [s for s in group if isinstance(s, Let)]
        inner += [writer.numbers(lets)] if lets else [writer.sums(s) for s in group]
    for join in joins:
        inner += writer.joined(join)
    stack = [
        assign("row_of", call("local_rows", str(TILE_ROWS))),
        *(assign(str(a), call("local_numbers", str(TILE_ROWS))) for a in writer.kept.values()),
    ]
    tiles = ("np.uint64(0)", "used", "TILE")
    loop = For("first", tiles, (*_TILE_START, *map(_fetch, fetched), *inner))
    return RowLoop(writer.functions, [*stack, loop])


_TILE_START = (
    assign("tile", "min(TILE, used - first)"),
    For(
        "k",
        ("TILE",),
        (
            assign("n", "min(first + k, used - np.uint64(1))"),
            assign("row_of[k]", "n if rows.size == 0 else np.uint64(rows[n])"),
        ),
        note="beyond the tile the last row again, whose numbers join nothing",
    ),
)


def _fetch(array: str) -> Instruction:
    """Ask for the rows of the next tile, where they lie scattered and are long."""
    next_tile = ("first + TILE", "min(first + TILE + TILE, used)")
    fetched = For("n", next_tile, (Do(call("fetch", array, "np.uint64(rows[n])")),))
    return If(f"rows.size > 0 and {array}.shape[1] * {array}.itemsize > LONG", (fetched,))


def _kept(
    statements: Sequence[Statement], joins: Sequence[RowsJoin], namer: Namer
) -> dict[str, Array]:
    """The numbers of a row that are needed outside of the loop that computes them, and the arrays
    that hold them for a tile.
    """
    groups = _groups(statements)
    kept: dict[str, None] = {}
    for n, group in enumerate(groups):
        later = {
            s.name for part in [*groups[n + 1 :], joins] for other in part for s in _read(other)
        }
        for s in group:
            kept |= {t.name: None for t in _defined(s) if isinstance(s, Sums) or t.name in later}
    return {name: Array("", namer.fresh(f"{name}_of")) for name in kept}


def _groups(statements: Sequence[Statement]) -> list[list[Statement]]:
    """Numbers that follow one another are one loop over the rows."""
    return [list(group) for _, group in groupby(statements, lambda s: isinstance(s, Let))]


def _defined(s: Statement) -> tuple[Symbol, ...]:
    return s.targets if isinstance(s, Sums) else (s.target,) if isinstance(s, Let) else ()


def _read(s: Statement) -> set[Symbol]:
    return {x for e in expressions(s) for x in e.free_symbols}


class _Writer:
    """Writes the loops of a tile; ``kept`` are the arrays of the numbers of its rows."""

    def __init__(
        self,
        passed: Sequence[str],
        counts: Mapping[Length, str],
        namer: Namer,
        kept: Mapping[str, Array],
        there: Collection[str],
    ) -> None:
        self.passed, self.counts, self.namer, self.kept = list(passed), counts, namer, kept
        self.there = there
        self.functions: list[Function] = []

    def numbers(self, lets: Sequence[Let]) -> Instruction:
        """Numbers of each row, in one loop."""
        own = {let.target.name for let in lets}
        read = {s for let in lets for s in let.value.free_symbols}
        names = {s.name for s in read} - own
        of_row = any(isinstance(s, Cell) and s.of_row for s in read)
        body = [
            *([assign("row", "row_of[k]")] if of_row else []),
            *(assign(name, array["k"]) for name, array in self.kept.items() if name in names),
            *(line for let in lets for line in let_lines(let)),
            *(assign(array["k"], name) for name, array in self.kept.items() if name in own),
        ]
        return For("k", ("tile",), tuple(body))

    def sums(self, s: Statement) -> Instruction:
        """Sums over coordinates, for each row: the call of a function that is added to
        ``functions``, where it is not there already.
        """
        assert isinstance(s, Sums)
        numbers = arguments(s, [*self.passed, "row"])
        totals = [t.name for t in s.targets]
        outer = [n for n in numbers if n not in self.kept]
        arrays = [str(self.kept[n]) for n in (*numbers, *totals) if n in self.kept]
        if s.function not in self.there:
            self._add_sums(s, numbers, totals, [*outer, *arrays])
        passing = [*self.passed, "row_of", "tile", self.counts[s.length], *outer, *arrays]
        return Do(call(s.function, *passing))

    def _add_sums(self, s: Sums, numbers: list[str], totals: list[str], given: list[str]) -> None:
        """Add the function of sums over coordinates, and the one that it calls."""
        passed = [*self.passed, "row", *numbers]
        name = self.namer.fresh(f"add_{s.function}")
        join = joining(name, totals, s.values, passed, (), self.namer)
        comments = [Comment(f"{c.text}, for each row") for c in sum_comments(s)]
        loops = self._tile_sums(s, join) if join.by_eight else self._row_sums(s, join)
        names = (*self.passed, "row_of", "tile", "n", *given)
        body = (*comments, WIDE, *loops)
        self.functions += [join.definition, Function("reduction", s.function, names, "", body)]

    def _at_row(self, names: Iterable[str], k: str) -> list[Value]:
        """The places that hold the numbers of a row."""
        cells = {"row": Array("", "row_of")[k], **{n: a[k] for n, a in self.kept.items()}}
        return [cells.get(name, name) for name in names]

    def _tile_sums(self, s: Sums, join: Joining) -> list[Instruction]:
        """Four rows at a time: they share what they read of other arrays."""
        totals = join.totals
        stores = [assign(self.kept[t]["k"], t) for t in totals]
        small = (*small_sum(join, totals, self._at_row(join.passed, "k")), *stores)
        eights = {
            k: tuple(self.namer.fresh(f"{t}_{n}") for t in totals)
            for n, k in enumerate(ROWS_AT_ONCE)
        }
        joined = [
            line
            for k, of_row in eights.items()
            for line in joined_by_eight(join, of_row, self._at_row(join.passed, k), self.namer)
        ]
        summed = [
            assign(self.kept[t][k], call("pairwise", e))
            for k, of_row in eights.items()
            for t, e in zip(totals, of_row, strict=True)
        ]
        zeros = [AssignAll(of_row, call("eight", "0.0")) for of_row in eights.values()]
        return [
            If("n < EIGHT", (For("k", ("tile",), small), Return(()))),
            For(
                "k",
                ("np.uint64(0)", "tile", "np.uint64(4)"),
                (*zeros, *by_eights("i", "n", joined), *summed),
            ),
        ]

    def _row_sums(self, s: Sums, join: Joining) -> list[Instruction]:
        """One row at a time, by a function of its own."""
        function, own = self.namer.fresh(f"{s.function}_of_row"), len(self.passed)
        names = [*self.passed, "n", *join.passed[own:]]
        self.functions.append(sum_function(function, names, join, (), self.namer))
        given = self._at_row(join.passed[own:], "k")
        sums = call(function, *self.passed, "n", *given)
        return [For("k", ("tile",), (Assign(tuple(self.kept[t]["k"] for t in join.totals), sums),))]

    def joined(self, s: RowsJoin) -> Sequence[Instruction]:
        """The rows join the results, one after another."""
        if s.length is None:
            both = zip(s.cells, s.values, strict=True)
            each = [assign(cell, self._at_row([str(e)], "k")[0], "+=") for cell, e in both]
            labelled = any(isinstance(cell, Cell) and cell.of_row for cell in s.cells)
            row = [assign("row", "row_of[k]")] if labelled else []
            return [For("k", ("tile",), (*row, *each))]
        passed = [*self.passed, "row", *arguments(s, [*self.passed, "row"])]
        sums = tuple(t.name for t in s.sums)
        join = joining(s.function, sums, s.values, passed, map(Comment, s.comments), self.namer)
        self.functions.append(join.definition)
        count, given = self.counts[s.length], self._at_row(passed, "k")
        if not join.by_eight:
            added = Assign(s.cells, join.call("i", s.cells, given))
            return [For("k", ("tile",), (For("i", (count,), (added,)),))]
        cells: list[Place] = [c.array["at"] for c in s.cells if isinstance(c, Cell)]
        body: list[Instruction] = [
            *(assign(t, cell) for t, cell in zip(sums, cells, strict=True)),
            For("k", ("tile",), (Assign(sums, join.call("at", sums, given)),)),
            *(assign(cell, t) for t, cell in zip(sums, cells, strict=True)),
        ]
        return by_eights("i", count, body)

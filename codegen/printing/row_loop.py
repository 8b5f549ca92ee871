"""The loop over rows of the data as text: in tiles of 32 rows, so that the processor has many rows
on their way at once.

The rows of a tile are asked for one tile ahead. Each statement is carried out for all rows of the
tile before the next one: sums over coordinates four rows at a time, numbers in a loop over the
rows, and last the rows join the results. They join in their order, one after another, so the bits
do not depend on the tiles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from sympy import Symbol

from codegen.lowering.names import Namer
from codegen.lowering.statements import Let, RowsJoin, Statement, Sums, expressions
from codegen.printing.loop_bodies import arguments, commented, sum_comments
from codegen.printing.reductions import (
    Joining,
    by_eights,
    joined_by_eight,
    joining,
    small_lines,
    sum_text,
)
from codegen.printing.step import let_lines
from recipe.language.symbols import Length

ROWS_AT_ONCE = ("k", "k + np.uint64(1)", "k + np.uint64(2)", "k + np.uint64(3)")


@dataclass(frozen=True)
class RowLoop:
    """The functions that the loop calls, and its lines."""

    functions: list[str]
    lines: list[str]


def row_loop(
    statements: Sequence[Statement],
    joins: Sequence[RowsJoin],
    passed: Sequence[str],
    counts: Mapping[Length, str],
    fetched: Iterable[str],
    namer: Namer,
) -> RowLoop:
    """The loop over the rows of ``rows``, or over all ``used`` of them; ``passed`` is what loop
    functions get, ``fetched`` are the arrays of the data with rows of many numbers.
    """
    writer = _Writer(passed, counts, namer, _kept(statements, joins, namer))
    inner: list[str] = []
    for group in _groups(statements):
        lets = [s for s in group if isinstance(s, Let)]
        inner += writer.numbers(lets) if lets else [line for s in group for line in writer.sums(s)]
    for join in joins:
        inner += writer.joined(join)
    stack = [
        f"row_of = local_rows({TILE})",
        *(f"{array} = local_numbers({TILE})" for array in writer.kept.values()),
    ]
    loop = [*_TILE_START, *_fetch_lines(fetched), *inner]
    return RowLoop(writer.functions, [*stack, _TILE_HEAD, *(f"    {line}" for line in loop)])


TILE = 32

_TILE_HEAD = "for first in range(np.uint64(0), used, TILE):"

_TILE_START = [
    "tile = min(TILE, used - first)",
    "for k in range(TILE):  # beyond the tile the last row again, whose numbers join nothing",
    "    n = min(first + k, used - np.uint64(1))",
    "    row_of[k] = n if rows.size == 0 else np.uint64(rows[n])",
]


def _fetch_lines(fetched: Iterable[str]) -> list[str]:
    """Ask for the rows of the next tile, where they lie scattered and are long."""
    lines = []
    for array in fetched:
        lines += [
            f"if rows.size > 0 and {array}.shape[1] * {array}.itemsize > LONG:",
            "    for n in range(first + TILE, min(first + TILE + TILE, used)):",
            f"        fetch({array}, np.uint64(rows[n]))",
        ]
    return lines


def _kept(
    statements: Sequence[Statement], joins: Sequence[RowsJoin], namer: Namer
) -> dict[str, str]:
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
    return {name: namer.fresh(f"{name}_of") for name in kept}


def _groups(statements: Sequence[Statement]) -> list[list[Statement]]:
    """Numbers that follow one another are one loop over the rows."""
    return [list(group) for _, group in groupby(statements, lambda s: isinstance(s, Let))]


def _defined(s: Statement) -> tuple[Symbol, ...]:
    return s.targets if isinstance(s, Sums) else (s.target,) if isinstance(s, Let) else ()


def _read(s: Statement) -> set[Symbol]:
    return {x for e in expressions(s) for x in e.free_symbols}


class _Writer:
    """Writes the loops of a tile."""

    def __init__(
        self,
        passed: Sequence[str],
        counts: Mapping[Length, str],
        namer: Namer,
        kept: Mapping[str, str],
    ) -> None:
        self.passed, self.counts, self.namer, self.kept = list(passed), counts, namer, kept
        self.functions: list[str] = []

    def numbers(self, lets: Sequence[Let]) -> list[str]:
        """Numbers of each row, in one loop."""
        own = {let.target.name for let in lets}
        read = {s.name for let in lets for s in let.value.free_symbols}
        lines = ["row = row_of[k]"] if any("[row]" in name for name in read) else []
        lines += [f"{name} = {array}[k]" for name, array in self.kept.items() if name in read - own]
        lines += [line for let in lets for line in let_lines(let)]
        lines += [f"{array}[k] = {name}" for name, array in self.kept.items() if name in own]
        return ["for k in range(tile):", *(f"    {line}" for line in lines)]

    def sums(self, s: Statement) -> list[str]:
        """Sums over coordinates, for each row."""
        assert isinstance(s, Sums)
        numbers = arguments(s, [*self.passed, "row"])
        passed = [*self.passed, "row", *numbers]
        join = joining(
            self.namer.fresh(f"add_{s.function}"),
            [t.name for t in s.targets],
            s.values,
            passed,
            [],
            self.namer,
        )
        outer = [n for n in numbers if n not in self.kept]
        arrays = [self.kept[n] for n in (*numbers, *join.totals) if n in self.kept]
        names = [*self.passed, "row_of", "tile", "n", *outer, *arrays]
        comments = [f"{line}, for each row" for line in sum_comments(s)]
        lines = self._tile_sums(s, join) if join.by_eight else self._row_sums(s, join)
        head = [
            "@reduction",
            f"def {s.function}({', '.join(names)}):",
            *(f"    {line}" for line in [*comments, "wide()", *lines]),
        ]
        self.functions += [join.text, "\n".join(head)]
        passing = [*self.passed, "row_of", "tile", self.counts[s.length], *outer, *arrays]
        return [f"{s.function}({', '.join(passing)})"]

    def _at_row(self, names: Iterable[str], k: str) -> list[str]:
        """What stands for the numbers of a row."""
        return [
            (
                f"row_of[{k}]"
                if name == "row"
                else f"{self.kept[name]}[{k}]"
                if name in self.kept
                else name
            )
            for name in names
        ]

    def _tile_sums(self, s: Sums, join: Joining) -> list[str]:
        """Four rows at a time: they share what they read of other arrays."""
        small = small_lines(join, join.totals, self._at_row(join.passed, "k"))
        small = [small[0], "    for k in range(tile):", *(f"    {line}" for line in small[1:])]
        eights = [
            [self.namer.fresh(f"{t}_{n}") for t in join.totals] for n in range(len(ROWS_AT_ONCE))
        ]
        inner = [
            line
            for k, of_row in zip(ROWS_AT_ONCE, eights, strict=True)
            for line in joined_by_eight(join, of_row, self._at_row(join.passed, k), self.namer)
        ]
        stores = [
            f"{self.kept[t]}[{k}] = pairwise({e})"
            for k, of_row in zip(ROWS_AT_ONCE, eights, strict=True)
            for t, e in zip(join.totals, of_row, strict=True)
        ]
        return [
            *small,
            *(f"        {self.kept[t]}[k] = {t}" for t in join.totals),
            "    return",
            "for k in range(np.uint64(0), tile, np.uint64(4)):",
            *(f"    {' = '.join(of_row)} = eight(0.0)" for of_row in eights),
            *(f"    {line}" for line in [*by_eights("i", "n", inner), *stores]),
        ]

    def _row_sums(self, s: Sums, join: Joining) -> list[str]:
        """One row at a time, by a function of its own."""
        function = self.namer.fresh(f"{s.function}_of_row")
        self.functions.append(
            sum_text(
                function,
                [*self.passed, "n", *join.passed[len(self.passed) :]],
                join,
                [],
                self.namer,
            )
        )
        stores = ", ".join(f"{self.kept[t]}[k]" for t in join.totals)
        given = self._at_row(join.passed, "k")
        return [
            "for k in range(tile):",
            (
                f"    {stores} ="
                f" {function}({', '.join([*self.passed, 'n', *given[len(self.passed) :]])})"
            ),
        ]

    def joined(self, s: RowsJoin) -> list[str]:
        """The rows join the results, one after another."""
        if s.length is None:
            both = zip(s.cells, s.values, strict=True)
            return [
                "for k in range(tile):",
                *(f"    {_number(cell)} += {self._at_row([str(e)], 'k')[0]}" for cell, e in both),
            ]
        passed = [*self.passed, "row", *(n for n in arguments(s, [*self.passed, "row"]))]
        sums = [t.name for t in s.sums]
        comments = [line for c in s.comments for line in commented(c, "    ")]
        join = joining(s.function, sums, s.values, passed, comments, self.namer)
        self.functions.append(join.text)
        count, given = self.counts[s.length], self._at_row(passed, "k")
        if not join.by_eight:
            cells = [f"{cell}[i]" for cell in s.cells]
            call = f"{', '.join(cells)} = {join.call('i', cells, given)}"
            return ["for k in range(tile):", f"    for i in range({count}):", f"        {call}"]
        body = [
            *(f"{t} = {cell}[at]" for t, cell in zip(sums, s.cells, strict=True)),
            "for k in range(tile):",
            f"    {', '.join(sums)} = {join.call('at', sums, given)}",
            *(f"{cell}[at] = {t}" for t, cell in zip(sums, s.cells, strict=True)),
        ]
        return by_eights("i", count, body)


def _number(cell: str) -> str:
    return cell if cell == "value" else f"{cell}[0]"

"""Comparing block matrices entry by entry."""

from __future__ import annotations

from dataclasses import replace

from recipe.entry import Entry, combine, parts, transposed
from recipe.matrix import BlockMatrix
from recipe.symbols import OTHER, Block
from recipe.total import labels
from verify.verdict import Outcome
from verify.zero.entry import decide_zero_entry


def describe(entry: Entry) -> str:
    """An entry in one line."""
    written = [p for p in parts(entry) if p != 0]
    return " + ".join(f"(i, j): {p}" if OTHER in labels(p) else str(p) for p in written) or "0"


def compare_with_transpose(matrix: BlockMatrix, sign: int) -> list[tuple[str, Outcome]]:
    """Decide ``M_ab = -sign * M_ba^T`` for every pair of blocks; ``sign`` is 1 for skew, -1 for symmetric."""
    return [
        (matrix.place(row, column), _compare(matrix, row, column, sign))
        for a, row in enumerate(matrix.blocks)
        for column in matrix.blocks[a:]
    ]


def _compare(matrix: BlockMatrix, row: Block, column: Block, sign: int) -> Outcome:

    here, there = matrix.entry(row, column), transposed(matrix.entry(column, row))
    outcome = decide_zero_entry(combine(here, there, sign))
    if outcome.witness is None:
        return outcome
    if row == column:
        return replace(
            outcome, repair=f"{matrix.place(row, row)} must be {'skew-symmetric' if sign == 1 else 'symmetric'} by itself"
        )
    wanted = transposed(type(here)(*(-sign * p for p in parts(here))))
    return replace(
        outcome, repair=f"{matrix.place(column, row)} must be {describe(wanted)} (with {matrix.place(row, column)} as it is)"
    )

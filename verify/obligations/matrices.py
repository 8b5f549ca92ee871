"""Comparing block matrices entry by entry."""

from __future__ import annotations

from recipe.entry import Entry, combine, parts, transposed
from recipe.matrix import BlockMatrix
from recipe.symbols import Block
from recipe.total import labels
from verify.verdict import Outcome, conjunction
from verify.zero.decide import decide_zero


def decide_zero_entry(entry: Entry) -> Outcome:
    """Whether an entry vanishes for every length."""
    names = ("", " off the diagonal")
    return conjunction(
        ((name.strip() or "diagonal", decide_zero(p)) for name, p in zip(names, parts(entry), strict=False)), by="zero"
    )


def describe(entry: Entry) -> str:
    """An entry in one line."""
    written = [p for p in parts(entry) if p != 0]
    return " + ".join(f"(i, j): {p}" if -1 in labels(p) else str(p) for p in written) or "0"


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
    wanted = combine(combine(here, here, -1), here, -sign)
    repair = f"{matrix.place(column, row)} must be {describe(transposed(wanted))} (with {matrix.place(row, column)} as it is)"
    if row == column and sign == 1:
        repair = f"{matrix.place(row, row)} must be 0"
    return Outcome(outcome.verdict, outcome.by, outcome.witness, outcome.assumptions, repair)

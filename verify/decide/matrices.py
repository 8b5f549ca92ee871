"""Is a block matrix symmetric, or skew-symmetric? Entry by entry."""

from __future__ import annotations

from dataclasses import replace

from recipe.language.blocks import Block
from recipe.language.checks.matrix import BlockMatrix
from recipe.language.entry import (
    Coupling,
    Entry,
    combine,
    is_diagonal,
    is_zero_entry,
    parts,
    transposed,
)
from verify.decide.zero.entry import decide_zero_entry
from verify.verdict import Outcome, conjunction


def describe(entry: Entry) -> str:
    """An entry in one line."""
    if isinstance(
        entry, Coupling
    ):  # a kernel that no index stands in, as of outer(1, 1), is that in every entry
        written = [
            *([str(entry.diagonal)] if entry.diagonal != 0 else []),
            *([f"(i, j): {entry.kernel}"] if entry.kernel != 0 else []),
        ]
        return " + ".join(written) or "0"
    return " + ".join(str(p) for p in parts(entry) if p != 0) or "0"


def decide_symmetric(matrix: BlockMatrix) -> Outcome:
    """Decide ``M = M^T``: a test of ``x^T M x`` alone would see only the symmetric part."""
    return conjunction(_compare_with_transpose(matrix, sign=-1), by="entry by entry")


def decide_skew(matrix: BlockMatrix) -> Outcome:
    """Decide ``M = -M^T``, the diagonal blocks included."""
    return conjunction(_compare_with_transpose(matrix, sign=1), by="entry by entry")


def _compare_with_transpose(matrix: BlockMatrix, sign: int) -> list[tuple[str, Outcome]]:
    """Decide ``M_ab = -sign * M_ba^T`` for every pair of blocks; ``sign`` is 1 for skew, -1 for
    symmetric.
    """
    return [
        (
            (
                f"{matrix.place(row, column)} {'+' if sign == 1 else '-'}"
                f" {matrix.place(column, row)}^T"
            ),
            _compare(matrix, row, column, sign),
        )
        for a, row in enumerate(matrix.blocks)
        for column in matrix.blocks[a:]
    ]


def _compare(matrix: BlockMatrix, row: Block, column: Block, sign: int) -> Outcome:
    difference = combine(matrix.entry(row, column), transposed(matrix.entry(column, row)), sign)
    outcome = decide_zero_entry(difference)
    if outcome.witness is None:
        return outcome
    return replace(
        outcome,
        by=f"it is {describe(difference)}, not 0",
        repair=_repair(matrix, row, column, sign),
    )


def _repair(matrix: BlockMatrix, row: Block, column: Block, sign: int) -> str:
    """The smaller of the two changes: what was forgotten is filled in, else the shorter entry is
    written.
    """
    if row == column:
        by_itself = "skew-symmetric" if sign == 1 else "symmetric"
        plain = sign == 1 and is_diagonal(matrix.entry(row, row))
        return f"{matrix.place(row, row)} must be {'0' if plain else f'{by_itself} by itself'}"
    lower, upper = ((column, row), (row, column))  # a tie leaves the upper triangle as it is
    place, kept = min(
        ((lower, upper), (upper, lower)),
        key=lambda p: _length(matrix.entry(*p[0]), matrix.entry(*p[1])),
    )
    wanted = transposed(_scaled(matrix.entry(*kept), -sign))
    return (
        f"{matrix.place(*place)} must be {describe(wanted)} (with {matrix.place(*kept)} as it is)"
    )


def _length(changed: Entry, kept: Entry) -> tuple[bool, int]:
    """What makes one change smaller than another: it writes where nothing stood; it writes less."""
    return not is_zero_entry(changed), sum(int(p.count_ops()) for p in parts(kept))


def _scaled(entry: Entry, factor: int) -> Entry:
    return type(entry)(*(factor * p for p in parts(entry)))

"""The block matrices D and Q, with one row and one column for each block."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, MatrixBase, S, SparseMatrix, SympifyError

from recipe.language.blocks import Block
from recipe.language.checks.validate import read
from recipe.language.entry import Entry, apply, divergence_of, read_entry, zero_entry
from recipe.language.errors import RecipeError


@dataclass(frozen=True)
class BlockMatrix:
    """A square block matrix.

    Attributes:
        letter: the name of the matrix in messages, such as ``D``.
        blocks: the blocks that rows and columns belong to.
        written: the matrix as the user wrote it, one expression for each pair of blocks.
    """

    letter: str
    blocks: tuple[Block, ...]
    written: ImmutableDenseMatrix

    @cached_property
    def nonzero(self) -> dict[tuple[Block, Block], Expr]:
        """The expressions that are not written as 0, row by row: a matrix between hundreds of
        blocks has few of them.
        """
        found = sorted(self.written.todok().items())
        return {(self.blocks[a], self.blocks[b]): e for (a, b), e in found}

    @cached_property
    def _read(self) -> dict[tuple[Block, Block], Entry]:
        """The entries that are not written as 0."""
        return {
            (row, column): read_entry(e, row, column, self.place(row, column))
            for (row, column), e in self.nonzero.items()
        }

    @cached_property
    def _in_row(self) -> dict[Block, list[tuple[Block, Entry]]]:
        """The entries of each row that are not written as 0, with their columns."""
        rows: dict[Block, list[tuple[Block, Entry]]] = {row: [] for row in self.blocks}
        for (row, column), entry in self._read.items():
            rows[row].append((column, entry))
        return rows

    @property
    def entries(self) -> tuple[tuple[Entry, ...], ...]:
        """The matrix as rows of ``Entry`` objects, one for each pair of blocks."""
        return tuple(tuple(self.entry(a, b) for b in self.blocks) for a in self.blocks)

    def place(self, row: Block, column: Block) -> str:
        """The name of an entry in messages, such as ``Q[r, xi]``."""
        return f"{self.letter}[{row}, {column}]"

    def entry(self, row: Block, column: Block) -> Entry:
        """The entry between two blocks."""
        found = self._read.get((row, column))
        return zero_entry(row, column) if found is None else found

    def times(self, w: dict[Block, Expr]) -> dict[Block, Expr]:
        """The product with a vector field, which has one component for each block."""
        return {
            row: sum((apply(e, w[column], column) for column, e in entries), S.Zero)
            for row, entries in self._in_row.items()
        }

    def divergence(self) -> dict[Block, Expr]:
        """The divergence ``sum_j d M_ij / d z_j``, one component for each block."""
        return {
            row: sum((divergence_of(e, column) for column, e in entries), S.Zero)
            for row, entries in self._in_row.items()
        }


def matrix_of(size: int, nonzero: Mapping[tuple[int, int], Expr]) -> ImmutableDenseMatrix:
    """The square matrix with these entries, by row and column; the others are 0."""
    return ImmutableDenseMatrix(SparseMatrix(size, size, dict(nonzero)))


def read_matrix(matrix: Any, letter: str, blocks: tuple[Block, ...]) -> BlockMatrix:
    """Return the checked block matrix of what a user wrote.

    Args:
        matrix: a sympy matrix or nested lists; for a single block a bare expression will do.
        letter: the name of the matrix in messages.
        blocks: the blocks of the state.

    Raises:
        RecipeError: where the shape is not one row and one column a block, or an entry does not fit
            between its two blocks.
    """
    n = len(blocks)
    if isinstance(matrix, list | tuple):
        try:
            matrix = ImmutableDenseMatrix(matrix)
        except (TypeError, ValueError, SympifyError):
            raise RecipeError(
                f"{letter} must be a sympy Matrix of {n} by {n} entries, with rows of equal length"
            ) from None
    if n == 1 and not isinstance(matrix, MatrixBase):
        matrix = ImmutableDenseMatrix([[read(matrix, letter)]])
    if not isinstance(matrix, MatrixBase):
        raise RecipeError(
            f"{letter} is {type(matrix).__name__} {matrix!r}; it must be a sympy Matrix of {n} by"
            f" {n} entries"
        )
    if matrix.shape != (n, n):
        names = ", ".join(b.name for b in blocks)
        raise RecipeError(
            f"{letter} has the shape {matrix.shape[0]} by {matrix.shape[1]}; the state ({names})"
            f" needs {n} by {n}"
        )
    named = {
        (a, b): read(e, f"{letter}[{blocks[a]}, {blocks[b]}]")
        for (a, b), e in sorted(matrix.todok().items())
    }
    result = BlockMatrix(letter, blocks, matrix_of(n, named))
    _ = result._read  # reading the entries is the check
    return result

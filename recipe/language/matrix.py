"""The block matrices D and Q, with one row and one column for each block."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, MatrixBase, S, SympifyError

from recipe.language.calculus import Block
from recipe.language.entry import Entry, apply, divergence_of, read_entry
from recipe.language.errors import RecipeError
from recipe.language.validate import read


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
    def entries(self) -> tuple[tuple[Entry, ...], ...]:
        """The matrix as rows of ``Entry`` objects, one for each pair of blocks."""
        return tuple(
            tuple(
                read_entry(self.written[a, b], row, column, self.place(row, column))
                for b, column in enumerate(self.blocks)
            )
            for a, row in enumerate(self.blocks)
        )

    def place(self, row: Block, column: Block) -> str:
        """The name of an entry in messages, such as ``Q[r, xi]``."""
        return f"{self.letter}[{row}, {column}]"

    def entry(self, row: Block, column: Block) -> Entry:
        """The entry between two blocks."""
        return self.entries[self.blocks.index(row)][self.blocks.index(column)]

    def times(self, w: dict[Block, Expr]) -> dict[Block, Expr]:
        """The product with a vector field, which has one component for each block."""
        return {
            row: sum(
                (apply(self.entry(row, column), w[column], column) for column in self.blocks),
                S.Zero,
            )
            for row in self.blocks
        }

    def divergence(self) -> dict[Block, Expr]:
        """The divergence ``sum_j d M_ij / d z_j``, one component for each block."""
        return {
            row: sum(
                (divergence_of(self.entry(row, column), column) for column in self.blocks), S.Zero
            )
            for row in self.blocks
        }


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
    read_entries = [
        [read(matrix[a, b], f"{letter}[{row}, {column}]") for b, column in enumerate(blocks)]
        for a, row in enumerate(blocks)
    ]
    result = BlockMatrix(letter, blocks, ImmutableDenseMatrix(read_entries))
    _ = result.entries  # reading them is the check
    return result

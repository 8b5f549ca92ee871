"""The operators that a user writes in an update rule: ``grad``, ``div`` and ``dot``."""

from __future__ import annotations

from typing import Any

from sympy import Expr, S

from recipe.language.abstract import Dense, TransposedDense, checked_block
from recipe.language.calculus import gradient
from recipe.language.entry import apply, divergence_of, read_entry
from recipe.language.errors import RecipeError
from recipe.language.symbols import Block
from recipe.language.validate import check_component, check_number, read


def grad(U: Any, block: Block) -> Expr:
    """The gradient of a number by one block, as an expression of its generic coordinate."""
    block = checked_block(block, "grad(U, block)")
    U = read(U, "grad(U, ...)")
    check_number(U, f"grad({U}, {block})")
    return gradient(U, block)


def div(M: Any, block: Block) -> Expr:
    """The divergence of a matrix over one block: ``(div M)_i = sum_j d M_ij / d block_j``.

    ``M`` is written as an entry of D: ``e`` means ``diag(e)``, ``outer(u, v)`` and ``Dense`` may be
    added.
    """
    block = checked_block(block, "div(M, block)")
    return divergence_of(
        read_entry(read(M, "div(M, ...)"), block, block, f"div(M, {block})"), block
    )


def dot(M: Dense | TransposedDense, v: Any) -> Expr:
    """The product of a constant matrix with a vector, ``sum_j M_ij v_j``, as an expression of the
    generic coordinate.
    """
    if isinstance(M, TransposedDense):
        row, column = M.matrix.column, M.matrix.row
    elif isinstance(M, Dense):
        row, column = M.row, M.column
    else:
        raise RecipeError(f"dot({M}, ...): the first argument must be a Dense matrix, M or M.T")
    v = read(v, f"dot({M}, ...)")
    check_component(v, column, f"dot({M}, {v})")
    return apply(read_entry(M + S.Zero, row, column, f"dot({M}, ...)"), v, column)

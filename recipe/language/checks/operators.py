"""The operators that a user writes in an update rule: ``grad``, ``div`` and ``dot``."""

from __future__ import annotations

from typing import Any

from sympy import Expr, S

from recipe.language.abstract import Dense, TransposedDense, checked_block
from recipe.language.blocks import Block
from recipe.language.calculus import gradient
from recipe.language.checks.validate import check_component, check_number, read
from recipe.language.entry import apply, divergence_of, read_entry
from recipe.language.errors import RecipeError


def grad(U: Any, block: Block) -> Expr:
    """The gradient of a number by one block.

    Args:
        U: a number: an expression without a free coordinate, such as a ``Potential`` or a
            ``total``.
        block: the ``Vector`` or ``Scalar`` that U is differentiated by.

    Returns:
        The generic coordinate ``dU/d block_i`` (the derivative, for a ``Scalar``). Of an abstract
        potential it is a new atom, which prints as ``grad(U, theta)``.

    Raises:
        RecipeError: where ``block`` is not a block, or U is a vector.
        OutsideLanguageError: where U contains a function without a derivative.

    Example:
        >>> from recipe import Vector, grad, total
        >>> theta = Vector("theta")
        >>> grad(total(theta**2) / 2, theta)
        theta
    """
    block = checked_block(block, "grad(U, block)")
    U = read(U, "grad(U, ...)")
    check_number(U, f"grad({U}, {block})")
    return gradient(U, block)


def div(M: Any, block: Block) -> Expr:
    """The divergence of a matrix over one block: ``(div M)_i = sum_j d M_ij / d block_j``.

    Args:
        M: the matrix between the block and itself, written as an entry of D: an expression ``e``
            means ``diag(e)``; ``outer(u, v)`` and ``Dense`` matrices may be added.
        block: the ``Vector`` or ``Scalar`` that rows and columns belong to.

    Returns:
        The generic coordinate of the divergence.

    Raises:
        RecipeError: where ``block`` is not a block, or M is no matrix between the block and itself.

    Example:
        >>> from recipe import Vector, div
        >>> theta = Vector("theta")
        >>> div(theta**2, theta)
        2*theta
    """
    block = checked_block(block, "div(M, block)")
    return divergence_of(
        read_entry(read(M, "div(M, ...)"), block, block, f"div(M, {block})"), block
    )


def dot(M: Dense | TransposedDense, v: Any) -> Expr:
    """The product of a constant matrix with a vector, ``(M v)_i = sum_j M_ij v_j``.

    Args:
        M: a ``Dense`` matrix, or its transpose ``M.T``.
        v: the generic coordinate of a vector that is as long as M has columns.

    Returns:
        The generic coordinate of the product, as long as M has rows.

    Raises:
        RecipeError: where M is no ``Dense`` matrix, or v has another length than a row of it.
    """
    if isinstance(M, TransposedDense):
        row, column = M.matrix.column, M.matrix.row
    elif isinstance(M, Dense):
        row, column = M.row, M.column
    else:
        raise RecipeError(
            f"dot({M}, ...): the first argument must be a Dense matrix, M or M.T; the"
            " sum of the products of two vectors is total(x * theta)"
        )
    v = read(v, f"dot({M}, ...)")
    check_component(v, column, f"dot({M}, {v})")
    return apply(read_entry(M + S.Zero, row, column, f"dot({M}, ...)"), v, column)

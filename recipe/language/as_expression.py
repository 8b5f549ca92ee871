"""From what a user wrote to a sympy expression, without ever evaluating text."""

from __future__ import annotations

from typing import Any

import sympy
from sympy import Expr

from recipe.language.errors import RecipeError


def as_expression(e: Any, where: str) -> Expr:
    """A single sympy expression; numbers are taken as they are.

    Raises:
        RecipeError: for text, matrices, and everything else that is no expression.
    """
    if isinstance(e, str):
        raise RecipeError(
            f"{where} is the text {e!r}; write it as a Python expression, text is never evaluated"
        )
    try:
        e = sympy.sympify(e, strict=True)
    except sympy.SympifyError:
        raise RecipeError(f"{where} is {type(e).__name__} {e!r}, not an expression") from None
    if not isinstance(e, Expr) or isinstance(e, sympy.MatrixBase | sympy.MatrixExpr):
        raise RecipeError(f"{where} is {type(e).__name__}, not a single expression")
    return e

"""Convert a value that a user wrote to a sympy expression; text is never evaluated."""

from __future__ import annotations

from textwrap import shorten
from typing import Any

import sympy
from sympy import Expr

from recipe.language.errors import RecipeError
from recipe.language.log_density import LogDensity, Prior, no_variable

MAX_SHOWN_CHARS = 80  # of a value that is no expression


def as_expression(e: Any, where: str) -> Expr:
    """Return the value as one sympy expression; Python numbers become sympy numbers.

    Args:
        e: the value.
        where: how the error message calls the place of the value.

    Raises:
        RecipeError: for text, a matrix, or anything else that is not a scalar expression.
    """
    if isinstance(e, str):
        raise RecipeError(
            f"{where} is the text {e!r}; write it as a Python expression, text is never evaluated"
        )
    if isinstance(e, LogDensity):
        raise RecipeError(
            f"{where} is the log density {e}; laws are for the log_likelihood and the log_prior"
            " of a Posterior, elsewhere write its .expression"
        )
    if isinstance(e, Prior):
        raise RecipeError(f"{where}: {no_variable(e)}")
    shown = _shown_array(e)
    if shown:
        raise RecipeError(
            f"{where} is {shown}, not an expression; for a number of each row write a Data symbol"
            " in its place, and give data={symbol: array}; for a number of each coordinate of theta"
            " write s = Parameter('s', like=theta, values=array)"
        )
    try:
        e = sympy.sympify(e, strict=True)
    except sympy.SympifyError:
        shown = shorten(repr(e), MAX_SHOWN_CHARS, placeholder=" ...")
        raise RecipeError(f"{where} is {type(e).__name__} {shown}, not an expression") from None
    if not isinstance(e, Expr) or isinstance(e, sympy.MatrixBase | sympy.MatrixExpr):
        raise RecipeError(f"{where} is {type(e).__name__}, not a single expression")
    return e


def _shown_array(e: Any) -> str:
    """What a list or an array is, in words; empty for anything else."""
    if type(e).__name__ == "ndarray" and e.ndim:  # numpy may not be installed
        return f"an array of the shape {e.shape}"
    if isinstance(e, list | tuple):
        return f"the {type(e).__name__} {shorten(repr(e), MAX_SHOWN_CHARS, placeholder=' ...')}"
    return ""

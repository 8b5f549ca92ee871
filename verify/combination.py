"""Nonnegative combinations of products of facts and squares."""

from sympy import Expr


def combination_of(e: Expr) -> Expr | None:
    """A form of that kind, or None."""
    return None

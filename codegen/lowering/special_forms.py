"""Special functions that Python's ``math`` lacks: rewrite sympy's name of one to the function that
a module calls.
"""

from __future__ import annotations

from sympy import Expr, Function, polygamma


class Digamma(Function):
    """The derivative of ``loggamma``."""


def with_digamma(e: Expr) -> Expr:
    """Write sympy's ``polygamma(0, x)`` as ``Digamma(x)``."""
    return e.replace(
        lambda f: isinstance(f, polygamma) and f.args[0] == 0, lambda f: Digamma(f.args[1])
    )

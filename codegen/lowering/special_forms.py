"""Special functions that Python's ``math`` lacks: rewrite sympy's name of one to the function that
a module calls.
"""

from __future__ import annotations

from functools import lru_cache

from sympy import Basic, Expr, Function, polygamma


class Digamma(Function):
    """The derivative of ``loggamma``."""


def with_digamma(e: Expr) -> Expr:
    """Write sympy's ``polygamma(0, x)`` as ``Digamma(x)``."""
    if not contains(e, (polygamma,)):
        return e
    return e.replace(
        lambda f: isinstance(f, polygamma) and f.args[0] == 0, lambda f: Digamma(f.args[1])
    )


@lru_cache(maxsize=65536)
def contains(e: Basic, kinds: tuple[type[Basic], ...]) -> bool:
    """Return True if an expression is, or has in it, one of these kinds of functions.

    What a part of an expression contains is remembered: the gradients of a model share parts.
    """
    return isinstance(e, kinds) or any(contains(a, kinds) for a in e.args)

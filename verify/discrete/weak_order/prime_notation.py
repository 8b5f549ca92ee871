"""Derivatives of a function of one coordinate as a reader writes them: ``U''(theta)``."""

from __future__ import annotations

from sympy import Expr, Rational, Symbol

from recipe.language.abstract import Partial, Potential
from recipe.language.symbols import name_of
from verify.decide.zero.show_difference import TOO_LONG, factored

MAX_EXPRESSION_CHARS = 240


def readable(e: Expr) -> Expr:
    """Return the expression with primes for the derivatives of functions of one block."""
    return e.xreplace({p: Symbol(_primed(p)) for p in e.atoms(Partial) if _is_of_one_block(p)})


def shown(e: Expr) -> str:
    """Return the expression as a product in one line; a note that it is too long where it has more
    than ``MAX_EXPRESSION_CHARS`` characters.
    """
    text = str(readable(factored(e)))
    return text if len(text) <= MAX_EXPRESSION_CHARS else TOO_LONG


def power_of_step(power: Rational) -> str:
    """Return ``step``, ``step^2``, ..."""
    return "step" if power == 1 else f"step^{power}"


def _is_of_one_block(p: Partial) -> bool:
    return not isinstance(p.head, Potential) or len(p.head.blocks) == 1


def _primed(p: Partial) -> str:
    n = len(p.wrt)
    primes = "'" * n if n <= 3 else f"^({n})"
    return f"{name_of(p.head)}{primes}({name_of(p.wrt[0])})"

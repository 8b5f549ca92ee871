"""Rewriting functions of some kinds from the inside out.

The functions of one level are rewritten together, as a rule may need to see them all: the angles
``x`` and ``3*x`` in one expression. The level of a function is one more than that of the functions
of the same kinds in its arguments.
"""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr

Settle = Callable[[Expr], Expr]  # writes equal expressions alike
Rule = Callable[[list[Expr]], dict[Expr, Expr]]  # the functions of a level, what replaces some

MAX_LEVELS = 4


def rewrite_by_level(e: Expr, kinds: tuple[type[Expr], ...], rule: Rule) -> Expr:
    """Return the expression with the functions of these kinds replaced as the rule says, level by
    level.
    """
    for wanted in range(1, MAX_LEVELS + 1):
        found = [f for f in sorted(e.atoms(*kinds), key=str) if _level(f, kinds) == wanted]
        if found:
            e = e.xreplace(rule(found))
    return e


def _level(e: Expr, kinds: tuple[type[Expr], ...]) -> int:
    inside = max((_level(a, kinds) for a in e.args), default=0)
    return inside + isinstance(e, kinds)

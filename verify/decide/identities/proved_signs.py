"""Absolute values and signs of expressions whose sign is proved."""

from __future__ import annotations

from sympy import Abs, Expr, Integer, sign

from recipe.signs.sign import possible_signs
from verify.decide.identities.levels import rewrite_by_level


def rewrite_proved_signs(e: Expr) -> Expr:
    """Return the expression without absolute values and signs of what has one sign everywhere."""
    return rewrite_by_level(e, (Abs, sign), _replacements)


def _replacements(functions: list[Expr]) -> dict[Expr, Expr]:
    known = ((f, possible_signs(f.args[0])) for f in functions)
    return {
        f: Integer(*signs) * (f.args[0] if isinstance(f, Abs) else 1)
        for f, signs in known
        if len(signs) == 1
    }

"""Expressions as plain text: as a person would type them in the language."""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Expr, Symbol

from recipe.language.symbols import Length


def text(e: Expr) -> str:
    """One line. Where only one length occurs it is called ``d``."""
    lengths = e.atoms(Length)
    if len(lengths) == 1 and all(s.name != "d" for s in e.atoms(Symbol)):
        e = e.xreplace({lengths.pop(): Symbol("d", integer=True, positive=True)})
    return str(e)


def listed(names: Iterable[object]) -> str:
    """Names in one line."""
    return ", ".join(str(n) for n in names)

"""Print expressions as plain text, as a person would type them in the language."""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Expr, Symbol

from recipe.language.symbols import Length


def text(e: Expr) -> str:
    """The expression in one line, as a person would type it; a length that occurs alone prints as
    ``d``.
    """
    lengths = e.atoms(Length)
    if len(lengths) == 1 and all(s.name != "d" for s in e.atoms(Symbol)):
        e = e.xreplace({lengths.pop(): Symbol("d", integer=True, positive=True)})
    return str(e)


def listed(names: Iterable[object]) -> str:
    """The names in one line, with commas between them."""
    return ", ".join(str(n) for n in names)

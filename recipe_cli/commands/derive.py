"""``recipe derive``: the dynamics of a recipe as text, LaTeX or JSON."""

from __future__ import annotations

from functools import partial
from typing import Any

from recipe_cli.commands.options import (
    FormulaFormat,
    FormulaFormatOption,
    MemoryLimit,
    TimeLimit,
    Where,
    limits_typed,
)
from recipe_cli.sandbox.process_limits import Limits
from recipe_cli.terminal.loading import loading
from recipe_cli.terminal.printing import print_each

EPILOG = (
    "Examples: `recipe derive sgnht --format latex`, `recipe derive my_sampler.py --format json`"
)


def derive(
    where: Where,
    format: FormulaFormatOption = FormulaFormat.text,
    timeout: TimeLimit = Limits.seconds,
    memory: MemoryLimit = Limits.gigabytes,
) -> None:
    """Print the correction Gamma, the drift and the stochastic differential equation of a
    recipe.
    """
    with loading():
        from recipe_cli.sandbox.child import answer_about
    limits = limits_typed(timeout, memory)
    found = answer_about(where, partial(_derivations, where, format), limits)
    print_each(found, format is FormulaFormat.json)


def _derivations(where: str, format: FormulaFormat) -> list[Any]:
    """Return the derivation of each recipe of a file in a format, as text or plain data."""
    from recipe import Recipe, RecipeError
    from recipe.printing.derivation import derivation_data, derivation_latex, derivation_text
    from recipe_cli.declarations.find import declarations

    found = [(d.name, d.declared) for d in declarations(where) if isinstance(d.declared, Recipe)]
    if not found:
        raise RecipeError(
            f"{where} defines no recipe, so there is nothing to derive; `recipe verify {where}`"
            " verifies its update rules and kernels"
        )
    if format is FormulaFormat.json:
        return [derivation_data(declared, name) for name, declared in found]
    if format is FormulaFormat.latex:
        return [derivation_latex(declared) for _, declared in found]
    return [derivation_text(declared, name) for name, declared in found]

"""``recipe derive``: the dynamics of a recipe as text, LaTeX or JSON."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from typing import Annotated, Any

import typer

from recipe_cli.commands.options import OUTPUT, MemoryLimit, TimeLimit, Where, limits_typed
from recipe_cli.sandbox.process_limits import Limits
from recipe_cli.terminal.loading import loading
from recipe_cli.terminal.printing import print_json, print_lines

EPILOG = (
    "Examples: `recipe derive sgnht --format latex`, `recipe derive my_sampler.py --format json`"
)


class DerivationFormat(StrEnum):
    """The formats of a derivation."""

    text = "text"
    latex = "latex"
    json = "json"


def derive(
    where: Where,
    format: Annotated[
        DerivationFormat, typer.Option(rich_help_panel=OUTPUT, help="Output format.")
    ] = DerivationFormat.text,
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
    if format is DerivationFormat.json:
        print_json(found)
        return
    for text in found:
        print_lines(text)


def _derivations(where: str, format: DerivationFormat) -> list[Any]:
    """Return the derivation of each recipe of a file in a format, as text or plain data."""
    from recipe import Recipe, RecipeError
    from recipe.printing.derivation import derivation_data, derivation_latex, derivation_text
    from recipe_cli.declarations import declarations

    found = [(d.name, d.declared) for d in declarations(where) if isinstance(d.declared, Recipe)]
    if not found:
        raise RecipeError(
            f"{where} defines no recipe, so there is nothing to derive; `recipe verify {where}`"
            " verifies its update rules and kernels"
        )
    if format is DerivationFormat.json:
        return [derivation_data(declared, name) for name, declared in found]
    if format is DerivationFormat.latex:
        return [derivation_latex(declared) for _, declared in found]
    return [derivation_text(declared, name) for name, declared in found]

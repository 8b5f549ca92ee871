"""``recipe derive``: the dynamics of a recipe as text, LaTeX or JSON."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from recipe import Recipe, RecipeError
from recipe.printing.derivation import derivation_data, derivation_latex, derivation_text
from recipe_cli.commands.options import Where
from recipe_cli.declarations import declarations
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
        DerivationFormat, typer.Option(help="Output format.")
    ] = DerivationFormat.text,
) -> None:
    """Print the correction Gamma, the drift and the stochastic differential equation of a
    recipe.
    """
    found = [(d.name, d.declared) for d in declarations(where) if isinstance(d.declared, Recipe)]
    if not found:
        raise RecipeError(
            f"{where} defines no recipe, so there is nothing to derive; `recipe verify {where}`"
            " verifies its update rules and kernels"
        )
    if format is DerivationFormat.json:
        print_json([derivation_data(declared, name) for name, declared in found])
        return
    for name, declared in found:
        print_lines(
            derivation_latex(declared)
            if format is DerivationFormat.latex
            else derivation_text(declared, name)
        )

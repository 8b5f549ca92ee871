"""``recipe lift``: the rule that was read out of code, each term with its source line."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import typer

from recipe_cli.commands.options import (
    FormulaFormat,
    FormulaFormatOption,
    MemoryLimit,
    TimeLimit,
    limits_typed,
)
from recipe_cli.sandbox.process_limits import Limits
from recipe_cli.terminal.loading import loading
from recipe_cli.terminal.printing import print_each

EPILOG = (
    "Examples: `recipe lift my_claims.py`, `recipe lift blackjax.sgmcmc.sgld`, `recipe lift"
    " my_claims.py:sgld --format latex`. A file reads a rule out of code with `sgld ="
    " lift(function, state=..., ...)`; `recipe verify` and `recipe audit` judge it as they judge"
    " every update. Exit status: 0 if everything was read, 2 bad input."
)


def lift(
    where: Annotated[
        str,
        typer.Argument(
            metavar="FILE|CODE",
            help="File that reads rules out of code, FILE:NAME for one of them, or the dotted name"
            " of code that is known, such as blackjax.sgmcmc.sgld.",
        ),
    ],
    format: FormulaFormatOption = FormulaFormat.text,
    timeout: TimeLimit = Limits.seconds,
    memory: MemoryLimit = Limits.gigabytes,
) -> None:
    """Show the update rules that FILE reads out of code, each term with its source line."""
    with loading():
        from recipe_cli.sandbox.child import answer_about
    limits = limits_typed(timeout, memory)
    found = answer_about(where, partial(_readings, where, format), limits)
    print_each(found, format is FormulaFormat.json)


def _readings(where: str, format: FormulaFormat) -> list[Any]:
    """Return each rule of a file that was read out of code, in a format."""
    from recipe import Lifted, RecipeError
    from recipe.lifting.reading import reading_data, reading_latex, reading_text
    from recipe_cli.declarations.find import declarations

    found = [(d.name, d.declared) for d in declarations(where) if isinstance(d.declared, Lifted)]
    if not found:
        raise RecipeError(
            f"{where} reads no rule out of code; write one as `name = lift(function, state=...,"
            " step=..., target=...)`"
        )
    if format is FormulaFormat.json:
        return [reading_data(lifted, name) for name, lifted in found]
    if format is FormulaFormat.latex:
        return [reading_latex(lifted) for _, lifted in found]
    return [reading_text(lifted, name) for name, lifted in found]

"""``recipe schemes``: list the discretisation schemes, and which of them fit a recipe."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import typer

from recipe_cli.commands.options import AsJson, MemoryLimit, TimeLimit, limits_typed
from recipe_cli.sandbox.process_limits import Limits
from recipe_cli.terminal.loading import loading

EPILOG = "Examples: `recipe schemes sghmc`, `recipe schemes`, `recipe schemes my_sampler.py --json`"


def schemes(
    where: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help=(
                "Recipe file, FILE:NAME, or catalog name: list the schemes that fit. By default all"
                " schemes are listed."
            ),
        ),
    ] = None,
    as_json: AsJson = False,
    timeout: TimeLimit = Limits.seconds,
    memory: MemoryLimit = Limits.gigabytes,
) -> None:
    """List the discretisation schemes. Of the recipes in FILE, list the pieces of the generator
    with their exact flows, the schemes that fit, and why others do not fit.
    """
    with loading():
        from recipe_cli.render.scheme_table import print_all_schemes, print_fitting_schemes
    from recipe_cli.sandbox.child import answer_about

    limits = limits_typed(timeout, memory)
    if where is None:
        print_all_schemes(as_json)
    else:
        print_fitting_schemes(
            answer_about(where, partial(_fitting_schemes, where), limits), as_json
        )


def _fitting_schemes(where: str) -> list[dict[str, Any]]:
    from recipe_cli.declarations.find import declarations
    from recipe_cli.render.scheme_table import fitting_schemes

    return fitting_schemes(declarations(where))

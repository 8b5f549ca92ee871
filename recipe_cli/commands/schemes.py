"""``recipe schemes``: list the discretisation schemes, and which of them fit a recipe."""

from __future__ import annotations

from typing import Annotated

import typer

from recipe_cli.commands.options import AsJson
from recipe_cli.declarations import declarations

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
) -> None:
    """List the discretisation schemes. Of the recipes in FILE, list the pieces of the generator
    with their exact flows, the schemes that fit, and why others do not fit.
    """
    from recipe_cli.render.scheme_table import list_schemes

    list_schemes(None if where is None else declarations(where), as_json)

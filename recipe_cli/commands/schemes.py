"""``recipe schemes``: which discretisations there are, and what they make of a recipe."""

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
            metavar="[FILE]", help="Recipes that they are to fit; all schemes by default."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the schemes; of a recipe the pieces of its generator and their flows, and why a scheme
    does not fit it.
    """
    from recipe_cli.render.scheme_table import list_schemes

    list_schemes(None if where is None else declarations(where), as_json)

"""``recipe generate``: the module of a recipe as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from recipe_cli.commands.options import Force, Order, PosteriorFile, Scheme, Where
from recipe_cli.declarations import concrete_declaration
from recipe_cli.output.paths import refuse_to_replace, resolved
from recipe_cli.render.exit_status import STATUS_OF_VERDICT
from recipe_cli.terminal.printing import print_line

EPILOG = (
    "Examples: `recipe generate sghmc -o sghmc_kernel.py`; edited, `recipe generate sghmc -o"
    " sghmc_kernel.py --check`"
)


def generate(
    where: Where,
    output: Annotated[Path, typer.Option("-o", "--output", help="Where to write the module.")],
    scheme: Scheme = "semi-implicit",
    order: Order = None,
    posterior: PosteriorFile = None,
    force: Force = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Write nothing: is the module that is there, edited, still the step?"
        ),
    ] = False,
) -> None:
    """Write a readable Numba module that needs numpy and numba only; its text is proved to be the
    step before.
    """
    from recipe_cli.program.generating import check_module, generate_module

    if check:
        verdict = check_module(concrete_declaration(where), output, scheme, order, posterior)
        raise typer.Exit(STATUS_OF_VERDICT[verdict])
    refuse_to_replace(output, force, where, posterior)
    generate_module(
        concrete_declaration(where), resolved(output) or output, scheme, order, posterior
    )
    print_line(f"wrote {output}", err=True)

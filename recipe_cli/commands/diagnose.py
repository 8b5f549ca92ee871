"""``recipe diagnose``: judge saved draws."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from recipe_cli.commands.options import OUTPUT, AsJson, Plots
from recipe_cli.terminal.printing import console

EPILOG = "Examples: `recipe diagnose draws.nc`, `recipe diagnose draws.nc --plots plots --all`"


def diagnose(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.nc", help="Draws that `recipe sample -o` has saved.")
    ],
    plots: Plots = None,
    as_json: AsJson = False,
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            rich_help_panel=OUTPUT,
            help="Print every coordinate; by default the first forty.",
        ),
    ] = False,
) -> None:
    """Diagnose saved draws: R-hat, effective sample size and Monte Carlo error of each coordinate,
    and warnings with advice.
    """
    from recipe_cli.program.preflight import require_to_diagnose
    from recipe_cli.render.diagnosis import diagnose_file

    require_to_diagnose()
    raise typer.Exit(diagnose_file(file, plots, as_json, everything, console()))

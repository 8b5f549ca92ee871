"""``recipe diagnose``: whether saved draws can be used."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from recipe_cli.commands.options import AsJson, Plots
from recipe_cli.terminal.printing import console

EPILOG = "Examples: `recipe diagnose draws.nc`, `recipe diagnose draws.nc --plots plots --all`"


def diagnose(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.nc", help="Draws that recipe sample -o has saved.")
    ],
    plots: Plots = None,
    as_json: AsJson = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Print every coordinate, not the first forty only.")
    ] = False,
) -> None:
    """Say whether saved draws can be used: agreement of the chains, effective draws, and what to
    worry about.
    """
    from recipe_cli.program.preflight import require_to_diagnose
    from recipe_cli.render.diagnosis import diagnose_file

    require_to_diagnose()
    raise typer.Exit(diagnose_file(file, plots, as_json, everything, console()))

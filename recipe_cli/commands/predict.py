"""``recipe predict``: new data, log likelihoods and derived quantities from saved draws."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from recipe_cli.commands.options import (
    CHAINS,
    MODEL,
    OUTPUT,
    POSTERIOR,
    Force,
    LogLikelihood,
    PosteriorPredictive,
    whole,
)
from recipe_cli.output.paths import refuse_to_replace, require_netcdf_name, resolved
from recipe_cli.terminal.loading import loading
from recipe_cli.terminal.printing import print_line

EPILOG = (
    "Examples: `recipe predict draws.nc --posterior eight_schools --log-likelihood -o loo.nc`, then"
    " in Python `arviz.loo(arviz.from_netcdf('loo.nc'))`. New data of the same model stand in a"
    " file, `posterior = fitted.with_data({...})`; `--derived` gives the derived quantities there."
    " The new file keeps the draws and all other"
    " groups of the old one. Exit status: 0 good, 2 bad input."
)


def predict(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.nc", help="Draws that `recipe sample -o` has saved.")
    ],
    posterior: Annotated[str, POSTERIOR],
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", rich_help_panel=OUTPUT, help="File for draws and predictions: NetCDF."
        ),
    ],
    log_likelihood: LogLikelihood = False,
    posterior_predictive: PosteriorPredictive = False,
    log_prior: Annotated[
        bool,
        typer.Option(
            "--log-prior",
            rich_help_panel=OUTPUT,
            help="Save the log prior at each draw, for arviz.psens.",
        ),
    ] = False,
    derived: Annotated[
        bool,
        typer.Option(
            "--derived",
            rich_help_panel=OUTPUT,
            help=(
                "Save the derived quantities of the posterior at its data, as the group"
                " predictions."
            ),
        ),
    ] = False,
    param: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel=MODEL,
            metavar="NAME=VALUE",
            help="Value of a parameter of the posterior; repeat the option for several.",
        ),
    ] = None,
    seed: Annotated[int, whole(CHAINS, "Seed of the new data.")] = 0,
    thin: Annotated[int, whole(CHAINS, "Predict from one draw out of this many.")] = 1,
    force: Force = False,
) -> None:
    """Add log likelihoods, the log prior, new data or derived quantities to saved draws."""
    with loading("the compiler"):
        from recipe import RecipeError
        from recipe_cli.program.typed import parameters_typed
        from recipe_cli.sampling.predictions import Wanted, predict_file

    wanted = Wanted(log_likelihood, posterior_predictive, log_prior, derived)
    if wanted == Wanted():
        raise RecipeError(
            "nothing is asked for; add --log-likelihood, --posterior-predictive, --log-prior or"
            " --derived"
        )
    require_netcdf_name(output)
    refuse_to_replace(output, force, str(file), posterior)
    params = parameters_typed(tuple(param or ()))
    target = resolved(output) or output
    saved = predict_file(file, posterior, target, params, wanted, seed=seed, thin=thin)
    print_line(f"draws and predictions saved in {saved}")

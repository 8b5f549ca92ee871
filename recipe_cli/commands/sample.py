"""``recipe sample``: draws from a posterior."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from recipe_cli.commands.options import AsJson, Force, Order, Plots, Scheme, Where
from recipe_cli.declarations import concrete_declaration
from recipe_cli.output.paths import refuse_to_replace, resolved
from recipe_cli.terminal.printing import console

EPILOG = (
    "Examples: `recipe sample sghmc --posterior examples/breast_cancer.py --step-size 0.01"
    " --param C=1 --steps 20000 -o draws.nc`; with minibatches `--batch-size 100"
    " --control-variates`; a long run that can be killed and started again by the same command"
    " `--checkpoint run1`. Ctrl-C, SIGTERM and SIGHUP stop the run and save the draws so far;"
    " exit status 130, 143 and 129."
)


def sample(
    where: Where,
    posterior: Annotated[
        str, typer.Option("--posterior", metavar="FILE", help="A file that defines one Posterior.")
    ],
    step_size: Annotated[float, typer.Option(help="The step size a.")],
    decay: Annotated[
        str | None, typer.Option(metavar="B,C", help="Let it fall as a (1 + t/B)^-C in step t.")
    ] = None,
    cycle: Annotated[
        int | None,
        typer.Option(metavar="LENGTH", help="Let it fall as a cosine from a to 0, repeatedly."),
    ] = None,
    scheme: Scheme = "semi-implicit",
    order: Order = None,
    param: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A parameter; may be given again."),
    ] = None,
    steps: Annotated[int, typer.Option(help="Steps of each chain, the warm-up included.")] = 10_000,
    warmup: Annotated[
        int | None, typer.Option(help="First steps that are not kept; a tenth by default.")
    ] = None,
    thin: Annotated[int, typer.Option(help="Keep every so-many-th state.")] = 1,
    batch_size: Annotated[
        int | None, typer.Option(help="Data a step; all of them by default.")
    ] = None,
    replace: Annotated[bool, typer.Option(help="Draw the data of a step with replacement.")] = True,
    control_variates: Annotated[
        bool,
        typer.Option(
            "--control-variates",
            help="Estimate the gradient by its difference to that at the mode.",
        ),
    ] = False,
    compensate: Annotated[
        bool,
        typer.Option(
            "--compensate",
            help="Take the estimated noise of the gradient off the noise that is added.",
        ),
    ] = False,
    float32_data: Annotated[
        bool,
        typer.Option(
            "--float32-data",
            help=(
                "Round the data to float32: faster, and the posterior is that of the rounded data."
            ),
        ),
    ] = False,
    chains: Annotated[int, typer.Option(help="Number of chains.")] = 4,
    threads: Annotated[
        int | None, typer.Option(help="Threads; the draws are the same for any number.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same draws.")] = 0,
    keep: Annotated[
        str | None, typer.Option(help="Blocks to keep, such as theta; all of them by default.")
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help=(
                "Save the run there; the same command (with --force, if -o is there) goes on from"
                " it, bit for bit."
            ),
        ),
    ] = None,
    checkpoint_seconds: Annotated[float, typer.Option(help="How often to save it.")] = 30.0,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Where to save the draws (NetCDF, ArviZ).")
    ] = None,
    force: Force = False,
    unproved: Annotated[
        bool, typer.Option("--unproved", help="Sample even where the verifier refutes the recipe.")
    ] = False,
    plots: Plots = None,
    as_json: AsJson = False,
) -> None:
    """Compile the sampler and draw from a posterior; print diagnostics and save the draws as ArviZ
    InferenceData.
    """
    from recipe_cli.output.saving import Output
    from recipe_cli.program.known_verdict import require_not_refuted
    from recipe_cli.program.preflight import require_to_diagnose
    from recipe_cli.sampling.sample_posterior import sample_posterior
    from recipe_cli.sampling.settings import options_typed

    require_to_diagnose()
    if output is not None:
        refuse_to_replace(output, force, where, posterior)
        output = resolved(output)
    declaration = concrete_declaration(where)
    require_not_refuted(declaration, unproved)
    options = options_typed(
        step_size=step_size,
        decay=decay,
        cycle=cycle,
        scheme=scheme,
        order=order,
        param=param,
        steps=steps,
        warmup=warmup,
        thin=thin,
        batch_size=batch_size,
        replace=replace,
        control_variates=control_variates,
        compensate=compensate,
        float32_data=float32_data,
        chains=chains,
        threads=threads,
        seed=seed,
        keep=keep,
        checkpoint=resolved(checkpoint),
        checkpoint_seconds=checkpoint_seconds,
    )
    saved = Output(output, force, options.folder)
    raise typer.Exit(
        sample_posterior(declaration, posterior, options, saved, console(), plots, as_json)
    )

"""``recipe sample``: draw from a posterior."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from recipe import RecipeError
from recipe_cli.commands.options import (
    CHAINS,
    MAX_ERROR,
    MINIBATCHES,
    MODEL,
    OUTPUT,
    POSTERIOR,
    PROOF,
    STEP_SIZE,
    AsJson,
    Force,
    LogLikelihood,
    MaxError,
    MemoryLimit,
    Order,
    Plots,
    PosteriorPredictive,
    ProgramTimeLimit,
    RequireValidated,
    Scheme,
    Where,
    limits_typed,
    unproved_option,
    whole,
)
from recipe_cli.commands.usage import step_size as read_step_size
from recipe_cli.output.paths import refuse_to_replace, require_netcdf_name, resolved
from recipe_cli.sandbox.process_limits import Limits
from recipe_cli.terminal.loading import loading
from recipe_cli.terminal.printing import console
from recipe_cli.terminal.progress import Progress

EPILOG = (
    "Examples: `recipe sample hmc_kernel --posterior breast_cancer --step-size auto -o draws.nc`;"
    " with numbers of your own: `recipe sample sghmc --posterior breast_cancer --step-size 0.01"
    " --param C=1 --steps 20000`; with minibatches: `--batch-size 100 --control-variates`; a long"
    " run that the same command continues after it was stopped: `--checkpoint run1`. Ctrl-C,"
    " SIGTERM and SIGHUP stop the run and save the draws so far (exit status 130, 143 and 129)."
    " Exit status: 0 good, 1 a chain diverged, the predicted bias is above --max-bias, or the"
    " sampler is refuted, 2 bad input, 3 the bias by minibatches cannot be predicted, or tuning"
    " finds no setting."
)


def sample(
    where: Where,
    posterior: Annotated[str, POSTERIOR],
    step_size: Annotated[
        Any,
        typer.Option(
            rich_help_panel=STEP_SIZE,
            parser=read_step_size,
            metavar="FLOAT|auto|SCHEDULE",
            help=(
                "Step size; the initial one, a, with --decay or --cycle. auto tunes it before the"
                " run, with all that is left open, as `recipe tune` does. A schedule is"
                " polynomial:A,B,C (A (1 + t/B)^-C in step t), cyclical:A,LENGTH, or"
                " geometric:A,LAST,STEPS[,EVERY] (from A to LAST by equal factors, in stages of"
                " EVERY steps)."
            ),
        ),
    ],
    decay: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=STEP_SIZE,
            metavar="B,C",
            help="Decrease the step size: it is a (1 + t/B)^-C in step t.",
        ),
    ] = None,
    cycle: Annotated[
        int | None,
        whole(
            STEP_SIZE,
            "Cyclical step size: within every LENGTH steps it falls from a to 0 as a cosine.",
            metavar="LENGTH",
        ),
    ] = None,
    scheme: Scheme = "semi-implicit",
    order: Order = None,
    param: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel=MODEL,
            metavar="NAME=VALUE|SCHEDULE",
            help=(
                "Value of a parameter, such as C=1, or a schedule as for --step-size, such as"
                " T=geometric:4,0.05,20000; repeat the option for several."
            ),
        ),
    ] = None,
    steps: Annotated[
        int | None,
        whole(
            CHAINS,
            "Steps of each chain, including the warm-up; by default 10,000, or what tuning finds.",
        ),
    ] = None,
    warmup: Annotated[
        int | None,
        whole(
            CHAINS,
            "Steps at the start of each chain whose states are discarded; by default a tenth, or"
            " what tuning finds.",
        ),
    ] = None,
    thin: Annotated[
        int,
        whole(CHAINS, "Keep one state out of this many."),
    ] = 1,
    batch_size: Annotated[
        int | None,
        whole(MINIBATCHES, "Rows of data in a minibatch; by default the whole data."),
    ] = None,
    replace: Annotated[
        bool,
        typer.Option(
            rich_help_panel=MINIBATCHES,
            help="Draw the rows of a minibatch with or without replacement.",
        ),
    ] = True,
    control_variates: Annotated[
        bool | None,
        typer.Option(
            "--control-variates/--no-control-variates",
            show_default=False,
            rich_help_panel=MINIBATCHES,
            help=(
                "Reduce the variance of the minibatch gradient: estimate its difference to the full"
                " gradient at the posterior mode, where chains then start. By default they are not"
                " used, and --step-size auto chooses."
            ),
        ),
    ] = None,
    svrg: Annotated[
        int | None,
        whole(
            MINIBATCHES,
            "Reduce that variance by the full gradient at a snapshot of the chain, taken anew at"
            " every so many gradients.",
        ),
    ] = None,
    saga: Annotated[
        bool,
        typer.Option(
            "--saga",
            rich_help_panel=MINIBATCHES,
            help=(
                "Reduce that variance by the gradient of every row when it was last seen; needs"
                " --no-replace, and memory for rows times coordinates a chain."
            ),
        ),
    ] = False,
    compensate: Annotated[
        bool,
        typer.Option(
            "--compensate",
            rich_help_panel=MINIBATCHES,
            help=(
                "Subtract the estimated variance of the minibatch gradient from the variance of"
                " the noise that the sampler injects."
            ),
        ),
    ] = False,
    float32_data: Annotated[
        bool,
        typer.Option(
            "--float32-data",
            rich_help_panel=MINIBATCHES,
            help=(
                "Round the data to float32. This is faster, and samples the posterior of the"
                " rounded data."
            ),
        ),
    ] = False,
    chains: Annotated[
        int,
        whole(CHAINS, "Number of chains."),
    ] = 4,
    threads: Annotated[
        int | None,
        whole(
            CHAINS,
            "Number of threads; by default one a chain, and at most one a processor. The draws"
            " do not depend on it.",
        ),
    ] = None,
    seed: Annotated[
        int,
        whole(CHAINS, "Seed of the random numbers; the same seed gives the same draws."),
    ] = 0,
    initial: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel=CHAINS,
            metavar="NAME=VALUE|FILE",
            help=(
                "First values of a block: numbers such as theta=0,1,2, a file of numbers with a row"
                " a chain, or the file of saved draws, whose last ones are taken; repeat the option"
                " for several."
            ),
        ),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=CHAINS,
            help=(
                "Blocks whose draws are kept, such as theta,r, or all; by default the blocks of the"
                " posterior."
            ),
        ),
    ] = None,
    log_likelihood: LogLikelihood = False,
    posterior_predictive: PosteriorPredictive = False,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=OUTPUT,
            metavar="DIR",
            help=(
                "Folder that the run is saved in. The same command continues the run, bit for bit;"
                " add --force if the file of -o exists."
            ),
        ),
    ] = None,
    checkpoint_seconds: Annotated[
        float,
        typer.Option(rich_help_panel=OUTPUT, help="Seconds between two saves to the checkpoint."),
    ] = 30.0,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            rich_help_panel=OUTPUT,
            help="File for the draws: NetCDF, which ArviZ reads.",
        ),
    ] = None,
    force: Force = False,
    unproved: Annotated[
        bool, unproved_option("Sample even if the verifier refutes the sampler.")
    ] = False,
    max_bias: Annotated[
        float,
        typer.Option(
            rich_help_panel=PROOF,
            help=(
                "Largest predicted bias, in posterior standard deviations, that is good: of means,"
                " and relative of standard deviations."
            ),
        ),
    ] = 0.1,
    max_error: MaxError = MAX_ERROR,
    accept_bias: Annotated[
        bool,
        typer.Option(
            "--accept-bias",
            rich_help_panel=PROOF,
            help="Exit with 0 even if the bias is larger than --max-bias, or cannot be predicted.",
        ),
    ] = False,
    validated: RequireValidated = False,
    plots: Plots = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            rich_help_panel=OUTPUT,
            help=(
                "Say what would be compiled and how long it would take, after some steps that are"
                " timed and thrown away; nothing is sampled or saved."
            ),
        ),
    ] = False,
    timeout: ProgramTimeLimit = 300.0,
    memory: MemoryLimit = Limits.gigabytes,
    as_json: AsJson = False,
) -> None:
    """Compile the sampler, draw from a posterior, print diagnostics, and save the draws as
    NetCDF.
    """
    with loading("the compiler and the diagnostics"):
        from recipe_cli.program.preflight import require_to_diagnose

        require_to_diagnose()  # before anything is imported that aborts where memory is short
        from codegen.results.figures import require_matplotlib
        from codegen.verdict_before import SaidBefore
        from recipe_cli.declarations.choose import concrete_declaration
        from recipe_cli.output.saving import Output
        from recipe_cli.program.generating import require_to_be_tuned
        from recipe_cli.program.known_verdict import require_not_refuted, step_error_of
        from recipe_cli.sampling.predictions import Wanted
        from recipe_cli.sampling.read_posterior import read_posterior
        from recipe_cli.sampling.sample_posterior import sample_posterior
        from recipe_cli.sampling.settings import options_typed
        from recipe_cli.sampling.show_plan import print_plan
        from recipe_cli.sampling.text_check import TextCheck
        from recipe_cli.sampling.tuned import TuningTask, tuned
        from recipe_cli.sandbox.child import rehearse

    if plots is not None:
        require_matplotlib()
    if output is not None:
        require_netcdf_name(output)
        refuse_to_replace(output, force, where, posterior)
        output = resolved(output)
    limits = limits_typed(timeout, memory)
    with Progress() as progress:
        progress.show(f"reading {where}")
        rehearse(where, lambda: concrete_declaration(where), limits)
    declaration = concrete_declaration(where)
    auto = step_size == "auto"
    if auto:
        require_to_be_tuned(declaration)
    said = require_not_refuted(declaration, unproved)
    if said.note is None:
        said = SaidBefore(proved=step_error_of(declaration, limits))
    if auto and (decay is not None or cycle is not None):
        raise RecipeError("--decay and --cycle need a number as --step-size; leave them out")
    if not auto and max_error != MAX_ERROR:
        raise RecipeError(
            f"--max-error {max_error:g} is what --step-size auto finds the number of steps by: add"
            " it, or leave --max-error out"
        )
    task = TuningTask(steps, warmup, max_error) if auto else None
    options = options_typed(
        step_size=1.0 if auto else step_size,
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
        svrg=svrg,
        saga=saga,
        compensate=compensate,
        float32_data=float32_data,
        chains=chains,
        threads=threads,
        seed=seed,
        initial=initial,
        keep=keep,
        checkpoint=resolved(checkpoint),
        checkpoint_seconds=checkpoint_seconds,
        max_bias=max_bias,
    )
    if dry_run:
        law, text = read_posterior(posterior, limits), TextCheck(limits, validated)
        if task is not None:
            declaration, options = tuned(declaration, law, options, task, text, as_json)
        print_plan(declaration, posterior, law, options, text, as_json)
        return
    saved = Output(output, force, options.folder)
    raise typer.Exit(
        sample_posterior(
            declaration,
            posterior,
            options,
            limits,
            saved,
            console(),
            plots,
            as_json,
            accept_bias=accept_bias,
            validated=validated,
            wanted=Wanted(log_likelihood, posterior_predictive),
            task=task,
            said=said,
        )
    )

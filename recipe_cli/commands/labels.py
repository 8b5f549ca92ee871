"""``recipe labels``: sample data with labels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from recipe import RecipeError
from recipe_cli.commands.options import (
    CHAINS,
    MINIBATCHES,
    MODEL,
    OUTPUT,
    STEP_SIZE,
    AsJson,
    Force,
    MemoryLimit,
    Plots,
    ProgramTimeLimit,
    RequireValidated,
    limits_typed,
    unproved_option,
    whole,
)
from recipe_cli.commands.usage import step_size as read_step_size
from recipe_cli.output.paths import refuse_to_replace, resolved
from recipe_cli.sandbox.process_limits import Limits
from recipe_cli.terminal.loading import loading
from recipe_cli.terminal.printing import console
from recipe_cli.terminal.progress import Progress

EPILOG = (
    "Example, where topics.py declares the joint law `topics` and `shapes = beta + z.data / z.batch"
    " * z.summed`: `recipe labels topics.py --sampler scir:scir --scheme exact --data"
    " docword.kos.txt.gz --labels 50 --step-size 0.5 --param a=shapes --param alpha=0.1 --param"
    " beta=0.1 --batch-size 50 --checkpoint run1 -o rows.nc`. The same command goes on from its"
    " checkpoint, bit for bit, with --force if the file of -o exists. Ctrl-C, SIGTERM and SIGHUP"
    " stop after a step and save it (exit status 130, 143 and 129). Exit status: 0 good, 1 a row"
    " left its domain, or a declaration is refuted, 2 bad input, 3 a text that is not proved is"
    " refused."
)


def labels(
    where: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="File with a LabelledPosterior, or FILE:NAME for one declaration in it.",
        ),
    ],
    sampler: Annotated[
        str,
        typer.Option(
            "--sampler",
            metavar="FILE|NAME",
            rich_help_panel=MODEL,
            help=(
                "Sampler of the row of a label: a recipe file, FILE:NAME, or a name of the catalog"
                " such as scir:scir. An abstract potential becomes minus the log posterior of the"
                " row given counts."
            ),
        ),
    ],
    data: Annotated[
        Path,
        typer.Option(
            "--data",
            metavar="FILE",
            rich_help_panel=MINIBATCHES,
            help="Counts: a UCI bag of words, or a libsvm file; .gz, .bz2 and .xz are unpacked.",
        ),
    ],
    number: Annotated[
        int,
        typer.Option("--labels", metavar="K", rich_help_panel=MODEL, help="The number of labels."),
    ],
    step_size: Annotated[
        Any,
        typer.Option(
            rich_help_panel=STEP_SIZE,
            parser=read_step_size,
            metavar="FLOAT|SCHEDULE",
            help="Step size, or a schedule such as polynomial:A,B,C (A (1 + t/B)^-C in step t).",
        ),
    ],
    param: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel=MODEL,
            metavar="NAME=VALUE|NAME",
            help=(
                "Value of a parameter of the model or the sampler, such as alpha=0.1, or the name"
                " that FILE gives to an expression of counts, such as a=shapes; repeat the option"
                " for several."
            ),
        ),
    ] = None,
    scheme: Annotated[
        str,
        typer.Option(
            rich_help_panel=MODEL, help="Discretisation of the sampler, such as exact for scir."
        ),
    ] = "euler",
    weights: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=MODEL,
            metavar="NAME",
            help=(
                "What moves the number that labels have beside their rows, the weights of a"
                " mixture: the name that FILE gives to a LabelWeights."
            ),
        ),
    ] = None,
    columns: Annotated[
        int | None,
        whole(MINIBATCHES, "Columns of a libsvm file; by default its largest index."),
    ] = None,
    batch_size: Annotated[
        int | None, whole(MINIBATCHES, "Data in a minibatch; by default all data.")
    ] = None,
    held_out: Annotated[
        int,
        whole(
            MINIBATCHES,
            "So many of the last data are in no minibatch; half of their items are predicted from"
            " the other half.",
        ),
    ] = 0,
    sweeps: Annotated[
        int, whole(MINIBATCHES, "Gibbs sweeps over the labels of each datum of a minibatch.")
    ] = 10,
    burn_in: Annotated[
        int | None,
        whole(
            MINIBATCHES,
            "How many of these are not counted; by default half, or none where a datum has one"
            " label.",
        ),
    ] = None,
    steps: Annotated[int, whole(CHAINS, "Steps of each chain, including the warm-up.")] = 1000,
    warmup: Annotated[
        int | None, whole(CHAINS, "Steps without scores; by default half of them.")
    ] = None,
    every: Annotated[
        int | None,
        whole(CHAINS, "Steps from one score to the next; by default a hundredth of the rest."),
    ] = None,
    chains: Annotated[int, whole(CHAINS, "Number of chains.")] = 4,
    side_by_side: Annotated[
        int, whole(CHAINS, "How many chains run at a time; draws are the same.")
    ] = 1,
    threads: Annotated[
        int,
        whole(
            CHAINS,
            "Threads of each chain, which share the data of a minibatch; draws are the same.",
        ),
    ] = 1,
    seed: Annotated[
        int, whole(CHAINS, "Seed of the random numbers; the same seed gives the same draws.")
    ] = 0,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=OUTPUT,
            metavar="DIR",
            help="Folder with a file for each chain; the same command goes on from there.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            rich_help_panel=OUTPUT,
            help=(
                "File for the scores of the draws and the last rows of each chain: .nc, NetCDF,"
                " which ArviZ reads, or .npz of numpy."
            ),
        ),
    ] = None,
    force: Force = False,
    unproved: Annotated[
        bool, unproved_option("Sample even if the verifier refutes the joint law or the sampler.")
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
    """Sample the rows of parameters of data with labels, such as topics of words, and diagnose
    scores that do not depend on the order of labels.
    """
    with loading("the compiler and the diagnostics"):
        from recipe_cli.program.preflight import require_to_diagnose

        require_to_diagnose()
        from codegen.results.figures import require_matplotlib
        from recipe_cli.declarations.choose import concrete_declaration, labelled_declaration
        from recipe_cli.program.known_verdict import require_not_refuted
        from recipe_cli.sampling.label_chains import (
            ARRAYS,
            NETCDF,
            LabelTask,
            params_typed,
            run_labels,
            step_size_typed,
            weights_typed,
        )
        from recipe_cli.sampling.label_plan import print_label_plan
        from recipe_cli.sampling.text_check import TextCheck
        from recipe_cli.sandbox.child import rehearse

    if plots is not None:
        require_matplotlib()
    if output is not None:
        if output.suffix not in (NETCDF, ARRAYS):
            raise RecipeError(
                f"-o {output}: scores and rows are saved in a file whose name ends in {NETCDF} or"
                f" {ARRAYS}"
            )
        refuse_to_replace(output, force, where, sampler, str(data))
        output = resolved(output)
    limits = limits_typed(timeout, memory)
    with Progress() as progress:
        progress.show(f"reading {where}")
        rehearse(where, lambda: labelled_declaration(where), limits)
        progress.show(f"reading {sampler}")
        rehearse(sampler, lambda: concrete_declaration(sampler), limits)
    model, moves = labelled_declaration(where), concrete_declaration(sampler)
    for declaration in (model, moves):
        require_not_refuted(declaration, unproved)
    warmup = steps // 2 if warmup is None else warmup
    options = {
        "labels": number,
        "step_size": step_size_typed(step_size),
        "params": params_typed(param or [], model),
        "scheme": scheme,
        "weights": weights_typed(weights, model, unproved),
        "batch_size": batch_size,
        "sweeps": sweeps,
        "burn_in": burn_in,
        "steps": steps,
        "warmup": warmup,
        "every": max(1, (steps - warmup) // 100) if every is None else every,
        "chains": chains,
        "side_by_side": side_by_side,
        "threads": threads,
        "seed": seed,
        "checkpoint": resolved(checkpoint),
    }
    task = LabelTask(model, moves, data, columns, held_out, options)
    text = TextCheck(limits, validated)
    if dry_run:
        print_label_plan(task, text, as_json)
        return
    raise typer.Exit(run_labels(task, text, output, console(), plots, as_json))

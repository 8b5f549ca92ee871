"""``recipe test``: compare the compiled program of a sampler with its declaration."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recipe_cli.commands.options import (
    MODEL,
    OUTPUT,
    TESTING,
    AsJson,
    MemoryLimit,
    ProgramTimeLimit,
    Where,
    limits_typed,
    whole,
)
from recipe_cli.errors import UNDECIDED_STATUS
from recipe_cli.sandbox.process_limits import Limits
from recipe_cli.terminal.loading import loading
from recipe_cli.terminal.printing import console, print_json, print_line
from recipe_cli.terminal.progress import Progress

if TYPE_CHECKING:
    from recipe_cli.testing.program_subject import ComparisonOptions


EPILOG = (
    "Examples: `recipe test sgrhmc`, `recipe test my.py:sgnht --scheme baoab`, `recipe test"
    " hmc:ghmc`, `recipe test sgnht --plots pictures`. An abstract potential is replaced"
    " by a fixed one, which is printed. Exit status: 0 the program does what was declared (a note"
    " says if the declared sampler is refuted or undecided), 1 something differs, 2 bad input, 3"
    " nothing could be compared, or a wrong coefficient might be missed (see --allow-unseen)."
)


def compare(
    where: Where,
    scheme: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=MODEL,
            help=(
                "Discretisation, as for `recipe generate`; by default the first of semi-implicit,"
                " exact and printed that fits."
            ),
        ),
    ] = None,
    step_size: Annotated[
        float,
        typer.Option(
            rich_help_panel=MODEL,
            help=(
                "Step size of the tested steps. The test is exact at every step size, and errors"
                " are easier to see at a larger one."
            ),
        ),
    ] = 0.3,
    param: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel=MODEL,
            metavar="NAME=VALUE",
            help=(
                "Value of a parameter, such as C=1; repeat the option for several. Other parameters"
                " get values that fit their assumptions."
            ),
        ),
    ] = None,
    length: Annotated[
        int,
        whole(MODEL, "Number of coordinates of each vector."),
    ] = 3,
    seed: Annotated[
        int,
        whole(TESTING, "Seed of the random numbers; the same seed gives the same output."),
    ] = 0,
    level: Annotated[
        float,
        typer.Option(
            rich_help_panel=TESTING,
            help=(
                "Significance level: the largest probability that a correct program differs in any"
                " comparison."
            ),
        ),
    ] = 1e-6,
    factor: Annotated[
        float,
        typer.Option(
            rich_help_panel=TESTING,
            help=(
                "Error that the test is designed to find: a coefficient of a step, or a scale after"
                " a sweep, that is wrong by this factor."
            ),
        ),
    ] = 1.1,
    plots: Annotated[
        Path | None,
        typer.Option(
            "--plots",
            rich_help_panel=OUTPUT,
            metavar="DIR",
            help=(
                "Folder for pictures: the noise of the steps and the bias, or for a kernel the"
                " states after some sweeps."
            ),
        ),
    ] = None,
    allow_unseen: Annotated[
        bool,
        typer.Option(
            rich_help_panel=TESTING,
            help="End with status 0 even if a wrong coefficient might be missed.",
        ),
    ] = False,
    timeout: ProgramTimeLimit = 300.0,
    memory: MemoryLimit = Limits.gigabytes,
    as_json: AsJson = False,
) -> None:
    """Compile the sampler, and test statistically that the program does in a step what was
    declared.
    """
    with loading("the compiler and the tests"):
        from recipe_cli.program.preflight import require_to_test

    if plots is not None:
        from codegen.results.figures import require_matplotlib

        require_matplotlib()
    require_to_test()  # before anything is imported that needs what it looks for
    from recipe_cli.testing.program_subject import ComparisonOptions

    options = ComparisonOptions(
        scheme, step_size, tuple(param or ()), length, seed, level, factor, allow_unseen
    )
    limits = limits_typed(timeout, memory)
    raise typer.Exit(_compare(where, options, limits, as_json, plots))


def _compare(
    where: str, options: ComparisonOptions, limits: Limits, as_json: bool, plots: Path | None
) -> int:
    """Compare a program with its declaration and print the findings; return the exit status."""
    from codegen.results.figures import folder_for_plots
    from recipe_cli.declarations.choose import concrete_declaration
    from recipe_cli.program.known_verdict import note_verdict
    from recipe_cli.render.findings_table import findings_as_json, findings_status, print_findings
    from recipe_cli.render.pictures import draw_pictures
    from recipe_cli.sandbox.child import rehearse
    from recipe_cli.testing.compare import check_options, compared_program, subject_of
    from verify.statistics import NothingToCompareError

    check_options(options)
    if plots is not None:
        folder_for_plots(plots)
    with Progress() as progress:
        progress.show(f"reading {where}")
        rehearse(where, lambda: subject_of(concrete_declaration(where), options), limits)
    declaration = concrete_declaration(where)
    note_verdict(declaration)
    try:
        with Progress(timed=True) as progress:
            compared = compared_program(declaration, options, limits, progress)
            pictures = [] if plots is None else draw_pictures(compared, plots, progress)
    except NothingToCompareError as nothing:
        if as_json:
            outcome = {"outcome": "nothing compared", "because": str(nothing)}
            print_json({"name": declaration.name, **outcome})
        print_line(f"recipe: nothing of {declaration.name} was compared: {nothing}", err=True)
        return UNDECIDED_STATUS
    status = findings_status(compared.findings, options.allow_unseen)
    if compared.unproved:
        print_line(f"warning: {compared.unproved}", err=True)
        status = status or UNDECIDED_STATUS
    if as_json:
        print_json(findings_as_json(compared, pictures, status))
    else:
        print_findings(console(), compared, pictures)
    return status

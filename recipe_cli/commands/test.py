"""``recipe test``: the compiled program of a sampler beside what was declared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recipe_cli.commands.options import AsJson, Where
from recipe_cli.declarations import Declaration, concrete_declaration
from recipe_cli.errors import UNDECIDED_STATUS
from recipe_cli.terminal.printing import console, print_json, print_line
from recipe_cli.terminal.progress import Progress

if TYPE_CHECKING:
    from recipe_cli.testing.program_subject import ComparisonOptions


EPILOG = (
    "Examples: `recipe test sgrhmc`, `recipe test my.py:sgnht --scheme baoab`, `recipe test"
    " catalog/hmc.py:ghmc`, `recipe test sgnht --plot pictures`. A potential without meaning is"
    " a fixed one, which is printed. Exit status: 0 the program does what was declared (a note"
    " says if that is refuted or undecided), 1 something differs, 2 bad input, 3 nothing could"
    " be compared, or the error of a coefficient would be missed (see --allow-unseen)."
)


def compare(
    where: Where,
    scheme: Annotated[
        str | None,
        typer.Option(
            help="As for generate; by default the first that fits of semi-implicit, exact, printed."
        ),
    ] = None,
    step_size: Annotated[
        float,
        typer.Option(
            help="The step size; the test is exact at all, and larger ones show more of a step."
        ),
    ] = 0.3,
    param: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE", help="A parameter; may be given again; chosen by default."
        ),
    ] = None,
    length: Annotated[int, typer.Option(help="Coordinates of a vector.")] = 3,
    seed: Annotated[int, typer.Option(help="The same seed gives the same output.")] = 0,
    level: Annotated[
        float,
        typer.Option(
            help="How often a right kernel may differ, at most, in all comparisons together."
        ),
    ] = 1e-6,
    factor: Annotated[
        float,
        typer.Option(
            help=(
                "A coefficient of a step, or a scale after a sweep, that is wrong by this factor is"
                " found."
            )
        ),
    ] = 1.1,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="DIR",
            help="Draw the noise and the bias, or states after some sweeps.",
        ),
    ] = None,
    allow_unseen: Annotated[
        bool, typer.Option(help="Status 0 also where a wrong coefficient would be missed.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compile the sampler, and compare what the program does in a step with what was declared."""
    from recipe_cli.program.preflight import require_to_test
    from recipe_cli.testing.program_subject import ComparisonOptions

    require_to_test()
    options = ComparisonOptions(
        scheme, step_size, tuple(param or ()), length, seed, level, factor, allow_unseen
    )
    raise typer.Exit(_compare(concrete_declaration(where), options, as_json, plot))


def _compare(
    declaration: Declaration, options: ComparisonOptions, as_json: bool, plots: Path | None
) -> int:
    """Compare and print; returns the exit status."""
    from codegen.results.plots import writable_folder
    from recipe_cli.program.known_verdict import note_verdict
    from recipe_cli.render.findings_table import findings_as_json, findings_status, print_findings
    from recipe_cli.render.pictures import draw_pictures
    from recipe_cli.testing.compare import check_options, compared_program
    from verify.statistics import NothingToCompareError

    check_options(options)
    if plots is not None:
        writable_folder(plots)
    note_verdict(declaration)
    try:
        with Progress(timed=True) as progress:
            compared = compared_program(declaration, options, progress)
            pictures = [] if plots is None else draw_pictures(compared, plots, progress)
    except NothingToCompareError as nothing:
        if as_json:
            outcome = {"outcome": "nothing compared", "because": str(nothing)}
            print_json({"name": declaration.name, **outcome})
        print_line(f"recipe: nothing of {declaration.name} was compared: {nothing}", err=True)
        return UNDECIDED_STATUS
    status = findings_status(compared.findings, options.allow_unseen)
    if as_json:
        print_json(findings_as_json(compared, pictures, status))
    else:
        print_findings(console(), compared, pictures)
    return status

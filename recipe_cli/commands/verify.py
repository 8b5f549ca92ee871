"""``recipe verify``: decide every obligation of the declarations in a file, in a process with
limits.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recipe import RecipeError
from recipe_cli.commands.explain import check_obligations
from recipe_cli.commands.options import (
    LIMITS,
    OUTPUT,
    PROOF,
    Force,
    ReportFormat,
    Timeout,
    limits_typed,
)
from recipe_cli.output.paths import refuse_to_replace
from recipe_cli.sandbox.process_limits import Limits
from recipe_cli.terminal.loading import loading
from recipe_cli.terminal.printing import console, print_json, print_line, print_lines

if TYPE_CHECKING:
    from recipe_cli.sandbox.messages import Result

EPILOG = (
    "Examples: `recipe verify sgrhmc`, `recipe verify my_sampler.py --json`, `recipe verify"
    " FILE:NAME`, `recipe verify sgrhmc --certificate sgrhmc.json`, `recipe verify sgld sghmc"
    " --timeout 10`; one discrete step of a scheme: `recipe verify sghmc --scheme baoab`"
    " (`recipe schemes sghmc` lists the schemes). FILE runs in a process of its own, and runs"
    " again if an obligation reaches its limit. Its output goes to stderr. Exit status: 0 if"
    " everything is proved (or has the verdict that its expect= names), 1 if something is refuted,"
    " 2 bad input, 3 if something is undecided."
)


def verify(
    where: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Recipe files, FILE:NAME for one declaration, or catalog names such as sgrhmc.",
        ),
    ],
    format: Annotated[
        ReportFormat | None,
        typer.Option(rich_help_panel=OUTPUT, help="Format of the report; by default text."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", rich_help_panel=OUTPUT, help="Short for --format json.")
    ] = False,
    scheme: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=PROOF,
            help=(
                "Verify one discrete step of this scheme instead of the continuous dynamics;"
                " `printed` takes the update rule that the declaration quotes from its paper."
            ),
        ),
    ] = None,
    require: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel=PROOF,
            help=(
                "Obligation that must be proved as well (`recipe explain` lists all); repeat the"
                " option for several."
            ),
        ),
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(
            "--certificate",
            metavar="FILE.json",
            rich_help_panel=OUTPUT,
            help="Write the proof to this file, which `recipe check` can check again.",
        ),
    ] = None,
    force: Force = False,
    timeout: Timeout = Limits.seconds,
    memory: Annotated[
        float,
        typer.Option(
            metavar="GB",
            rich_help_panel=LIMITS,
            help=(
                "Memory limit of the process that runs FILE (Linux only). An obligation that needs"
                " more is undecided."
            ),
        ),
    ] = Limits.gigabytes,
) -> None:
    """Prove, refute or leave undecided each obligation of the recipes, updates and kernels in
    FILE.
    """
    with loading():
        from recipe_cli.render.certificates import write_certificate
    from recipe_cli.render.exit_status import exit_status, worst
    from recipe_cli.render.reports import print_report, report_as_json, report_as_markdown
    from recipe_cli.sandbox.messages import RefusedDeclaration

    check_obligations(require or ())
    limits = limits_typed(timeout, memory)
    if as_json and format not in (None, ReportFormat.json):
        raise RecipeError(f"--json and --format {format} are two formats; choose one of them")
    format = ReportFormat.json if as_json else format or ReportFormat.text
    if certificate is not None:
        refuse_to_replace(certificate, force, *where)
        if len(where) > 1:
            raise RecipeError(
                f"a certificate is about one recipe, and {len(where)} files are given: choose one,"
                " as in FILE:NAME"
            )
    statuses, data, screen = [], [], console()
    for result in _results(where, scheme, tuple(require or ()), limits, certificate is not None):
        if isinstance(result, RefusedDeclaration):
            print_line(f"recipe: {result.mistake.sentence}", err=True)
            statuses.append(result.mistake.status)
            if result.stop:
                break
            continue
        statuses.append(exit_status(result.declared, result.report))
        if format is ReportFormat.json:
            data.append(report_as_json(result.declared, result.report))
        elif format is ReportFormat.markdown:
            print_lines(report_as_markdown(result.declared, result.report))
        else:
            print_report(screen, result.declared, result.report)
        if certificate is not None:
            statuses.append(write_certificate(result, certificate))
    if format is ReportFormat.json:
        print_json(data)
    raise typer.Exit(worst(statuses))


def _results(
    where: list[str], scheme: str | None, require: tuple[str, ...], limits: Limits, certify: bool
) -> Iterator[Result]:
    from recipe_cli.declarations.discrete_steps import discrete_steps
    from recipe_cli.declarations.find import declarations
    from recipe_cli.sandbox.parent import Watch

    for w in where:
        load = partial(declarations, w) if scheme is None else partial(discrete_steps, w, scheme)
        yield from Watch(load, w, require, limits, certify).results()

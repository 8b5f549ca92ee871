"""``recipe verify``: every obligation of what a file declares, in a process that can be stopped."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from recipe import RecipeError
from recipe_cli.commands.explain import check_obligations
from recipe_cli.commands.options import Force, ReportFormat, Timeout, positive
from recipe_cli.declarations import declarations, discrete_steps
from recipe_cli.output.paths import refuse_to_replace
from recipe_cli.render.exit_status import exit_status, worst
from recipe_cli.render.reports import print_report, report_as_json, report_as_markdown
from recipe_cli.sandbox.messages import RefusedDeclaration, Result
from recipe_cli.sandbox.parent import Watch
from recipe_cli.sandbox.process_limits import Limits
from recipe_cli.terminal.printing import console, print_json, print_line, print_lines

EPILOG = (
    "Examples: `recipe verify sgrhmc`, `recipe verify my_sampler.py --json`, `recipe verify"
    " FILE:NAME`, `recipe verify sgrhmc --certificate sgrhmc.json`, `recipe verify sgld sghmc"
    " --timeout 10`; one discrete step by a scheme `recipe verify sghmc --scheme baoab`"
    " (`recipe schemes sghmc` lists them). A file is run in a process of its own, more than"
    " once if an obligation takes too long; what it prints goes to stderr."
)


def verify(
    where: Annotated[
        list[str],
        typer.Argument(metavar="FILE...", help="Recipe files, FILE:NAME, or catalog names."),
    ],
    format: Annotated[
        ReportFormat | None, typer.Option(help="text by default; json is for machines.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    scheme: Annotated[
        str | None,
        typer.Option(
            help=(
                "Verify one discrete step by this scheme; printed: the published rule as it stands."
            )
        ),
    ] = None,
    require: Annotated[
        list[str] | None,
        typer.Option(help="A further obligation that must hold; may be given again."),
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(
            "--certificate", metavar="FILE.json", help="Write the proof, for `recipe check`."
        ),
    ] = None,
    force: Force = False,
    timeout: Timeout = Limits.seconds,
    memory: Annotated[
        float,
        typer.Option(
            metavar="GB",
            help="Memory for it (not on Windows and macOS); what needs more is undecided.",
        ),
    ] = Limits.gigabytes,
) -> None:
    """Prove, refute or leave undecided each obligation of every recipe and update in FILE."""
    from recipe_cli.render.certificates import write_certificate

    check_obligations(require or ())
    limits = Limits(positive("--timeout", timeout), positive("--memory", memory))
    if as_json and format not in (None, ReportFormat.json):
        raise RecipeError(f"--json and --format {format} are two formats; say one")
    format = ReportFormat.json if as_json else format or ReportFormat.text
    if certificate is not None:
        if scheme is not None:
            raise RecipeError(
                "--certificate is for recipes; what is proved of a discrete step has none yet, so"
                " leave --scheme out"
            )
        refuse_to_replace(certificate, force, *where)
        if len(where) > 1:
            raise RecipeError(
                f"a certificate is about one recipe, and here are {len(where)} files: say which,"
                " FILE:NAME"
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
    for w in where:
        load = partial(declarations, w) if scheme is None else partial(discrete_steps, w, scheme)
        yield from Watch(load, w, require, limits, certify).results()

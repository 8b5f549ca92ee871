"""``recipe audit``: a table of the update rules of libraries and papers."""

from __future__ import annotations

import time
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from recipe import RecipeError
from recipe_cli.commands.options import (
    LIMITS,
    OUTPUT,
    PROOF,
    AsJson,
    MemoryLimit,
    Timeout,
    limits_typed,
    whole,
)
from recipe_cli.sandbox.process_limits import Limits
from recipe_cli.terminal.loading import loading
from recipe_cli.terminal.printing import console, print_json, print_line, print_lines

if TYPE_CHECKING:
    from recipe_cli.errors import Mistake
    from recipe_cli.sandbox.messages import JudgedDeclaration

EPILOG = (
    "Examples: `recipe audit --all`, `recipe audit blackjax`, `recipe audit my_rules.py"
    " --json`, `recipe audit FILE:NAME`, `recipe audit blackjax.sgmcmc.sgld`, `recipe audit"
    " claims.py --format github`. Exit status: 0 if each rule has the verdict that its"
    " expect= names (proved, if it names none), 1 if a rule has another verdict, 2 bad input, 3"
    " undecided. `recipe verify FILE` shows each obligation."
)


class AuditFormat(StrEnum):
    """The formats of an audit."""

    text = "text"
    json = "json"
    markdown = "markdown"
    sarif = "sarif"
    github = "github"


def audit(
    where: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE|CODE",
            help="Files of rules, FILE:NAME for one rule, audits of the catalog such as blackjax,"
            " or dotted names of code such as blackjax.sgmcmc.sgld.",
        ),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option("--all", rich_help_panel=PROOF, help="Audit every source in the catalog."),
    ] = False,
    format: Annotated[
        AuditFormat | None,
        typer.Option(rich_help_panel=OUTPUT, help="Format of the audit; by default text."),
    ] = None,
    as_json: AsJson = False,
    timeout: Timeout = Limits.seconds,
    memory: MemoryLimit = Limits.gigabytes,
    jobs: Annotated[
        int | None,
        whole(
            LIMITS,
            "Number of files that are verified at once; by default the number of processors.",
        ),
    ] = None,
) -> None:
    """Verify update rules found in libraries and papers, and print a table: claimed law, verdict,
    true law, repair.
    """
    with loading():
        from recipe_cli.declarations.of_catalog import audit_names
    if not where and not everything:
        raise RecipeError(
            "give the rules to audit: --all, a file, or an audit of the catalog"
            f" ({', '.join(audit_names())})"
        )
    if jobs is not None and jobs < 1:
        raise RecipeError(f"--jobs {jobs}: it must be a positive number")
    files = [*(audit_names() if everything else ()), *(where or ())]
    if as_json and format not in (None, AuditFormat.json):
        raise RecipeError(f"--json and --format {format} are two formats; choose one of them")
    format = AuditFormat.json if as_json else format or AuditFormat.text
    limits = limits_typed(timeout, memory)
    raise typer.Exit(_audit(list(dict.fromkeys(files)), format, limits, jobs))


def _audit(files: list[str], format: AuditFormat, limits: Limits, jobs: int | None) -> int:
    """Verify every rule in the files and print the table; return the exit status."""
    with loading():
        from recipe_cli.declarations.find import audit_declarations
    from recipe_cli.render.audit_table import print_rows, summary
    from recipe_cli.render.exit_status import exit_status, worst
    from recipe_cli.sandbox.messages import JudgedDeclaration, RefusedDeclaration
    from recipe_cli.sandbox.parallel import processor_count, results_of_files

    began, screen = time.monotonic(), console()
    judged: list[JudgedDeclaration] = []
    refused: list[Mistake] = []
    for results in results_of_files(audit_declarations, files, limits, jobs or processor_count()):
        of_file = [result for result in results if isinstance(result, JudgedDeclaration)]
        for result in results:
            if isinstance(result, RefusedDeclaration):
                print_line(f"recipe: {result.mistake.sentence}", err=True)
                refused.append(result.mistake)
        if of_file and format is AuditFormat.text:
            print_rows(screen, of_file, with_headings=not judged)
        judged += of_file
    if format is AuditFormat.text:
        seconds = time.monotonic() - began
        screen.print(summary(judged, len(refused), seconds), soft_wrap=True)
    else:
        _print_as(format, judged, refused)
    statuses = [mistake.status for mistake in refused]
    return worst(statuses + [exit_status(result.declared, result.report) for result in judged])


def _print_as(format: AuditFormat, judged: list[JudgedDeclaration], refused: list[Mistake]) -> None:
    """Print the audit in a format for other programs."""
    from recipe_cli.render.audit_formats import as_github, as_markdown, as_sarif, finding_of

    match format:
        case AuditFormat.json:
            print_json([finding_of(result) for result in judged])
        case AuditFormat.sarif:
            print_json(as_sarif(judged, refused))
        case AuditFormat.markdown:
            print_lines("\n".join(as_markdown(judged, refused)))
        case _:
            for line in as_github(judged, refused):
                print_lines(line)

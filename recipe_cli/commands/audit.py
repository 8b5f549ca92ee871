"""``recipe audit``: a table of the update rules of libraries and papers."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from recipe import RecipeError
from recipe_cli.commands.options import (
    LIMITS,
    PROOF,
    AsJson,
    MemoryLimit,
    Timeout,
    limits_typed,
    whole,
)
from recipe_cli.sandbox.process_limits import Limits
from recipe_cli.terminal.loading import loading
from recipe_cli.terminal.printing import console, print_json, print_line

EPILOG = (
    "Examples: `recipe audit --all`, `recipe audit blackjax`, `recipe audit my_rules.py"
    " --json`, `recipe audit FILE:NAME`. Exit status: 0 if each rule has the verdict that its"
    " expect= names (proved, if it names none), 1 if a rule has another verdict, 2 bad input, 3"
    " undecided. `recipe verify FILE` shows each obligation."
)


def audit(
    where: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE",
            help="Files of rules, FILE:NAME for one rule, or audits of the catalog such as"
            " blackjax.",
        ),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option("--all", rich_help_panel=PROOF, help="Audit every source in the catalog."),
    ] = False,
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
        from recipe_cli.declarations import audit_names
    if not where and not everything:
        raise RecipeError(
            "give the rules to audit: --all, a file, or an audit of the catalog"
            f" ({', '.join(audit_names())})"
        )
    if jobs is not None and jobs < 1:
        raise RecipeError(f"--jobs {jobs}: it must be a positive number")
    files = [*(audit_names() if everything else ()), *(where or ())]
    limits = limits_typed(timeout, memory)
    raise typer.Exit(_audit(list(dict.fromkeys(files)), as_json, limits, jobs))


def _audit(files: list[str], as_json: bool, limits: Limits, jobs: int | None) -> int:
    """Verify every rule in the files and print the table; return the exit status."""
    with loading():
        from recipe_cli.declarations import audit_declarations
    from recipe_cli.render.audit_table import print_rows, row_of, summary
    from recipe_cli.render.exit_status import exit_status, worst
    from recipe_cli.sandbox.messages import JudgedDeclaration, RefusedDeclaration
    from recipe_cli.sandbox.parallel import processor_count, results_of_files

    began, screen = time.monotonic(), console()
    judged: list[JudgedDeclaration] = []
    statuses: list[int] = []
    for results in results_of_files(audit_declarations, files, limits, jobs or processor_count()):
        of_file = [result for result in results if isinstance(result, JudgedDeclaration)]
        for result in results:
            if isinstance(result, RefusedDeclaration):
                print_line(f"recipe: {result.mistake.sentence}", err=True)
                statuses.append(result.mistake.status)
        if of_file and not as_json:
            print_rows(screen, of_file, with_headings=not judged)
        judged += of_file
    if as_json:
        print_json([row_of(result) for result in judged])
    else:
        seconds = time.monotonic() - began
        screen.print(summary(judged, len(statuses), seconds), soft_wrap=True)
    return worst(statuses + [exit_status(result.declared, result.report) for result in judged])

"""``recipe verify --certificate`` and ``recipe check``: a proof as a file, and going through it again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import typer

from recipe import RecipeError
from recipe_cli.declarations import Declaration
from recipe_cli.reports import EXIT_STATUS
from verify.report import Report
from verify.verdict import Verdict


def the_one(found: list[Declaration]) -> Declaration:
    """The one declaration that a certificate is to be about."""
    if len(found) == 1:
        return found[0]
    names = ", ".join(d.name for d in found)
    raise RecipeError(f"a certificate is about one recipe, and there are {names}: say which, {found[0].file}:{found[0].name}")


def write_certificate(declaration: Declaration, report: Report, output: Path) -> int:
    """Write what was proved; where it is not proved over all, say so, and return the exit status of the verdict."""
    from codegen.whole import whole_file
    from verify.certificate import canonical, certificate_of

    if report.verdict is not Verdict.PROVED:
        left = ", ".join(line.name for line in report.lines if line.outcome.verdict is report.verdict)
        typer.echo(f"recipe: no certificate was written: {declaration.name} is {report.verdict.value} ({left})", err=True)
        return EXIT_STATUS[report.verdict]
    certificate = certificate_of(declaration.declared, replace(report, name=declaration.name))
    with whole_file(output) as temporary:
        temporary.write_text(canonical(certificate) + "\n", encoding="ascii")
    typer.echo(f"wrote {output}", err=True)
    return 0

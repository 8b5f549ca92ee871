"""``recipe verify --certificate`` and ``recipe check``: a proof as a file, and going through it again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.text import Text

from recipe import RecipeError
from recipe_cli.declarations import Declaration, declarations
from recipe_cli.reports import EXIT_STATUS
from verify.checker import CertificateError, Result, check, read
from verify.report import Report
from verify.verdict import Verdict

REJECTED = 1
COLOURS = {"confirmed": "green", "rejected": "bold red"}


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


def check_certificate(file: Path, where: str | None, as_json: bool, console: Console) -> int:
    """Check a certificate, print what came of it, and return the exit status."""
    from verify.difference import first_difference

    try:
        certificate = read(str(file))
    except CertificateError as error:
        raise RecipeError(str(error)) from None
    result = check(certificate)
    if result.status == "not a certificate":
        raise RecipeError(f"{file} is not a certificate: {result.sentence}")
    other = None
    if where is not None:
        declaration = the_one(declarations(where))
        other = first_difference(certificate, declaration.declared)
        where = f"{declaration.file}:{declaration.name}"
    if as_json:
        typer.echo(json.dumps(_as_json(file, certificate, result, where, other), indent=2))
    else:
        _print(console, file, certificate, result, where, other)
    return result.exit_status if other is None else REJECTED


def _as_json(file: Path, certificate: Any, result: Result, where: str | None, other: str | None) -> dict[str, Any]:
    return {
        "file": str(file),
        "name": certificate["subject"]["name"],
        "kind": certificate["subject"]["kind"],
        "status": result.status,
        "sentence": result.sentence,
        "about": None if where is None else {"recipe": where, "same": other is None, "difference": other},
        "obligations": [{"name": f.name, "status": f.status, "sentence": f.sentence} for f in result.findings],
        "assumptions": list(result.assumptions),
    }


def _print(console: Console, file: Path, certificate: Any, result: Result, where: str | None, other: str | None) -> None:
    subject = certificate["subject"]
    console.print(Text.assemble(
        (str(file), "bold"), f" ({subject['name'] or 'without a name'}, {subject['kind']}): ",
        (result.sentence, COLOURS.get(result.status, "yellow")), f" for {certificate['scope']}" if result.exit_status == 0 else "",
    ), soft_wrap=True)  # fmt: skip
    width = max((len(f.name) for f in result.findings), default=0)
    for f in result.findings:
        console.print(Text.assemble("  ", _coloured(f.status), f"  {f.name:<{width}}  {f.sentence}"), soft_wrap=True)
    if where is not None and other is None:
        console.print(Text(f"  it is about {where}: every expression, assumption and domain is the same"), soft_wrap=True)
    elif where is not None:
        console.print(Text.assemble("  ", _coloured("rejected"), f"  it is not about {where}: {other}"), soft_wrap=True)
    for assumption in result.assumptions:
        console.print(Text(f"  assumed: {assumption}", style="dim"), soft_wrap=True)


def _coloured(status: str) -> tuple[str, str]:
    return f"{status:<11}", COLOURS.get(status, "yellow")

"""``recipe verify --certificate`` and ``recipe check``: a proof as a file, and going through it
again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from recipe import Recipe, RecipeError, Update
from recipe.language.plain_text import without_codes
from recipe_cli.declarations import declarations, the_one
from recipe_cli.reports import EXIT_STATUS
from recipe_cli.terminal import print_line, print_lines
from recipe_cli.worker import Judged
from verify.checker import CertificateError, Result, check, read

REJECTED = 1
COLOURS = {"confirmed": "green", "rejected": "bold red"}


def write_certificate(judged: Judged, output: Path) -> int:
    """Write what was proved; where it is not proved over all, say so, and return the exit status of
    the verdict.
    """
    from codegen.files.atomic_write import whole_file
    from verify.certificate import canonical

    report = judged.report
    if judged.certificate is None:
        left = ", ".join(
            line.name
            for line in report.lines
            if line.required and line.outcome.verdict is report.verdict
        )
        print_line(
            f"recipe: no certificate was written: {judged.declared.name} is {report.verdict.value}"
            f" ({left})",
            err=True,
        )
        return EXIT_STATUS[report.verdict]
    with whole_file(output) as temporary:
        temporary.write_text(canonical(judged.certificate) + "\n", encoding="ascii")
    print_line(f"wrote {output}", err=True)
    return 0


def check_certificate(file: Path, where: str | None, as_json: bool, console: Console) -> int:
    """Check a certificate, print what came of it, and return the exit status."""
    from verify.certificate.difference import first_difference

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
        assert isinstance(declaration.declared, Recipe | Update)  # a file holds no other
        other = first_difference(certificate, declaration.declared)
        where = f"{declaration.file}:{declaration.name}"
    if as_json:
        print_lines(json.dumps(_as_json(file, certificate, result, where, other), indent=2))
    else:
        _print(console, file, certificate, result, where, other)
    return result.exit_status if other is None else REJECTED


def _as_json(
    file: Path, certificate: Any, result: Result, where: str | None, other: str | None
) -> dict[str, Any]:
    return {
        "file": str(file),
        "name": certificate["subject"]["name"],
        "kind": certificate["subject"]["kind"],
        "status": result.status if other is None else "rejected",
        "sentence": result.sentence if other is None else f"it is not about {where}: {other}",
        "about": (
            None if where is None else {"recipe": where, "same": other is None, "difference": other}
        ),
        "obligations": [
            {"name": f.name, "status": f.status, "sentence": f.sentence} for f in result.findings
        ],
        "assumptions": list(result.assumptions),
    }


def _print(
    console: Console,
    file: Path,
    certificate: Any,
    result: Result,
    where: str | None,
    other: str | None,
) -> None:
    subject = certificate["subject"]
    console.print(
        Text.assemble(
            (without_codes(str(file)), "bold"),
            f" ({without_codes(subject['name'] or 'without a name')}, {subject['kind']}): ",
            (result.sentence, COLOURS.get(result.status, "yellow")),
        ),
        soft_wrap=True,
    )
    width = max((len(f.name) for f in result.findings), default=0)
    for f in result.findings:
        console.print(
            Text.assemble(
                "  ", _coloured(f.status), without_codes(f"  {f.name:<{width}}  {f.sentence}")
            ),
            soft_wrap=True,
        )
    if where is not None and other is None:
        console.print(
            Text(without_codes(f"  it is about {where}, for {certificate['scope']}")),
            soft_wrap=True,
        )
    elif where is not None:
        console.print(
            Text.assemble(
                "  ", _coloured("rejected"), without_codes(f"  it is not about {where}: {other}")
            ),
            soft_wrap=True,
        )
    for assumption in result.assumptions:
        console.print(Text(without_codes(f"  assumed: {assumption}"), style="dim"), soft_wrap=True)


def _coloured(status: str) -> tuple[str, str]:
    return f"{status:<11}", COLOURS.get(status, "yellow")

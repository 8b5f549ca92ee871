"""``recipe check``: check a certificate again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from recipe import Recipe, RecipeError, Update
from recipe_cli.commands.options import AsJson
from recipe_cli.declarations import declarations, single_declaration
from recipe_cli.terminal.printing import console, print_json

REJECTED_STATUS = 1  # exit status
EPILOG = (
    "Examples: `recipe check sgrhmc.json`, `recipe check sgrhmc.json sgrhmc:sgrhmc`."
    " Exit status: 0 confirmed, 1 rejected, 2 bad input, 3 undecided."
)


def check_certificate(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="CERTIFICATE",
            help="Certificate that `recipe verify --certificate` has written.",
        ),
    ],
    where: Annotated[
        str | None,
        typer.Argument(metavar="FILE", help="Recipe that the certificate must be about."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check a certificate again with the independent checker and, if FILE is given, that it is
    about the recipe in FILE.
    """
    from recipe_cli.render.certificates import check_as_json, print_check
    from verify.certificate.difference import first_difference
    from verify.checker import CertificateError, check, read

    try:
        certificate = read(str(file))
    except CertificateError as error:
        raise RecipeError(str(error)) from None
    result = check(certificate)
    if result.status == "not a certificate":
        raise RecipeError(f"{file} is not a certificate: {result.sentence}")
    other = None
    if where is not None:
        declaration = single_declaration(declarations(where))
        assert isinstance(declaration.declared, Recipe | Update)  # a file declares nothing else
        other = first_difference(certificate, declaration.declared)
        where = declaration.where
    if as_json:
        print_json(check_as_json(file, certificate, result, where, other))
    else:
        print_check(console(), file, certificate, result, where, other)
    raise typer.Exit(result.exit_status if other is None else REJECTED_STATUS)

"""``recipe check``: check a certificate again."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from recipe import Kernel, Recipe, RecipeError, Update
from recipe_cli.commands.options import AsJson, MemoryLimit, limits_typed
from recipe_cli.declarations import declarations, single_declaration
from recipe_cli.sandbox.child import StoppedError, answer_about, within_limits
from recipe_cli.sandbox.process_limits import Limits
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
    timeout: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            help=(
                "Time limit for the check, and for running FILE; a certificate that takes longer to"
                " check is not confirmed."
            ),
        ),
    ] = 300.0,
    memory: MemoryLimit = Limits.gigabytes,
    as_json: AsJson = False,
) -> None:
    """Check a certificate again with the independent checker and, if FILE is given, that it is
    about the recipe in FILE.
    """
    from recipe_cli.render.certificates import check_as_json, print_check
    from verify.checker import CertificateError, Result, check, read

    limits = limits_typed(timeout, memory)
    try:
        certificate = read(str(file))
    except CertificateError as error:
        raise RecipeError(str(error)) from None
    try:
        result = within_limits(partial(check, certificate), limits)
    except StoppedError as stopped:
        result = Result("not confirmed", f"the check was stopped: {stopped.reason}")
    if result.status == "not a certificate":
        raise RecipeError(f"{file} is not a certificate: {result.sentence}")
    other = None
    if where is not None:
        compared = partial(_compared, certificate, where)
        where, other = answer_about(where, compared, limits)
    if as_json:
        print_json(check_as_json(file, certificate, result, where, other))
    else:
        print_check(console(), file, certificate, result, where, other)
    raise typer.Exit(result.exit_status if other is None else REJECTED_STATUS)


def _compared(certificate: Any, where: str) -> tuple[str, str | None]:
    """Run a file and compare its declaration with that of a certificate.

    Returns:
        The argument that selects the declaration, and the first difference, which is None if there
        is none.
    """
    from verify.certificate.difference import first_difference

    declaration = single_declaration(declarations(where))
    assert isinstance(
        declaration.declared, Recipe | Update | Kernel
    )  # a file declares nothing else
    return declaration.where, first_difference(certificate, declaration.declared)

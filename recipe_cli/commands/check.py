"""``recipe check``: check a certificate again."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recipe import RecipeError
from recipe_cli.commands.options import LIMITS, PROOF, AsJson, MemoryLimit, limits_typed
from recipe_cli.sandbox.process_limits import Limits
from recipe_cli.terminal.loading import loading
from recipe_cli.terminal.printing import console, print_json

if TYPE_CHECKING:
    from verify.scope import Declared

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
    module: Annotated[
        Path | None,
        typer.Option(
            metavar="MODULE.py",
            rich_help_panel=PROOF,
            help="Module that the certificate of a translation must be about.",
        ),
    ] = None,
    timeout: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            rich_help_panel=LIMITS,
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
    with loading():
        from recipe_cli.render.certificates import check_as_json, print_check
    from recipe_cli.sandbox.child import StoppedError, answer_about, within_limits
    from verify.checker import CertificateError, Result, check, read, read_bytes

    limits = limits_typed(timeout, memory)
    try:
        certificate = read(str(file))
        text = None if module is None else read_bytes(str(module))
    except CertificateError as error:
        raise RecipeError(str(error)) from None
    try:
        result = within_limits(partial(check, certificate, text), limits)
    except StoppedError as stopped:
        result = Result("not confirmed", f"the check was stopped: {stopped.reason}")
    if result.status == "not a certificate":
        raise RecipeError(f"{file} is not a certificate: {result.sentence}")
    if result.status == "not confirmed" and not result.about:
        where = None  # it was stopped, and may not even be well formed
    if where is not None and certificate["subject"]["kind"] == "translation":
        raise RecipeError(
            f"{file} is the certificate of a translation, which is compared with a module: leave"
            f" {where} out, and name the module, --module kernel.py"
        )
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
    from recipe_cli.declarations.choose import single_declaration
    from recipe_cli.declarations.find import declarations
    from verify.certificate.difference import first_difference

    declaration = single_declaration(declarations(where))
    certified = _as_certified(certificate, declaration.declared)
    return declaration.where, first_difference(certificate, certified)


def _as_certified(certificate: Any, declared: Declared) -> Declared:
    """Return the declaration, or its step by the scheme that a certificate names."""
    from recipe import Recipe, Update, discretised

    scheme = certificate["subject"].get("scheme")
    if scheme is None or not isinstance(declared, Recipe | Update):
        return declared
    return discretised(declared, scheme["name"])

"""``recipe generate``: write the compiled form of a sampler as a Python module."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from recipe_cli.commands.options import (
    LIMITS,
    OUTPUT,
    POSTERIOR,
    Force,
    MemoryLimit,
    Order,
    RequireValidated,
    Scheme,
    Where,
    limits_typed,
)
from recipe_cli.output.paths import refuse_to_replace, resolved
from recipe_cli.sandbox.process_limits import Limits
from recipe_cli.terminal.loading import loading
from recipe_cli.terminal.printing import print_line

EPILOG = (
    "Examples: `recipe generate sghmc -o sghmc_kernel.py`; after editing the file, `recipe"
    " generate sghmc -o sghmc_kernel.py --check`"
)


def generate(
    where: Where,
    output: Annotated[
        Path, typer.Option("-o", "--output", rich_help_panel=OUTPUT, help="File for the module.")
    ],
    scheme: Scheme = "semi-implicit",
    order: Order = None,
    posterior: Annotated[str | None, POSTERIOR] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(
            "--certificate",
            metavar="FILE.json",
            rich_help_panel=OUTPUT,
            help="Write the hashes of the text and of the rule, which `recipe check` compares.",
        ),
    ] = None,
    validated: RequireValidated = False,
    force: Force = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            rich_help_panel=OUTPUT,
            help=(
                "Write nothing; decide whether the file, which may have been edited, still carries"
                " out the declared step."
            ),
        ),
    ] = False,
    timeout: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            rich_help_panel=LIMITS,
            help=(
                "Time limit for running FILE, and for generating and proving the module, which is"
                " undecided if it takes longer."
            ),
        ),
    ] = 300.0,
    memory: MemoryLimit = Limits.gigabytes,
) -> None:
    """Write the sampler as a readable Numba module that needs numpy and numba only. It is written
    only if its text is proved to carry out the declared step, or with a warning if that is left
    open and all numbers agree.
    """
    with loading("the generator and the prover"):
        from recipe_cli.program.generating import ModuleRequest, check_module, generate_module
        from recipe_cli.render.exit_status import STATUS_OF_VERDICT

    limits = limits_typed(timeout, memory)
    request = ModuleRequest(where, scheme, order, posterior)
    if check:
        raise typer.Exit(STATUS_OF_VERDICT[check_module(request, output, limits)])
    refuse_to_replace(output, force, where, posterior)
    if certificate is not None:
        refuse_to_replace(certificate, force, where, posterior)
    generate_module(
        request, resolved(output) or output, limits, resolved(certificate) or certificate, validated
    )
    for written in (output, *([certificate] if certificate else [])):
        print_line(f"wrote {written}", err=True)
